// SPDX-License-Identifier: MIT
//
// Reductions, scans, histograms: every axis, any region, the documented order.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>

using c_api::lanes;

namespace {

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

using F32 = std::vector<float>;
using I32 = std::vector<int32_t>;
using U16 = std::vector<uint16_t>;

/// "tt.reduce" of one source; `body` computes %c from %x and %y.
std::string reduce(const std::string &type, const std::string &in, const std::string &out, int axis,
                   const std::string &body) {
  return "%r = \"tt.reduce\"(%a) <{axis = " + std::to_string(axis) +
         " : i32}> ({\n^bb0(%x: " + type + ", %y: " + type + "):\n" + body +
         "\ntt.reduce.return %c : " + type + "\n}) : (tensor<" + in + "x" + type + ">) -> tensor<" +
         out + "x" + type + ">";
}

std::string scan(const std::string &type, const std::string &shape, int axis, bool reverse,
                 const std::string &body) {
  return "%r = \"tt.scan\"(%a) <{axis = " + std::to_string(axis) +
         " : i32, reverse = " + (reverse ? "true" : "false") + "}> ({\n^bb0(%x: " + type +
         ", %y: " + type + "):\n" + body + "\ntt.scan.return %c : " + type + "\n}) : (tensor<" +
         shape + "x" + type + ">) -> tensor<" + shape + "x" + type + ">";
}

/// The scalar result of a rank-1 reduction as a tensor of one.
std::string reduceAll(const std::string &type, const std::string &n, const std::string &body) {
  return "%s = \"tt.reduce\"(%a) <{axis = 0 : i32}> ({\n^bb0(%x: " + type + ", %y: " + type +
         "):\n" + body + "\ntt.reduce.return %c : " + type + "\n}) : (tensor<" + n + "x" + type +
         ">) -> " + type + "\n%r = tt.splat %s : " + type + " -> tensor<1x" + type + ">";
}

template <class T>
T total(const std::string &type, std::vector<T> values, const std::string &body) {
  const std::string n = std::to_string(values.size());
  return lanes<T>(reduceAll(type, n, body), type, {{type, values}}, n, "1")[0];
}

const std::string addf32 = "%c = arith.addf %x, %y : f32";
const std::string addi32 = "%c = arith.addi %x, %y : i32";

} // namespace

TEST_CASE("reduction along each axis") {
  I32 x(24);
  std::iota(x.begin(), x.end(), 0);
  x.resize(32, 1000);
  CHECK(lanes<int32_t>(reduce("i32", "2x4x4", "4x4", 0, addi32), "i32", {{"i32", x}}, "2x4x4",
                       "4x4")[5] == 5 + 21);
  const I32 middle =
      lanes<int32_t>(reduce("i32", "2x4x4", "2x4", 1, addi32), "i32", {{"i32", x}}, "2x4x4", "2x4");
  CHECK(middle[1] == 1 + 5 + 9 + 13);
  const I32 last =
      lanes<int32_t>(reduce("i32", "2x4x4", "2x4", 2, addi32), "i32", {{"i32", x}}, "2x4x4", "2x4");
  CHECK(last[1] == 4 + 5 + 6 + 7);
}

TEST_CASE("a tile whose other axis has size one") {
  F32 x(16);
  for (size_t i = 0; i < 16; ++i)
    x[i] = static_cast<float>(i * 7 % 16) / 8;
  const std::string maximum = "%c = arith.maxnumf %x, %y : f32";
  CHECK(lanes<float>(reduce("f32", "16x1", "1", 0, maximum), "f32", {{"f32", x}}, "16x1", "1") ==
        F32{1.875f});
  CHECK(lanes<float>(reduce("f32", "16x1", "1", 0, addf32), "f32", {{"f32", x}}, "16x1", "1") ==
        F32{15});
  CHECK(lanes<float>(reduce("f32", "1x16", "1", 1, maximum), "f32", {{"f32", x}}, "1x16", "1") ==
        F32{1.875f});
  CHECK(lanes<float>(reduce("f32", "16x1", "16", 1, maximum), "f32", {{"f32", x}}, "16x1", "16") ==
        x);
}

TEST_CASE("sums of float16 are summed wider and rounded once") {
  const std::string add = "%c = arith.addf %x, %y : f16";
  CHECK(total<uint16_t>("f16", U16(4096, tl::float16(1).bits), add) == tl::float16(4096).bits);
  CHECK(total<uint16_t>(
            "f16", U16{tl::float16(65504).bits, tl::float16(100).bits, tl::float16(-65504).bits, 0},
            add) == tl::float16(100).bits);
  F32 x(1024, 0.1f);
  CHECK(total("f32", x, addf32) == static_cast<float>(1024 * static_cast<double>(0.1f)));
  CHECK(std::signbit(total<float>("f32", {-0.0f, -0.0f}, addf32)));
}

TEST_CASE("minimum and maximum need no start value") {
  struct Row {
    const char *op;
    F32 values;
    float expected;
  };
  for (const auto &[op, values, expected] :
       {Row{"arith.minnumf", {3, 1, 4, 5}, 1}, Row{"arith.maxnumf", {-3, -1}, -1},
        Row{"arith.minnumf", {inf32, inf32}, inf32}, Row{"arith.maxnumf", {-inf32}, -inf32},
        Row{"arith.maxnumf", {nan32, 6, 8, -inf32}, 8},
        Row{"arith.maxnumf", {6, nan32, 8, -inf32}, 8},
        Row{"arith.maxnumf", {8, 6, nan32, -inf32}, 8}})
    CHECK(total<float>("f32", values, std::string("%c = ") + op + " %x, %y : f32") == expected);
}

TEST_CASE("a reduction keeps the order of its operands") {
  // The left operand wins: an associative operation that does not commute.
  CHECK(total<int32_t>("i32", {7, 1, 2, 3, 4, 5, 6, 9},
                       "%z = arith.constant 0 : i32\n%c = arith.addi %x, %z : i32") == 7);
  CHECK(total<int32_t>("i32", {7, 1, 2, 3, 4, 5, 6, 9},
                       "%z = arith.constant 0 : i32\n%c = arith.addi %y, %z : i32") == 9);
}

TEST_CASE("argmax with the lowest index among equals, in a tuple") {
  auto argmax = [](F32 values) {
    const std::string n = std::to_string(values.size());
    const std::string body =
        "%i = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" + n + "xi32>\n" +
        "%s:2 = \"tt.reduce\"(%a, %i) <{axis = 0 : i32}> ({\n^bb0(%x: f32, %xi: i32, %y: f32, %yi: "
        "i32):\n"
        "%gt = arith.cmpf ogt, %x, %y : f32\n%eq = arith.cmpf oeq, %x, %y : f32\n%lt = arith.cmpi "
        "slt, %xi, %yi : i32\n"
        "%tie = arith.andi %eq, %lt : i1\n%first = arith.ori %gt, %tie : i1\n"
        "%v = arith.select %first, %x, %y : f32\n%k = arith.select %first, %xi, %yi : i32\n"
        "tt.reduce.return %v, %k : f32, i32\n}) : (tensor<" +
        n + "xf32>, tensor<" + n +
        "xi32>) -> (f32, i32)\n"
        "%r = tt.splat %s#1 : i32 -> tensor<1xi32>";
    return lanes<int32_t>(body, "i32", {{"f32", values}}, n, "1")[0];
  };
  CHECK(argmax(F32(1024, 3.0f)) == 0);
  F32 peaks(1024, 0.0f);
  peaks[7] = peaks[300] = peaks[900] = 5;
  CHECK(argmax(peaks) == 7);
}

TEST_CASE("regions with control flow and values from outside") {
  const std::string body =
      "%k = arith.constant 10 : i32\n" +
      reduceAll(
          "i32", "8",
          "%lt = arith.cmpi slt, %x, %y : i32\n%c = scf.if %lt -> i32 {\nscf.yield %y : i32\n} "
          "else {\nscf.yield %x : i32\n}");
  CHECK(lanes<int32_t>(body, "i32", {{"i32", I32{3, 9, -4, 9, 1, 0, 2, 8}}}, "8", "1")[0] == 9);
  // %k is a constant of the function, as the canonicaliser leaves it.
  const std::string outside =
      "%k = arith.constant 3 : i32\n" +
      reduceAll("i32", "8", "%s0 = arith.addi %x, %y : i32\n%c = arith.maxsi %s0, %k : i32");
  CHECK(lanes<int32_t>(outside, "i32", {{"i32", I32(8, 0)}}, "8", "1")[0] == 9 - 3 + 3 + 3);
}

TEST_CASE("sums of sums and of broadcasts") {
  const std::string twice =
      "%s = \"tt.reduce\"(%a) <{axis = 1 : i32}> ({\n^bb0(%x: f32, %y: f32):\n" + addf32 +
      "\ntt.reduce.return %c : f32\n}) : (tensor<128x128xf32>) -> tensor<128xf32>\n"
      "%t = \"tt.reduce\"(%s) <{axis = 0 : i32}> ({\n^bb0(%x: f32, %y: f32):\n" +
      addf32 +
      "\ntt.reduce.return %c : f32\n}) : (tensor<128xf32>) -> f32\n%r = tt.splat %t : f32 -> "
      "tensor<128xf32>";
  CHECK(lanes<float>(twice, "f32", {{"f32", F32(128 * 128, 1.0f / 128)}}, "128x128", "128") ==
        F32(128, 128.0f));
  const std::string wide =
      "%e = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>\n"
      "%b8 = tt.broadcast %e : tensor<4x1xi32> -> tensor<4x8xi32>\n"
      "%r = \"tt.reduce\"(%b8) <{axis = AXIS : i32}> ({\n^bb0(%x: i32, %y: i32):\n" +
      addi32 + "\ntt.reduce.return %c : i32\n}) : (tensor<4x8xi32>) -> tensor<";
  std::string rows = wide, columns = wide;
  rows.replace(rows.find("AXIS"), 4, "1");
  columns.replace(columns.find("AXIS"), 4, "0");
  const I32 x = {3, -1, 7, 2};
  CHECK(lanes<int32_t>(rows + "4xi32>", "i32", {{"i32", x}}, "4", "4") == I32{24, -8, 56, 16});
  CHECK(lanes<int32_t>(columns + "8xi32>", "i32", {{"i32", x}}, "4", "8") == I32(8, 11));
}

TEST_CASE("scans along each axis and in both directions") {
  const I32 x = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(lanes<int32_t>(scan("i32", "8", 0, false, addi32), "i32", {{"i32", x}}, "8") ==
        I32{1, 3, 6, 10, 15, 21, 28, 36});
  CHECK(lanes<int32_t>(scan("i32", "8", 0, true, addi32), "i32", {{"i32", x}}, "8") ==
        I32{36, 35, 33, 30, 26, 21, 15, 8});
  CHECK(lanes<int32_t>(scan("i32", "2x4", 0, false, addi32), "i32", {{"i32", x}}, "2x4") ==
        I32{1, 2, 3, 4, 6, 8, 10, 12});
  CHECK(lanes<int32_t>(scan("i32", "2x4", 1, true, addi32), "i32", {{"i32", x}}, "2x4") ==
        I32{10, 9, 7, 4, 26, 21, 15, 8});
  const std::string maximum = "%c = arith.maxsi %x, %y : i32";
  CHECK(lanes<int32_t>(scan("i32", "8", 0, false, maximum), "i32",
                       {{"i32", I32{1, 5, 2, 7, 3, 1, 9, 0}}}, "8") == I32{1, 5, 5, 7, 7, 7, 9, 9});
}

TEST_CASE("a reverse prefix sum keeps small suffixes") {
  F32 x(64, 1.0f);
  std::fill(x.begin(), x.begin() + 32, 1e8f);
  const F32 r = lanes<float>(scan("f32", "64", 0, true, addf32), "f32", {{"f32", x}}, "64");
  CHECK(r[63] == 1);
  CHECK(r[32] == 32);
  CHECK(r[31] == 100000032.0f);
}

TEST_CASE("long scans are exact") {
  for (int rows : {1, 2, 8})
    for (int columns : {64, 128, 1024}) {
      I32 x(static_cast<size_t>(rows * columns));
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<int32_t>(i % 5) - 2;
      const std::string shape = std::to_string(rows) + "x" + std::to_string(columns);
      const I32 r =
          lanes<int32_t>(scan("i32", shape, 1, false, addi32), "i32", {{"i32", x}}, shape);
      size_t wrong = 0;
      for (size_t i = 0, sum = 0; i < x.size(); ++i) {
        sum = (i % static_cast<size_t>(columns) == 0 ? 0 : sum) + static_cast<size_t>(x[i]);
        wrong += static_cast<int32_t>(sum) != r[i];
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("histograms count in the result's type and leave out what lies outside") {
  CHECK(lanes<int32_t>("%r = tt.histogram %a : tensor<1024xi8> -> tensor<4xi32>", "i32",
                       {{"i8", std::vector<int8_t>(1024, 0)}}, "1024", "4") == I32{1024, 0, 0, 0});
  CHECK(lanes<int32_t>("%r = tt.histogram %a : tensor<256xi8> -> tensor<4xi32>", "i32",
                       {{"i8", std::vector<uint8_t>(256, 3)}}, "256", "4") == I32{0, 0, 0, 256});
  CHECK(lanes<int32_t>("%r = tt.histogram %a : tensor<8xi32> -> tensor<4xi32>", "i32",
                       {{"i32", I32{-1, 4, 0, 3, 3, 1000000, 2, 0}}}, "8", "4") == I32{2, 0, 1, 2});
  CHECK(lanes<int32_t>("%m = arith.cmpi slt, %b, %a : tensor<8xi32>\n"
                       "%r = tt.histogram %a, %m : tensor<8xi32> -> tensor<4xi32>",
                       "i32",
                       {{"i32", I32{1, 1, 1, 1, 1, 1, 1, 1}}, {"i32", I32{0, 0, 5, 5, 5, 5, 5, 5}}},
                       "8", "4") == I32{0, 2, 0, 0});
}
