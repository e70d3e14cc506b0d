// SPDX-License-Identifier: MIT
// What TTIR do functions and operators become? The shape that upstream gives, constants folded,
// nothing unused.
#include "trace.hpp"

#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using traces::count;
using traces::has;
using traces::of;

TEST_CASE("a vector add has upstream's operations in upstream's roles") {
  constexpr auto kernel = tl::kernel{
      "add", [](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
        auto offsets = tl::program_id(0) * 1024 + tl::arange<1024>();
        auto mask = offsets < n;
        tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
      }};
  const std::string text = of(kernel);
  CHECK(has(text, "tt.func public @add(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, "
                  "%arg2: !tt.ptr<f32>, %arg3: i32) attributes {noinline = false} {"));
  for (const char *once :
       {"tt.get_program_id x : i32", "arith.constant 1024 : i32", "arith.muli", "tt.make_range",
        "arith.addi", "arith.cmpi slt,", "arith.addf", "tt.store", "tt.return"})
    CHECK(count(text, once) == 1);
  CHECK(count(text, "tt.splat") == 5);
  CHECK(count(text, "tt.addptr") == 3);
  CHECK(count(text, "tt.load") == 2);
  CHECK(count(text, "\n") == 23);
  // Masked loads have no third operand unless one is given.
  const std::string load = text.substr(text.find("tt.load"));
  CHECK(count(load.substr(0, load.find('\n')), ",") == 1);
}

TEST_CASE("facts about arguments become attributes and constants") {
  constexpr auto kernel =
      tl::kernel{"facts", [](tl::ptr<float> x, tl::i32 n, tl::f32 s, tl::ptr<float> bias) {
                   if (!tl::is_null(bias))
                     tl::store(x, tl::load(bias));
                   tl::store(x + n, s * n);
                 }};
  using tl::impl::fact;
  tl::impl::fact_word<4> facts;
  facts.set(0, fact::divisible_by_16);
  facts.set(1, fact::equal_to_1);
  facts.set(3, fact::null);
  const std::string text =
      traces::plain(kernel.trace(tl::impl::specialization(facts.array().data(), 4)));
  CHECK(has(text, "%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32, %arg2: f32"));
  CHECK(!has(text, "%arg1 "));
  CHECK(has(text, "arith.constant 1 : i32"));
  CHECK(!has(text, "tt.load"));
  CHECK(has(of(kernel), "tt.load"));
  tl::impl::fact_word<4> eights;
  eights.set(1, fact::divisible_by_8);
  CHECK(has(traces::plain(kernel.trace(tl::impl::specialization(eights.array().data(), 4))),
            "%arg0: !tt.ptr<f32>, %arg1: i32 {tt.divisibility = 8 : i32}, %arg2: f32"));
}

TEST_CASE("what a host descriptor demands is known of its parts") {
  constexpr auto halves =
      tl::kernel{"halves", [](tl::descriptor<tl::float16, 8, 16> d) { d.store({0, 0}, 1); }};
  CHECK(has(of(halves), "(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: i32, %arg2: "
                        "i32, %arg3: i64 {tt.divisibility = 8 : i32}, %arg4: i64)"));
  using tl::impl::fact;
  tl::impl::fact_word<5> facts;
  facts.set(1, fact::divisible_by_8);
  facts.set(2, fact::divisible_by_8);
  facts.set(3, fact::divisible_by_16);
  const tl::impl::specialization known(facts.array().data(), 5);
  CHECK(has(traces::plain(halves.trace(known)),
            "%arg1: i32 {tt.divisibility = 8 : i32}, %arg2: i32 {tt.divisibility = 8 : i32}, "
            "%arg3: i64 {tt.divisibility = 16 : i32}"));
  // Reading NaN is said where the last stride is, and makes it no multiple of anything.
  tl::impl::fact_word<5> nan;
  nan.set_reads(4, true, false);
  CHECK(has(traces::plain(halves.trace(tl::impl::specialization(nan.array().data(), 5))),
            "%arg3: i64 {tt.divisibility = 8 : i32}, %arg4: i64)"));
  // The last extent of 64-bit elements is a multiple of two, that of bytes one of 16.
  constexpr auto doubles =
      tl::kernel{"doubles", [](tl::descriptor<double, 8, 16> d) { d.store({0, 0}, 1); }};
  CHECK(has(traces::plain(doubles.trace(known)), "%arg2: i32 {tt.divisibility = 2 : i32}"));
  constexpr auto bytes =
      tl::kernel{"bytes", [](tl::descriptor<std::int8_t, 8, 16> d) { d.store({0, 0}, 1); }};
  CHECK(has(of(bytes), "%arg3: i64 {tt.divisibility = 16 : i32}"));
}

TEST_CASE("what is unused is not printed") {
  constexpr auto pure = tl::kernel{"pure", [](tl::ptr<float> x) {
                                     auto at = tl::arange<64>();
                                     auto v = tl::exp(tl::load(x + at));
                                     tl::load(x + at, {.is_volatile = true});
                                     tl::if_(v(tl::newaxis, tl::all).size > 3, [] {});
                                     (void)(v + 1);
                                   }};
  const std::string text = of(pure);
  CHECK(count(text, "tt.load") == 1);
  CHECK(has(text, "isVolatile = true"));
  CHECK(!has(text, "math.exp"));
  CHECK(!has(text, "scf.if"));
}

TEST_CASE("an expression is computed once, where it was written") {
  constexpr auto kernel = tl::kernel{"once", [](tl::ptr<float> x, tl::i32 n) {
                                       auto at = tl::arange<64>();
                                       auto twice = tl::load(x + at) * 2.0f;
                                       for (auto i : tl::range(0, n)) {
                                         tl::store(x + at + i, twice);
                                         tl::store(x + at - i, twice + 1.0f);
                                       }
                                       tl::store(x + at, twice);
                                     }};
  const std::string text = of(kernel);
  CHECK(count(text, "arith.mulf") == 1);
  CHECK(text.find("arith.mulf") < text.find("scf.for"));
}

TEST_CASE("scalars are folded and combined before they are splatted") {
  constexpr auto kernel = tl::kernel{"scalars", [](tl::ptr<std::int32_t> x, tl::i32 n) {
                                       tl::i32 two = 2;
                                       tl::store(x + tl::arange<64>(), (two * 3 + 4) * n);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "arith.constant 10 : i32"));
  CHECK(count(text, "arith.muli") == 1);
  CHECK(count(text, "tt.splat") == 2);
}

TEST_CASE("adding a product is a product with an accumulator") {
  constexpr auto kernel =
      tl::kernel{"accumulate", [](tl::ptr<float> f) {
                   auto at = tl::arange<16>()(tl::all, tl::newaxis) * 16 + tl::arange<16>();
                   auto a = tl::load(f + at);
                   auto acc = tl::load(f + at + 256);
                   acc += tl::dot(a, a);
                   tl::store(f + at, tl::dot(a, a) + acc);
                   auto kept = tl::dot(a, a);
                   tl::store(f + at, acc + kept);
                   tl::store(f + at, kept);
                 }};
  const std::string text = of(kernel);
  CHECK(count(text, "tt.dot") == 4);
  CHECK(!has(text, "arith.addf"));
  CHECK(count(text, "dense<0.000000e+00>") == 1);
}

TEST_CASE("products of 8-bit floats say how many may be added imprecisely") {
  constexpr auto kernel =
      tl::kernel{"imprecise", [](tl::ptr<tl::float8e4nv> q, tl::ptr<tl::float8e4b15> p,
                                 tl::ptr<tl::float16> h, tl::ptr<float> out) {
                   auto at = tl::arange<32>()(tl::all, tl::newaxis) * 32 + tl::arange<32>();
                   auto a = tl::load(q + at);
                   auto b = tl::load(p + at);
                   auto c = tl::load(h + at);
                   tl::store(out + at, tl::dot(a, a));
                   tl::store(out + at, tl::dot(a, a, {.max_num_imprecise_acc = 0}));
                   tl::store(out + at, tl::dot(a, a, {.max_num_imprecise_acc = 16}));
                   tl::store(out + at, tl::dot(b, b));
                   tl::store(out + at, tl::dot(c, c));
                 }};
  const std::string text = of(kernel);
  CHECK(count(text, "tt.dot") == 5);
  CHECK(count(text, "maxNumImpreciseAcc") == 2);
  CHECK(count(text, "{maxNumImpreciseAcc = 1073741824 : i32}") == 1);
  CHECK(count(text, "{maxNumImpreciseAcc = 16 : i32}") == 1);
}

TEST_CASE("numbers are written exactly") {
  constexpr auto kernel =
      tl::kernel{"numbers", [](tl::ptr<float> f, tl::ptr<double> d, tl::ptr<tl::float16> h,
                               tl::ptr<std::uint8_t> u, tl::ptr<std::uint64_t> w, tl::ptr<bool> t) {
                   tl::store(f, 0.1f);
                   tl::store(f, -tl::inf);
                   tl::store(f, tl::nan);
                   tl::store(f, -0.0f);
                   tl::store(d, 0.1);
                   tl::store(d, 1.0 / 3);
                   tl::store(h, 0.1);
                   tl::store(h, tl::inf);
                   tl::store(u, 255);
                   tl::store(w, ~std::uint64_t(0));
                   tl::store(t, true);
                 }};
  const std::string text = of(kernel);
  for (const char *constant :
       {"1.000000e-01 : f32", "0xFF800000 : f32", "0x7FC00000 : f32", "-0.000000e+00 : f32",
        "1.000000e-01 : f64", "0x3FD5555555555555 : f64", "9.997559e-02 : f16", "0x7C00 : f16",
        "arith.constant -1 : i8", "arith.constant -1 : i64"})
    CHECK_MESSAGE(has(text, constant), constant);
}

TEST_CASE("an integer beside a float is rounded once") {
  constexpr auto kernel =
      tl::kernel{[](tl::ptr<float> x, tl::ptr<tl::bfloat16> y, tl::ptr<double> z) {
        tl::store(x, tl::load(x) + INT64_C(36028799166447617)); // 2^55 + 2^31 + 1
        tl::store(x + 1, tl::load(x) + INT64_C(-36028799166447617));
        tl::store(x + 2, tl::load(x) + UINT64_C(0x8000008000000001));
        tl::store(x + 3, tl::load(x) + UINT64_C(0x8000008000000000));      // a tie, to even
        tl::store(y, tl::cast<tl::bfloat16>(INT64_C(0x4040000000000001))); // a tie, and 1
        tl::store(z, tl::load(z) + INT64_C(36028799166447617));
      }};
  const std::string text = of(kernel);
  for (const char *constant :
       {"constant 3.602880e+16 : f32", "constant -3.602880e+16 : f32", "9.223373e+18 : f32",
        "9.223372e+18 : f32", "4.647715e+18 : bf16", "0x4360000010000000 : f64"})
    CHECK_MESSAGE(has(text, constant), constant);
}

TEST_CASE("a number is subtracted from a pointer, whatever its sign") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
    tl::store(x - 5u, 1.0f);
    tl::store(x - std::size_t(6), 1.0f);
    tl::store(x - (std::uint64_t(1) << 63), 1.0f);
    tl::store(x - 3000000000u, 1.0f);
    tl::store(x - std::int64_t(-7), 1.0f);
    tl::store(x - true, 1.0f);
  }};
  const std::string text = of(kernel);
  for (const char *number : {"-5 : i32", "-6 : i32", "-9223372036854775808 : i64",
                             "-3000000000 : i64", " 7 : i32", "-1 : i32"})
    CHECK_MESSAGE(has(text, number), number);
}

TEST_CASE("unsigned elements use unsigned operations, and narrow offsets are widened") {
  constexpr auto kernel = tl::kernel{
      "signs", [](tl::ptr<std::uint32_t> u, tl::ptr<std::int32_t> i, tl::ptr<std::uint8_t> bytes) {
        auto helper = [](auto x) {
          return (x >> 1) + (x / 2) + tl::cast<typename decltype(x)::element_type>(x < 1);
        };
        tl::store(u, helper(tl::load(u)));
        tl::store(i, helper(tl::load(i)));
        auto index = tl::load(bytes + tl::arange<64>());
        tl::store(i + index, 1);
      }};
  const std::string text = of(kernel);
  for (const char *op : {"arith.shrui", "arith.divui", "cmpi ult", "arith.shrsi", "arith.divsi",
                         "cmpi slt", "arith.extui"})
    CHECK_MESSAGE(has(text, op), op);
  CHECK(has(text, "tensor<64x!tt.ptr<i32>>, tensor<64xi64>"));
}

TEST_CASE("bool in memory is a byte") {
  constexpr auto kernel = tl::kernel{
      "bools", [](tl::ptr<const bool> in, tl::ptr<bool> out) { tl::store(out, !tl::load(in)); }};
  const std::string text = of(kernel);
  CHECK(has(text, "%arg0: !tt.ptr<i8>"));
  CHECK(has(text, "arith.cmpi ne"));
  CHECK(has(text, "arith.extui"));
}

TEST_CASE("hints stand on the operation that made the value") {
  constexpr auto kernel = tl::kernel{"hints", [](tl::ptr<float> x, tl::i32 n) {
                                       auto at = tl::multiple_of<64>(n * 64 + tl::arange<64>());
                                       tl::store(x + tl::max_contiguous<64>(at), 1);
                                       auto tile = tl::expand_dims<0>(tl::arange<8>());
                                       tl::store(x + tl::max_constancy<1, 4>(tile), 1);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "{tt.divisibility = dense<64> : tensor<1xi32>, tt.contiguity = dense<64> : "
                  "tensor<1xi32>} : tensor<64xi32>"));
  CHECK(has(text, "{axis = 0 : i32, tt.constancy = dense<[1, 4]> : tensor<2xi32>} :"));
}

TEST_CASE("hints of what was made elsewhere are an operation where they stand") {
  constexpr auto kernel = tl::kernel{
      "elsewhere", [](tl::ptr<float> x, tl::i32 m, tl::i32 s, tl::ptr<float> out) {
        auto i = tl::arange<128>();
        auto at = s * 3;
        tl::if_(
            m == 0, [&] { tl::store(out + i, tl::load(x + tl::multiple_of<16>(at) + i)); },
            [&] { tl::store(out + i, tl::load(x + at + i)); });
        for (auto k : tl::range(0, m))
          tl::store(tl::multiple_of<16>(out) + tl::multiple_of<4>(k) + i, 1.0f);
      }};
  const std::string text = of(kernel);
  CHECK(count(text, "arith.muli %arg2, ") == 1); // without one
  CHECK(count(text, "tt.divisibility = ") == 3);
  CHECK(count(text, "{tt.divisibility = dense<16> : tensor<1xi32>} : i32") == 1);
  CHECK(count(text, "{tt.divisibility = dense<4> : tensor<1xi32>} : i32") == 1);
  CHECK(count(text, "{tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i32") == 1);
}

TEST_CASE("parameters that may alias are marked, but those that tl::restrict names") {
  constexpr auto kernel = tl::kernel{
      "marks", [](tl::ptr<const float> x, tl::i32 n, tl::ptr<float> y, tl::ptr<float> z) {
        tl::restrict(y);
        tl::store(z + n, tl::load(x) + tl::load(y));
      }};
  tl::impl::fact_word<4> facts;
  facts.set(0, tl::impl::fact::divisible_by_16);
  CHECK(!has(traces::plain(kernel.trace(tl::impl::specialization(facts.array().data(), 4))),
             "tt.may_alias"));
  for (std::size_t slot : {0, 2, 3})
    facts.set_may_alias(slot);
  CHECK(has(traces::plain(kernel.trace(tl::impl::specialization(facts.array().data(), 4))),
            "(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.may_alias}, %arg1: i32, "
            "%arg2: !tt.ptr<f32>, %arg3: !tt.ptr<f32> {tt.may_alias})"));
}

TEST_CASE("tl::restrict takes parameters, in loops and branches too") {
  constexpr auto kernel =
      tl::kernel{"nested", [](tl::ptr<float> x, tl::ptr<float> y, tl::i32 n) {
                   for (auto i : tl::range(0, n))
                     for (auto j : tl::range(0, i))
                       tl::if_(j == 1, [&] { tl::store(tl::restrict(x) + j, tl::load(y)); });
                 }};
  tl::impl::fact_word<3> facts;
  facts.set_may_alias(0), facts.set_may_alias(1);
  const std::string text =
      traces::plain(kernel.trace(tl::impl::specialization(facts.array().data(), 3)));
  CHECK(has(text, "(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32> {tt.may_alias}, %arg2: i32)"));
  constexpr auto computed = tl::kernel{
      "computed", [](tl::ptr<float> x) { tl::store(tl::restrict(tl::ptr<float>(x + 1)), 1); }};
  try {
    of(computed);
    FAIL("nothing was thrown");
  } catch (const tl::compile_error &e) {
    CHECK(e.message() == "tl::restrict takes a pointer parameter of the kernel, this pointer is "
                         "computed from one");
  }
}

TEST_CASE("of hints of one name the last counts, and a constant has none") {
  constexpr auto kernel =
      tl::kernel{"again", [](tl::ptr<std::int32_t> x, tl::i32 n) {
                   auto at = tl::multiple_of<8>(tl::multiple_of<16>(n + tl::arange<16>()));
                   tl::store(x + at, tl::multiple_of<16>(tl::full<std::int32_t, 16>(16)));
                   tl::i32 c = 32;
                   tl::store(x + tl::multiple_of<32>(c) * tl::max_constancy<1>(n), 1);
                 }};
  CHECK(count(of(kernel), "tt.divisibility = ") == 1);
  CHECK(has(of(kernel), "{tt.divisibility = dense<8> : tensor<1xi32>} : tensor<16xi32>"));
  CHECK(!has(of(kernel), "tt.constancy")); // nor has an argument
  using tl::impl::fact;
  tl::impl::fact_word<2> facts;
  facts.set(1, fact::equal_to_1);
  constexpr auto strided = tl::kernel{"strided", [](tl::ptr<std::int32_t> x, tl::i32 stride) {
                                        auto at = tl::arange<16>();
                                        tl::store(x + at * tl::multiple_of<1>(stride), at);
                                      }};
  CHECK(!has(traces::plain(strided.trace(tl::impl::specialization(facts.array().data(), 2))),
             "tt.divisibility"));
}

TEST_CASE("hints stand in the dictionary that an operation has, wherever that is") {
  constexpr auto kernel = tl::kernel{
      "places", [](tl::ptr<float> x, tl::ptr<tl::float8e5> y) {
        auto at = tl::arange<16>();
        auto v = tl::max_constancy<1>(tl::load(x + at, {.cache = tl::cache::cg}));
        tl::store(y + at, tl::max_constancy<1>(tl::cast<tl::float8e5>(v)));
        tl::store(x + at, tl::max_constancy<1>(tl::inline_asm_elementwise<float>(
                              "{ mov.b32 $0, $1; } /* } : */", "=r,r", {}, v)));
        tl::store(x + at, tl::max_constancy<1>(tl::extern_elementwise<float>("__nv_sinhf", "", v)));
      }};
  const std::string text = of(kernel);
  const char *hint = "tt.constancy = dense<1> : tensor<1xi32>}";
  CHECK(count(text, hint) == 4);
  CHECK(has(text, std::string(">, ") + hint + " : tensor<16x!tt.ptr<f32>>"));
  CHECK(has(text, std::string(" {") + hint + ", rounding = rtne : "));
  CHECK(has(text, std::string("pure = true, ") + hint + " %"));
  CHECK(has(text, std::string("symbol = \"__nv_sinhf\", ") + hint + " : ("));
}

TEST_CASE("functions are looked for in the library that a call names, or in those of the kernel") {
  constexpr auto kernel =
      tl::kernel{"libraries", [](tl::ptr<float> x) {
                   tl::extern_libs("one.bc", "two.bc");
                   auto v = tl::load(x);
                   tl::store(x, tl::extern_elementwise<float>("f", "", v));
                   tl::store(x, tl::extern_elementwise<float>("g", "three.bc", v));
                 }};
  const std::string text = of(kernel);
  CHECK(has(text, "libpath = \"one.bc:two.bc\", pure = true, symbol = \"f\""));
  CHECK(has(text, "libpath = \"three.bc\", pure = true, symbol = \"g\""));
}

TEST_CASE("a known number is converted as one that is known only when the kernel runs") {
  constexpr auto kernel = tl::kernel{
      "known", [](tl::ptr<std::uint64_t> x, tl::i32 n, tl::u32 m, tl::ptr<std::int8_t> y) {
        tl::store(x, tl::load(x) + (n - 2));
        tl::store(x, tl::cast<std::uint64_t>(tl::i32(-3)));
        tl::store(x, tl::cast<std::int64_t>(m - 4u));
        tl::store(y, tl::cast<std::int8_t>(tl::cast<std::uint16_t>(tl::i32(-261))));
        tl::store(y, tl::cast<std::int8_t>(tl::cast<std::uint8_t>(tl::i32(-6))));
        tl::store(x, tl::cast<std::uint8_t>(tl::i32(-7)));
      }};
  using tl::impl::fact;
  tl::impl::fact_word<4> facts;
  facts.set(1, fact::equal_to_1);
  const std::string text =
      traces::plain(kernel.trace(tl::impl::specialization(facts.array().data(), 4)));
  CHECK(has(text, "arith.constant -1 : i64"));
  CHECK(has(text, "arith.constant -3 : i64"));
  CHECK(has(text, "arith.constant -5 : i8"));
  CHECK(has(text, "arith.constant -6 : i8"));
  CHECK(has(text, "arith.constant 249 : i64"));
}

TEST_CASE("a kernel is named by the user or by its location, and the name is a symbol") {
  constexpr auto named = tl::kernel{"my kernel-1", [](tl::ptr<float>) {}};
  constexpr int line = __LINE__ + 1;
  constexpr auto unnamed = tl::kernel{[](tl::ptr<float>) {}};
  CHECK(named.name() == "my_kernel_1");
  CHECK(unnamed.name() == "trace_test_" + std::to_string(line));
  CHECK(has(of(unnamed), "@" + unnamed.name() + "("));
}

TEST_CASE("every operation knows the line of the user") {
  constexpr unsigned first = __LINE__ + 2;
  constexpr auto kernel = tl::kernel{"lines", [](tl::ptr<float> x) {
                                       auto v = tl::load(x);
                                       v += 1.0f; // takes the line of the operation before
                                       auto w = v * 2.0f;
                                       tl::store(x, w);
                                     }};
  const std::string text = kernel.trace();
  const auto line_of = [&](const std::string &op) {
    const std::size_t at = text.find("trace_test.cpp\":", text.find(op));
    return std::stoul(text.substr(at + 16)) - first;
  };
  CHECK(line_of("tt.load") == 0);
  CHECK(line_of("arith.mulf") == 2);
  CHECK(line_of("tt.store") == 3);
  CHECK(!has(text, "include/tl"));
}

TEST_CASE("device functions are ordinary functions") {
  struct pair_of_sums {
    tl::tensor<float, tl::shape<64>> a, b;
  };
  constexpr auto kernel = tl::kernel{"functions", [](tl::ptr<float> x) {
                                       const auto load = [](tl::ptr<float> from, int i) {
                                         return tl::load(from + i * 64 + tl::arange<64>());
                                       };
                                       pair_of_sums s{load(x, 0), load(x, 1)};
                                       std::swap(s.a, s.b);
                                       for (int i = 2; i < 4; ++i)
                                         s.a += load(x, i);
                                       tl::store(x + tl::arange<64>(), s.a - s.b);
                                     }};
  const std::string text = of(kernel);
  CHECK(count(text, "tt.load") == 4);
  CHECK(has(text, "arith.subf %"));
}

TEST_CASE("threads trace apart from each other") {
  static constexpr auto kernel = tl::kernel{"threads", [](tl::ptr<float> x, tl::i32 n) {
                                              tl::tensor acc = tl::zeros<float, 64>();
                                              for (auto i : tl::range(0, n))
                                                acc += tl::load(x + i + tl::arange<64>());
                                              tl::store(x + tl::arange<64>(), acc);
                                            }};
  const std::string expected = kernel.trace();
  std::vector<std::string> results(8);
  std::vector<std::thread> threads;
  for (auto &result : results)
    threads.emplace_back([&result] {
      for (int i = 0; i < 20; ++i)
        result = kernel.trace();
    });
  for (auto &thread : threads)
    thread.join();
  for (const auto &result : results)
    CHECK(result == expected);
}

constexpr auto of_target = tl::kernel{[](tl::ptr<std::int32_t> out) {
  using namespace tl::target_info;
  tl::store(out, is_cuda() * 1 + is_cpu() * 2 + is_interpreter() * 4 + is_hip() * 8 +
                     cuda_capability_geq(9) * 16 + cuda_capability_geq(9, 1) * 32 +
                     (current_target() == "sm_90a") * 64);
}};

TEST_CASE("a kernel knows its target while it is traced") {
  const auto stores = [](const char *target, const char *number) {
    CAPTURE(target);
    CHECK(has(traces::plain(of_target.trace_for(target)),
              "arith.constant " + std::string(number) + " : i32"));
  };
  stores("cpu", "2");
  stores("interpreter", "4");
  stores("gfx942", "8");
  stores("sm_80", "1");
  stores("sm_90a", "81");
  stores("sm_100a", "49");
}

constexpr auto talking = tl::kernel{[](tl::ptr<float> x) {
  tl::tensor sum = tl::zeros<float, 64, 64>();
  tl::static_print("block", 64, "half", 0.5, "sum", sum, true);
  tl::store(x, tl::sum(sum));
}};

TEST_CASE("numbers and types are printed once, while the kernel is traced") {
  std::fflush(stdout);
  const int before = dup(1);
  std::FILE *file = std::tmpfile();
  dup2(fileno(file), 1);
  talking.trace();
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  std::rewind(file);
  char line[200] = {};
  CHECK(std::fgets(line, sizeof line, file) != nullptr);
  CHECK(std::string(line) == "block 64 half 0.5 sum fp32 of 64x64 true\n");
  CHECK(std::fgets(line, sizeof line, file) == nullptr);
  std::fclose(file);
}

} // namespace
