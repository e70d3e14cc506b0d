// SPDX-License-Identifier: MIT
//
// Text that is no kernel, and kernels that the interpreter refuses: one clear sentence each.
#include "c_api.hpp"

#include <doctest/doctest.h>

using c_api::Outcome;
using c_api::run;

TEST_CASE("text that is not TTIR") {
  for (const char *text :
       {"", "hello", "module {", "module { tt.func public @k( }",
        "module { tt.func public @k() { tt.retur } }", "module { tt.func public @k() { } }",
        "module { func.func @k() { return } }",
        "module { tt.func public @k() { %0 = tt.unknown : i32\ntt.return } }"}) {
    CAPTURE(text);
    const Outcome outcome = run(text, {});
    CHECK(outcome.status == TL_COMPILE_ERROR);
    CHECK(!outcome.message.empty());
  }
}

TEST_CASE("operations whose types do not fit") {
  for (const char *body : {"%r = tt.make_range {start = 0 : i32, end = 0 : i32} : tensor<0xi32>",
                           "%r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<16xi32>",
                           "%r = tt.make_range {start = 8 : i32, end = 0 : i32} : tensor<8xi32>",
                           "%a = arith.constant dense<0.0> : tensor<4x8xf32>\n%r = tt.dot %a, %a, "
                           "%a : tensor<4x8xf32> * tensor<4x8xf32> -> tensor<4x8xf32>",
                           "%a = arith.constant dense<0> : tensor<4xi32>\n%r = tt.broadcast %a : "
                           "tensor<4xi32> -> tensor<8xi32>",
                           "%a = arith.constant dense<0> : tensor<4xi32>\n%r = tt.reshape %a : "
                           "tensor<4xi32> -> tensor<8xi32>",
                           "%a = arith.constant dense<0> : tensor<2097152xi32>"}) {
    CAPTURE(body);
    CHECK(run(std::string("module { tt.func public @k() {\n") + body + "\ntt.return } }", {})
              .status == TL_COMPILE_ERROR);
  }
}

TEST_CASE("kernels that take or return what a launch cannot pass") {
  CHECK(run("module { tt.func public @k(%x: tensor<4xi32>) { tt.return } }", {})
            .says("parameter 0 of kernel 'k' is a tensor"));
  CHECK(run("module { tt.func public @k() -> i32 { %c = arith.constant 1 : i32\ntt.return %c : i32 "
            "} }",
            {})
            .says("kernel 'k' returns a value"));
  const Outcome descriptor =
      run("module { tt.func public @k(%d: !tt.tensordesc<4x8xf32>) { tt.return } }", {});
  CHECK(descriptor.status == TL_COMPILE_ERROR);
  CHECK(descriptor.says("after which its extents (i32) and strides (i64) are expected, 2 of each"));
  CHECK(run("module { tt.func public @k(%b: !tt.ptr<tensor<4x8xf32>>) { tt.return } }", {})
            .says("parameter 0 of kernel 'k' is a block pointer, which no launch can pass"));
}

TEST_CASE("no kernel, two kernels, or a function without a body") {
  CHECK(run("module { }", {}).status == TL_COMPILE_ERROR);
  CHECK(run("module { tt.func public @a() { tt.return } tt.func public @b() { tt.return } }", {})
            .status == TL_COMPILE_ERROR);
  CHECK(run("module { tt.func private @f(i32)\ntt.func public @k(%x: i32) { tt.call @f(%x) : (i32) "
            "-> ()\ntt.return } }",
            {1})
            .says("function 'f' has no body"));
}

TEST_CASE("inline assembly is refused with the user's line") {
  const Outcome outcome = run(R"(module { tt.func public @k(%x: i32) {
    %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32 loc("asm.cpp":3:9)
    tt.return } })",
                              {1});
  CHECK(outcome.status == TL_UNSUPPORTED);
  CHECK(outcome.message == "the interpreter cannot run inline assembly");
  CHECK(outcome.file == "asm.cpp");
  CHECK(outcome.line == 3);
}

TEST_CASE("assembly that reads a register does nothing else") {
  for (const char *text :
       {"mov.u64 $0, %clock64;", "mov.u32 $0, %smid; trap;", "mov.u32 $0, %smid"})
    CHECK(run("module { tt.func public @k() { %y = tt.elementwise_inline_asm \"" +
                  std::string(text) +
                  "\" {constraints = \"=r\", packed_element = 1 : i32, pure = true} -> i32\n"
                  "tt.return } }",
              {})
              .status == TL_UNSUPPORTED);
}

TEST_CASE("streams of others cannot be wrapped") {
  tl_stream *stream = nullptr;
  const Outcome outcome = c_api::outcomeOf(tl_stream_wrap(c_api::device(), &stream, &stream));
  CHECK(outcome.status == TL_UNSUPPORTED);
}
