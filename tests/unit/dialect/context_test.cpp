// SPDX-License-Identifier: MIT
//
// Reading TTIR: what comes back is a module or an Error with a location, whatever the text.
#include "dialect/Context.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace tl::tt;
using tl::backend::Error;

namespace {

const char *const kernel = R"(module {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ns = tt.splat %n : i32 -> tensor<64xi32>
    %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %p, %m, %zero {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : tensor<64x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32>) -> f32
    %t = scf.for %i = %c0 to %n step %n iter_args(%acc = %s) -> (f32) : i32 {
      %d = arith.mulf %acc, %acc : f32
      scf.yield %d : f32
    }
    gpu.barrier
    tt.store %x, %t : !tt.ptr<f32>
    tt.return
  }
}
)";

/// The Error of a text, or one whose message is empty.
Error errorOf(std::string_view text, std::string_view file = "<ttir>") {
  auto context = makeContext();
  try {
    auto module = parse(text, *context, file);
  } catch (const Error &error) {
    return error;
  }
  return {};
}

std::string inFunction(const std::string &body) {
  return "module {\n  tt.func public @k(%p: !tt.ptr<f32>, %i: i32, %f: f32) {\n    " + body +
         "\n    tt.return\n  }\n}\n";
}

} // namespace

TEST_CASE("a kernel is read, and printing it gives a text that reads the same") {
  auto context = makeContext();
  auto module = parse(kernel, *context);
  std::string text = print(*module);
  auto again = parse(text, *context);
  CHECK(print(*again) == text);
  CHECK(canonicalText(*again) == canonicalText(*module));
}

TEST_CASE("barriers of earlier releases become the present one") {
  auto context = makeContext();
  std::string text = print(*parse(kernel, *context));
  CHECK(text.find("ttg.barrier all") != std::string::npos);
  CHECK(text.find("gpu.barrier") == std::string::npos);
}

TEST_CASE("the canonical text does not depend on names, locations or spacing") {
  auto context = makeContext();
  auto first = parse(inFunction("%a = arith.addi %i, %i : i32"), *context);
  auto second =
      parse("module { tt.func public @k(%q: !tt.ptr<f32> loc(\"f.cpp\":1:2), %j: i32, %g: f32) "
            "{ %b = arith.addi %j, %j : i32 loc(\"f.cpp\":3:4) tt.return } }",
            *context);
  CHECK(canonicalText(*first) == canonicalText(*second));
  auto third = parse(inFunction("%a = arith.muli %i, %i : i32"), *context);
  CHECK(canonicalText(*first) != canonicalText(*third));
}

TEST_CASE("printing with locations keeps them") {
  auto context = makeContext();
  auto module = parse("module { tt.func public @k() { tt.return loc(\"f.cpp\":3:4) } }", *context);
  CHECK(print(*module, true).find("\"f.cpp\":3:4") != std::string::npos);
  CHECK(print(*module, false).find("f.cpp") == std::string::npos);
}

TEST_CASE("an error of the text names the text's own location") {
  Error error = errorOf("module {\n  tt.func @k( {\n", "kernel.ttir");
  CHECK(error.status == TL_COMPILE_ERROR);
  CHECK(error.file == "kernel.ttir");
  CHECK(error.line == 2);
  CHECK(error.column > 0);
  CHECK(!error.message.empty());
}

TEST_CASE("a name that the text does not define is named") {
  CHECK(errorOf(inFunction("%b = arith.addi %i, %nobody : i32")).message ==
        "use of undeclared SSA value name '%nobody'");
  CHECK(errorOf(inFunction("cf.br ^nowhere")).message ==
        "reference to an undefined block '^nowhere'");
  // The location is that of the text, whatever locations stand in it.
  CHECK(errorOf(inFunction("%b = arith.addi %gone, %i : i32 loc(\"k.cpp\":3:4)")).message ==
        "use of undeclared SSA value name '%gone'");
}

TEST_CASE("an error of an operation names the user's location and the operation") {
  Error error = errorOf(inFunction("%b = tt.bitcast %f : f32 -> i64 loc(\"matmul.cpp\":31:14)"));
  CHECK(error.file == "matmul.cpp");
  CHECK(error.line == 31);
  CHECK(error.column == 14);
  CHECK(error.message ==
        "tt.bitcast: needs elements of equal width: 'f32' has 32 bits, 'i64' has 64");
}

TEST_CASE("an error in an inlined helper names the helper's line and the call") {
  Error error = errorOf(inFunction(
      "%b = tt.bitcast %f : f32 -> i64 loc(callsite(\"helper\"(\"h.hpp\":7:3) at \"k.cpp\":9:1))"));
  CHECK(error.file == "h.hpp");
  CHECK(error.line == 7);
  CHECK(error.message.find(", called from k.cpp:9:1") != std::string::npos);
  error =
      errorOf(inFunction("%b = tt.bitcast %f : f32 -> i64 loc(callsite(callsite(\"a.hpp\":1:2 at "
                         "\"b.hpp\":3:4) at \"k.cpp\":5:6))"));
  CHECK(error.file == "a.hpp");
  CHECK(error.message.find(", called from b.hpp:3:4, called from k.cpp:5:6") != std::string::npos);
}

TEST_CASE("without a location of the callee the caller is named") {
  Error error = errorOf(
      inFunction("%b = tt.bitcast %f : f32 -> i64 loc(callsite(unknown at \"k.cpp\":9:1))"));
  CHECK(error.file == "k.cpp");
  CHECK(error.line == 9);
}

TEST_CASE("operations and types that TTIR does not have are refused") {
  CHECK(errorOf(inFunction("%t = gpu.thread_id x")).message ==
        "gpu.thread_id: is not an operation of TTIR");
  CHECK(errorOf(inFunction("%t = arith.constant dense<0> : vector<4xi32>")).message ==
        "arith.constant: has a value of a type that TTIR does not have: 'vector<4xi32>'");
  CHECK(errorOf(inFunction("%t = arith.constant 0 : i17")).message ==
        "arith.constant: has a value of a type that TTIR does not have: 'i17'");
  CHECK(errorOf(inFunction("%t = ub.poison : tensor<4xi32, 1 : i32>")).message ==
        "ub.poison: has a tensor with a layout, which TTIR does not have");
  CHECK(errorOf(inFunction("%t = ub.poison : tensor<?xi32>")).message ==
        "ub.poison: tensor has an extent that is not known when compiling");
  CHECK(errorOf(inFunction("%t = ub.poison : tensor<0xi32>")).message ==
        "ub.poison: tensor extents must be at least 1, found 0");
  CHECK(errorOf(inFunction("%t = ub.poison : tensor<4611686018427387904x4xi32>")).message ==
        "ub.poison: tensor has more than 1048576 elements, found 4611686018427387904x4");
  CHECK(errorOf(inFunction("%t = ub.poison : tensor<4xi17>")).message ==
        "ub.poison: has tensor elements that TTIR does not have: 'i17'");
  CHECK(errorOf("module { module { } }").message == "builtin.module: is nested in another module");
  CHECK(errorOf("module { foo.bar }").message.find("foo.bar") != std::string::npos);
}

TEST_CASE("text that would exhaust the parser is refused before it is parsed") {
  std::string deep(100000, '(');
  Error error = errorOf(deep);
  CHECK(error.message == "the text nests more than 128 brackets");
  CHECK(error.line == 1);
  CHECK(error.column == 129);
  std::string types = inFunction("%t = ub.poison : ");
  for (int i = 0; i < 5000; ++i)
    types += "tuple<";
  CHECK(errorOf(types).message == "the text nests more than 128 brackets");
  CHECK(errorOf(std::string("module {\n \0 }", 12)).message == "the text is binary, expected TTIR");
  CHECK(errorOf("module attributes {a = array<index: 1>} {}").message ==
        "an array attribute holds integers or floats");
  CHECK(errorOf("module attributes {a = array< none : 1>} {}").message ==
        "an array attribute holds integers or floats");
  CHECK(!errorOf("").message.empty() == false); // an empty text is an empty module
}

TEST_CASE("the entry is found by name, or alone, and errors list what there is") {
  auto context = makeContext();
  auto one = parse(kernel, *context);
  CHECK(findEntry(*one, "").getName() == "add");
  CHECK(findEntry(*one, "add").getName() == "add");
  auto messageOf = [&](mlir::ModuleOp module, const char *name) {
    try {
      findEntry(module, name);
    } catch (const Error &error) {
      return error.message + (error.help.empty() ? "" : " | " + error.help);
    }
    return std::string();
  };
  CHECK(messageOf(*one, "sub") == "the module has no kernel 'sub' | it has: add");
  auto none = parse("module { }", *context);
  CHECK(messageOf(*none, "") == "the module has no public function");
  auto two = parse("module { tt.func @a() { tt.return } tt.func @b() { tt.return } }", *context);
  CHECK(messageOf(*two, "") ==
        "the module has 2 public functions; name the kernel to use | it has: a, b");
  auto value = parse("module { tt.func @a(%x: i32) -> i32 { tt.return %x : i32 } }", *context);
  CHECK(messageOf(*value, "a") ==
        "kernel 'a' returns a value; only functions without results can be launched");
  auto extern_ = parse("module { tt.func private @a(i32) }", *context);
  CHECK(messageOf(*extern_, "a") == "kernel 'a' is declared but has no body");
}

TEST_CASE("damaged text gives a module or an Error") {
  unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::mt19937 random(seed);
  const std::string original = kernel;
  const std::string alphabet = "(){}[]<>%@!#:,=-x0179 \"\n.^abt";
  auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (int iteration = 0; iteration < 600; ++iteration) {
    std::string text = original;
    for (size_t edits = 1 + pick(3); edits > 0; --edits) {
      size_t at = pick(text.size()), length = std::min(text.size() - at, 1 + pick(20));
      switch (pick(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, 1, alphabet[pick(alphabet.size())]);
        break;
      case 2:
        text[at] = alphabet[pick(alphabet.size())];
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size()), length));
        break;
      case 4:
        text.resize(at);
        break;
      }
      if (text.empty())
        text = " ";
    }
    Error error = errorOf(text);
    if (error.status == TL_COMPILE_ERROR)
      CHECK_MESSAGE(!error.message.empty(), text);
  }
}
