// SPDX-License-Identifier: MIT
//
// Matrix products: element types, precisions, batches, and scaled operands.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <doctest/doctest.h>

using c_api::lanes;
using c_api::Operand;

namespace {

using F32 = std::vector<float>;
using F64 = std::vector<double>;
using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using U16 = std::vector<uint16_t>;
using I32 = std::vector<int32_t>;

/// A dot whose operands come from flat tensors; the accumulator is zero.
std::string dot(const std::string &a, const std::string &b, const std::string &c,
                const std::string &type, const std::string &result,
                const std::string &precision = "") {
  const bool isFloat = result[0] == 'f';
  auto flat = [](const std::string &shape) {
    size_t count = 1, number = 0;
    for (char ch : shape + "x")
      if (ch == 'x')
        count *= number, number = 0;
      else
        number = number * 10 + static_cast<size_t>(ch - '0');
    return std::to_string(count);
  };
  return "%m = tt.reshape %a : tensor<" + flat(a) + "x" + type + "> -> tensor<" + a + "x" + type +
         ">\n%n = tt.reshape %b : tensor<" + flat(b) + "x" + type + "> -> tensor<" + b + "x" +
         type + ">\n%z = arith.constant dense<" + (isFloat ? "0.0" : "0") + "> : tensor<" + c +
         "x" + result + ">\n%r = tt.dot %m, %n, %z" +
         (precision.empty() ? "" : ", inputPrecision = " + precision) + " : tensor<" + a + "x" +
         type + "> * tensor<" + b + "x" + type + "> -> tensor<" + c + "x" + result + ">";
}

template <class R>
std::vector<R> product(size_t m, size_t k, size_t n, const std::string &type,
                       const std::string &result, const std::string &precision, Operand a,
                       Operand b) {
  const std::string sa = std::to_string(m) + "x" + std::to_string(k),
                    sb = std::to_string(k) + "x" + std::to_string(n),
                    sc = std::to_string(m) + "x" + std::to_string(n);
  // One flat shape serves both operands: pad the smaller one.
  const size_t larger = std::max(m * k, k * n);
  const std::string flat = std::to_string(larger);
  std::string body = dot(sa, sb, sc, type, result, precision);
  auto cut = [&](const std::string &name, size_t count) {
    std::string text;
    std::string current = name;
    for (size_t have = larger; have > count; have /= 2) {
      const std::string half = std::to_string(have / 2), full = std::to_string(have),
                        next = current + "h";
      text += next + "2 = tt.reshape " + current + " : tensor<" + full + "x" + type +
              "> -> tensor<2x" + half + "x" + type + ">\n";
      text += next + "t = tt.trans " + next + "2 {order = array<i32: 1, 0>} : tensor<2x" + half +
              "x" + type + "> -> tensor<" + half + "x2x" + type + ">\n";
      text += next + ", " + next + "u = tt.split " + next + "t : tensor<" + half + "x2x" + type +
              "> -> tensor<" + half + "x" + type + ">\n";
      current = next;
    }
    const std::string from = "tt.reshape " + name + " :";
    body.replace(body.find(from), from.size(), "tt.reshape " + current + " :");
    return text;
  };
  const std::string first = cut("%a", m * k), second = cut("%b", k * n);
  return lanes<R>(first + second + body, result, {a, b}, flat, sc);
}

template <class T> U16 half(F32 values) {
  U16 result;
  for (float v : values)
    result.push_back(T(v).bits);
  return result;
}

} // namespace

TEST_CASE("products of small whole numbers are exact for every shape and type") {
  for (size_t m : {1, 2, 8})
    for (size_t n : {1, 4, 16})
      for (size_t k : {1, 2, 16}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        F32 a(m * k), b(k * n), c(m * n, 0.0f);
        for (size_t i = 0; i < m; ++i)
          for (size_t x = 0; x < k; ++x)
            a[i * k + x] = static_cast<float>(i + x);
        for (size_t x = 0; x < k; ++x)
          for (size_t j = 0; j < n; ++j)
            b[x * n + j] = static_cast<float>(x) - static_cast<float>(j);
        for (size_t i = 0; i < m; ++i)
          for (size_t j = 0; j < n; ++j)
            for (size_t x = 0; x < k; ++x)
              c[i * n + j] += a[i * k + x] * b[x * n + j];
        CHECK(product<float>(m, k, n, "f32", "f32", "ieee", {"f32", a}, {"f32", b}) == c);
        CHECK(product<float>(m, k, n, "f16", "f32", "", {"f16", half<tl::float16>(a)},
                             {"f16", half<tl::float16>(b)}) == c);
        CHECK(product<float>(m, k, n, "bf16", "f32", "", {"bf16", half<tl::bfloat16>(a)},
                             {"bf16", half<tl::bfloat16>(b)}) == c);
        CHECK(product<uint16_t>(m, k, n, "f16", "f16", "", {"f16", half<tl::float16>(a)},
                                {"f16", half<tl::float16>(b)}) == half<tl::float16>(c));
        CHECK(product<int32_t>(m, k, n, "i8", "i32", "", {"i8", I8(a.begin(), a.end())},
                               {"i8", I8(b.begin(), b.end())}) == I32(c.begin(), c.end()));
        CHECK(product<double>(m, k, n, "f64", "f64", "", {"f64", F64(a.begin(), a.end())},
                              {"f64", F64(b.begin(), b.end())}) == F64(c.begin(), c.end()));
      }
}

TEST_CASE("int8 products are summed in int32") {
  CHECK(product<int32_t>(2, 2, 2, "i8", "i32", "", {"i8", I8{-44, -20, -126, 6}},
                         {"i8", I8{24, -75, 127, -101}}) == I32{-3596, 5320, -2262, 8844});
}

TEST_CASE("ieee keeps all bits of f32, tf32 ten of them") {
  const F32 a(16 * 64, 1 + 0x1p-12f), b(64 * 16, 1);
  CHECK(product<float>(16, 64, 16, "f32", "f32", "ieee", {"f32", a}, {"f32", b})[0] ==
        64 + 0x1p-6f);
  CHECK(product<float>(16, 64, 16, "f32", "f32", "tf32x3", {"f32", a}, {"f32", b})[0] ==
        64 + 0x1p-6f);
  CHECK(product<float>(16, 64, 16, "f32", "f32", "bf16x6", {"f32", a}, {"f32", b})[0] ==
        64 + 0x1p-6f);
  CHECK(product<float>(16, 64, 16, "f32", "f32", "tf32", {"f32", a}, {"f32", b})[0] == 64);
}

TEST_CASE("double products stay in double") {
  CHECK(product<double>(32, 32, 32, "f64", "f64", "", {"f64", F64(1024, 1 + 0x1p-40)},
                        {"f64", F64(1024, 1)})[77] == 32 + 0x1p-35);
}

TEST_CASE("8-bit floats multiply exactly") {
  const U8 a(32 * 32, tl::float8e4nv(1.125).bits), b(32 * 32, tl::float8e4nv(-0.875).bits);
  CHECK(product<float>(32, 32, 32, "f8E4M3FN", "f32", "", {"f8E4M3FN", a}, {"f8E4M3FN", b})[0] ==
        32 * 1.125f * -0.875f);
}

TEST_CASE("batches multiply one by one, and the accumulator is added") {
  const std::string body =
      "%m = tt.reshape %a : tensor<8xf32> -> tensor<2x2x2xf32>\n"
      "%c1 = arith.constant dense<10.0> : tensor<2x2x2xf32>\n"
      "%r = tt.dot %m, %m, %c1, inputPrecision = ieee : tensor<2x2x2xf32> * tensor<2x2x2xf32> -> "
      "tensor<2x2x2xf32>";
  CHECK(lanes<float>(body, "f32", {{"f32", F32{1, 2, 3, 4, 0, 1, 1, 0}}}, "8", "2x2x2") ==
        F32{17, 20, 25, 32, 11, 10, 10, 11});
}

TEST_CASE("scaled products: e2m1 nibbles, e8m0 scales, NaN scales") {
  // a: 1 x 64 of e2m1, all 1.0 (0b0010); two groups with scales 2^1 and 2^-1. b: 64 x 1 of e4m3
  // ones.
  const std::string body =
      "%ap = tt.reshape %a : tensor<64xi8> -> tensor<2x32xi8>\n"
      "%at = tt.trans %ap {order = array<i32: 1, 0>} : tensor<2x32xi8> -> tensor<32x2xi8>\n"
      "%lo, %hi = tt.split %at : tensor<32x2xi8> -> tensor<32xi8>\n"
      "%m = tt.reshape %lo : tensor<32xi8> -> tensor<1x32xi8>\n"
      "%n = tt.reshape %b : tensor<64xf8E4M3FN> -> tensor<64x1xf8E4M3FN>\n"
      "%scale = arith.constant dense<[[SCALE0, 126]]> : tensor<1x2xi8>\n"
      "%z = arith.constant dense<0.0> : tensor<1x1xf32>\n"
      "%r = tt.dot_scaled %m scale %scale, %n, %z lhs = e2m1 rhs = e4m3 {fastMath = false} : "
      "tensor<1x32xi8>, "
      "tensor<1x2xi8> * tensor<64x1xf8E4M3FN> -> tensor<1x1xf32>";
  auto run = [&](const std::string &scale) {
    std::string text = body;
    text.replace(text.find("SCALE0"), 6, scale);
    return lanes<float>(text, "f32",
                        {{"i8", U8(64, 0x22)}, {"f8E4M3FN", U8(64, tl::float8e4nv(1).bits)}}, "64",
                        "1x1")[0];
  };
  CHECK(run("-128") == 32 * 2 + 32 * 0.5f); // 128 as a signed byte
  CHECK(std::isnan(run("-1")));             // 255
}

TEST_CASE("scaled products against a plain loop: both scales, both packings, groups of 16 and 32") {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
  for (bool packK : {true, false})
    for (int group : {16, 32}) {
      CAPTURE(packK);
      CAPTURE(group);
      const int m = 2, n = 4, k = 64, groups = k / group;
      const std::string g = std::to_string(groups), scaleType = group == 16 ? "f8E4M3FN" : "i8";
      // a: m x k in e4m3. b: k x n in e2m1, packed along k or along n.
      U8 a, b, scaleA, scaleB;
      for (int i = 0; i < m * k; ++i)
        a.push_back(tl::float8e4nv((i * 5 % 13) - 6).bits);
      for (int i = 0; i < k * n / 2; ++i)
        b.push_back(static_cast<uint8_t>(i * 37 + 11));
      auto scale = [&](int i) {
        return group == 16 ? tl::float8e4nv(0.5 * (1 + i % 5)).bits
                           : static_cast<uint8_t>(120 + i % 9);
      };
      auto scaleValue = [&](uint8_t bits) {
        return group == 16 ? double(tl::float8e4nv::from_bits(bits)) : std::ldexp(1.0, bits - 127);
      };
      for (int i = 0; i < m * groups; ++i)
        scaleA.push_back(scale(i));
      for (int i = 0; i < n * groups; ++i)
        scaleB.push_back(scale(2 * i + 1));
      const std::string bShape = packK ? "32x4" : "64x2";
      // Every operand comes as the first part of a flat tensor of 128.
      auto part = [](const std::string &from, const std::string &to, const std::string &type,
                     int count, const std::string &shape) {
        std::string text, current = from;
        for (int have = 128; have > count; have /= 2) {
          const std::string full = std::to_string(have), half = std::to_string(have / 2),
                            next = current + "h";
          text += next + "2 = tt.reshape " + current + " : tensor<" + full + "x" + type +
                  "> -> tensor<2x" + half + "x" + type + ">\n" + next + "t = tt.trans " + next +
                  "2 {order = array<i32: 1, 0>} : tensor<2x" + half + "x" + type + "> -> tensor<" +
                  half + "x2x" + type + ">\n" + next + ", " + next + "u = tt.split " + next +
                  "t : tensor<" + half + "x2x" + type + "> -> tensor<" + half + "x" + type + ">\n";
          current = next;
        }
        return text + to + " = tt.reshape " + current + " : tensor<" + std::to_string(count) + "x" +
               type + "> -> tensor<" + shape + "x" + type + ">\n";
      };
      const std::string body =
          part("%a", "%m", "f8E4M3FN", m * k, "2x64") + part("%b", "%n", "i8", k * n / 2, bShape) +
          part("%c", "%sa", scaleType, m * groups, "2x" + g) +
          part("%d", "%sb", scaleType, n * groups, "4x" + g) +
          "%z = arith.constant dense<1.0> : tensor<2x4xf32>\n%r = tt.dot_scaled %m scale %sa, %n "
          "scale %sb, %z lhs = e4m3 rhs = e2m1 "
          "{fastMath = false" +
          (packK ? "" : ", rhs_k_pack = false") + "} : tensor<2x64xf8E4M3FN>, tensor<2x" + g + "x" +
          scaleType + "> * tensor<" + bShape + "xi8>, tensor<4x" + g + "x" + scaleType +
          "> -> tensor<2x4xf32>";
      const F32 r = lanes<float>(
          body, "f32", {{"f8E4M3FN", a}, {"i8", b}, {scaleType, scaleA}, {scaleType, scaleB}},
          "128", "2x4");
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int x = 0; x < k; ++x) {
            const uint8_t byte = packK ? b[static_cast<size_t>(x / 2 * n + j)]
                                       : b[static_cast<size_t>(x * n / 2 + j / 2)];
            const double right = e2m1[(packK ? x : j) % 2 ? byte >> 4 : byte & 15];
            sum += double(tl::float8e4nv::from_bits(a[static_cast<size_t>(i * k + x)])) *
                   scaleValue(scaleA[static_cast<size_t>(i * groups + x / group)]) * right *
                   scaleValue(scaleB[static_cast<size_t>(j * groups + x / group)]);
          }
          CHECK(r[static_cast<size_t>(i * n + j)] == static_cast<float>(sum + 1));
        }
    }
}

TEST_CASE("operands of six bits are refused") {
  const c_api::Outcome outcome = c_api::run(R"(module { tt.func public @k() {
    %a = arith.constant dense<0> : tensor<4x64xi8>
    %b = arith.constant dense<0> : tensor<64x4xi8>
    %s = arith.constant dense<127> : tensor<4x2xi8>
    %z = arith.constant dense<0.0> : tensor<4x4xf32>
    %r = tt.dot_scaled %a scale %s, %b, %z lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<4x64xi8>, tensor<4x2xi8> * tensor<64x4xi8> -> tensor<4x4xf32> loc("six.cpp":8:1)
    tt.return } })",
                                            {});
  CHECK(outcome.status != TL_OK);
  CHECK(outcome.line == 8);
}
