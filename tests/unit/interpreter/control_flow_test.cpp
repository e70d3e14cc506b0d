// SPDX-License-Identifier: MIT
//
// Loops, branches, calls, and how the interpreter tells that something never ends.
#include "c_api.hpp"

#include <cstdlib>
#include <doctest/doctest.h>

using c_api::Array;
using c_api::lanes;
using c_api::Outcome;
using c_api::run;

namespace {

using I32 = std::vector<int32_t>;

/// Runs a kernel that stores %r, an i32, computed from the i32 arguments %0, %1 ….
Outcome scalar(const std::string &body, std::vector<int32_t> arguments, int32_t &result) {
  std::string parameters;
  std::vector<c_api::Argument> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters += "%" + std::to_string(i) + ": i32, ";
    values.emplace_back(arguments[i]);
  }
  const Array<int32_t> out(1);
  values.emplace_back(out);
  const Outcome outcome =
      run("module { tt.func public @k(" + parameters + "%out: !tt.ptr<i32>) {\n" + body +
              "\ntt.store %out, %r : !tt.ptr<i32>\ntt.return } }",
          values);
  INFO(outcome.message);
  if (outcome.status == TL_OK)
    result = out[0];
  return outcome;
}

int32_t scalar(const std::string &body, std::vector<int32_t> arguments) {
  int32_t result = 0;
  const Outcome outcome = scalar(body, arguments, result);
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
  return result;
}

const char *count = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
                    "%r = scf.for %i = %0 to %1 step %2 iter_args(%n = %c0) -> (i32) : i32 {\n"
                    "%m = arith.addi %n, %c1 : i32\nscf.yield %m : i32\n}";

} // namespace

TEST_CASE("blocks run in the order of their branches, whatever the text's is") {
  CHECK(scalar(R"(cf.br ^first
^second:
%r = arith.addi %v, %0 : i32
cf.br ^last
^never:
%w = arith.addi %r, %v : i32
cf.br ^never
^first:
%v = arith.muli %0, %0 : i32
cf.br ^second
^last:)",
               {5}) == 30);
}

TEST_CASE("loops count up, down, or not at all") {
  CHECK(scalar(count, {0, 10, 3}) == 4);
  CHECK(scalar(count, {0, 9, 3}) == 3);
  CHECK(scalar(count, {5, 5, 1}) == 0);
  CHECK(scalar(count, {5, 3, 1}) == 0);
  CHECK(scalar(count, {88, -1, -8}) == 12);
  CHECK(scalar(count, {5, 10, -3}) == 0);
  CHECK(scalar(count, {2147483640, 2147483647, 5}) == 2); // the variable would wrap
  CHECK(scalar(count, {-2147483647 - 1, 2147483647, 1073741824}) == 4);
}

TEST_CASE("a step of zero is an error with the loop's line") {
  int32_t result = 0;
  const Outcome outcome =
      scalar("%c0 = arith.constant 0 : i32\n"
             "%r = scf.for %i = %0 to %1 step %2 iter_args(%n = %c0) -> (i32) : i32 {\n"
             "scf.yield %n : i32\n} loc(\"loop.cpp\":3:5)",
             {0, 10, 0}, result);
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("the step of a tl::range is zero"));
  CHECK(outcome.file == "loop.cpp");
  CHECK(outcome.line == 3);
  CHECK(outcome.kernel == "k");
  CHECK(outcome.device == "interpreter");
}

TEST_CASE("carried values may swap") {
  const char *body =
      "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
      "%p:2 = scf.for %i = %c0 to %0 step %c1 iter_args(%a = %1, %b = %2) -> (i32, i32) : i32 {\n"
      "scf.yield %b, %a : i32, i32\n}\n%c10 = arith.constant 10 : i32\n"
      "%s = arith.muli %p#0, %c10 : i32\n%r = arith.addi %s, %p#1 : i32";
  CHECK(scalar(body, {0, 1, 2}) == 12);
  CHECK(scalar(body, {1, 1, 2}) == 21);
  CHECK(scalar(body, {2, 1, 2}) == 12);
  CHECK(scalar(body, {7, 1, 2}) == 21);
}

TEST_CASE("the result of a loop depends on its trip count alone") {
  const char *body =
      "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c12 = arith.constant 12 : i32\n"
      "%p:3 = scf.for %i = %c0 to %0 step %c1 iter_args(%num = %c1, %den = %c12, %last = %c12) -> "
      "(i32, i32, i32) : i32 {\n"
      "%q = arith.divsi %num, %den : i32\nscf.yield %num, %den, %q : i32, i32, i32\n}\n"
      "%r = arith.addi %p#2, %c0 : i32";
  CHECK(scalar(body, {0}) == 12);
  for (int n : {1, 2, 3})
    CHECK(scalar(body, {n}) == 0);
}

TEST_CASE("nested loops with an empty inner one") {
  const char *body = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c4 = "
                     "arith.constant 4 : i32\n%c5 = arith.constant 5 : i32\n"
                     "%r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %c0) -> (i32) : i32 {\n"
                     "%s = scf.for %j = %c5 to %0 step %c1 iter_args(%b = %a) -> (i32) : i32 {\n"
                     "%t = arith.addi %b, %c1 : i32\nscf.yield %t : i32\n}\nscf.yield %s : i32\n}";
  CHECK(scalar(body, {3}) == 0);
  CHECK(scalar(body, {5}) == 0);
  CHECK(scalar(body, {6}) == 4);
  CHECK(scalar(body, {8}) == 12);
}

TEST_CASE("tensors carried through loops and branches") {
  const std::string body =
      "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c3 = arith.constant 3 : i32\n"
      "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %a) -> (tensor<4xi32>) : i32 {\n"
      "%odd = arith.cmpi eq, %i, %c1 : i32\n"
      "%u = scf.if %odd -> tensor<4xi32> {\n%v = arith.addi %t, %t : tensor<4xi32>\nscf.yield %v : "
      "tensor<4xi32>\n"
      "} else {\n%s = tt.splat %c1 : i32 -> tensor<4xi32>\n%w = arith.addi %t, %s : "
      "tensor<4xi32>\nscf.yield %w : tensor<4xi32>\n}\n"
      "scf.yield %u : tensor<4xi32>\n}";
  CHECK(lanes<int32_t>(body, "i32", {{"i32", I32{0, 1, 2, 3}}}) == I32{3, 5, 7, 9});
}

TEST_CASE("while loops, also those that never start") {
  const char *body =
      "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
      "%p:2 = scf.while (%i = %0, %n = %c0) : (i32, i32) -> (i32, i32) {\n"
      "%go = arith.cmpi sgt, %i, %c0 : i32\nscf.condition(%go) %i, %n : i32, i32\n} do {\n"
      "^bb0(%i: i32, %n: i32):\n%j = arith.subi %i, %c1 : i32\n%m = arith.addi %n, %c1 : i32\n"
      "scf.yield %j, %m : i32, i32\n}\n%r = arith.addi %p#1, %c0 : i32";
  for (int n = 0; n < 10; ++n)
    CHECK(scalar(body, {n}) == n);
}

TEST_CASE("branches between blocks") {
  // Collatz steps, with an early return into another block.
  const char *module = R"(module { tt.func public @k(%n: i32, %out: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    cf.br ^head(%n, %c0 : i32, i32)
  ^head(%x: i32, %k: i32):
    %done = arith.cmpi eq, %x, %c1 : i32
    cf.cond_br %done, ^end(%k : i32), ^step
  ^step:
    %bit = arith.andi %x, %c1 : i32
    %odd = arith.cmpi ne, %bit, %c0 : i32
    %t = arith.muli %x, %c3 : i32
    %u = arith.addi %t, %c1 : i32
    %h = arith.divsi %x, %c2 : i32
    %y = arith.select %odd, %u, %h : i32
    %l = arith.addi %k, %c1 : i32
    cf.br ^head(%y, %l : i32, i32)
  ^end(%r: i32):
    tt.store %out, %r : !tt.ptr<i32>
    tt.return } })";
  const Array<int32_t> out(1);
  REQUIRE(run(module, {27, out}).status == TL_OK);
  CHECK(out[0] == 111);
  REQUIRE(run(module, {1, out}).status == TL_OK);
  CHECK(out[0] == 0);
}

TEST_CASE("functions that are not inlined, and functions that call themselves") {
  const char *module = R"(module {
    tt.func private @factorial(%n: i32) -> i32 attributes {noinline = true} {
      %c1 = arith.constant 1 : i32
      %small = arith.cmpi sle, %n, %c1 : i32
      %r = scf.if %small -> i32 {
        scf.yield %c1 : i32
      } else {
        %m = arith.subi %n, %c1 : i32
        %f = tt.call @factorial(%m) : (i32) -> i32
        %p = arith.muli %n, %f : i32
        scf.yield %p : i32
      }
      tt.return %r : i32
    }
    tt.func public @k(%n: i32, %out: !tt.ptr<i32>) {
      %f = tt.call @factorial(%n) : (i32) -> i32
      tt.store %out, %f : !tt.ptr<i32>
      tt.return
    } })";
  const Array<int32_t> out(1);
  REQUIRE(run(module, {10, out}).status == TL_OK);
  CHECK(out[0] == 3628800);
  const Outcome outcome = run(module, {1000, out});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("device functions call each other more than 256 deep"));
}

TEST_CASE("a loop that cannot end is reported at once, with its line") {
  const char *module = R"(module { tt.func public @k(%lock: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
      %taken = arith.cmpi ne, %old, %c0 : i32
      scf.condition(%taken)
    } do {
      scf.yield
    } loc("lock.cpp":12:7)
    tt.return } })";
  const Array<int32_t> lock(I32{0});
  CHECK(run(module, {lock}).status == TL_OK);
  const Outcome outcome = run(module, {lock}); // nobody gives it back
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("a while loop never ends"));
  CHECK(outcome.file == "lock.cpp");
  CHECK(outcome.line == 12);
}

TEST_CASE("a loop that only goes on is stopped by the limit of steps") {
  setenv("TL_INTERPRETER_STEPS", "100000", 1);
  const char *module = R"(module { tt.func public @k() {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %r = scf.while (%i = %c0) : (i32) -> i32 {
      scf.condition(%true) %i : i32
    } do {
    ^bb0(%i: i32):
      %j = arith.addi %i, %c1 : i32
      scf.yield %j : i32
    } loc("count.cpp":5:1)
    tt.return } })";
  const Outcome outcome = run(module, {});
  unsetenv("TL_INTERPRETER_STEPS");
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.says("more than 100000 steps"));
  CHECK(outcome.help.find("TL_INTERPRETER_STEPS") != std::string::npos);
  CHECK(outcome.line == 5);
}

TEST_CASE("a limit of steps that is no number is refused") {
  setenv("TL_INTERPRETER_STEPS", "many", 1);
  const Outcome outcome = run("module { tt.func public @steps() { tt.return } }", {});
  unsetenv("TL_INTERPRETER_STEPS");
  CHECK(outcome.status == TL_INVALID_ARGUMENT);
  CHECK(outcome.says("environment variable TL_INTERPRETER_STEPS is 'many'"));
}

TEST_CASE("map_elementwise with real branches, and several elements a call") {
  const std::string branches =
      "%r = \"tt.map_elementwise\"(%a) <{pack = 1 : i32}> ({\n^bb0(%x: i32):\n%c0 = arith.constant "
      "0 : i32\n"
      "%n = arith.cmpi slt, %x, %c0 : i32\ncf.cond_br %n, ^neg, ^pos\n^neg:\n%m = arith.subi %c0, "
      "%x : i32\n"
      "tt.map_elementwise.return %m : i32\n^pos:\ntt.map_elementwise.return %x : i32\n}) : "
      "(tensor<SHAPExi32>) -> tensor<SHAPExi32>";
  CHECK(lanes<int32_t>(branches, "i32", {{"i32", I32{-3, 4, -5, 0}}}) == I32{3, 4, 5, 0});
  const std::string packed = "%r = \"tt.map_elementwise\"(%a, %b) <{pack = 2 : i32}> ({\n^bb0(%a0: "
                             "i32, %a1: i32, %b0: i32, %b1: i32):\n"
                             "%x = arith.addi %a0, %b1 : i32\n%y = arith.subi %a1, %b0 : i32\n"
                             "tt.map_elementwise.return %x, %y : i32, i32\n}) : "
                             "(tensor<SHAPExi32>, tensor<SHAPExi32>) -> tensor<SHAPExi32>";
  CHECK(lanes<int32_t>(packed, "i32", {{"i32", I32{1, 2, 3, 4}}, {"i32", I32{10, 20, 30, 40}}}) ==
        I32{21, -8, 43, -26});
}

TEST_CASE("a value nobody gave is zero") {
  CHECK(lanes<int32_t>("%r = ub.poison : tensor<4xi32>", "i32", {{"i32", I32{1}}}, "1", "4") ==
        I32(4, 0));
}

TEST_CASE("loops over index and over 64-bit numbers") {
  CHECK(scalar("%c0 = arith.constant 0 : i32\n%l = arith.constant 0 : index\n%u = arith.index_cast "
               "%0 : i32 to index\n"
               "%s = arith.constant 2 : index\n%r = scf.for %i = %l to %u step %s iter_args(%n = "
               "%c0) -> (i32) {\n"
               "%j = arith.index_cast %i : index to i32\n%m = arith.addi %n, %j : i32\nscf.yield "
               "%m : i32\n}",
               {7}) == 0 + 2 + 4 + 6);
  CHECK(scalar("%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%l = arith.constant "
               "9000000000 : i64\n"
               "%u = arith.constant 9000000003 : i64\n%s = arith.constant 1 : i64\n"
               "%r = scf.for %i = %l to %u step %s iter_args(%n = %c0) -> (i32) : i64 {\n"
               "%m = arith.addi %n, %c1 : i32\nscf.yield %m : i32\n}",
               {}) == 3);
}
