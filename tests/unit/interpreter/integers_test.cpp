// SPDX-License-Identifier: MIT
//
// Elementwise operations on integers: wraparound, signs, and the cases that C++ leaves undefined.
#include "c_api.hpp"

#include <doctest/doctest.h>
#include <limits>

using c_api::lanes;
using c_api::Operand;

namespace {

template <class T>
std::vector<T> binary(const std::string &op, const std::string &type, std::vector<T> a,
                      std::vector<T> b) {
  return lanes<T>("%r = " + op + " %a, %b : tensor<SHAPEx" + type + ">", type,
                  {{type, a}, {type, b}});
}

template <class T>
std::vector<uint8_t> compare(const std::string &predicate, const std::string &type,
                             std::vector<T> a, std::vector<T> b) {
  return lanes<uint8_t>("%r = arith.cmpi " + predicate + ", %a, %b : tensor<SHAPEx" + type + ">",
                        "i1", {{type, a}, {type, b}});
}

using I8 = std::vector<int8_t>;
using U8 = std::vector<uint8_t>;
using I16 = std::vector<int16_t>;
using U16 = std::vector<uint16_t>;
using I32 = std::vector<int32_t>;
using U32 = std::vector<uint32_t>;
using I64 = std::vector<int64_t>;
using U64 = std::vector<uint64_t>;

constexpr int32_t lowest32 = std::numeric_limits<int32_t>::min();
constexpr int64_t lowest64 = std::numeric_limits<int64_t>::min();

} // namespace

TEST_CASE("integer arithmetic wraps at the width of the type") {
  CHECK(binary<int8_t>("arith.addi", "i8", {127, -128, 100}, {1, -1, 100}) == I8{-128, 127, -56});
  CHECK(binary<int8_t>("arith.subi", "i8", {-128, 0}, {1, -128}) == I8{127, -128});
  CHECK(binary<uint16_t>("arith.muli", "i16", {65535, 256}, {65535, 256}) == U16{1, 0});
  CHECK(binary<int32_t>("arith.muli", "i32", {lowest32, 65536}, {-1, 65536}) == I32{lowest32, 0});
  CHECK(binary<int64_t>("arith.addi", "i64", {lowest64}, {-1}) ==
        I64{std::numeric_limits<int64_t>::max()});
}

TEST_CASE("arithmetic on bools wraps at one bit") {
  CHECK(binary<uint8_t>("arith.addi", "i1", {0, 0, 1, 1}, {0, 1, 0, 1}) == U8{0, 1, 1, 0});
  CHECK(binary<uint8_t>("arith.subi", "i1", {0, 0, 1, 1}, {0, 1, 0, 1}) == U8{0, 1, 1, 0});
  CHECK(binary<uint8_t>("arith.xori", "i1", {0, 0, 1, 1}, {0, 1, 0, 1}) == U8{0, 1, 1, 0});
  CHECK(compare<uint8_t>("slt", "i1", {0, 1}, {1, 0}) == U8{0, 1}); // one is -1
  CHECK(compare<uint8_t>("ult", "i1", {0, 1}, {1, 0}) == U8{1, 0});
}

TEST_CASE("signed division truncates toward zero") {
  const I32 a = {-7, 7, -7, -8, -1}, b = {2, -2, -2, 3, 2};
  CHECK(binary("arith.divsi", "i32", a, b) == I32{-3, -3, 3, -2, 0});
  CHECK(binary("arith.remsi", "i32", a, b) == I32{-1, 1, -1, -2, -1});
}

TEST_CASE("division by zero gives zero and the dividend, and the lowest value wraps") {
  CHECK(binary<int32_t>("arith.divsi", "i32", {5, lowest32}, {0, -1}) == I32{0, lowest32});
  CHECK(binary<int32_t>("arith.remsi", "i32", {5, lowest32}, {0, -1}) == I32{5, 0});
  CHECK(binary<int8_t>("arith.divsi", "i8", {5, -128}, {0, -1}) == I8{0, -128});
  CHECK(binary<int8_t>("arith.remsi", "i8", {5, -128}, {0, -1}) == I8{5, 0});
  CHECK(binary<int64_t>("arith.divsi", "i64", {lowest64, 1}, {-1, 0}) == I64{lowest64, 0});
  CHECK(binary<uint32_t>("arith.divui", "i32", {5, 4000000000}, {0, 3}) == U32{0, 1333333333});
  CHECK(binary<uint32_t>("arith.remui", "i32", {5, 4000000000}, {0, 3}) == U32{5, 1});
}

TEST_CASE("a quotient times the divisor plus the remainder is the dividend") {
  I32 a, b;
  for (int x = -40; x <= 40; ++x)
    for (int y : {-222, -69, -23, -3, -1, 1, 3, 23, 69, 222})
      a.push_back(x), b.push_back(y);
  const I32 q = binary("arith.divsi", "i32", a, b), r = binary("arith.remsi", "i32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(q[i] * b[i] + r[i] == a[i]);
    CHECK(q[i] == a[i] / b[i]);
  }
}

TEST_CASE("shifts by the width or more give zero or the sign") {
  CHECK(binary<int32_t>("arith.shli", "i32", {1, 1, 1, -1}, {31, 32, -1, 4}) ==
        I32{lowest32, 0, 0, -16});
  CHECK(binary<int32_t>("arith.shrsi", "i32", {-8, -8, 8, -1}, {1, 40, 40, 31}) ==
        I32{-4, -1, 0, -1});
  CHECK(binary<uint32_t>("arith.shrui", "i32", {0x80000000, 5}, {31, 32}) == U32{1, 0});
  CHECK(binary<int8_t>("arith.shrsi", "i8", {-128, -128}, {7, 8}) == I8{-1, -1});
  CHECK(binary<uint8_t>("arith.shli", "i8", {0xFF, 0xFF}, {4, 8}) == U8{0xF0, 0});
}

TEST_CASE("signed and unsigned order differ") {
  const I32 a = {-2, 1}, b = {1, -2};
  CHECK(compare("slt", "i32", a, b) == U8{1, 0});
  CHECK(compare("ult", "i32", a, b) == U8{0, 1});
  CHECK(compare("sge", "i32", a, b) == U8{0, 1});
  CHECK(compare("uge", "i32", a, b) == U8{1, 0});
  CHECK(compare<int32_t>("sle", "i32", {3, 3, 4}, {3, 4, 3}) == U8{1, 1, 0});
  CHECK(compare<int32_t>("sgt", "i32", {3, 3, 4}, {3, 4, 3}) == U8{0, 0, 1});
  CHECK(compare<int32_t>("eq", "i32", {3, 3}, {3, 4}) == U8{1, 0});
  CHECK(compare<int32_t>("ne", "i32", {3, 3}, {3, 4}) == U8{0, 1});
  CHECK(compare<int64_t>("ule", "i64", {-1, 1}, {1, -1}) == U8{0, 1});
  CHECK(compare<int64_t>("ugt", "i64", {-1, 1}, {1, -1}) == U8{1, 0});
  CHECK(binary("arith.maxsi", "i32", a, b) == I32{1, 1});
  CHECK(binary("arith.maxui", "i32", a, b) == I32{-2, -2});
  CHECK(binary("arith.minsi", "i32", a, b) == I32{-2, -2});
  CHECK(binary("arith.minui", "i32", a, b) == I32{1, 1});
}

TEST_CASE("bitwise operations") {
  CHECK(binary<uint8_t>("arith.andi", "i8", {0xF0}, {0x3C}) == U8{0x30});
  CHECK(binary<uint8_t>("arith.ori", "i8", {0xF0}, {0x3C}) == U8{0xFC});
  CHECK(binary<uint64_t>("arith.xori", "i64", {~0ull}, {1}) == U64{~1ull});
}

TEST_CASE("the high half of a product") {
  CHECK(binary<uint32_t>("tt.mulhiui", "i32", {0xFFFFFFFF, 65536}, {0xFFFFFFFF, 65536}) ==
        U32{0xFFFFFFFE, 1});
  CHECK(binary<uint64_t>("tt.mulhiui", "i64", {~0ull}, {~0ull}) == U64{~0ull - 1});
}

TEST_CASE("absolute value, powers and bit counts") {
  auto unary = [](const std::string &op, I32 a) {
    return lanes<int32_t>("%r = " + op + " %a : tensor<SHAPExi32>", "i32", {{"i32", a}});
  };
  CHECK(unary("math.absi", {-5, 5, lowest32}) == I32{5, 5, lowest32});
  CHECK(unary("math.ctlz", {0, 1, -1}) == I32{32, 31, 0});
  CHECK(unary("math.cttz", {0, 8, -1}) == I32{32, 3, 0});
  CHECK(unary("math.ctpop", {0, 7, -1}) == I32{0, 3, 32});
  CHECK(lanes<uint8_t>("%r = math.ctlz %a : tensor<SHAPExi8>", "i8", {{"i8", U8{0, 1, 128}}}) ==
        U8{8, 7, 0});
  CHECK(binary<int32_t>("math.ipowi", "i32", {3, -2, 2, 1, -1}, {4, 3, -1, -5, -3}) ==
        I32{81, -8, 0, 1, -1});
}

TEST_CASE("select takes each lane from its side, and a scalar condition the whole") {
  CHECK(lanes<int32_t>("%r = arith.select %c, %a, %b : tensor<SHAPExi1>, tensor<SHAPExi32>", "i32",
                       {{"i32", I32{1, 2, 3}}, {"i32", I32{-1, -2, -3}}, {"i1", U8{1, 0, 1}}}) ==
        I32{1, -2, 3});
  CHECK(
      lanes<int32_t>("%t = arith.constant false\n%r = arith.select %t, %a, %b : tensor<SHAPExi32>",
                     "i32", {{"i32", I32{1, 2, 3}}, {"i32", I32{-1, -2, -3}}}) == I32{-1, -2, -3});
}

TEST_CASE("integer casts keep the value or cut it") {
  auto cast = [](const std::string &op, const std::string &from, auto a, const std::string &to,
                 auto result) {
    using R = typename decltype(result)::value_type;
    CHECK(lanes<R>("%r = " + op + " %a : tensor<SHAPEx" + from + "> to tensor<SHAPEx" + to + ">",
                   to, {{from, a}}) == result);
  };
  cast("arith.extsi", "i8", I8{-1, 127}, "i64", I64{-1, 127});
  cast("arith.extui", "i8", I8{-1, 127}, "i64", I64{255, 127});
  cast("arith.extsi", "i1", U8{0, 1}, "i32", I32{0, -1});
  cast("arith.extui", "i1", U8{0, 1}, "i32", I32{0, 1});
  cast("arith.trunci", "i32", I32{257, -1}, "i8", I8{1, -1});
  cast("arith.trunci", "i32", I32{2, 3}, "i1", U8{0, 1});
}

TEST_CASE("a bool in memory is any byte that is not zero") {
  CHECK(lanes<int32_t>("%r = arith.extui %a : tensor<SHAPExi1> to tensor<SHAPExi32>", "i32",
                       {{"i1", U8{0, 1, 2, 255}}}) == I32{0, 1, 1, 1});
}
