// SPDX-License-Identifier: MIT
//
// Every function of CUDA's device library, by its symbol, with each type that it takes: on each
// device within the error that the table states, from what the host computes in a wider type, or
// the same bits. A function without a reference here is a failure.

#include "library_references.hpp"
#include "sweep.hpp"

#include <tl/impl/libdevice_functions.hpp>

#include <cmath>
#include <cstring>

using namespace numeric;
using tl::impl::library_code;
using tl::impl::library_function;

namespace {

constexpr int count = 1024;

const element_info &info_of_letter(char letter) {
  switch (letter) {
  case 'f':
    return info_of<float>();
  case 'd':
    return info_of<double>();
  case 'i':
    return info_of<std::int32_t>();
  case 'u':
    return info_of<std::uint32_t>();
  case 'l':
    return info_of<std::int64_t>();
  default:
    return info_of<std::uint64_t>();
  }
}

std::string mlir_name(char letter) {
  return letter == 'f'                    ? "f32"
         : letter == 'd'                  ? "f64"
         : letter == 'i' || letter == 'u' ? "i32"
                                          : "i64";
}

std::string tensor_of(const std::string &element) {
  return "tensor<" + std::to_string(count) + "x" + element + ">";
}

/// %NAMEp: the addresses of the elements from %NAME on.
std::string addresses(const std::string &name, const std::string &type) {
  const std::string pointer = "!tt.ptr<" + type + ">", pointers = tensor_of(pointer);
  return "    %" + name + "s = tt.splat %" + name + " : " + pointer + " -> " + pointers +
         "\n    %" + name + "p = tt.addptr %" + name + "s, %at : " + pointers + ", " +
         tensor_of("i32") + "\n";
}

std::string kernel_of(const library_function &f) {
  std::string parameters, body, values, types;
  for (std::size_t i = 0; i + 1 < f.types().size(); ++i) {
    const std::string type = mlir_name(f.types()[i + 1]), name = "x" + std::to_string(i);
    parameters += "%" + name + ": !tt.ptr<" + type + ">, ";
    body += addresses(name, type) + "    %" + name + "v = tt.load %" + name +
            "p : " + tensor_of("!tt.ptr<" + type + ">") + "\n";
    values += (i ? ", %" : "%") + name + "v";
    types += (i ? ", " : "") + tensor_of(type);
  }
  const std::string result = mlir_name(f.types()[0]);
  return "module {\n  tt.func public @called(" + parameters + "%out: !tt.ptr<" + result +
         ">) {\n    %at = tt.make_range {end = " + std::to_string(count) +
         " : i32, start = 0 : i32} : " + tensor_of("i32") + "\n" + body +
         "    %r = tt.extern_elementwise " + values +
         " {libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_" +
         std::string(f.symbol()) + "\"} : (" + types + ") -> " + tensor_of(result) + "\n" +
         addresses("out", result) +
         "    tt.store %outp, %r : " + tensor_of("!tt.ptr<" + result + ">") +
         "\n    tt.return\n  }\n}\n";
}

/// Any numbers in the first quarter, after the awkward ones in all pairs; then smaller and smaller
/// ones, among which a function has its values. `least` replaces what is nearer to 0.
template <class T> std::vector<unsigned char> reals(int operand, double least) {
  std::vector<T> values = tl::testing::random_values<T>(count);
  const std::vector<T> awkward = awkward_values<T>();
  for (std::size_t j = 0, stride = operand == 0 ? 1 : awkward.size() + operand - 1;
       j < awkward.size() * awkward.size(); ++j)
    values[j] = awkward[j / stride % awkward.size()];
  for (int part = 1; part < 4; ++part) {
    const double bound = part == 1 ? 200 : part == 2 ? 10 : 1;
    const auto some = tl::testing::random_values<T>(count / 4, {-bound, bound});
    std::copy(some.begin(), some.end(), values.begin() + part * count / 4);
  }
  for (T &value : values)
    if (value != 0 && std::abs(value) < least)
      value = std::copysign(T(least), value);
  std::vector<unsigned char> bytes(count * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<unsigned char> operand_of(const library_function &f, int operand) {
  const char letter = f.types()[operand + 1];
  // Of smaller numbers some functions of float make 0 on GPUs (docs/explanation/types.md).
  if (letter == 'f')
    return reals<float>(operand, f.ulps > 0 ? std::numeric_limits<float>::min() : 0);
  if (letter == 'd')
    return reals<double>(operand, 0);
  const element_info &info = info_of_letter(letter);
  std::vector<unsigned char> bytes(count * std::size_t(info.bytes));
  // Orders of Bessel functions and powers of two are small; other integers are any in one half.
  const bool small = f.code == library_code::order;
  info.fill(bytes.data(), count, {-40, 40}, !small);
  if (!small)
    info.fill(bytes.data() + bytes.size() / 2, count / 2, {-1100, 1100}, false);
  return bytes;
}

/// Operand i of an element of the case.
host_operand value_of(const library_function &f, const test_case &c, std::size_t i, std::size_t j) {
  const char letter = f.types()[i + 1];
  const element_info &info = info_of_letter(letter);
  const unsigned char *at = c.inputs[i].data() + j * std::size_t(info.bytes);
  host_operand value{};
  std::memcpy(&value.bits, at, std::size_t(info.bytes));
  if (info.is_float)
    value.real = info.as_double(at);
  else
    value.real = letter == 'i'   ? (long double)std::int32_t(value.bits)
                 : letter == 'l' ? (long double)std::int64_t(value.bits)
                                 : (long double)value.bits;
  return value;
}

void check(const library_function &f) {
  test_case c;
  c.name = std::string(f.symbol());
  c.ttir = kernel_of(f);
  c.result = &info_of_letter(f.types()[0]);
  c.results = count;
  c.allowed = {.ulps = f.ulps, .absolute = f.absolute};
  c.between_devices = {.ulps = 2 * f.ulps, .absolute = 2 * f.absolute};
  if (f.types()[0] == 'f' && f.ulps > 0)
    c.on_gpus = tolerance{.ulps = f.ulps,
                          .absolute = f.absolute + double(std::numeric_limits<float>::min())};
  const std::size_t operands = f.types().size() - 1;
  for (std::size_t i = 0; i < operands; ++i)
    c.inputs.push_back(operand_of(f, int(i)));
  if (f.types().find_first_not_of(f.types()[1], 1) == std::string_view::npos)
    c.operand = &info_of_letter(f.types()[1]);

  const bool is_exact = f.ulps == 0;
  const std::size_t bytes = std::size_t(c.result->bytes);
  if (is_exact)
    c.wanted.resize(count * bytes);
  else
    c.exact.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    host_operand x[4] = {};
    for (std::size_t i = 0; i < operands; ++i)
      x[i] = value_of(f, c, i, j);
    if (is_exact) {
      const std::optional<std::uint64_t> bits = exact_reference(f, x);
      REQUIRE_MESSAGE(bits, f.symbol(), " has no reference");
      std::memcpy(&c.wanted[j * bytes], &*bits, bytes);
    } else {
      const std::optional<long double> value = reference(f, x);
      REQUIRE_MESSAGE(value, f.symbol(), " has no reference");
      c.exact[j] = double(*value);
    }
  }
  run(c);
}

/// The rows that are asked for, each in a subcase of its name.
template <class Wanted> void check_all(Wanted wanted) {
  for (const library_function &f : tl::impl::library_functions)
    if (wanted(f))
      check(f);
}

} // namespace

TEST_CASE("mathematical functions, by the symbols of the library") {
  check_all([](const library_function &f) {
    return f.code == library_code::mathematics || f.code == library_code::order;
  });
}

TEST_CASE("arithmetic and conversions in every direction, by the symbols of the library") {
  check_all([](const library_function &f) { return f.code == library_code::rounded; });
}

TEST_CASE("bits, questions and integers, by the symbols of the library") {
  check_all([](const library_function &f) { return f.code == library_code::instruction; });
}
