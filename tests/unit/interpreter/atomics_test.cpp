// SPDX-License-Identifier: MIT
//
// Atomics: repeated addresses, masks, old values, every type.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <doctest/doctest.h>
#include <limits>

using c_api::Array;
using c_api::Outcome;
using c_api::run;

namespace {

using F32 = std::vector<float>;
using I32 = std::vector<int32_t>;
using U16 = std::vector<uint16_t>;

void expectOk(const Outcome &outcome) {
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
}

/// Applies `op` of the value to the cell, from one program.
template <class T>
T once(const std::string &op, const std::string &type, T cell, T value, T *old = nullptr) {
  const Array<T> memory(std::vector<T>{cell}), before(1);
  expectOk(run("module { tt.func public @k(%x: !tt.ptr<" + type + ">, %v: " + type +
                   ", %o: !tt.ptr<" + type + ">) {\n%r = tt.atomic_rmw " + op +
                   ", acq_rel, gpu, %x, %v : (!tt.ptr<" + type + ">, " + type + ") -> " + type +
                   "\ntt.store %o, %r : !tt.ptr<" + type + ">\ntt.return } }",
               {memory, value, before}));
  if (old)
    *old = before[0];
  return memory[0];
}

} // namespace

TEST_CASE("each operation of integers and its old value") {
  int32_t old = 0;
  CHECK(once<int32_t>("add", "i32", 5, -7, &old) == -2);
  CHECK(old == 5);
  CHECK(once<int32_t>("and", "i32", 12, 10) == 8);
  CHECK(once<int32_t>("or", "i32", 12, 10) == 14);
  CHECK(once<int32_t>("xor", "i32", 12, 10) == 6);
  CHECK(once<int32_t>("max", "i32", -1, 1) == 1);
  CHECK(once<int32_t>("umax", "i32", -1, 1) == -1);
  CHECK(once<int32_t>("min", "i32", -1, 1) == -1);
  CHECK(once<int32_t>("umin", "i32", -1, 1) == 1);
  CHECK(once<int32_t>("exch", "i32", 3, 4, &old) == 4);
  CHECK(old == 3);
  CHECK(once<int64_t>("add", "i64", std::numeric_limits<int64_t>::max(), 1) ==
        std::numeric_limits<int64_t>::min());
}

TEST_CASE("each operation of floats") {
  CHECK(once<float>("fadd", "f32", 1.5f, 2) == 3.5f);
  CHECK(once<double>("fadd", "f64", 1.5, 2) == 3.5);
  CHECK(once<float>("exch", "f32", 1.5f, 2) == 2);
}

TEST_CASE_TEMPLATE("repeated addresses in a block are each counted", T, int32_t, float) {
  const std::string type = std::is_same_v<T, float> ? "f32" : "i32";
  const std::string op = std::is_same_v<T, float> ? "fadd" : "add";
  for (bool masked : {false, true}) {
    const Array<T> counters(std::vector<T>(7, T(0)));
    expectOk(run("module { tt.func public @k(%x: !tt.ptr<" + type +
                     ">) {\n%pid = tt.get_program_id x : i32\n"
                     "%b = arith.constant 1024 : i32\n%base = arith.muli %pid, %b : i32\n"
                     "%r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>\n"
                     "%s = tt.splat %base : i32 -> tensor<1024xi32>\n%i = arith.addi %s, %r : "
                     "tensor<1024xi32>\n"
                     "%seven = arith.constant dense<7> : tensor<1024xi32>\n%k = arith.remsi %i, "
                     "%seven : tensor<1024xi32>\n"
                     "%two = arith.constant dense<2> : tensor<1024xi32>\n%zero = arith.constant "
                     "dense<0> : tensor<1024xi32>\n"
                     "%odd = arith.remsi %i, %two : tensor<1024xi32>\n%m = arith.cmpi eq, %odd, "
                     "%zero : tensor<1024xi32>\n"
                     "%xs = tt.splat %x : !tt.ptr<" +
                     type + "> -> tensor<1024x!tt.ptr<" + type +
                     ">>\n"
                     "%p = tt.addptr %xs, %k : tensor<1024x!tt.ptr<" +
                     type +
                     ">>, tensor<1024xi32>\n"
                     "%v = arith.constant dense<" +
                     (type == "f32" ? "1.0" : "1") + "> : tensor<1024x" + type +
                     ">\n"
                     "%o = tt.atomic_rmw " +
                     op + ", relaxed, gpu, %p, %v" + (masked ? ", %m" : "") +
                     " : (tensor<1024x!tt.ptr<" + type + ">>, tensor<1024x" + type + ">" +
                     (masked ? ", tensor<1024xi1>" : "") + ") -> tensor<1024x" + type +
                     ">\ntt.return } }",
                 {counters}, {64}));
    std::vector<T> expected(7, T(0));
    for (int i = 0; i < 65536; ++i)
      if (!masked || i % 2 == 0)
        expected[static_cast<size_t>(i % 7)] += 1;
    CHECK(counters.values() == expected);
  }
}

TEST_CASE("16-bit floats add to odd elements and leave neighbours alone") {
  U16 start;
  for (double v : {10, 20, 30, 0, 50, 60, 70, 80})
    start.push_back(tl::bfloat16(v).bits);
  const Array<uint16_t> x(start), old(256);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<bf16>, %o: !tt.ptr<bf16>) {
    %c3 = arith.constant 3 : i32
    %q = tt.addptr %x, %c3 : !tt.ptr<bf16>, i32
    %p = tt.splat %q : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
    %v = arith.constant dense<1.0> : tensor<256xbf16>
    %r = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (tensor<256x!tt.ptr<bf16>>, tensor<256xbf16>) -> tensor<256xbf16>
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
    %os = tt.splat %o : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
    %op = tt.addptr %os, %i : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
    tt.store %op, %r : tensor<256x!tt.ptr<bf16>>
    tt.return } })",
               {x, old}));
  start[3] = tl::bfloat16(256).bits;
  CHECK(x.values() == start);
  for (size_t i = 0; i < 256; ++i)
    CHECK(float(tl::bfloat16::from_bits(old[i])) == static_cast<float>(i));
}

TEST_CASE("masked-off lanes of an atomic give zero and touch nothing") {
  const Array<int32_t> x(I32{7}), out(4);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
    %s = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %p = tt.addptr %s, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %one = arith.constant dense<1> : tensor<4xi32>
    %m = arith.cmpi slt, %i, %one : tensor<4xi32>
    %r = tt.atomic_rmw add, relaxed, gpu, %p, %one, %m : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xi1>) -> tensor<4xi32>
    %t = tt.splat %o : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %q = tt.addptr %t, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %q, %r : tensor<4x!tt.ptr<i32>>
    tt.return } })",
               {x, out}));
  CHECK(x[0] == 8);
  CHECK(out.values() == I32{7, 0, 0, 0});
}

TEST_CASE("compare and exchange") {
  const Array<int32_t> x(I32{5}), out(2);
  const char *module =
      R"(module { tt.func public @k(%x: !tt.ptr<i32>, %c: i32, %v: i32, %o: !tt.ptr<i32>) {
    %r = tt.atomic_cas acq_rel, gpu, %x, %c, %v : (!tt.ptr<i32>, i32, i32) -> i32
    tt.store %o, %r : !tt.ptr<i32>
    tt.return } })";
  expectOk(run(module, {x, 4, 9, out}));
  CHECK(x[0] == 5);
  CHECK(out[0] == 5);
  expectOk(run(module, {x, 5, 9, out}));
  CHECK(x[0] == 9);
  CHECK(out[0] == 5);
}

TEST_CASE("compare and exchange leaves lanes alone whose mask is false, beyond the buffer, too") {
  const Array<int32_t> x(I32{5, 6}), out(4);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
    %s = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %p = tt.addptr %s, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    %one = arith.constant dense<1> : tensor<4xi32>
    %five = arith.constant dense<5> : tensor<4xi32>
    %m = arith.cmpi slt, %i, %one : tensor<4xi32>
    %r = tt.atomic_cas relaxed, gpu, %p, %five, %one, %m : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) -> tensor<4xi32>
    %t = tt.splat %o : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %q = tt.addptr %t, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %q, %r : tensor<4x!tt.ptr<i32>>
    tt.return } })",
               {x, out}));
  CHECK(x.values() == I32{1, 6});
  CHECK(out.values() == I32{5, 0, 0, 0});
}

TEST_CASE("the result of an atomic on a tile of one can be broadcast") {
  const Array<int32_t> index(I32{1});
  const Array<int64_t> matrix(std::vector<int64_t>(16, 0));
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i64>) {
    %p = tt.splat %x : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
    %one = arith.constant dense<1> : tensor<1xi32>
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one : (tensor<1x!tt.ptr<i32>>, tensor<1xi32>) -> tensor<1xi32>
    %e = tt.expand_dims %old {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
    %b = tt.broadcast %e : tensor<1x1xi32> -> tensor<1x8xi32>
    %eight = arith.constant dense<8> : tensor<1x8xi32>
    %row = arith.muli %b, %eight : tensor<1x8xi32>
    %c = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %d = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %i = arith.addi %row, %d : tensor<1x8xi32>
    %s = tt.splat %o : !tt.ptr<i64> -> tensor<1x8x!tt.ptr<i64>>
    %q = tt.addptr %s, %i : tensor<1x8x!tt.ptr<i64>>, tensor<1x8xi32>
    %two = arith.constant dense<2> : tensor<1x8xi64>
    tt.store %q, %two : tensor<1x8x!tt.ptr<i64>>
    tt.return } })",
               {index, matrix}));
  CHECK(index[0] == 2);
  CHECK(matrix[0] == 0);
  CHECK(matrix[8] == 2);
  CHECK(matrix[15] == 2);
}

TEST_CASE("atomic loads and stores") {
  const Array<int32_t> x(I32{5}), out(1);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
    %v = tt.atomic_load acquire, gpu, %x : (!tt.ptr<i32>) -> i32
    tt.atomic_store release, gpu, %o, %v : !tt.ptr<i32>
    tt.return } })",
               {x, out}));
  CHECK(out[0] == 5);
}

TEST_CASE("polling sees what is there and does not wait for what cannot come") {
  const Array<int32_t> x(I32{5}), out(1);
  const char *poll = R"(module { tt.func public @k(%x: !tt.ptr<i32>, %e: i32, %o: !tt.ptr<i32>) {
    %ok = tt.atomic_poll acquire, gpu, %x, %e : !tt.ptr<i32>, i32 -> i1 loc("poll.cpp":4:2)
    %r = arith.extui %ok : i1 to i32
    tt.store %o, %r : !tt.ptr<i32>
    tt.return } })";
  expectOk(run(poll, {x, 5, out}));
  CHECK(out[0] == 1);
  const Outcome outcome = run(poll, {x, 6, out});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("tl::atomic_poll would wait for ever"));
  CHECK(outcome.line == 4);
  expectOk(run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %e: i32, %o: !tt.ptr<i32>) {
    %t = arith.constant 1000 : i64
    %ok = tt.atomic_poll acquire, gpu, %x, %e timeout %t : !tt.ptr<i32>, i32 -> i1
    %r = arith.extui %ok : i1 to i32
    tt.store %o, %r : !tt.ptr<i32>
    tt.return } })",
               {x, 6, out}));
  CHECK(out[0] == 0);
}
