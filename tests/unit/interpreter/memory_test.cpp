// SPDX-License-Identifier: MIT
//
// Loads, stores, pointers and tensor descriptors that do nothing wrong. What is wrong stands in
// sanitizer_test.cpp.
#include "c_api.hpp"

#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <numeric>

using c_api::Array;
using c_api::Outcome;
using c_api::run;

namespace {

using I32 = std::vector<int32_t>;
using F32 = std::vector<float>;

/// Text that makes %p a tensor of `n` pointers from %x.
std::string pointers(const std::string &n, const std::string &type, const std::string &from = "%x",
                     const std::string &name = "p") {
  return "%" + name + "r = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" + n +
         "xi32>\n%" + name + "s = tt.splat " + from + " : !tt.ptr<" + type + "> -> tensor<" + n +
         "x!tt.ptr<" + type + ">>\n%" + name + " = tt.addptr %" + name + "s, %" + name +
         "r : tensor<" + n + "x!tt.ptr<" + type + ">>, tensor<" + n + "xi32>\n";
}

void expectOk(const Outcome &outcome) {
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
}

} // namespace

TEST_CASE_TEMPLATE("a masked store writes its lanes and no others", T, int8_t, int16_t, int32_t,
                   int64_t) {
  const std::string type = "i" + std::to_string(8 * sizeof(T));
  for (const char *mask : {"%q = arith.remsi %pr, %k : tensor<128xi32>\n%m = arith.cmpi eq, %q, "
                           "%one : tensor<128xi32>\n",
                           "%m = arith.cmpi slt, %pr, %five : tensor<128xi32>\n",
                           "%m = arith.cmpi sge, %pr, %late : tensor<128xi32>\n"}) {
    const Array<T> x(std::vector<T>(128, T(-1)));
    expectOk(run("module { tt.func public @k(%x: !tt.ptr<" + type + ">) {\n" +
                     pointers("128", type) +
                     "%k = arith.constant dense<4> : tensor<128xi32>\n%one = arith.constant "
                     "dense<1> : tensor<128xi32>\n"
                     "%five = arith.constant dense<5> : tensor<128xi32>\n%late = arith.constant "
                     "dense<123> : tensor<128xi32>\n" +
                     mask + "%v = arith.constant dense<7> : tensor<128x" + type +
                     ">\ntt.store %p, %v, %m : tensor<128x!tt.ptr<" + type + ">>\ntt.return } }",
                 {x}));
    const std::vector<T> r = x.values();
    const std::string text = mask;
    for (int i = 0; i < 128; ++i) {
      const bool on = text.find("slt") != text.npos   ? i < 5
                      : text.find("sge") != text.npos ? i >= 123
                                                      : i % 4 == 1;
      CHECK(r[static_cast<size_t>(i)] == (on ? 7 : -1));
    }
  }
}

TEST_CASE("masked-off lanes give the fill, or zero where there is none") {
  const Array<float> x(F32{1, 2, 3, 4}), out(8);
  const std::string head =
      "module { tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n" + pointers("8", "f32") +
      pointers("8", "f32", "%o", "w") +
      "%n = arith.constant dense<4> : tensor<8xi32>\n%m = arith.cmpi slt, %pr, %n : tensor<8xi32>\n"
      "%f = arith.constant dense<-5.0> : tensor<8xf32>\n";
  const std::string tail = "\ntt.store %w, %v : tensor<8x!tt.ptr<f32>>\ntt.return } }";
  expectOk(run(head + "%v = tt.load %p, %m, %f : tensor<8x!tt.ptr<f32>>" + tail, {x, out}));
  CHECK(out.values() == F32{1, 2, 3, 4, -5, -5, -5, -5});
  expectOk(run(head + "%v = tt.load %p, %m : tensor<8x!tt.ptr<f32>>" + tail, {x, out}));
  CHECK(out.values() == F32{1, 2, 3, 4, 0, 0, 0, 0});
}

TEST_CASE("hints of caches and volatility change nothing") {
  const Array<int32_t> x(I32{5}), out(1);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %a = tt.load %x cacheModifier = cg evictionPolicy = evict_first : !tt.ptr<i32>
    %b = tt.load %x {isVolatile = true} : !tt.ptr<i32>
    %c = arith.addi %a, %b : i32
    tt.store %o, %c cacheModifier = wb : !tt.ptr<i32>
    tt.return } })",
               {x, out}));
  CHECK(out[0] == 10);
}

TEST_CASE("memory operations happen in the order of the program") {
  // y = x shifted by one through the same buffer, read before it is written.
  const Array<int32_t> x(I32{1, 2, 3, 4, 5, 6, 7, 8, 9});
  expectOk(
      run("module { tt.func public @k(%x: !tt.ptr<i32>) {\n" + pointers("8", "i32") +
              "%one = arith.constant dense<1> : tensor<8xi32>\n%q = tt.addptr %p, %one : "
              "tensor<8x!tt.ptr<i32>>, tensor<8xi32>\n"
              "%v = tt.load %p : tensor<8x!tt.ptr<i32>>\ntt.store %q, %v : tensor<8x!tt.ptr<i32>>\n"
              "%w = tt.load %q : tensor<8x!tt.ptr<i32>>\n%s = arith.addi %w, %v : "
              "tensor<8xi32>\ntt.store %p, %s : tensor<8x!tt.ptr<i32>>\n"
              "tt.return } }",
          {x}));
  CHECK(x.values() == I32{2, 4, 6, 8, 10, 12, 14, 16, 8});
}

TEST_CASE("offsets are signed and of any width") {
  const Array<int32_t> x(I32{10, 11, 12, 13}), out(3);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %c3 = arith.constant 3 : i64
    %m1 = arith.constant -1 : i8
    %m2 = arith.constant -2 : i16
    %one = arith.constant 1 : i32
    %a = tt.addptr %x, %c3 : !tt.ptr<i32>, i64
    %b = tt.addptr %a, %m1 : !tt.ptr<i32>, i8
    %c = tt.addptr %b, %m2 : !tt.ptr<i32>, i16
    %u = tt.load %a : !tt.ptr<i32>
    %v = tt.load %b : !tt.ptr<i32>
    %w = tt.load %c : !tt.ptr<i32>
    tt.store %o, %u : !tt.ptr<i32>
    %o1 = tt.addptr %o, %one : !tt.ptr<i32>, i32
    tt.store %o1, %v : !tt.ptr<i32>
    %o2 = tt.addptr %o1, %one : !tt.ptr<i32>, i32
    tt.store %o2, %w : !tt.ptr<i32>
    tt.return } })",
               {x, out}));
  CHECK(out.values() == I32{13, 12, 10});
}

TEST_CASE("pointers travel through integers, memory and selects") {
  const Array<int32_t> x(I32{7}), y(I32{9}), out(2);
  const Array<int64_t> table(
      std::vector<int64_t>{reinterpret_cast<int64_t>(x.data), reinterpret_cast<int64_t>(y.data)});
  expectOk(run(
      R"(module { tt.func public @k(%t: !tt.ptr<!tt.ptr<i32>>, %x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %t1 = tt.addptr %t, %one : !tt.ptr<!tt.ptr<i32>>, i32
    %py = tt.load %t1 : !tt.ptr<!tt.ptr<i32>>
    %ix = tt.ptr_to_int %x : !tt.ptr<i32> -> i64
    %px = tt.int_to_ptr %ix : i64 -> !tt.ptr<i32>
    %p = arith.select %true, %px, %py : !tt.ptr<i32>
    %a = tt.load %p : !tt.ptr<i32>
    %b = tt.load %py : !tt.ptr<i32>
    tt.store %o, %a : !tt.ptr<i32>
    %o1 = tt.addptr %o, %one : !tt.ptr<i32>, i32
    tt.store %o1, %b : !tt.ptr<i32>
    tt.return } })",
      {table, x, out}));
  CHECK(out.values() == I32{7, 9});
}

TEST_CASE("memory of the host that is no buffer can be used") {
  int32_t host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  expectOk(
      run("module { tt.func public @k(%x: !tt.ptr<i32>) {\n" + pointers("8", "i32") +
              "%v = tt.load %p : tensor<8x!tt.ptr<i32>>\n%w = arith.addi %v, %v : tensor<8xi32>\n"
              "tt.store %p, %w : tensor<8x!tt.ptr<i32>>\ntt.return } }",
          {static_cast<void *>(host)}));
  CHECK(host[0] == 2);
  CHECK(host[7] == 16);
}

TEST_CASE("scalar arguments of every type arrive as they are") {
  const Array<uint64_t> out(6);
  expectOk(run(
      R"(module { tt.func public @k(%o: !tt.ptr<i64>, %a: i1, %b: i8, %c: i16, %d: f16, %e: f32, %f: f64) {
    %one = arith.constant 1 : i32
    %a1 = arith.extui %a : i1 to i64
    %b1 = arith.extui %b : i8 to i64
    %c1 = arith.extui %c : i16 to i64
    %d0 = tt.bitcast %d : f16 -> i16
    %d1 = arith.extui %d0 : i16 to i64
    %e0 = tt.bitcast %e : f32 -> i32
    %e1 = arith.extui %e0 : i32 to i64
    %f1 = tt.bitcast %f : f64 -> i64
    tt.store %o, %a1 : !tt.ptr<i64>
    %o1 = tt.addptr %o, %one : !tt.ptr<i64>, i32
    tt.store %o1, %b1 : !tt.ptr<i64>
    %o2 = tt.addptr %o1, %one : !tt.ptr<i64>, i32
    tt.store %o2, %c1 : !tt.ptr<i64>
    %o3 = tt.addptr %o2, %one : !tt.ptr<i64>, i32
    tt.store %o3, %d1 : !tt.ptr<i64>
    %o4 = tt.addptr %o3, %one : !tt.ptr<i64>, i32
    tt.store %o4, %e1 : !tt.ptr<i64>
    %o5 = tt.addptr %o4, %one : !tt.ptr<i64>, i32
    tt.store %o5, %f1 : !tt.ptr<i64>
    tt.return } })",
      {out, uint8_t(2), uint8_t(200), uint16_t(40000), uint16_t(0x3C00), 1.0f, 1.0}));
  CHECK(out.values() ==
        std::vector<uint64_t>{1, 200, 40000, 0x3C00, 0x3F800000, 0x3FF0000000000000});
}

TEST_CASE("fills and copies on the device") {
  const Array<uint8_t> a(8), b(8);
  CHECK(tl_fill(c_api::stream(), a.data, 0x5A, 8) == TL_OK);
  CHECK(tl_copy_on_device(c_api::stream(), b.data, a.data, 8) == TL_OK);
  CHECK(b.values() == std::vector<uint8_t>(8, 0x5A));
}

// ---- Descriptors

namespace {

std::string descriptor(const std::string &body, const std::string &type = "f32",
                       const std::string &padding = "") {
  return "module { tt.func public @k(%x: !tt.ptr<" + type + ">, %o: !tt.ptr<" + type +
         ">, %m: i32, %n: i32, %stride: i64, %i: i32, %j: i32) {\n"
         "%one = arith.constant 1 : i64\n%d = tt.make_tensor_descriptor %x, [%m, %n], [%stride, "
         "%one]" +
         padding + " : !tt.ptr<" + type + ">, !tt.tensordesc<4x8x" + type + ">\n" + body +
         "tt.return } }";
}

std::string storeBlock(const std::string &type = "f32") {
  return "%f = tt.reshape %v : tensor<4x8x" + type + "> -> tensor<32x" + type + ">\n" +
         pointers("32", type, "%o", "w") + "tt.store %w, %f : tensor<32x!tt.ptr<" + type + ">>\n";
}

} // namespace

TEST_CASE("a block that sticks out reads the padding") {
  F32 x(6 * 10);
  std::iota(x.begin(), x.end(), 0.0f);
  const Array<float> in(x), out(32);
  for (const char *padding : {"", " {padding = 2 : i32}"}) {
    const bool nan = padding[0] != 0;
    expectOk(run(
        descriptor(
            "%v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<4x8xf32> -> tensor<4x8xf32>\n" +
                storeBlock(),
            "f32", padding),
        {in, out, 6, 9, int64_t(10), 4, -2}));
    const F32 r = out.values();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 8; ++column) {
        const int i = 4 + row, j = -2 + column;
        const float got = r[static_cast<size_t>(row * 8 + column)];
        if (i < 6 && j >= 0 && j < 9)
          CHECK(got == static_cast<float>(i * 10 + j));
        else
          CHECK((nan ? std::isnan(got) : got == 0.0f));
      }
  }
}

TEST_CASE("a block that sticks out writes what lies inside") {
  const Array<float> target(F32(60, -1.0f)), source(F32(32, 3.0f));
  expectOk(run(
      descriptor(pointers("32", "f32", "%o", "w") +
                 "%f = tt.load %w : tensor<32x!tt.ptr<f32>>\n%v = tt.reshape %f : tensor<32xf32> "
                 "-> tensor<4x8xf32>\n"
                 "tt.descriptor_store %d[%i, %j], %v : !tt.tensordesc<4x8xf32>, tensor<4x8xf32>\n"),
      {target, source, 6, 9, int64_t(10), 4, 5}));
  const F32 r = target.values();
  for (int i = 0; i < 60; ++i)
    CHECK(r[static_cast<size_t>(i)] == (i / 10 >= 4 && i % 10 >= 5 && i % 10 < 9 ? 3.0f : -1.0f));
}

TEST_CASE("descriptors combine with memory, and rows are gathered and scattered") {
  const Array<int32_t> target(I32(60, 5)), source(I32(32, 3));
  struct Row {
    const char *kind, *type;
    int32_t expected;
  };
  for (auto [kind, type, expected] :
       {Row{"add", "i32", 8}, Row{"max", "si32", 8}, Row{"min", "si32", 3}, Row{"xor", "i32", 0}}) {
    const std::string d = std::string("!tt.tensordesc<4x8x") + type + ">";
    expectOk(run("module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {\n%one = "
                 "arith.constant 1 : i64\n"
                 "%c10 = arith.constant 10 : i64\n%c6 = arith.constant 6 : i32\n%c9 = "
                 "arith.constant 9 : i32\n%c0 = arith.constant 0 : i32\n"
                 "%d = tt.make_tensor_descriptor %x, [%c6, %c9], [%c10, %one] : !tt.ptr<i32>, " +
                     d + "\n" + pointers("32", "i32", "%o", "w") +
                     "%f = tt.load %w : tensor<32x!tt.ptr<i32>>\n%v = tt.reshape %f : "
                     "tensor<32xi32> -> tensor<4x8xi32>\n"
                     "tt.descriptor_reduce " +
                     kind + ", %d[%c0, %c0], %v : " + d + ", tensor<4x8xi32>\ntt.return } }",
                 {target, source}));
    CHECK(target[0] == expected);
    CHECK(target[8] == 5);
  }
  F32 x(16 * 16);
  std::iota(x.begin(), x.end(), 0.0f);
  const Array<float> in(x), out(F32(16 * 16, 0.0f));
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
    %one = arith.constant 1 : i64
    %c16l = arith.constant 16 : i64
    %c16 = arith.constant 16 : i32
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %d = tt.make_tensor_descriptor %x, [%c16, %c16], [%c16l, %one] : !tt.ptr<f32>, !tt.tensordesc<1x8xf32>
    %e = tt.make_tensor_descriptor %o, [%c16, %c16], [%c16l, %one] : !tt.ptr<f32>, !tt.tensordesc<1x8xf32>
    %rows = arith.constant dense<[3, 0, 15, 16, -1, 7, 7, 1]> : tensor<8xi32>
    %to = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 99]> : tensor<8xi32>
    %v = tt.descriptor_gather %d[%rows, %c4] : (!tt.tensordesc<1x8xf32>, tensor<8xi32>, i32) -> tensor<8x8xf32>
    tt.descriptor_scatter %e[%to, %c0], %v : !tt.tensordesc<1x8xf32>, tensor<8xi32>, i32, tensor<8x8xf32>
    tt.return } })",
               {in, out}));
  const F32 r = out.values();
  const int rows[] = {3, 0, 15, 16, -1, 7, 7};
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 8; ++j)
      CHECK(r[static_cast<size_t>(i * 16 + j)] ==
            (rows[i] >= 0 && rows[i] < 16 ? static_cast<float>(rows[i] * 16 + 4 + j) : 0.0f));
}
