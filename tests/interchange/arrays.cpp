// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include "tools/tlc/Failure.h"
#include "tools/tlc/NpyFile.h"

#include <tl/dtype.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace interchange {

namespace {

/// An element: a double, which holds every float type, or the bits of an integer.
struct element {
  bool is_float = false;
  double value = 0;
  std::int64_t bits = 0;
};

template <class T> element read_as(const std::uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_integral_v<T>)
    return {false, 0, static_cast<std::int64_t>(value)};
  else
    return {true, static_cast<double>(static_cast<float>(value)), 0};
}

template <> element read_as<double>(const std::uint8_t *at) {
  element e{true, 0, 0};
  std::memcpy(&e.value, at, sizeof e.value);
  return e;
}

using reader = element (*)(const std::uint8_t *);

reader reader_of(std::string_view dtype, std::string_view type) {
  static constexpr struct {
    std::string_view name;
    reader read;
  } readers[] = {
      {"*bf16", read_as<tl::bfloat16>},  {"*fp8e4nv", read_as<tl::float8e4nv>},
      {"*fp8e5", read_as<tl::float8e5>}, {"<f8", read_as<double>},
      {"<f4", read_as<float>},           {"<f2", read_as<tl::float16>},
      {"|b1", read_as<std::uint8_t>},    {"|i1", read_as<std::int8_t>},
      {"|u1", read_as<std::uint8_t>},    {"<i2", read_as<std::int16_t>},
      {"<u2", read_as<std::uint16_t>},   {"<i4", read_as<std::int32_t>},
      {"<u4", read_as<std::uint32_t>},   {"<i8", read_as<std::int64_t>},
      {"<u8", read_as<std::uint64_t>},
  };
  for (std::string_view wanted : {type, dtype})
    for (const auto &[name, read] : readers)
      if (name == wanted)
        return read;
  throw std::runtime_error("elements of type " + std::string(dtype) + " are not known");
}

std::string text_of(const element &e) {
  std::ostringstream text;
  text.precision(9);
  if (e.is_float)
    text << e.value;
  else
    text << e.bits;
  return text.str();
}

std::size_t bytes_of(std::string_view dtype) { return std::size_t(dtype.back() - '0'); }

} // namespace

std::size_t array::size() const { return bytes.size() / bytes_of(dtype); }

std::string read_text(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

array read_array(const std::filesystem::path &path) {
  try {
    const tlc::NpyArray read = tlc::readNpy(path.string());
    return {read.dtype, {read.bytes.begin(), read.bytes.end()}};
  } catch (const tlc::Failure &failure) {
    throw std::runtime_error(failure.message);
  }
}

std::string difference(const array &got, const array &want, std::string_view type,
                       tolerance allowed) {
  if (got.size() != want.size())
    return std::to_string(got.size()) + " elements, expected " + std::to_string(want.size());
  const reader read_got = reader_of(got.dtype, type), read_want = reader_of(want.dtype, type);
  const std::size_t got_bytes = bytes_of(got.dtype), want_bytes = bytes_of(want.dtype);
  std::size_t off = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const element g = read_got(got.bytes.data() + i * got_bytes);
    const element w = read_want(want.bytes.data() + i * want_bytes);
    bool same = g.is_float ? g.value == w.value || (std::isnan(g.value) && std::isnan(w.value)) ||
                                 std::abs(g.value - w.value) <=
                                     allowed.absolute + allowed.relative * std::abs(w.value)
                           : g.bits == w.bits;
    if (!same && off++ == 0)
      first = i;
  }
  if (off == 0)
    return {};
  return std::to_string(off) + " of " + std::to_string(got.size()) + " elements differ, first [" +
         std::to_string(first) + "] is " + text_of(read_got(got.bytes.data() + first * got_bytes)) +
         ", expected " + text_of(read_want(want.bytes.data() + first * want_bytes));
}

} // namespace interchange
