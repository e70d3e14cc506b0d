// SPDX-License-Identifier: MIT
//
// Creation and shaping: where each element goes.
#include "c_api.hpp"

#include <doctest/doctest.h>
#include <numeric>

using c_api::Array;
using c_api::lanes;
using c_api::Outcome;
using c_api::run;

namespace {

using I32 = std::vector<int32_t>;

I32 iota(size_t n, int32_t first = 0) {
  I32 result(n);
  std::iota(result.begin(), result.end(), first);
  return result;
}

} // namespace

TEST_CASE("a range holds its numbers, whatever it starts with") {
  CHECK(lanes<int32_t>("%r = tt.make_range {start = 16 : i32, end = 48 : i32} : tensor<32xi32>",
                       "i32", {{"i32", I32{0}}}, "1", "32") == iota(32, 16));
}

TEST_CASE("constants: splats, lists, and every element type") {
  CHECK(lanes<int32_t>("%r = arith.constant dense<[4, -1, 7, 0]> : tensor<4xi32>", "i32",
                       {{"i32", I32{0}}}, "1", "4") == I32{4, -1, 7, 0});
  CHECK(lanes<uint16_t>("%r = arith.constant dense<1.5> : tensor<2xf16>", "f16", {{"i32", I32{0}}},
                        "1", "2") == std::vector<uint16_t>{0x3E00, 0x3E00});
  CHECK(lanes<uint8_t>("%r = arith.constant dense<[true, false]> : tensor<2xi1>", "i1",
                       {{"i32", I32{0}}}, "1", "2") == std::vector<uint8_t>{1, 0});
  CHECK(lanes<uint8_t>("%r = arith.constant dense<-2.0> : tensor<2xf8E5M2>", "f8E5M2",
                       {{"i32", I32{0}}}, "1", "2") == std::vector<uint8_t>{0xC0, 0xC0});
  CHECK(lanes<double>("%r = arith.constant dense<0x7FF0000000000000> : tensor<1xf64>", "f64",
                      {{"i32", I32{0}}}, "1", "1")[0] == std::numeric_limits<double>::infinity());
}

TEST_CASE("adding an axis and broadcasting repeats the right one") {
  const std::string body =
      "%e = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>\n"
      "%r = tt.broadcast %e : tensor<4x1xi32> -> tensor<4x4xi32>";
  const I32 r = lanes<int32_t>(body, "i32", {{"i32", iota(4)}}, "4", "4x4");
  for (size_t i = 0; i < 16; ++i)
    CHECK(r[i] == static_cast<int32_t>(i / 4));
  CHECK(lanes<int32_t>("%e = tt.reshape %a : tensor<2xi32> -> tensor<1x2x1xi32>\n"
                       "%r = tt.broadcast %e : tensor<1x2x1xi32> -> tensor<2x2x2xi32>",
                       "i32", {{"i32", I32{5, 6}}}, "2", "2x2x2") == I32{5, 5, 6, 6, 5, 5, 6, 6});
}

TEST_CASE("transposition permutes any axes") {
  CHECK(lanes<int32_t>(
            "%r = tt.trans %a {order = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<4x2xi32>",
            "i32", {{"i32", iota(8)}}, "2x4", "4x2") == I32{0, 4, 1, 5, 2, 6, 3, 7});
  CHECK(
      lanes<int32_t>(
          "%r = tt.trans %a {order = array<i32: 2, 0, 1>} : tensor<2x2x2xi32> -> tensor<2x2x2xi32>",
          "i32", {{"i32", iota(8)}}, "2x2x2", "2x2x2") == I32{0, 2, 4, 6, 1, 3, 5, 7});
}

TEST_CASE("joins add a last axis and split undoes them") {
  const std::string scalars =
      "%p = tt.reshape %a : tensor<4xi32> -> tensor<2x2xi32>\n"
      "%x, %y = tt.split %p : tensor<2x2xi32> -> tensor<2xi32>\n"; // {1,3} {2,4}
  CHECK(lanes<int32_t>(scalars + "%r = tt.join %x, %y : tensor<2xi32> -> tensor<2x2xi32>", "i32",
                       {{"i32", I32{1, 2, 3, 4}}}, "4", "2x2") == I32{1, 2, 3, 4});
  // join(join(1, 2), join(3, 4)) in row-major order is 1, 3, 2, 4.
  CHECK(lanes<int32_t>(
            "%p = tt.reshape %a : tensor<4xi32> -> tensor<2x2xi32>\n"
            "%t = tt.trans %p {order = array<i32: 1, 0>} : tensor<2x2xi32> -> tensor<2x2xi32>\n"
            "%x, %y = tt.split %t : tensor<2x2xi32> -> tensor<2xi32>\n"
            "%j = tt.join %x, %y : tensor<2xi32> -> tensor<2x2xi32>\n"
            "%r = tt.reshape %j : tensor<2x2xi32> -> tensor<4xi32>",
            "i32", {{"i32", I32{1, 2, 3, 4}}}, "4", "4") == I32{1, 3, 2, 4});
}

TEST_CASE("concatenation of the older spelling keeps the order") {
  I32 both = lanes<int32_t>("%r = tt.cat %a, %b : tensor<64xi32> -> tensor<128xi32>", "i32",
                            {{"i32", iota(64)}, {"i32", iota(64, 64)}}, "64", "128");
  CHECK(both == iota(128));
}

TEST_CASE("gather takes from the named axis") {
  for (size_t rows : {1, 2, 8})
    for (size_t sources : {2, 4, 8})
      for (size_t indices : {2, 8, 32}) {
        I32 index(rows * indices);
        for (size_t i = 0; i < index.size(); ++i)
          index[i] = static_cast<int32_t>(i % indices % sources);
        const std::string s = std::to_string(rows) + "x" + std::to_string(sources);
        const std::string t = std::to_string(rows) + "x" + std::to_string(indices);
        const Array<int32_t> source(iota(rows * sources)), chosen(index), out(rows * indices);
        auto pointers = [](const std::string &n, const std::string &shape, size_t count) {
          const std::string c = std::to_string(count);
          return "%" + n + "r = tt.make_range {start = 0 : i32, end = " + c + " : i32} : tensor<" +
                 c + "xi32>\n%" + n + "o = tt.reshape %" + n + "r : tensor<" + c +
                 "xi32> -> tensor<" + shape + "xi32>\n%" + n + "s = tt.splat %" + n +
                 " : !tt.ptr<i32> -> tensor<" + shape + "x!tt.ptr<i32>>\n%" + n +
                 "p = tt.addptr %" + n + "s, %" + n + "o : tensor<" + shape +
                 "x!tt.ptr<i32>>, tensor<" + shape + "xi32>\n";
        };
        const std::string module =
            "module { tt.func public @k(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %c: !tt.ptr<i32>) {\n" +
            pointers("a", s, source.count) + pointers("b", t, chosen.count) +
            pointers("c", t, out.count) + "%x = tt.load %ap : tensor<" + s +
            "x!tt.ptr<i32>>\n%i = tt.load %bp : tensor<" + t + "x!tt.ptr<i32>>\n" +
            "%g = tt.gather %x[%i] {axis = 1 : i32} : (tensor<" + s + "xi32>, tensor<" + t +
            "xi32>) -> tensor<" + t + "xi32>\ntt.store %cp, %g : tensor<" + t +
            "x!tt.ptr<i32>>\ntt.return } }";
        const Outcome outcome = run(module, {source, chosen, out});
        INFO(outcome.message);
        REQUIRE(outcome.status == TL_OK);
        const I32 got = out.values();
        for (size_t i = 0; i < got.size(); ++i)
          CHECK(got[i] == static_cast<int32_t>(i / indices * sources) + index[i]);
      }
}

TEST_CASE("gather refuses an index outside of the axis") {
  const Array<int32_t> out(4);
  const Outcome outcome = run(R"(module { tt.func public @k(%p: !tt.ptr<i32>) {
    %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
    %i = arith.constant dense<[0, 3, 4, 1]> : tensor<4xi32>
    %g = tt.gather %r[%i] {axis = 0 : i32} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32> loc("g.cpp":9:1)
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %q = tt.addptr %s, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %q, %g : tensor<4x!tt.ptr<i32>>
    tt.return } })",
                              {out});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says(
      "tl::gather got index 4 along an axis of 4 elements, at lane (2) in program (0, 0, 0)"));
  CHECK(outcome.line == 9);
}

TEST_CASE("program ids and the grid's extents") {
  const Array<int32_t> out(2 * 3 * 4);
  const Outcome outcome = run(R"(module { tt.func public @k(%p: !tt.ptr<i32>) {
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %nx = tt.get_num_programs x : i32
    %ny = tt.get_num_programs y : i32
    %0 = arith.muli %z, %ny : i32
    %1 = arith.addi %0, %y : i32
    %2 = arith.muli %1, %nx : i32
    %3 = arith.addi %2, %x : i32
    %q = tt.addptr %p, %3 : !tt.ptr<i32>, i32
    tt.store %q, %3 : !tt.ptr<i32>
    tt.return } })",
                              {out}, {2, 3, 4});
  REQUIRE(outcome.status == TL_OK);
  CHECK(out.values() == iota(24));
}

TEST_CASE("one element becomes a scalar and a scalar a tensor") {
  CHECK(lanes<int32_t>(
            "%s = tt.unsplat %a : tensor<1xi32>\n%r = tt.splat %s : i32 -> tensor<2x2xi32>", "i32",
            {{"i32", I32{42}}}, "1", "2x2") == I32(4, 42));
}
