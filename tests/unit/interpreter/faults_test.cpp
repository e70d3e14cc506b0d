// SPDX-License-Identifier: MIT
//
// Faults that users of related systems met, as small kernels with exact answers. Those that one
// operation shows stand with the operation's tests; here are the ones that take a kernel.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <ctime>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <regex>

using c_api::Array;
using c_api::lanes;
using c_api::Outcome;
using c_api::run;

namespace {

using I8 = std::vector<int8_t>;
using I32 = std::vector<int32_t>;
using I64 = std::vector<int64_t>;
using F32 = std::vector<float>;
using U8 = std::vector<uint8_t>;
using U16 = std::vector<uint16_t>;

void expectOk(const Outcome &outcome) {
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
}

/// %<name> = the tensor of `n` pointers from `from`.
std::string pointers(const std::string &n, const std::string &type, const std::string &from,
                     const std::string &name) {
  return "%" + name + "r = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" + n +
         "xi32>\n%" + name + "s = tt.splat " + from + " : !tt.ptr<" + type + "> -> tensor<" + n +
         "x!tt.ptr<" + type + ">>\n%" + name + " = tt.addptr %" + name + "s, %" + name +
         "r : tensor<" + n + "x!tt.ptr<" + type + ">>, tensor<" + n + "xi32>\n";
}

/// %<name> = the rows x columns tensor of pointers base + row * stride + column.
std::string tile(const std::string &name, const std::string &type, const std::string &base,
                 int rows, int columns, int stride) {
  const std::string r = std::to_string(rows), c = std::to_string(columns), n = "%" + name,
                    s = r + "x" + c;
  return n + "_r = tt.make_range {start = 0 : i32, end = " + r + " : i32} : tensor<" + r +
         "xi32>\n" + n + "_re = tt.expand_dims " + n + "_r {axis = 1 : i32} : tensor<" + r +
         "xi32> -> tensor<" + r + "x1xi32>\n" + n + "_st = arith.constant dense<" +
         std::to_string(stride) + "> : tensor<" + r + "x1xi32>\n" + n + "_ro = arith.muli " + n +
         "_re, " + n + "_st : tensor<" + r + "x1xi32>\n" + n + "_rb = tt.broadcast " + n +
         "_ro : tensor<" + r + "x1xi32> -> tensor<" + s + "xi32>\n" + n +
         "_c = tt.make_range {start = 0 : i32, end = " + c + " : i32} : tensor<" + c + "xi32>\n" +
         n + "_ce = tt.expand_dims " + n + "_c {axis = 0 : i32} : tensor<" + c +
         "xi32> -> tensor<1x" + c + "xi32>\n" + n + "_cb = tt.broadcast " + n + "_ce : tensor<1x" +
         c + "xi32> -> tensor<" + s + "xi32>\n" + n + "_o = arith.addi " + n + "_rb, " + n +
         "_cb : tensor<" + s + "xi32>\n" + n + "_s = tt.splat " + base + " : !tt.ptr<" + type +
         "> -> tensor<" + s + "x!tt.ptr<" + type + ">>\n" + n + " = tt.addptr " + n + "_s, " + n +
         "_o : tensor<" + s + "x!tt.ptr<" + type + ">>, tensor<" + s + "xi32>\n";
}

} // namespace

TEST_CASE_TEMPLATE("a fill of zero adds nothing to a sum", T, float, int32_t, int8_t) {
  const bool isFloat = std::is_same_v<T, float>;
  const std::string type = isFloat ? "f32" : "i" + std::to_string(8 * sizeof(T));
  std::vector<T> values(16);
  std::iota(values.begin(), values.end(), T(1));
  const Array<T> x(values), out(1);
  expectOk(run("module { tt.func public @k(%x: !tt.ptr<" + type + ">, %o: !tt.ptr<" + type +
                   ">) {\n" + pointers("256", type, "%x", "p") +
                   "%n = arith.constant dense<16> : tensor<256xi32>\n%m = arith.cmpi slt, %pr, %n "
                   ": tensor<256xi32>\n"
                   "%z = arith.constant dense<" +
                   (isFloat ? "0.0" : "0") + "> : tensor<256x" + type +
                   ">\n"
                   "%v = tt.load %p, %m, %z : tensor<256x!tt.ptr<" +
                   type + ">>\n%s = \"tt.reduce\"(%v) <{axis = 0 : i32}> ({\n^bb0(%a: " + type +
                   ", %b: " + type + "):\n%c = arith." + (isFloat ? "addf" : "addi") +
                   " %a, %b : " + type + "\ntt.reduce.return %c : " + type + "\n}) : (tensor<256x" +
                   type + ">) -> " + type + "\ntt.store %o, %s : !tt.ptr<" + type +
                   ">\ntt.return } }",
               {x, out}));
  CHECK(out[0] == static_cast<T>(136));
}

TEST_CASE("discarded lanes of masked loads do not leak, whatever the fill") {
  // The largest of the 3x3 neighbours in an 8x8 image of float16.
  U16 image;
  for (int i = 0; i < 64; ++i)
    image.push_back(tl::float16(((i * 37) % 64) - 32).bits);
  const Array<uint16_t> x(image);
  std::vector<U16> results;
  for (bool fill : {false, true}) {
    std::string body = pointers("64", "f16", "%x", "p") + pointers("64", "f16", "%o", "w") +
                       "%eight = arith.constant dense<8> : tensor<64xi32>\n%zero = arith.constant "
                       "dense<0> : tensor<64xi32>\n"
                       "%nan = arith.constant dense<0x7E00> : tensor<64xf16>\n%row = arith.divsi "
                       "%pr, %eight : tensor<64xi32>\n"
                       "%col = arith.remsi %pr, %eight : tensor<64xi32>\n%m0 = arith.constant "
                       "dense<0xFC00> : tensor<64xf16>\n";
    int k = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx, ++k) {
        const std::string n = std::to_string(k);
        auto inside = [&](const std::string &name, const std::string &from, int d) {
          body += "%d" + name + n + " = arith.constant dense<" + std::to_string(d) +
                  "> : tensor<64xi32>\n%" + name + n + " = arith.addi " + from + ", %d" + name + n +
                  " : tensor<64xi32>\n%" + name + "l" + n + " = arith.cmpi sge, %" + name + n +
                  ", %zero : tensor<64xi32>\n%" + name + "h" + n + " = arith.cmpi slt, %" + name +
                  n + ", %eight : tensor<64xi32>\n%" + name + "in" + n + " = arith.andi %" + name +
                  "l" + n + ", %" + name + "h" + n + " : tensor<64xi1>\n";
        };
        inside("y", "%row", dy);
        inside("x", "%col", dx);
        body += "%in" + n + " = arith.andi %yin" + n + ", %xin" + n + " : tensor<64xi1>\n%off" + n +
                " = arith.constant dense<" + std::to_string(8 * dy + dx) +
                "> : tensor<64xi32>\n%q" + n + " = tt.addptr %p, %off" + n +
                " : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n%v" + n + " = tt.load %q" + n +
                ", %in" + n + (fill ? ", %nan" : "") + " : tensor<64x!tt.ptr<f16>>\n%c" + n +
                " = arith.maxnumf %v" + n + ", %m" + n + " : tensor<64xf16>\n%m" +
                std::to_string(k + 1) + " = arith.select %in" + n + ", %c" + n + ", %m" + n +
                " : tensor<64xi1>, tensor<64xf16>\n";
      }
    const Array<uint16_t> out(64);
    expectOk(run("module { tt.func public @k(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {\n" + body +
                     "tt.store %w, %m9 : tensor<64x!tt.ptr<f16>>\ntt.return } }",
                 {x, out}));
    results.push_back(out.values());
  }
  CHECK(results[0] == results[1]);
  for (int y = 0; y < 8; ++y)
    for (int c = 0; c < 8; ++c) {
      float best = -100;
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, 7); ++j)
        for (int i = std::max(c - 1, 0); i <= std::min(c + 1, 7); ++i)
          best =
              std::max(best, float(tl::float16::from_bits(image[static_cast<size_t>(8 * j + i)])));
      CHECK(float(tl::float16::from_bits(results[0][static_cast<size_t>(8 * y + c)])) == best);
    }
}

TEST_CASE("bytes are copied row by row under a mask with a fill") {
  I8 values(300);
  for (size_t i = 0; i < 300; ++i)
    values[i] = static_cast<int8_t>(i);
  const Array<int8_t> x(values), out(I8(300, 77));
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i8>, %o: !tt.ptr<i8>) {
    %pid = tt.get_program_id x : i32
    %c100 = arith.constant 100 : i32
    %base = arith.muli %pid, %c100 : i32
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %n = arith.constant dense<100> : tensor<128xi32>
    %m = arith.cmpi slt, %r, %n : tensor<128xi32>
    %xb = tt.addptr %x, %base : !tt.ptr<i8>, i32
    %xs = tt.splat %xb : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
    %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
    %z = arith.constant dense<0> : tensor<128xi8>
    %v = tt.load %p, %m, %z : tensor<128x!tt.ptr<i8>>
    %ob = tt.addptr %o, %base : !tt.ptr<i8>, i32
    %os = tt.splat %ob : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
    %q = tt.addptr %os, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
    tt.store %q, %v, %m : tensor<128x!tt.ptr<i8>>
    tt.return } })",
               {x, out}, {3}));
  CHECK(out.values() == values);
}

TEST_CASE("a mask of a row axis of size one") {
  F32 values(16);
  std::iota(values.begin(), values.end(), 1.0f);
  const Array<float> x(values), y(F32(16, -1));
  const std::string module = "module { tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) "
                             "{\n%pid = tt.get_program_id x : i32\n"
                             "%c8 = arith.constant 8 : i32\n%b = arith.muli %pid, %c8 : i32\n%xb = "
                             "tt.addptr %x, %b : !tt.ptr<f32>, i32\n"
                             "%yb = tt.addptr %y, %b : !tt.ptr<f32>, i32\n" +
                             tile("p", "f32", "%xb", 1, 8, 8) + tile("q", "f32", "%yb", 1, 8, 8) +
                             "%ps = tt.splat %pid : i32 -> tensor<1x1xi32>\n%rows = arith.addi "
                             "%p_re, %ps : tensor<1x1xi32>\n"
                             "%two = arith.constant dense<2> : tensor<1x1xi32>\n%mr = arith.cmpi "
                             "slt, %rows, %two : tensor<1x1xi32>\n"
                             "%eight = arith.constant dense<8> : tensor<1x8xi32>\n%mc = arith.cmpi "
                             "slt, %p_ce, %eight : tensor<1x8xi32>\n"
                             "%mrb = tt.broadcast %mr : tensor<1x1xi1> -> tensor<1x8xi1>\n%m = "
                             "arith.andi %mrb, %mc : tensor<1x8xi1>\n"
                             "%v = tt.load %p, %m : tensor<1x8x!tt.ptr<f32>>\ntt.store %q, %v, %m "
                             ": tensor<1x8x!tt.ptr<f32>>\ntt.return } }";
  expectOk(run(module, {x, y}));
  F32 expected = values;
  std::fill(expected.begin() + 8, expected.end(), -1.0f);
  CHECK(y.values() == expected);
  expectOk(run(module, {x, y}, {2}));
  CHECK(y.values() == values);
}

TEST_CASE("unsigned offsets that the front end widens read the right element") {
  F32 values(512, 11);
  for (int i = 0; i < 256; ++i)
    values[static_cast<size_t>(128 + i)] = static_cast<float>(i);
  const Array<float> x(values), out(256);
  const std::string module = "module { tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n" +
                             pointers("256", "f32", "%o", "w") +
                             "%i = arith.trunci %wr : tensor<256xi32> to tensor<256xi8>\nWIDEN"
                             "%s = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
                             "%p = tt.addptr %s, %j : tensor<256x!tt.ptr<f32>>, tensor<256xTYPE>\n"
                             "%v = tt.load %p : tensor<256x!tt.ptr<f32>>\ntt.store %w, %v : "
                             "tensor<256x!tt.ptr<f32>>\ntt.return } }";
  auto with = [&](const std::string &widen, const std::string &type) {
    std::string text = module;
    text.replace(text.find("WIDEN"), 5, widen);
    return text.replace(text.find("TYPE"), 4, type);
  };
  float *middle = static_cast<float *>(x.data) + 128;
  expectOk(
      run(with("%j = arith.extui %i : tensor<256xi8> to tensor<256xi64>\n", "i64"), {middle, out}));
  for (int i = 0; i < 256; ++i)
    CHECK(out[static_cast<size_t>(i)] == static_cast<float>(i));
  // Offsets of addptr are signed: left at 8 bits, 128 is -128.
  expectOk(run(with("%z = arith.constant dense<0> : tensor<256xi8>\n%j = arith.addi %i, %z : "
                    "tensor<256xi8>\n",
                    "i8"),
               {middle, out}));
  CHECK(out[200] == 11);
}

TEST_CASE("a masked tile of rank four, summed over two axes") {
  const Array<float> x(F32(36, 1)), out(16);
  std::string body = pointers("256", "f32", "%x", "f");
  body +=
      "%i4 = arith.constant dense<4> : tensor<256xi32>\n%i16 = arith.constant dense<16> : "
      "tensor<256xi32>\n%i64 = arith.constant dense<64> : tensor<256xi32>\n"
      "%i6 = arith.constant dense<6> : tensor<256xi32>\n%w1 = arith.remsi %fr, %i4 : "
      "tensor<256xi32>\n%q1 = arith.divsi %fr, %i4 : tensor<256xi32>\n"
      "%h1 = arith.remsi %q1, %i4 : tensor<256xi32>\n%q2 = arith.divsi %fr, %i16 : "
      "tensor<256xi32>\n%w0 = arith.remsi %q2, %i4 : tensor<256xi32>\n"
      "%h0 = arith.divsi %fr, %i64 : tensor<256xi32>\n%y = arith.addi %h0, %h1 : "
      "tensor<256xi32>\n%z = arith.addi %w0, %w1 : tensor<256xi32>\n"
      "%my = arith.cmpi slt, %y, %i6 : tensor<256xi32>\n%mz = arith.cmpi slt, %z, %i6 : "
      "tensor<256xi32>\n%m = arith.andi %my, %mz : tensor<256xi1>\n"
      "%o1 = arith.muli %y, %i6 : tensor<256xi32>\n%o2 = arith.addi %o1, %z : tensor<256xi32>\n"
      "%p = tt.addptr %fs, %o2 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n%zero = arith.constant "
      "dense<0.0> : tensor<256xf32>\n"
      "%v = tt.load %p, %m, %zero : tensor<256x!tt.ptr<f32>>\n%t = tt.reshape %v : tensor<256xf32> "
      "-> tensor<4x4x4x4xf32>\n"
      "%s1 = \"tt.reduce\"(%t) <{axis = 2 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%c = arith.addf %a, "
      "%b : f32\ntt.reduce.return %c : f32\n}) : (tensor<4x4x4x4xf32>) -> tensor<4x4x4xf32>\n"
      "%s2 = \"tt.reduce\"(%s1) <{axis = 2 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%c = arith.addf "
      "%a, %b : f32\ntt.reduce.return %c : f32\n}) : (tensor<4x4x4xf32>) -> tensor<4x4xf32>\n"
      "%r = tt.reshape %s2 : tensor<4x4xf32> -> tensor<16xf32>\n" +
      pointers("16", "f32", "%o", "w") + "tt.store %w, %r : tensor<16x!tt.ptr<f32>>\n";
  expectOk(run("module { tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n" + body +
                   "tt.return } }",
               {x, out}));
  for (int h = 0; h < 4; ++h)
    for (int w = 0; w < 4; ++w)
      CHECK(out[static_cast<size_t>(4 * h + w)] == std::min(4, 6 - h) * std::min(4, 6 - w));
}

TEST_CASE("a prefix sum inside a loop") {
  for (int n : {8, 13, 32}) {
    const Array<int64_t> out(I64(32, -1));
    expectOk(run("module { tt.func public @k(%o: !tt.ptr<i64>, %n: i32) {\n%c0 = arith.constant 0 "
                 ": i32\n%c8 = arith.constant 8 : i32\n"
                 "%r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>\n%ns = "
                 "tt.splat %n : i32 -> tensor<8xi32>\n"
                 "scf.for %k = %c0 to %n step %c8 : i32 {\n%ks = tt.splat %k : i32 -> "
                 "tensor<8xi32>\n%i = arith.addi %ks, %r : tensor<8xi32>\n"
                 "%m = arith.cmpi slt, %i, %ns : tensor<8xi32>\n%v = arith.extui %m : tensor<8xi1> "
                 "to tensor<8xi64>\n"
                 "%e = tt.expand_dims %v {axis = 0 : i32} : tensor<8xi64> -> tensor<1x8xi64>\n"
                 "%s = \"tt.scan\"(%e) <{axis = 1 : i32, reverse = false}> ({\n^bb0(%a: i64, %b: "
                 "i64):\n%c = arith.addi %a, %b : i64\n"
                 "tt.scan.return %c : i64\n}) : (tensor<1x8xi64>) -> tensor<1x8xi64>\n%f = "
                 "tt.reshape %s : tensor<1x8xi64> -> tensor<8xi64>\n"
                 "%os = tt.splat %o : !tt.ptr<i64> -> tensor<8x!tt.ptr<i64>>\n%p = tt.addptr %os, "
                 "%i : tensor<8x!tt.ptr<i64>>, tensor<8xi32>\n"
                 "tt.store %p, %f : tensor<8x!tt.ptr<i64>>\n}\ntt.return } }",
                 {out, n}));
    const I64 r = out.values();
    for (int i = 0; i < n; ++i)
      CHECK(r[static_cast<size_t>(i)] == i % 8 + 1);
  }
}

TEST_CASE("a table read in a loop and used in a conditional store") {
  I32 table(17);
  std::iota(table.begin(), table.end(), 0);
  const Array<int32_t> t(table), out(I32(17, 0));
  expectOk(run(R"(module { tt.func public @k(%t: !tt.ptr<i32>, %o: !tt.ptr<i32>, %flag: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c17 = arith.constant 17 : i32
    scf.for %i = %c0 to %c17 step %c1 : i32 {
      %p = tt.addptr %t, %i : !tt.ptr<i32>, i32
      %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
      %idx = tt.load %ps : tensor<1x!tt.ptr<i32>>
      %go = arith.cmpi eq, %flag, %c1 : i32
      scf.if %go {
        %os = tt.splat %o : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
        %q = tt.addptr %os, %idx : tensor<1x!tt.ptr<i32>>, tensor<1xi32>
        %n = arith.addi %i, %c1 : i32
        %v = tt.splat %n : i32 -> tensor<1xi32>
        tt.store %q, %v : tensor<1x!tt.ptr<i32>>
      }
    } {tt.num_stages = 3 : i32}
    tt.return } })",
               {t, out, 1}));
  I32 expected(17);
  std::iota(expected.begin(), expected.end(), 1);
  CHECK(out.values() == expected);
}

TEST_CASE("a product whose depth is not a whole number of tiles, down to none") {
  for (int depth : {0, 1, 31, 32, 64, 96}) {
    CAPTURE(depth);
    const size_t stored = static_cast<size_t>(std::max(depth, 1));
    const Array<float> a(F32(64 * stored, 1)), b(F32(stored * 64, 1)), c(64 * 64);
    const std::string d = std::to_string(stored);
    expectOk(run(
        "module { tt.func public @k(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %K: i32) "
        "{\n" +
            tile("ap", "f32", "%a", 64, 32, static_cast<int>(stored)) +
            tile("bp", "f32", "%b", 32, 64, 64) + tile("cp", "f32", "%c", 64, 64, 64) +
            "%c0 = arith.constant 0 : i32\n%c32 = arith.constant 32 : i32\n%z = arith.constant "
            "dense<0.0> : tensor<64x64xf32>\n"
            "%za = arith.constant dense<0.0> : tensor<64x32xf32>\n%zb = arith.constant dense<0.0> "
            ": tensor<32x64xf32>\n"
            "%da = arith.constant dense<32> : tensor<64x32xi32>\n%db = arith.constant dense<2048> "
            ": tensor<32x64xi32>\n"
            "%r:3 = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %z, %pa = %ap, %pb = %bp) -> "
            "(tensor<64x64xf32>, tensor<64x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>) : i32 {\n"
            "%left = arith.subi %K, %k : i32\n%la = tt.splat %left : i32 -> tensor<1x32xi32>\n%ma "
            "= arith.cmpi slt, %ap_ce, %la : tensor<1x32xi32>\n"
            "%mab = tt.broadcast %ma : tensor<1x32xi1> -> tensor<64x32xi1>\n%lb = tt.splat %left : "
            "i32 -> tensor<32x1xi32>\n"
            "%mb = arith.cmpi slt, %bp_re, %lb : tensor<32x1xi32>\n%mbb = tt.broadcast %mb : "
            "tensor<32x1xi1> -> tensor<32x64xi1>\n"
            "%va = tt.load %pa, %mab, %za : tensor<64x32x!tt.ptr<f32>>\n%vb = tt.load %pb, %mbb, "
            "%zb : tensor<32x64x!tt.ptr<f32>>\n"
            "%n = tt.dot %va, %vb, %acc, inputPrecision = ieee : tensor<64x32xf32> * "
            "tensor<32x64xf32> -> tensor<64x64xf32>\n"
            "%na = tt.addptr %pa, %da : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>\n%nb = "
            "tt.addptr %pb, %db : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>\n"
            "scf.yield %n, %na, %nb : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f32>>, "
            "tensor<32x64x!tt.ptr<f32>>\n}\n"
            "tt.store %cp, %r#0 : tensor<64x64x!tt.ptr<f32>>\ntt.return } }",
        {a, b, c, depth}));
    CHECK(c.values() == F32(64 * 64, static_cast<float>(depth)));
  }
}

TEST_CASE("two products into one accumulator, and a transposed operand") {
  F32 a(16 * 32), b(32 * 16);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i * 7 % 5) - 2, b[i] = static_cast<float>(i * 3 % 5) - 2;
  const Array<float> x(a), y(b), out(16 * 16);
  expectOk(run(
      "module { tt.func public @k(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>) {\n" +
          tile("ap", "f32", "%a", 16, 32, 32) + tile("bp", "f32", "%b", 32, 16, 16) +
          tile("cp", "f32", "%c", 16, 16, 16) +
          "%va = tt.load %ap : tensor<16x32x!tt.ptr<f32>>\n%vb = tt.load %bp : "
          "tensor<32x16x!tt.ptr<f32>>\n"
          "%at = tt.trans %va {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>\n"
          "%z = arith.constant dense<0.0> : tensor<16x16xf32>\n"
          "%d = tt.dot %va, %vb, %z, inputPrecision = ieee : tensor<16x32xf32> * tensor<32x16xf32> "
          "-> tensor<16x16xf32>\n"
          "%e = tt.dot %va, %at, %d, inputPrecision = ieee : tensor<16x32xf32> * tensor<32x16xf32> "
          "-> tensor<16x16xf32>\n"
          "tt.store %cp, %e : tensor<16x16x!tt.ptr<f32>>\ntt.return } }",
      {x, y, out}));
  const F32 r = out.values();
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      float sum = 0;
      for (size_t k = 0; k < 32; ++k)
        sum += a[i * 32 + k] * b[k * 16 + j] + a[i * 32 + k] * a[j * 32 + k];
      CHECK(r[i * 16 + j] == sum);
    }
}

TEST_CASE("bytes unpacked between load and product") {
  const Array<int8_t> x(I8(64 * 32, 1)), y(I8(32 * 64, 0x0F));
  const Array<int32_t> out(64 * 64);
  expectOk(
      run("module { tt.func public @k(%a: !tt.ptr<i8>, %b: !tt.ptr<i8>, %c: !tt.ptr<i32>) {\n" +
              tile("ap", "i8", "%a", 64, 32, 32) + tile("bp", "i8", "%b", 32, 64, 64) +
              tile("cp", "i32", "%c", 64, 64, 64) +
              "%va = tt.load %ap : tensor<64x32x!tt.ptr<i8>>\n%vb = tt.load %bp : "
              "tensor<32x64x!tt.ptr<i8>>\n"
              "%low = arith.constant dense<15> : tensor<32x64xi8>\n%four = arith.constant dense<4> "
              ": tensor<32x64xi8>\n"
              "%n = arith.andi %vb, %low : tensor<32x64xi8>\n%s = arith.shli %n, %four : "
              "tensor<32x64xi8>\n"
              "%z = arith.constant dense<0> : tensor<64x64xi32>\n%d = tt.dot %va, %s, %z : "
              "tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>\n"
              "tt.store %cp, %d : tensor<64x64x!tt.ptr<i32>>\ntt.return } }",
          {x, y, out}));
  CHECK(out.values() == I32(64 * 64, -16 * 32));
}

TEST_CASE("a tile loaded, stored back, and still used") {
  const Array<float> x(F32(8, 0)), out(F32(8, -1));
  expectOk(run(
      "module { tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n" +
          tile("p", "f32", "%x", 8, 1, 1) + pointers("8", "f32", "%o", "w") +
          "%v = tt.load %p : tensor<8x1x!tt.ptr<f32>>\n%one = arith.constant dense<1.0> : "
          "tensor<8x1xf32>\n"
          "%n = arith.addf %v, %one : tensor<8x1xf32>\ntt.store %p, %n : tensor<8x1x!tt.ptr<f32>>\n"
          "%r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>\n%f = "
          "arith.sitofp %r : tensor<512xi32> to tensor<512xf32>\n"
          "%fe = tt.expand_dims %f {axis = 0 : i32} : tensor<512xf32> -> tensor<1x512xf32>\n%fb = "
          "tt.broadcast %fe : tensor<1x512xf32> -> tensor<8x512xf32>\n"
          "%vb = tt.broadcast %v : tensor<8x1xf32> -> tensor<8x512xf32>\n%s = arith.addf %vb, %fb "
          ": tensor<8x512xf32>\n"
          "%t = \"tt.reduce\"(%s) <{axis = 1 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%c = arith.addf "
          "%a, %b : f32\ntt.reduce.return %c : f32\n}) : (tensor<8x512xf32>) -> tensor<8xf32>\n"
          "tt.store %w, %t : tensor<8x!tt.ptr<f32>>\ntt.return } }",
      {x, out}));
  CHECK(out.values() == F32(8, 511 * 256));
  CHECK(x.values() == F32(8, 1));
}

TEST_CASE("offsets beyond 32 bits land where they should, and those that wrapped are reported") {
  const uint64_t bytes = 40001ull * 65536;
  const Array<uint8_t> x(bytes);
  const std::string head =
      "module { tt.func public @k(%x: !tt.ptr<i8>, %row: i32, %stride32: i32, %stride64: i64) {\n"
      "%r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>\n%v = "
      "arith.constant dense<7> : tensor<128xi8>\n";
  const std::string tail = "%s = tt.splat %b : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>\n%p = "
                           "tt.addptr %s, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>\n"
                           "tt.store %p, %v : tensor<128x!tt.ptr<i8>>\ntt.return } }";
  expectOk(run(head +
                   "%row64 = arith.extsi %row : i32 to i64\n%o = arith.muli %row64, %stride64 : "
                   "i64\n%b = tt.addptr %x, %o : !tt.ptr<i8>, i64\n" +
                   tail,
               {x, 40000, 65536, int64_t(65536)}));
  uint8_t got[130] = {};
  tl_copy_from_device(c_api::stream(), got, static_cast<uint8_t *>(x.data) + 40000ull * 65536, 130);
  CHECK(got[0] == 7);
  CHECK(got[127] == 7);
  CHECK(got[128] != 7);
  const Outcome outcome = run(
      head + "%o = arith.muli %row, %stride32 : i32\n%b = tt.addptr %x, %o : !tt.ptr<i8>, i32\n" +
          tail,
      {x, 40000, 65536, int64_t(65536)});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("tl::store writes element -1673527296 of the buffer"));
}

TEST_CASE("grids that are tall, and grids that are empty") {
  const Array<int32_t> x(I32(65536, 0));
  const char *module = R"(module { tt.func public @k(%x: !tt.ptr<i32>) {
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %i = arith.addi %y, %z : i32
    %c1 = arith.constant 1 : i32
    %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
    %v = tt.load %p : !tt.ptr<i32>
    %w = arith.addi %v, %c1 : i32
    tt.store %p, %w : !tt.ptr<i32>
    tt.return } })";
  expectOk(run(module, {x}, {1, 65536, 1}));
  expectOk(run(module, {x}, {1, 1, 65536}));
  CHECK(x.values() == I32(65536, 2));
  expectOk(run(module, {x}, {0, 5, 1}));
  CHECK(x.values() == I32(65536, 2));
}

TEST_CASE("rows that start anywhere are copied bit for bit") {
  F32 values(32 * 1185 + 1);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  const Array<float> x(values), y(F32(values.size(), -1));
  const char *module =
      R"(module { tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %row = tt.get_program_id x : i32
    %half = tt.get_program_id y : i32
    %c1185 = arith.constant 1185 : i32
    %c1024 = arith.constant 1024 : i32
    %b = arith.muli %row, %c1185 : i32
    %h = arith.muli %half, %c1024 : i32
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %hs = tt.splat %h : i32 -> tensor<1024xi32>
    %c = arith.addi %r, %hs : tensor<1024xi32>
    %n = arith.constant dense<1185> : tensor<1024xi32>
    %m = arith.cmpi slt, %c, %n : tensor<1024xi32>
    %xb = tt.addptr %x, %b : !tt.ptr<f32>, i32
    %xs = tt.splat %xb : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
    %yb = tt.addptr %y, %b : !tt.ptr<f32>, i32
    %ys = tt.splat %yb : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %yp, %v, %m : tensor<1024x!tt.ptr<f32>>
    tt.return } })";
  for (size_t shift : {0, 1}) {
    expectOk(run(module,
                 {static_cast<float *>(x.data) + shift, static_cast<float *>(y.data) + shift},
                 {32, 2}));
    const F32 r = y.values();
    CHECK(std::equal(values.begin() + long(shift), values.end() - 1 + long(shift),
                     r.begin() + long(shift)));
  }
}

TEST_CASE("products and quotients through negative divisors") {
  I32 a;
  for (int i = -200; i <= 200; ++i)
    a.push_back(i);
  for (int divisor : {3, -3, 23, -23, 69, -69, 222, -222}) {
    const std::string d = std::to_string(divisor);
    const I32 r =
        lanes<int32_t>("%k = arith.constant dense<-8040> : tensor<SHAPExi32>\n%m73 = "
                       "arith.constant dense<-73> : tensor<SHAPExi32>\n"
                       "%d = arith.constant dense<" +
                           d +
                           "> : tensor<SHAPExi32>\n%s = arith.addi %m73, %a : tensor<SHAPExi32>\n"
                           "%p = arith.muli %k, %s : tensor<SHAPExi32>\n%r = arith.divsi %p, %d : "
                           "tensor<SHAPExi32>",
                       "i32", {{"i32", a}});
    for (size_t i = 0; i < a.size(); ++i)
      CHECK(r[i] == (-67 * 120) * (-73 + a[i]) / divisor);
  }
  CHECK(lanes<int32_t>(
            "%m1 = arith.constant dense<-1> : tensor<4xi32>\n%m71 = arith.constant dense<-71> : "
            "tensor<4xi32>\n"
            "%k = arith.constant dense<384> : tensor<4xi32>\n%q = arith.divsi %a, %m1 : "
            "tensor<4xi32>\n"
            "%s = arith.divsi %q, %m71 : tensor<4xi32>\n%r = arith.subi %s, %k : tensor<4xi32>",
            "i32", {{"i32", I32{-128, -207, -128, -207}}}) == I32{-385, -386, -385, -386});
}

/// Sums and maxima of the rows of a tile of 4 rows; returns the seconds that it took of the
/// processor, so that other programs do not count.
static double secondsOfTile(int columns) {
  const auto n = static_cast<std::size_t>(4 * columns);
  const Array<float> a(F32(n, 2)), b(F32(n, 3)), c(F32(n, 1)), out(8);
  const std::string wide =
      "module { tt.func public @k(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %o: "
      "!tt.ptr<f32>) {\n" +
      tile("ap", "f32", "%a", 4, 65536, 65536) + tile("bp", "f32", "%b", 4, 65536, 65536) +
      tile("cp", "f32", "%c", 4, 65536, 65536) +
      "%n = arith.constant dense<65536> : tensor<4x65536xi32>\n%m = arith.cmpi slt, %ap_cb, %n : "
      "tensor<4x65536xi32>\n"
      "%z = arith.constant dense<0.0> : tensor<4x65536xf32>\n"
      "%x = tt.load %ap, %m, %z : tensor<4x65536x!tt.ptr<f32>>\n%y = tt.load %bp, %m, %z : "
      "tensor<4x65536x!tt.ptr<f32>>\n"
      "%w = tt.load %cp, %m, %z : tensor<4x65536x!tt.ptr<f32>>\n%p = arith.mulf %x, %y : "
      "tensor<4x65536xf32>\n%q = arith.addf %p, %w : tensor<4x65536xf32>\n"
      "%s = \"tt.reduce\"(%q) <{axis = 1 : i32}> ({\n^bb0(%u: f32, %v: f32):\n%t = arith.addf %u, "
      "%v : f32\ntt.reduce.return %t : f32\n}) : (tensor<4x65536xf32>) -> tensor<4xf32>\n"
      "%g = \"tt.reduce\"(%q) <{axis = 1 : i32}> ({\n^bb0(%u: f32, %v: f32):\n%t = arith.maxnumf "
      "%u, %v : f32\ntt.reduce.return %t : f32\n}) : (tensor<4x65536xf32>) -> tensor<4xf32>\n"
      "%j = tt.join %s, %g : tensor<4xf32> -> tensor<4x2xf32>\n%f = tt.reshape %j : "
      "tensor<4x2xf32> -> tensor<8xf32>\n" +
      pointers("8", "f32", "%o", "d") + "tt.store %d, %f : tensor<8x!tt.ptr<f32>>\ntt.return } }";
  const std::string text = std::regex_replace(wide, std::regex("65536"), std::to_string(columns));
  const std::clock_t start = std::clock();
  expectOk(run(text, {a, b, c, out}));
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  const float sum = 7.0f * float(columns);
  CHECK(out.values() == F32{sum, 7, sum, 7, sum, 7, sum, 7});
  return seconds;
}

TEST_CASE("the time of a tile grows with its elements") {
  secondsOfTile(1024);
  const double eighth = secondsOfTile(8192), whole = secondsOfTile(65536);
  CHECK(whole < 3 * 8 * eighth);
}
