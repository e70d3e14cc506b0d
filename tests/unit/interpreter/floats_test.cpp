// SPDX-License-Identifier: MIT
//
// Elementwise operations on floats: one rounding to nearest even in the operand's own type, NaN,
// signed zeros, denormals.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using c_api::bitsOf;
using c_api::lanes;

namespace {

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

using F32 = std::vector<float>;
using F64 = std::vector<double>;
using U8 = std::vector<uint8_t>;
using U16 = std::vector<uint16_t>;

F32 binary(const std::string &op, F32 a, F32 b) {
  return lanes<float>("%r = " + op + " %a, %b : tensor<SHAPExf32>", "f32",
                      {{"f32", a}, {"f32", b}});
}

template <class S>
std::vector<S> small(const std::string &op, const std::string &type, std::vector<S> a,
                     std::vector<S> b) {
  return lanes<S>("%r = " + op + " %a, %b : tensor<SHAPEx" + type + ">", type,
                  {{type, a}, {type, b}});
}

template <class T> std::vector<decltype(T::bits)> encode(std::vector<double> values) {
  std::vector<decltype(T::bits)> result;
  for (double value : values)
    result.push_back(T(value).bits);
  return result;
}

bool sameBits(const F32 &a, const F32 &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && bitsOf(a[i]) != bitsOf(b[i]))
      return false;
  return true;
}

} // namespace

TEST_CASE("float arithmetic is the machine's") {
  const F32 a = {0.1f, 1e38f, 1e-45f, -0.0f, inf32, 3.0f},
            b = {0.2f, 1e38f, 1e-45f, 0.0f, -inf32, 7.0f};
  F32 sum, difference, product, quotient;
  for (size_t i = 0; i < a.size(); ++i) {
    sum.push_back(a[i] + b[i]), difference.push_back(a[i] - b[i]);
    product.push_back(a[i] * b[i]), quotient.push_back(a[i] / b[i]);
  }
  CHECK(sameBits(binary("arith.addf", a, b), sum));
  CHECK(sameBits(binary("arith.subf", a, b), difference));
  CHECK(sameBits(binary("arith.mulf", a, b), product));
  CHECK(sameBits(binary("arith.divf", a, b), quotient));
  CHECK(sameBits(binary("tt.precise_divf", a, b), quotient));
  CHECK(sameBits(binary("tt.approx_divf", a, b), quotient));
  CHECK(sameBits(binary("arith.remf", {5.5f, -5.5f, 1.0f, 3.0f}, {2.0f, 2.0f, 0.0f, inf32}),
                 {1.5f, -1.5f, nan32, 3.0f}));
}

TEST_CASE("small floats round each operation once, to nearest even") {
  CHECK(small("arith.addf", "f16", encode<tl::float16>({2048, 2048, 65504, 65504}),
              encode<tl::float16>({1, 3, 15, 16})) ==
        U16{tl::float16(2048.0).bits, tl::float16(2052.0).bits, 0x7BFF, 0x7C00});
  CHECK(small("arith.mulf", "bf16", encode<tl::bfloat16>({1.0078125}),
              encode<tl::bfloat16>({1.0078125})) == encode<tl::bfloat16>({1.015625}));
  // e5m2: 1 + 0.125 is a tie and goes to even; 1.25 + 0.125 goes up.
  CHECK(small("arith.addf", "f8E5M2", encode<tl::float8e5>({1.0, 1.25}),
              encode<tl::float8e5>({0.125, 0.125})) == encode<tl::float8e5>({1.0, 1.5}));
  // 8-bit results saturate.
  CHECK(small("arith.mulf", "f8E4M3FN", encode<tl::float8e4nv>({448, -448}),
              encode<tl::float8e4nv>({448, 448})) == encode<tl::float8e4nv>({448, -448}));
}

TEST_CASE("minimum and maximum: the number wins, or NaN wins") {
  const F32 a = {nan32, 1, nan32, -0.0f, 0.0f, 2}, b = {1, nan32, nan32, 0.0f, -0.0f, 3};
  CHECK(sameBits(binary("arith.maxnumf", a, b), {1, 1, nan32, 0.0f, 0.0f, 3}));
  CHECK(sameBits(binary("arith.minnumf", a, b), {1, 1, nan32, -0.0f, -0.0f, 2}));
  CHECK(sameBits(binary("arith.maximumf", a, b), {nan32, nan32, nan32, 0.0f, 0.0f, 3}));
  CHECK(sameBits(binary("arith.minimumf", a, b), {nan32, nan32, nan32, -0.0f, -0.0f, 2}));
  for (const char *type : {"f16", "bf16"}) {
    const uint16_t nan = type[0] == 'f' ? 0x7E00 : 0x7FC0;
    const uint16_t one = type[0] == 'f' ? tl::float16(1).bits : tl::bfloat16(1).bits;
    CHECK(small<uint16_t>("arith.maxnumf", type, {nan, one}, {one, nan}) == U16{one, one});
    CHECK(small<uint16_t>("arith.maximumf", type, {nan, one}, {one, nan}) == U16{nan, nan});
  }
}

TEST_CASE("clamp bounds from below, then from above") {
  auto clamp = [](const std::string &nan, F32 x) {
    const F32 low(x.size(), -1), high(x.size(), 2);
    return lanes<float>("%r = tt.clampf %a, %b, %c, propagateNan = " + nan + " : tensor<SHAPExf32>",
                        "f32", {{"f32", x}, {"f32", low}, {"f32", high}});
  };
  CHECK(sameBits(clamp("none", {-5, 0.5f, 5, nan32}), {-1, 0.5f, 2, -1}));
  CHECK(sameBits(clamp("all", {-5, 0.5f, 5, nan32}), {-1, 0.5f, 2, nan32}));
}

TEST_CASE("negation and absolute value change the sign bit alone") {
  auto unary = [](const std::string &op, F32 a) {
    return lanes<float>("%r = " + op + " %a : tensor<SHAPExf32>", "f32", {{"f32", a}});
  };
  CHECK(sameBits(unary("arith.negf", {0.0f, -0.0f, 1, -inf32}), {-0.0f, 0.0f, -1, inf32}));
  CHECK(sameBits(unary("math.absf", {0.0f, -0.0f, -1, -inf32}), {0.0f, 0.0f, 1, inf32}));
  CHECK(lanes<uint32_t>("%r = arith.negf %a : tensor<SHAPExf32>", "f32",
                        {{"f32", std::vector<uint32_t>{0x7FC01234}}}) ==
        std::vector<uint32_t>{0xFFC01234});
  // Formats with one zero: its negative is itself, and the lone sign bit is NaN.
  CHECK(lanes<uint8_t>("%r = arith.negf %a : tensor<SHAPExf8E4M3FNUZ>", "f8E4M3FNUZ",
                       {{"f8E4M3FNUZ", U8{0x00, 0x01, 0x80}}}) == U8{0x00, 0x81, 0x80});
  CHECK(lanes<uint8_t>("%r = math.absf %a : tensor<SHAPExf8E5M2FNUZ>", "f8E5M2FNUZ",
                       {{"f8E5M2FNUZ", U8{0x81, 0x80}}}) == U8{0x01, 0x80});
  CHECK(sameBits(binary("math.copysign", {1, 1, -2}, {-0.0f, 3, 5}), {-1, 1, 2}));
}

TEST_CASE("comparisons, ordered and unordered") {
  const F32 a = {1, 2, 2, nan32}, b = {2, 1, 2, 1};
  const std::pair<const char *, U8> rows[] = {
      {"false", {0, 0, 0, 0}}, {"oeq", {0, 0, 1, 0}}, {"ogt", {0, 1, 0, 0}},
      {"oge", {0, 1, 1, 0}},   {"olt", {1, 0, 0, 0}}, {"ole", {1, 0, 1, 0}},
      {"one", {1, 1, 0, 0}},   {"ord", {1, 1, 1, 0}}, {"ueq", {0, 0, 1, 1}},
      {"ugt", {0, 1, 0, 1}},   {"uge", {0, 1, 1, 1}}, {"ult", {1, 0, 0, 1}},
      {"ule", {1, 0, 1, 1}},   {"une", {1, 1, 0, 1}}, {"uno", {0, 0, 0, 1}},
      {"true", {1, 1, 1, 1}}};
  for (const auto &[predicate, expected] : rows) {
    CAPTURE(predicate);
    CHECK(
        lanes<uint8_t>("%r = arith.cmpf " + std::string(predicate) + ", %a, %b : tensor<SHAPExf32>",
                       "i1", {{"f32", a}, {"f32", b}}) == expected);
  }
}

TEST_CASE("fma rounds once in every type") {
  const float x = 1 + std::ldexp(1.0f, -12), y = 1 - std::ldexp(1.0f, -12);
  const F32 r = lanes<float>(
      "%r = math.fma %a, %b, %c : tensor<SHAPExf32>", "f32",
      {{"f32", F32{x, inf32, 1e30f}}, {"f32", F32{y, 1, 1e30f}}, {"f32", F32{-1, -inf32, -1}}});
  CHECK(r[0] == -std::ldexp(1.0f, -24));
  CHECK(std::isnan(r[1]));
  CHECK(r[2] == inf32);
  // f16: 2049 * 1 + 2^-24 lies above the tie between 2048 and 2050; two roundings would lose that.
  const U16 h = lanes<uint16_t>("%r = math.fma %a, %b, %c : tensor<SHAPExf16>", "f16",
                                {{"f16", encode<tl::float16>({3})},
                                 {"f16", encode<tl::float16>({683})},
                                 {"f16", encode<tl::float16>({0x1p-24})}});
  CHECK(h == encode<tl::float16>({2050}));
  // bf16: 257 is a tie of 256 and 258; 2^-100 is far below double's reach beside it.
  // bf16: 3 * 87 = 261 is a tie of 260 and 262; 2^-100 is far below double's reach beside it.
  const U16 b = lanes<uint16_t>("%r = math.fma %a, %b, %c : tensor<SHAPExbf16>", "bf16",
                                {{"bf16", encode<tl::bfloat16>({3, 3, 3})},
                                 {"bf16", encode<tl::bfloat16>({87, 87, 87})},
                                 {"bf16", encode<tl::bfloat16>({0, 0x1p-100, -0x1p-100})}});
  CHECK(b == encode<tl::bfloat16>({260, 262, 260}));
  CHECK(lanes<double>("%r = math.fma %a, %b, %c : tensor<SHAPExf64>", "f64",
                      {{"f64", F64{1 + 0x1p-30}}, {"f64", F64{1 - 0x1p-30}}, {"f64", F64{-1}}}) ==
        F64{-0x1p-60});
}

TEST_CASE("classification") {
  const F32 a = {1, inf32, nan32, 1e-40f, 0};
  auto classify = [&](const std::string &op) {
    return lanes<uint8_t>("%r = " + op + " %a : tensor<SHAPExf32>", "i1", {{"f32", a}});
  };
  CHECK(classify("math.isfinite") == U8{1, 0, 0, 1, 1});
  CHECK(classify("math.isinf") == U8{0, 1, 0, 0, 0});
  CHECK(classify("math.isnan") == U8{0, 0, 1, 0, 0});
  CHECK(classify("math.isnormal") == U8{1, 0, 0, 0, 0});
}

TEST_CASE("a product and a sum are rounded together unless something else reads the product") {
  const float s = 0.75f, v = -0.25f / s;
  auto sum = [&](const std::string &between) {
    return lanes<float>("%p = arith.mulf %a, %b : tensor<SHAPExf32>\n" + between +
                            "%r = arith.addf %p, %c : tensor<SHAPExf32>",
                        "f32", {{"f32", F32{v}}, {"f32", F32{s}}, {"f32", F32{0.25f}}})[0];
  };
  REQUIRE(std::fma(v, s, 0.25f) != 0);
  CHECK(sum("") == std::fma(v, s, 0.25f));
  CHECK(bitsOf(sum("%m = arith.maxnumf %p, %c : tensor<SHAPExf32>\n")) == 0);
}
