// SPDX-License-Identifier: MIT
//
// Functions of CUDA's device library that are not mathematics, by the symbols that upstream's texts
// call: on each device as the interpreter defines them, and as the host computes them where a row
// says how. Floats are within +-1000, where conversions to integers of 32 bits are the same on all
// devices.

#include "sweep.hpp"

#include <cstring>

using namespace numeric;

namespace {

constexpr int count = 256;

struct symbol {
  const char *name;
  std::vector<const char *> operands;
  const char *result;
  double ulps = 0;
  std::int32_t (*of_integers)(const std::int32_t *x) = nullptr; ///< what it is of i32 operands
};

/// Each of the four lowest digits of x[2] picks a byte of x[0], then of x[1], by its lower 3 bits.
std::int32_t picked_bytes(const std::int32_t *x) {
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const int byte = x[2] >> (4 * i) & 7;
    const std::uint32_t from = std::uint32_t(byte < 4 ? x[0] : x[1]);
    result |= (from >> (8 * (byte % 4)) & 0xFF) << (8 * i);
  }
  return std::int32_t(result);
}

/// The mean, rounded up.
std::int32_t mean_of_unsigned(const std::int32_t *x) {
  return std::int32_t((std::uint64_t(std::uint32_t(x[0])) + std::uint32_t(x[1]) + 1) / 2);
}

const element_info &info_of_name(const std::string &type) {
  return type == "f32"   ? info_of<float>()
         : type == "f64" ? info_of<double>()
         : type == "i32" ? info_of<std::int32_t>()
                         : info_of<std::int64_t>();
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

std::string kernel_of(const symbol &s) {
  std::string parameters, body, values, types;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const std::string type = s.operands[i], name = "x" + std::to_string(i);
    parameters += "%" + name + ": !tt.ptr<" + type + ">, ";
    body += addresses(name, type) + "    %" + name + "v = tt.load %" + name +
            "p : " + tensor_of("!tt.ptr<" + type + ">") + "\n";
    values += (i ? ", %" : "%") + name + "v";
    types += (i ? ", " : "") + tensor_of(type);
  }
  const std::string result = s.result;
  return "module {\n  tt.func public @called(" + parameters + "%out: !tt.ptr<" + result +
         ">) {\n    %at = tt.make_range {end = " + std::to_string(count) +
         " : i32, start = 0 : i32} : " + tensor_of("i32") + "\n" + body +
         "    %r = tt.extern_elementwise " + values +
         " {libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_" + s.name + "\"} : (" +
         types + ") -> " + tensor_of(result) + "\n" + addresses("out", result) +
         "    tt.store %outp, %r : " + tensor_of("!tt.ptr<" + result + ">") +
         "\n    tt.return\n  }\n}\n";
}

void check(const symbol &s) {
  test_case c;
  c.name = s.name;
  c.ttir = kernel_of(s);
  c.result = &info_of_name(s.result);
  c.results = count;
  c.between_devices = {.ulps = s.ulps};
  for (const char *operand : s.operands) {
    const element_info &info = info_of_name(operand);
    std::vector<unsigned char> bytes(count * std::size_t(info.bytes));
    info.fill(bytes.data(), count, {-1000, 1000}, !info.is_float);
    c.inputs.push_back(std::move(bytes));
  }
  if (s.of_integers) {
    c.wanted.resize(count * sizeof(std::int32_t));
    for (std::size_t j = 0; j < count * sizeof(std::int32_t); j += sizeof(std::int32_t)) {
      std::int32_t x[3] = {};
      for (std::size_t i = 0; i < c.inputs.size(); ++i)
        std::memcpy(&x[i], &c.inputs[i][j], sizeof(std::int32_t));
      const std::int32_t value = s.of_integers(x);
      std::memcpy(&c.wanted[j], &value, sizeof value);
    }
  }
  run(c);
}

} // namespace

TEST_CASE("bits of floats, and questions about them, by the symbols of the library") {
  for (const symbol &s : std::initializer_list<symbol>{
           {"float_as_int", {"f32"}, "i32"},
           {"uint_as_float", {"i32"}, "f32"},
           {"double_as_longlong", {"f64"}, "i64"},
           {"longlong_as_double", {"i64"}, "f64"},
           {"double2hiint", {"f64"}, "i32"},
           {"double2loint", {"f64"}, "i32"},
           {"hiloint2double", {"i32", "i32"}, "f64"},
           {"isnanf", {"f32"}, "i32"},
           {"isinfd", {"f64"}, "i32"},
           {"finitef", {"f32"}, "i32"},
           {"isfinited", {"f64"}, "i32"},
       })
    check(s);
}

TEST_CASE("arithmetic that is rounded to nearest, by the symbols of the library") {
  for (const symbol &s : std::initializer_list<symbol>{
           {"fadd_rn", {"f32", "f32"}, "f32"},
           {"dsub_rn", {"f64", "f64"}, "f64"},
           {"fmul_rn", {"f32", "f32"}, "f32"},
           {"fdiv_rn", {"f32", "f32"}, "f32"},
           {"ddiv_rn", {"f64", "f64"}, "f64"},
           {"fast_fdividef", {"f32", "f32"}, "f32", 2},
           {"saturatef", {"f32"}, "f32"},
           {"norm3d", {"f64", "f64", "f64"}, "f64", 3},
           {"norm4df", {"f32", "f32", "f32", "f32"}, "f32", 4},
           {"rnorm3df", {"f32", "f32", "f32"}, "f32", 4},
           {"rnorm4d", {"f64", "f64", "f64", "f64"}, "f64", 5},
       })
    check(s);
}

TEST_CASE("conversions, by the symbols of the library") {
  for (const char *mode : {"rn", "rz", "rd", "ru"})
    for (auto [from, operand] : {std::pair("float", "f32"), std::pair("double", "f64")})
      for (auto [to, result] : {std::pair("int", "i32"), std::pair("ll", "i64")}) {
        const std::string name = std::string(from) + "2" + to + "_" + mode;
        check({name.c_str(), {operand}, result});
      }
  for (const symbol &s : std::initializer_list<symbol>{
           {"llrintf", {"f32"}, "i64"},
           {"llround", {"f64"}, "i64"},
           {"int2float_rn", {"i32"}, "f32"},
           {"ull2float_rn", {"i64"}, "f32"},
           {"uint2double_rn", {"i32"}, "f64"},
           {"double2float_rn", {"f64"}, "f32"},
       })
    check(s);
}

TEST_CASE("powers of two and integers, by the symbols of the library") {
  for (const symbol &s : std::initializer_list<symbol>{
           {"ldexpf", {"f32", "i32"}, "f32"},
           {"scalbn", {"f64", "i32"}, "f64"},
           {"ilogbf", {"f32"}, "i32"},
           {"ilogb", {"f64"}, "i32"},
           {"mul24", {"i32", "i32"}, "i32"},
           {"umul24", {"i32", "i32"}, "i32"},
           {"sad", {"i32", "i32", "i32"}, "i32"},
           {"usad", {"i32", "i32", "i32"}, "i32"},
           {"hadd", {"i32", "i32"}, "i32"},
           {"urhadd", {"i32", "i32"}, "i32", 0, mean_of_unsigned},
           {"byte_perm", {"i32", "i32", "i32"}, "i32", 0, picked_bytes},
       })
    check(s);
}
