// SPDX-License-Identifier: MIT
//
// Operations that upstream's TTIR can hold and the C++ front end does not print.

#include "products.hpp"

using namespace numeric;

namespace {

// A kernel that loads a block of 16 floats, applies `body` to %v (its addresses are %p) and stores
// %r, a block of `results` floats.
std::string kernel_text(const std::string &functions, const std::string &body, int results) {
  const std::string n = std::to_string(results);
  return R"(module {
)" + functions +
         R"(  tt.func public @text(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %b = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %p = tt.addptr %b, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %v = tt.load %p : tensor<16x!tt.ptr<f32>>
)" + body +
         "    %j = tt.make_range {end = " + n + " : i32, start = 0 : i32} : tensor<" + n +
         "xi32>\n    %o = tt.splat %out : !tt.ptr<f32> -> tensor<" + n +
         "x!tt.ptr<f32>>\n    %q = tt.addptr %o, %j : tensor<" + n + "x!tt.ptr<f32>>, tensor<" + n +
         "xi32>\n    tt.store %q, %r : tensor<" + n + "x!tt.ptr<f32>>\n    tt.return\n  }\n}\n";
}

void check_text(const char *name, const std::string &ttir, int results, auto want,
                tolerance allowed = {}) {
  test_case c;
  c.name = name;
  c.ttir = ttir;
  c.result = &info_of<float>();
  c.results = std::size_t(results);
  const auto host = tl::testing::random_values<float>(16, {0.5, 2});
  const auto *raw = reinterpret_cast<const unsigned char *>(host.data());
  c.inputs.emplace_back(raw, raw + 16 * sizeof(float));
  for (int i = 0; i < results; ++i)
    c.exact.push_back(want(host, std::size_t(i)));
  c.allowed = c.between_devices = allowed;
  run(c);
}

} // namespace

TEST_CASE("tt.cat puts one tensor after the other") {
  check_text("tt.cat",
             kernel_text("", "    %r = tt.cat %v, %v : tensor<16xf32> -> tensor<32xf32>\n", 32), 32,
             [](const auto &x, std::size_t i) { return x[i % 16]; });
}

TEST_CASE("tt.unsplat takes the one element") {
  check_text("tt.unsplat",
             kernel_text("", R"(    %one = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
    %first = tt.load %one : tensor<1x!tt.ptr<f32>>
    %s = tt.unsplat %first : tensor<1xf32>
    %r = tt.splat %s : f32 -> tensor<16xf32>
)",
                         16),
             16, [](const auto &x, std::size_t) { return x[0]; });
}

TEST_CASE("tt.call runs a function that is not inlined") {
  check_text("tt.call",
             kernel_text(R"(  tt.func private @twice(%a: f32) -> f32 attributes {noinline = true} {
    %d = arith.addf %a, %a : f32
    tt.return %d : f32
  }
)",
                         R"(    %a = tt.load %x : !tt.ptr<f32>
    %s = tt.call @twice(%a) : (f32) -> f32
    %r = tt.splat %s : f32 -> tensor<16xf32>
)",
                         16),
             16, [](const auto &x, std::size_t) { return x[0] + x[0]; });
}

// Blocks of a function, where a loop and a branch have room for one.
TEST_CASE("functions that return early are called in loops and branches") {
  check_text("tt.call in a loop",
             kernel_text(R"(  tt.func private @chosen(%n: i32) -> f32 {
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %three = arith.constant 3 : i32
    %seven = arith.constant 7 : i32
    %is_three = arith.cmpi eq, %n, %three : i32
    cf.cond_br %is_three, ^leave, ^others
  ^leave:
    tt.return %one : f32
  ^others:
    %is_large = arith.cmpi sgt, %n, %three : i32
    cf.cond_br %is_large, ^large, ^join(%half : f32)
  ^large:
    %is_seven = arith.cmpi eq, %n, %seven : i32
    cf.cond_br %is_seven, ^join(%one : f32), ^small
  ^small:
    tt.return %half : f32
  ^join(%a: f32):
    %sum = arith.addf %a, %half : f32
    tt.return %sum : f32
  }
  tt.func private @doubled(%n: i32) -> f32 {
    %one = arith.constant 1.0 : f32
    %least = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    cf.br ^loop(%n, %one : i32, f32)
  ^loop(%i: i32, %sum: f32):
    %more = arith.cmpi sgt, %i, %least : i32
    cf.cond_br %more, ^body, ^end
  ^body:
    %next = arith.subi %i, %step : i32
    %twice = arith.addf %sum, %sum : f32
    cf.br ^loop(%next, %twice : i32, f32)
  ^end:
    tt.return %sum : f32
  }
)",
                         R"(    %zero = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %end = arith.constant 9 : i32
    %none = arith.constant 0.0 : f32
    %four = arith.constant 4 : i32
    %total = scf.for %n = %zero to %end step %step iter_args(%sum = %none) -> (f32) : i32 {
      %a = tt.call @chosen(%n) : (i32) -> f32
      %is_small = arith.cmpi slt, %n, %four : i32
      %c = scf.if %is_small -> f32 {
        %d = tt.call @doubled(%n) : (i32) -> f32
        scf.yield %d : f32
      } else {
        scf.yield %none : f32
      }
      %e = arith.addf %a, %c : f32
      %f = arith.addf %sum, %e : f32
      scf.yield %f : f32
    }
    %s = tt.splat %total : f32 -> tensor<16xf32>
    %r = arith.addf %s, %v : tensor<16xf32>
)",
                         16),
             // 1 + 1 + 1 + 1 + 0.5 + 0.5 + 0.5 + 1.5 + 0.5, and 1 + 2 + 4 + 8
             16, [](const auto &x, std::size_t i) { return 22.5f + x[i]; });
}

TEST_CASE("tt.approx_divf is within 2 ULP of the quotient") {
  check_text("tt.approx_divf",
             kernel_text("",
                         "    %w = arith.mulf %v, %v : tensor<16xf32>\n"
                         "    %r = tt.approx_divf %w, %v : tensor<16xf32>\n",
                         16),
             16, [](const auto &x, std::size_t i) { return double(x[i] * x[i]) / x[i]; },
             {.ulps = 2});
}

// Masked accesses that the hardware checks against the end of that range are without branches.
TEST_CASE("a promise that a pointer's memory ends within 2 GiB changes no element") {
  for (const int stride : {1, 3, 16})
    for (const int n : {0, 1, 100, 256}) {
      test_case c;
      c.name = "tt.pointer_range, stride " + std::to_string(stride) + ", " + std::to_string(n);
      c.ttir = R"(
tt.func public @ranged(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %out: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %stride: i32, %n: i32) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %s = tt.splat %stride : i32 -> tensor<256xi32>
  %at = arith.muli %i, %s : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %other = arith.constant dense<7.0> : tensor<256xf32>
  %b = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %b, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %p, %mask, %other : tensor<256x!tt.ptr<f32>>
  %o = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %q = tt.addptr %o, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %q, %v, %mask : tensor<256x!tt.ptr<f32>>
  %rest = arith.cmpi sge, %i, %ns : tensor<256xi32>
  tt.store %q, %v, %rest : tensor<256x!tt.ptr<f32>>
  tt.return
})";
      c.result = &info_of<float>();
      c.results = 256;
      const auto host = tl::testing::random_values<float>(std::size_t(256 * stride));
      c.inputs.push_back(bytes_of(host));
      c.extents = {stride, n};
      for (int i = 0; i < 256; ++i)
        c.exact.push_back(i < n ? host[std::size_t(i * stride)] : 7.0);
      run(c);
    }
}
