// SPDX-License-Identifier: MIT
//
// Offsets that wrapped: named where they lead out of the buffer, and refused with `debug` where
// they lead back into it. What wraps on purpose, or does not reach an access, is not.
#include "c_api.hpp"

#include <doctest/doctest.h>

using c_api::Array;
using c_api::Outcome;
using c_api::run;

namespace {

using F32 = std::vector<float>;

/// out[lane] = x[offset] for 4 lanes, whose offsets %o the body makes of %a, %b and the lanes %r.
std::string kernel(const std::string &body, const std::string &type = "i32") {
  const std::string offsets = "tensor<4x" + type + ">";
  return R"(module {
  tt.func public @k(%x: !tt.ptr<f32> loc("x"("k.cpp":1:1)), %out: !tt.ptr<f32>, %a: i32, %b: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
    %as = tt.splat %a : i32 -> tensor<4xi32>
    %bs = tt.splat %b : i32 -> tensor<4xi32>
    %ns = tt.splat %n : i32 -> tensor<4xi32>
    %m = arith.cmpi slt, %r, %ns : tensor<4xi32>
)" + body +
         R"(
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %p = tt.addptr %xs, %o : tensor<4x!tt.ptr<f32>>, )" +
         offsets + R"(
    %v = tt.load %p, %m : tensor<4x!tt.ptr<f32>> loc("k.cpp":20:12)
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %q = tt.addptr %os, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %q, %v, %m : tensor<4x!tt.ptr<f32>>
    tt.return
  }
})";
}

/// a * b + r, by whole tensors.
const std::string product = R"(%ab = arith.muli %as, %bs : tensor<4xi32> loc("k.cpp":12:14)
%o = arith.addi %ab, %r : tensor<4xi32>)";

struct Case {
  Array<float> x{F32(1000, 1)}, out{4};
  Outcome operator()(const std::string &text, int a, int b, bool debug, int n = 4) {
    return run(text, {x, out, a, b, n}, {}, debug);
  }
};

constexpr int half = 1 << 16; // squared, it wraps to 0

} // namespace

TEST_SUITE("wraps") {

  TEST_CASE("an access beyond the buffer names the line where its offset wrapped") {
    Case on;
    for (bool debug : {false, true}) {
      const Outcome outcome = on(kernel(product), 7700, 282624, debug);
      CHECK(outcome.status == TL_RUNTIME_ERROR);
      if (!debug) {
        CHECK(outcome.message ==
              "tl::load reads element -2118762496 of the buffer passed as \"x\", which has 1000 "
              "elements of float, since its int32 offset wraps at k.cpp:12:14, where 2176204800 "
              "becomes -2118762496, at lane (0) in program (0, 0, 0)");
        CHECK(outcome.line == 20);
      }
      CHECK(outcome.help == "compute the offset in 64 bits: convert one of its operands with "
                            "tl::cast<std::int64_t>");
    }
    // Beyond the buffer without a wrap is what it was.
    CHECK(on(kernel(product), 1000, 1, false).message ==
          "tl::load reads element 1000 of the buffer passed as \"x\", which has 1000 elements of "
          "float, at lane (0) in program (0, 0, 0)");
  }

  TEST_CASE("an offset that wraps into the buffer is refused with debug, at its own line") {
    Case on;
    const std::string text = kernel(product);
    CHECK(on(text, half, half, false).status == TL_OK); // 2^32 wraps to 0
    const Outcome outcome = on(text, half, half, true);
    CHECK(outcome.status == TL_RUNTIME_ERROR);
    CHECK(outcome.message ==
          "the int32 offset of a tl::load at k.cpp:20 wraps: 4294967296 becomes 0, at lane (0) in "
          "program (0, 0, 0)");
    CHECK(outcome.file == "k.cpp");
    CHECK(outcome.line == 12);
    CHECK(on(text, 20, 40, true).status == TL_OK);
  }

  TEST_CASE("sums, differences and shifts wrap too, in scalars and in every width") {
    Case on;
    auto refused = [&](const std::string &body, int a, int b, const std::string &part,
                       const std::string &type = "i32") {
      const Outcome outcome = on(kernel(body, type), a, b, true);
      CHECK_MESSAGE(outcome.says(part), outcome.message);
      CHECK(outcome.line == 12);
    };
    refused(R"(%s = arith.addi %a, %b : i32 loc("k.cpp":12:1)
%t = arith.addi %s, %b : i32
%ts = tt.splat %t : i32 -> tensor<4xi32>
%o = arith.addi %ts, %r : tensor<4xi32>)",
            2000000000, 1147483648, "wraps: 3147483648 becomes -1147483648");
    refused(R"(%s = arith.subi %as, %bs : tensor<4xi32> loc("k.cpp":12:1)
%o = arith.addi %s, %r : tensor<4xi32>)",
            -2147483000, 1000, "wraps: -2147484000 becomes 2147483296");
    refused(R"(%c31 = arith.constant dense<31> : tensor<4xi32>
%s = arith.shli %as, %c31 : tensor<4xi32> loc("k.cpp":12:1)
%o = arith.addi %s, %r : tensor<4xi32>)",
            2, 0, "wraps: 4294967296 becomes 0");
    refused(R"(%h = arith.constant dense<128> : tensor<4xi16>
%w = arith.constant dense<512> : tensor<4xi16>
%o = arith.muli %h, %w : tensor<4xi16> loc("k.cpp":12:1))",
            0, 0, "the int16 offset of a tl::load at k.cpp:20 wraps: 65536 becomes 0", "i16");
    refused(R"(%h = arith.constant dense<4294967296> : tensor<4xi64>
%o = arith.muli %h, %h : tensor<4xi64> loc("k.cpp":12:1))",
            0, 0, "the int64 offset of a tl::load at k.cpp:20 wraps: 9223372036854775807 becomes 0",
            "i64");
  }

  TEST_CASE("a wrap is seen through shapes, loops, branches and choices") {
    Case on;
    const std::string wrapped = "%w = arith.muli %a, %a : i32 loc(\"k.cpp\":12:1)\n";
    for (const std::string &rest : std::initializer_list<std::string>{
             "%o = tt.splat %w : i32 -> tensor<4xi32>",
             R"(%s = tt.splat %w : i32 -> tensor<1xi32>
%e = tt.expand_dims %s {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
%f = tt.broadcast %e : tensor<1x1xi32> -> tensor<2x2xi32>
%t = tt.trans %f {order = array<i32: 1, 0>} : tensor<2x2xi32> -> tensor<2x2xi32>
%o = tt.reshape %t : tensor<2x2xi32> -> tensor<4xi32>)",
             R"(%s = tt.splat %w : i32 -> tensor<4xi32>
%j = tt.join %s, %r : tensor<4xi32> -> tensor<4x2xi32>
%o, %o2 = tt.split %j : tensor<4x2xi32> -> tensor<4xi32>)",
             R"(%yes = arith.cmpi sgt, %a, %c0 : i32
%z = arith.select %yes, %w, %c1 : i32
%o = tt.splat %z : i32 -> tensor<4xi32>)",
             R"(%yes = arith.cmpi sgt, %a, %c0 : i32
%z = scf.if %yes -> (i32) {
  scf.yield %w : i32
} else {
  scf.yield %c1 : i32
}
%o = tt.splat %z : i32 -> tensor<4xi32>)",
             R"(%c4 = arith.constant 4 : i32
%z = scf.for %i = %c0 to %c4 step %c1 iter_args(%q = %w) -> (i32) : i32 {
  %u = arith.addi %q, %c1 : i32
  scf.yield %u : i32
}
%o = tt.splat %z : i32 -> tensor<4xi32>)",
             R"(%z:2 = scf.while (%q = %w, %k = %c0) : (i32, i32) -> (i32, i32) {
  %more = arith.cmpi slt, %k, %b : i32
  scf.condition(%more) %q, %k : i32, i32
} do {
^bb0(%q: i32, %k: i32):
  %u = arith.addi %q, %c1 : i32
  %l = arith.addi %k, %c1 : i32
  scf.yield %u, %l : i32, i32
}
%o = tt.splat %z#0 : i32 -> tensor<4xi32>)",
             R"(%s = arith.extsi %w : i32 to i64
%l = arith.constant 5 : i64
%y = arith.addi %s, %l : i64
%yt = tt.splat %y : i64 -> tensor<4xi64>
%xs0 = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
%p0 = tt.addptr %xs0, %yt : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
%v0 = tt.load %p0 : tensor<4x!tt.ptr<f32>> loc("k.cpp":20:1)
%o = tt.splat %c0 : i32 -> tensor<4xi32>)",
         }) {
      const std::string text = kernel(wrapped + rest);
      const Outcome outcome = on(text, half, 4, true);
      CHECK_MESSAGE(outcome.says("wraps: 4294967296 becomes 0"), rest << "\n" << outcome.message);
      CHECK(outcome.line == 12);
      const Outcome fine = on(text, 9, 4, true);
      CHECK_MESSAGE(fine.status == TL_OK, rest << "\n" << fine.message);
    }
  }

  TEST_CASE("an offset that a loop makes too large is refused in the iteration that uses it") {
    Case on;
    // The last step wraps, and is not used.
    const std::string text = kernel(R"(%c3 = arith.constant 3 : i32
%z = scf.for %i = %c0 to %c3 step %c1 iter_args(%q = %c0) -> (i32) : i32 {
  %s = tt.splat %q : i32 -> tensor<4xi32>
  %xs1 = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %p1 = tt.addptr %xs1, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %inside = arith.cmpi slt, %i, %b : i32
  %mask = tt.splat %inside : i1 -> tensor<4xi1>
  %v1 = tt.load %p1, %mask : tensor<4x!tt.ptr<f32>> loc("k.cpp":20:3)
  %u = arith.addi %q, %a : i32 loc("k.cpp":12:3)
  scf.yield %u : i32
}
%o = tt.splat %c0 : i32 -> tensor<4xi32>)");
    CHECK(on(text, 1073741824, 1, true).status == TL_OK);
    const Outcome outcome = on(text, 1073741824, 3, false);
    CHECK(outcome.says("reads element 1073741824 of")); // before it wraps
  }

  TEST_CASE("what wraps and comes back, or reaches no access, is right") {
    Case on;
    auto fine = [&](const std::string &body, int a, int b, int n = 4) {
      const Outcome outcome = on(kernel(body), a, b, true, n);
      CHECK_MESSAGE(outcome.status == TL_OK, body << "\n" << outcome.message);
    };
    // A difference of two that wrapped.
    fine(R"(%s = arith.addi %as, %bs : tensor<4xi32>
%o = arith.subi %s, %bs : tensor<4xi32>)",
         900, 2147483647);
    // Lanes that are masked off.
    fine(R"(%k = arith.constant dense<[1, 2, 1073741824, 2147483647]> : tensor<4xi32>
%o = arith.muli %k, %bs : tensor<4xi32>)",
         0, 4, 2);
  }

  TEST_CASE("hashes and generators of random numbers wrap on purpose") {
    Case on;
    const std::string hash = "%h = arith.muli %as, %bs : tensor<4xi32>\n"
                             "%g = arith.addi %h, %bs : tensor<4xi32>\n"
                             "%k = arith.constant dense<500> : tensor<4xi32>\n";
    for (const char *end : {
             "%o = arith.remui %g, %k : tensor<4xi32>",
             "%c = arith.constant dense<255> : tensor<4xi32>\n%o = arith.andi %g, %c : "
             "tensor<4xi32>",
             "%c = arith.constant dense<24> : tensor<4xi32>\n%o = arith.shrui %g, %c : "
             "tensor<4xi32>",
             "%o = tt.mulhiui %g, %k : tensor<4xi32>",
         }) {
      const Outcome outcome = on(kernel(hash + end), 0x12345677, 1664525, true);
      CHECK_MESSAGE(outcome.status == TL_OK, end << "\n" << outcome.message);
    }
    // Unsigned numbers are extended without a sign.
    const Outcome outcome = on(kernel("%h = arith.muli %as, %bs : tensor<4xi32>\n"
                                      "%o = arith.extui %h : tensor<4xi32> to tensor<4xi64>",
                                      "i64"),
                               half, half, true);
    CHECK_MESSAGE(outcome.status == TL_OK, outcome.message);
  }

  TEST_CASE("a coordinate of a descriptor that wraps is refused with debug") {
    const std::string text = R"(module {
  tt.func public @k(%x: !tt.ptr<f32>, %a: i32) {
    %one = arith.constant 1 : i64
    %n = arith.constant 1000 : i32
    %i = arith.muli %a, %a : i32 loc("k.cpp":12:9)
    %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <16xf32>
    %v = tt.descriptor_load %d[%i] : !tt.tensordesc<16xf32> -> tensor<16xf32>
    tt.descriptor_store %d[%i], %v : !tt.tensordesc<16xf32>, tensor<16xf32>
    tt.return
  }
})";
    const Array<float> x(F32(1000, 1));
    CHECK(run(text, {x, half}, {}, false).status == TL_OK);
    CHECK(run(text, {x, 30}, {}, true).status == TL_OK);
    const Outcome outcome = run(text, {x, half}, {}, true);
    CHECK(outcome.message == "an int32 coordinate of a tensor descriptor wraps: 4294967296 becomes "
                             "0, in program (0, 0, 0)");
    CHECK(outcome.line == 12);
  }

  TEST_CASE("each program of a grid is judged by its own numbers") {
    const std::string text = R"(module {
  tt.func public @k(%x: !tt.ptr<f32> loc("x"("k.cpp":1:1)), %a: i32) {
    %i = tt.get_program_id x : i32
    %j = arith.muli %i, %a : i32 loc("k.cpp":12:9)
    %j2 = arith.muli %j, %a : i32 loc("k.cpp":13:9)
    %p = tt.addptr %x, %j2 : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32> loc("k.cpp":14:9)
    tt.return
  }
})";
    const Array<float> x(F32(1000, 1));
    CHECK(run(text, {x, 4}, {3}, true).status == TL_OK);
    const Outcome outcome = run(text, {x, half}, {2}, true);
    CHECK(outcome.says("wraps: 4294967296 becomes 0, in program (1, 0, 0)"));
    CHECK(outcome.line == 13);
  }
}
