// SPDX-License-Identifier: MIT
//
// Printing, assertions, assumptions, barriers.
#include "c_api.hpp"

#include <cstdio>
#include <doctest/doctest.h>
#include <unistd.h>

using c_api::Array;
using c_api::Outcome;
using c_api::run;

namespace {

/// Runs the kernel and gives what it wrote to stdout.
std::string printed(const std::string &module, std::vector<c_api::Argument> arguments,
                    c_api::Grid grid = {}) {
  std::fflush(stdout);
  std::FILE *file = std::tmpfile();
  REQUIRE(file);
  const int saved = dup(1);
  dup2(fileno(file), 1);
  const Outcome outcome = run(module, arguments, grid);
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;)
    text += static_cast<char>(c);
  std::fclose(file);
  REQUIRE(outcome.status == TL_OK);
  return text;
}

size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++n;
  return n;
}

} // namespace

TEST_CASE("printing gives each element once, with program and position") {
  const std::string text = printed(R"(module { tt.func public @k() {
    %v = arith.constant dense<1> : tensor<16x128xi32>
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %v : tensor<16x128xi32>
    tt.return } })",
                                   {}, {4});
  CHECK(count(text, "\n") == 4 * 16 * 128);
  CHECK(count(text, " x: 1\n") == 4 * 16 * 128);
  CHECK(count(text, "pid (3, 0, 0) idx (15, 127) x: 1\n") == 1);
  CHECK(count(text, "pid (2, 0, 0) idx (0, 0) x: 1\n") == 1);
}

TEST_CASE("what pads a tensor is not printed") {
  const std::string text = printed(R"(module { tt.func public @k(%a: i32) {
    %d = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
    tt.print " d: " {hex = false, isSigned = array<i32: 1, 1>, written = [tensor<1x3xi32>, i32]} : %d, %a : tensor<2x4xi32>, i32
    tt.return } })",
                                   {9});
  CHECK(text == "pid (0, 0, 0) idx (0, 0) d: (operand 0) 1\n"
                "pid (0, 0, 0) idx (0, 1) d: (operand 0) 2\n"
                "pid (0, 0, 0) idx (0, 2) d: (operand 0) 3\n"
                "pid (0, 0, 0) idx () d: (operand 1) 9\n");
}

TEST_CASE("printing several operands, signs, bases and types") {
  const std::string text = printed(R"(module { tt.func public @k(%a: i32, %b: f32, %c: i1) {
    %d = arith.constant dense<[-1, 255]> : tensor<2xi8>
    %h = arith.constant 1.5 : f16
    tt.print " v: " {hex = false, isSigned = array<i32: 1, 0, 0, 0, 0>} : %a, %b, %c, %d, %h : i32, f32, i1, tensor<2xi8>, f16
    tt.print " s: " {hex = false, isSigned = array<i32: 1>} : %d : tensor<2xi8>
    tt.print " h: " {hex = true, isSigned = array<i32: 1, 1>} : %a, %b : i32, f32
    tt.print " here" {hex = false, isSigned = array<i32>}
    tt.return } })",
                                   {-5, 0.1f, uint8_t(1)});
  CHECK(text == "pid (0, 0, 0) idx () v: (operand 0) -5\n"
                "pid (0, 0, 0) idx () v: (operand 1) 0.100000001\n"
                "pid (0, 0, 0) idx () v: (operand 2) 1\n"
                "pid (0, 0, 0) idx (0) v: (operand 3) 255\n"
                "pid (0, 0, 0) idx (1) v: (operand 3) 255\n"
                "pid (0, 0, 0) idx () v: (operand 4) 1.5\n"
                "pid (0, 0, 0) idx (0) s: -1\n"
                "pid (0, 0, 0) idx (1) s: -1\n"
                "pid (0, 0, 0) idx () h: (operand 0) 0xfffffffb\n"
                "pid (0, 0, 0) idx () h: (operand 1) 0x3dcccccd\n"
                "pid (0, 0, 0) idx () here\n");
}

TEST_CASE("an assertion is live with the option debug and names line, program and lane") {
  const char *module = R"(module { tt.func public @k() {
    %x = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %c8 = arith.constant dense<8> : tensor<1024xi32>
    %ok = arith.cmpi ne, %x, %c8 : tensor<1024xi32>
    tt.assert %ok, "x is eight" : tensor<1024xi1> loc("check.cpp":42:7)
    tt.return } })";
  CHECK(run(module, {}).status == TL_OK);
  const Outcome outcome = run(module, {}, {}, true);
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.message ==
        "tl::device_assert failed: x is eight, at lane (8) in program (0, 0, 0)");
  CHECK(outcome.file == "check.cpp");
  CHECK(outcome.line == 42);
  CHECK(outcome.kernel == "k");
}

TEST_CASE("an assumption that does not hold is an error") {
  const char *module = R"(module { tt.func public @k(%n: i32) {
    %c = arith.constant 0 : i32
    %ok = arith.cmpi sgt, %n, %c : i32
    llvm.intr.assume %ok : i1 loc("hint.cpp":6:1)
    tt.return } })";
  CHECK(run(module, {1}).status == TL_OK);
  const Outcome outcome = run(module, {-1});
  CHECK(outcome.says("tl::assume was given what does not hold in program (0, 0, 0)"));
  CHECK(outcome.line == 6);
}

TEST_CASE("barriers of both spellings and grid dependencies do nothing") {
  CHECK(run(R"(module { tt.func public @k() {
    gpu.barrier
    ttg.barrier all
    tt.grid_dependency_wait
    tt.grid_dependency_launch_dependents
    tt.return } })",
            {})
            .status == TL_OK);
}

TEST_CASE("a promise about a value that does not hold is reported") {
  const auto of = [](const std::string &hint, const std::string &value, int n) {
    return run(
        "module { tt.func public @k(%n: i32, %out: !tt.ptr<i32>) {\n"
        "%zero = arith.constant 0 : i32\n%c2 = arith.constant dense<2> : tensor<8xi32>\n"
        "%r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>\n"
        "%ns = tt.splat %n : i32 -> tensor<8xi32>\n%at = arith.addi %ns, %r : tensor<8xi32>\n" +
            value + " {" + hint +
            "} : " + (value.find("%zero") != std::string::npos ? "i32" : "tensor<8xi32>") +
            " loc(\"hint.cpp\":4:9)\n tt.store %out, %zero : !tt.ptr<i32>\n tt.return } }",
        {n, Array<int32_t>(1)});
  };
  const std::string scalar = "%h = arith.addi %n, %zero";
  CHECK(of("tt.divisibility = dense<16> : tensor<1xi32>", scalar, 32).status == TL_OK);
  const Outcome odd = of("tt.divisibility = dense<16> : tensor<1xi32>", scalar, 15);
  CHECK(odd.message == "tl::multiple_of was given 16, and the value is 15 in program (0, 0, 0)");
  CHECK(odd.line == 4);
  // The first of each run is the multiple.
  const std::string block = "%h = arith.addi %ns, %r";
  CHECK(of("tt.divisibility = dense<8> : tensor<1xi32>", block, 24).status == TL_OK);
  CHECK(of("tt.divisibility = dense<8> : tensor<1xi32>", block, 3).message ==
        "tl::multiple_of was given 8, and the value is 3 at lane (0) in program (0, 0, 0)");
  CHECK(of("tt.contiguity = dense<8> : tensor<1xi32>", block, 3).status == TL_OK);
  const std::string twice = "%h = arith.muli %at, %c2";
  CHECK(of("tt.contiguity = dense<4> : tensor<1xi32>", twice, 0).message ==
        "tl::max_contiguous was given 4, and the value is 2 after 0 at lane (1) in program (0, 0, "
        "0)");
  CHECK(
      of("tt.constancy = dense<2> : tensor<1xi32>", block, 0).message ==
      "tl::max_constancy was given 2, and the value is 1 after 0 at lane (1) in program (0, 0, 0)");
  const std::string halves = "%h = arith.divsi %at, %c2";
  CHECK(of("tt.constancy = dense<2> : tensor<1xi32>", halves, 0).status == TL_OK);
  CHECK(of("tt.constancy = dense<2> : tensor<1xi32>", halves, 1).status != TL_OK);
}

TEST_CASE("a promise about a parameter is checked when a program begins") {
  const std::string kernel =
      "module { tt.func public @k(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}) {"
      " tt.return } }";
  Array<int8_t> x(64);
  CHECK(run(kernel, {x}).status == TL_OK);
  const Outcome odd = run(kernel, {static_cast<int8_t *>(x.data) + 1});
  CHECK(odd.says("tl::multiple_of was given 16, and the value is "));
}
