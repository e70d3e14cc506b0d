// SPDX-License-Identifier: MIT
// How do loops and branches carry variables? By inference: what changed, and nothing else.
#include "trace.hpp"

#include <array>
#include <tuple>
#include <vector>

namespace {

using traces::count;
using traces::has;
using traces::of;

constexpr auto at = [] { return tl::arange<64>(); };

TEST_CASE("a loop carries what changes and nothing else") {
  constexpr auto kernel = tl::kernel{"loop", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::tensor kept = tl::load(x + at());
                                       tl::tensor acc = tl::zeros<float, 64>();
                                       tl::i32 count = 0;
                                       for (auto i : tl::range(0, n)) {
                                         tl::tensor local = kept * 2.0f;
                                         acc += local;
                                         count += i;
                                       }
                                       tl::store(x + at(), acc + kept + count);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (tensor<64xf32>, i32)  : i32 {"));
  CHECK(has(text, "scf.yield %"));
}

TEST_CASE("descriptors are carried where they are assigned to, and only there") {
  using tile = tl::descriptor<float, 8, 16>;
  constexpr auto unchanged = tl::kernel{"unchanged", [](tile x, tile out, tl::i32 n) {
                                          for (auto i : tl::range(0, n))
                                            out.store({i, 0}, x.load({i, 0}));
                                        }};
  CHECK(!has(of(unchanged), "iter_args"));
  constexpr auto swapped = tl::kernel{"swapped", [](tile x, tile out, tl::i32 n) {
                                        for (auto i : tl::range(0, n)) {
                                          out.store({i, 0}, x.load({i, 0}));
                                          std::swap(x, out);
                                        }
                                      }};
  CHECK(has(of(swapped), "-> (!tt.tensordesc<8x16xf32>, !tt.tensordesc<8x16xf32>)"));
  constexpr auto chosen = tl::kernel{"chosen", [](tile x, tile y, tile out, tl::i32 n) {
                                       auto first =
                                           tl::if_(n > 0, [&] { return x; }, [&] { return y; });
                                       tl::if_(n > 1, [&] { x = y; });
                                       out.store({0, 0}, x.load({0, 0}) + first.load({0, 0}));
                                     }};
  CHECK(count(of(chosen), "-> (!tt.tensordesc<8x16xf32>) {") == 2);
}

TEST_CASE(
    "extents, strides and the way of reading of a descriptor that a branch returns are known") {
  constexpr auto kernel =
      tl::kernel{"returned", [](tl::ptr<float> x, tl::descriptor<float, 8, 16> other, tl::i32 n) {
                   auto rounding = tl::make_tensor_descriptor<8, 16>(x, {n, 32}, {n, 1},
                                                                     {.round_f32_to_tf32 = true});
                   auto one = tl::if_(n > 0, [&] { return rounding; }, [&] { return rounding; });
                   auto [two, sum] = tl::if_(
                       n > 1, [&] { return std::pair(other, 1.0f); },
                       [&] { return std::pair(other, tl::load(x)); });
                   other.store({one.shape(0), 0}, one.load({0, 0}) * sum);
                   other.store({0, two.shape(1)}, two.slice(n, 8).load({0, 0}));
                 }};
  const std::string text = of(kernel);
  CHECK(has(text, "arith.constant dense<-8192>")); // the load of `one` is rounded
  CHECK(count(text, "-> (!tt.tensordesc<8x16xf32>, i32) {") == 1);
}

TEST_CASE("descriptors that read in different ways are not returned by one branch") {
  const auto e = traces::fails(
      tl::kernel{"mixed", [](tl::ptr<float> x, tl::descriptor<float, 8, 16> other, tl::i32 n) {
                   auto rounding = tl::make_tensor_descriptor<8, 16>(x, {n, 32}, {n, 1},
                                                                     {.round_f32_to_tf32 = true});
                   auto one = tl::if_(n > 0, [&] { return rounding; }, [&] { return other; });
                   other.store({0, 0}, one.load({0, 0}));
                 }});
  CHECK(e.message == "a descriptor whose reads are rounded to TF32 and one whose reads are not "
                     "cannot be assigned to each other");
}

TEST_CASE("a descriptor that has no value is refused") {
  const auto e = traces::fails(tl::kernel{"empty", [](tl::descriptor<float, 8, 16> x, tl::i32 n) {
                                            tl::descriptor<float, 8, 16> d;
                                            tl::if_(n > 0, [&] { d = x; });
                                            d.store({0, 0}, 1.0f);
                                          }});
  CHECK(e.message == "the descriptor is used before it has a value");
  CHECK(e.line == __LINE__ - 3);
}

TEST_CASE("a variable that is put back is not carried") {
  constexpr auto kernel = tl::kernel{"back", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::tensor v = tl::load(x);
                                       for (auto i : tl::range(0, n)) {
                                         tl::tensor before = v;
                                         v += i;
                                         tl::store(x + i, v);
                                         v = before;
                                       }
                                       tl::store(x, v);
                                     }};
  CHECK(!has(of(kernel), "iter_args"));
}

TEST_CASE("arrays, structs, tuples and swaps of tensors carry") {
  constexpr auto kernel = tl::kernel{"swaps", [](tl::ptr<float> x, tl::i32 n) {
                                       std::array<tl::tensor<float, tl::shape<64>>, 2> pair{
                                           tl::load(x + at()), tl::zeros<float, 64>()};
                                       tl::i32 a = 1, b = 2;
                                       for ([[maybe_unused]] auto i : tl::range(0, n)) {
                                         std::swap(pair[0], pair[1]);
                                         std::tie(a, b) = std::tuple(b, a + b);
                                       }
                                       tl::store(x + at(), pair[0] - pair[1] + a * b);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (tensor<64xf32>, tensor<64xf32>, i32, i32)"));
}

TEST_CASE("nested loops and branches carry through each other") {
  constexpr auto kernel =
      tl::kernel{"nested", [](tl::ptr<float> x, tl::i32 n) {
                   tl::tensor acc = tl::zeros<float, 64>();
                   tl::i32 iterations = 0;
                   for (auto i : tl::range(0, n)) {
                     for (auto j : tl::range(0, i))
                       tl::if_(j > 3, [&] { acc += j; }, [&] { iterations += 1; });
                     tl::while_([&] { return iterations > 10; }, [&] { iterations -= 3; });
                   }
                   tl::store(x + at(), acc + iterations);
                 }};
  const std::string text = of(kernel);
  CHECK(count(text, "scf.for") == 2);
  CHECK(count(text, "-> (tensor<64xf32>, i32)") == 3); // both loops and the branch
  CHECK(count(text, "scf.while") == 1);
  CHECK(has(text, ": (i32) -> (i32)"));
}

TEST_CASE("a branch carries what either arm assigns") {
  constexpr auto kernel = tl::kernel{"arms", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::tensor a = tl::load(x), b = tl::load(x + 1);
                                       tl::tensor c = tl::load(x + 2);
                                       tl::if_(n > 0, [&] { a = a * 2.0f; }, [&] { b = a + b; });
                                       tl::store(x, a + b + c);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (f32, f32)"));
  CHECK(count(text, "scf.yield") == 2);
}

TEST_CASE("both arms may give a variable its first value") {
  constexpr auto kernel = tl::kernel{"first", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::f32 v;
                                       tl::if_(n > 0, [&] { v = 1.0f; }, [&] { v = tl::load(x); });
                                       tl::store(x, v);
                                     }};
  CHECK(has(of(kernel), "-> (f32)"));
}

TEST_CASE("branches return values, pairs and tuples") {
  constexpr auto kernel = tl::kernel{
      "values", [](tl::ptr<float> x, tl::i32 n) {
        auto one = tl::if_(n > 0, [&] { return tl::load(x); }, [&] { return 1.0f; });
        auto [a, b] = tl::if_(
            n > 1, [&] { return std::pair(one, n); }, [&] { return std::pair(one + 1, n * 2); });
        auto [p, q, r] = tl::if_(
            n > 2, [&] { return std::tuple(a, b, n); }, [&] { return std::tuple(a, n, b); });
        tl::store(x, p + q + r);
      }};
  const std::string text = of(kernel);
  CHECK(has(text, "-> (f32) {"));
  CHECK(has(text, "-> (f32, i32) {"));
  CHECK(has(text, "-> (f32, i32, i32) {"));
}

TEST_CASE("a condition that C++ knows, and a bare integer, are conditions too") {
  constexpr auto kernel = tl::kernel{"conditions", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::if_(true, [&] { tl::store(x, 1); });
                                       tl::while_([&] { return n; }, [&] { n -= 1; });
                                       tl::store(x, n);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "scf.if"));
  CHECK(has(text, "arith.cmpi ne"));
}

TEST_CASE("the sign of a step decides how a loop is written") {
  constexpr auto kernel = tl::kernel{"steps", [](tl::ptr<float> x, tl::i32 n, tl::i32 step) {
                                       for (auto i : tl::range(n, 0, -8))
                                         tl::store(x + i, 1);
                                       for (auto i : tl::range(0, n, tl::num_programs(0)))
                                         tl::store(x + i, 2);
                                       for (auto i : tl::range(0, n, step))
                                         tl::store(x + i, 3);
                                     }};
  const std::string text = of(kernel);
  CHECK(count(text, "arith.constant 8 : i32") == 1); // reversed
  CHECK(count(text, "arith.divui") == 1);            // counted, only for the unknown one
}

TEST_CASE("loops over unsigned numbers, and counted ones, compare without a sign") {
  constexpr auto kernel =
      tl::kernel{"unsigned", [](tl::ptr<float> x, tl::u32 n, tl::u32 step, tl::i32 m, tl::i32 by) {
                   for (auto i : tl::range(0u, n))
                     tl::store(x + i, 1);
                   for (auto i : tl::range(0u, n, step)) // no iterations if the step is 0
                     tl::store(x + i, 2);
                   for (auto i : tl::range(0u, n)) {
                     tl::store(x + i, 3);
                     tl::break_if(i == 7u);
                   }
                   for (auto i : tl::range(0, m, by))
                     tl::store(x + i, 4);
                   for (auto i : tl::range(0, m))
                     tl::store(x + i, 5);
                 }};
  const std::string text = of(kernel);
  CHECK(count(text, "scf.for unsigned %") == 3);
  CHECK(count(text, "scf.for ") == 4);
  CHECK(count(text, "arith.divui") == 2); // the steps that are not known
  const std::string before = text.substr(0, text.find("scf.while"));
  CHECK(before.rfind("arith.cmpi ult") > before.rfind('}')); // whether the first iteration is one
}

TEST_CASE("64-bit bounds give a 64-bit loop variable") {
  constexpr auto kernel = tl::kernel{"wide", [](tl::ptr<float> x, tl::i64 n) {
                                       for (auto i : tl::range(0, n))
                                         tl::store(x + i, 1);
                                     }};
  CHECK(has(of(kernel), " : i64 {"));
}

TEST_CASE("options of a loop are attributes") {
  constexpr auto kernel =
      tl::kernel{"options", [](tl::ptr<float> x, tl::i32 n) {
                   for (auto i : tl::range(0, n, 1, {.num_stages = 4, .warp_specialize = true}))
                     tl::store(x + i, 1);
                   for (auto i : tl::range(n, {.disable_licm = true}))
                     tl::store(x + i, 1);
                 }};
  const std::string text = of(kernel);
  CHECK(has(text, "} {tt.num_stages = 4 : i32, tt.warp_specialize}"));
  CHECK(has(text, "llvm.loop_annotation"));
}

TEST_CASE("exits guard what follows them") {
  constexpr auto kernel = tl::kernel{"exits", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::return_if(n > 100);
                                       tl::f32 sum = 0;
                                       for (auto i : tl::range(0, n)) {
                                         tl::continue_if(i == 3);
                                         auto v = tl::load(x + i);
                                         tl::break_if(v < 0);
                                         sum += v;
                                       }
                                       tl::store(x, sum);
                                     }};
  const std::string text = of(kernel);
  CHECK(count(text, "scf.if") == 3);
  CHECK(count(text, "scf.while") == 1);
  CHECK(!has(text, "scf.for"));
  CHECK(has(text, "-> (i32, f32)"));
}

TEST_CASE("continue alone keeps the loop a counted one") {
  constexpr auto kernel = tl::kernel{"skip", [](tl::ptr<float> x, tl::i32 n) {
                                       for (auto i : tl::range(0, n)) {
                                         tl::continue_if(i == 3);
                                         tl::store(x + i, 1);
                                       }
                                     }};
  CHECK(has(of(kernel), "scf.for"));
}

TEST_CASE("an exit within a branch is a flag that guards what follows") {
  constexpr auto kernel = tl::kernel{"flags", [](tl::ptr<float> x, tl::i32 n) {
                                       for (auto i : tl::range(0, n)) {
                                         tl::if_(i > 3, [&] { tl::continue_if(i == 5); });
                                         tl::store(x + i, 1);
                                       }
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, "scf.for")); // continue leaves no loop
  CHECK(count(text, "scf.if") == 2);
  CHECK(has(text, "-> (i1) {"));
  constexpr auto whole = tl::kernel{"whole", [](tl::ptr<float> x, tl::i32 n) {
                                      tl::if_(n > 3, [&] { tl::store(x, 2); });
                                      tl::store(x, 1);
                                    }};
  CHECK(count(of(whole), "scf.if") == 1);
}

TEST_CASE("a while loop that is left does not compute its condition again") {
  constexpr auto kernel = tl::kernel{"left", [](tl::ptr<float> x, tl::i32 n) {
                                       tl::while_([&] { return tl::load(x + n) > 0; },
                                                  [&] {
                                                    n += 1;
                                                    tl::break_if(n == 8);
                                                  });
                                       tl::store(x, n);
                                     }};
  const std::string text = of(kernel);
  CHECK(has(text, ": (i1, i32) -> (i32) {"));
  CHECK(text.find("scf.if") < text.find("tt.load")); // in the region before
  constexpr auto plain =
      tl::kernel{"plain", [](tl::ptr<float> x, tl::i32 n) {
                   tl::while_([&] { return tl::load(x + n) > 0; }, [&] { n += 1; });
                   tl::store(x, n);
                 }};
  CHECK(!has(of(plain), "scf.if"));
}

TEST_CASE("static_for gives constants and C++ loops unroll") {
  constexpr auto sums = tl::kernel{
      "sums", [](tl::ptr<float> x) {
        tl::f32 sum = 0;
        tl::static_for<1, 8, 3>([&](auto i) { sum += tl::sum(tl::full<float, (1 << i)>(1)); });
        for (int i = 0; i < 3; ++i)
          sum += tl::load(x + i);
        tl::store(x, sum);
      }};
  const std::string text = of(sums);
  CHECK(has(text, "tensor<2xf32>"));
  CHECK(has(text, "tensor<16xf32>"));
  CHECK(has(text, "tensor<128xf32>"));
  CHECK(count(text, "tt.load") == 3);
}

TEST_CASE("the constant of static_for is a number beside tensors") {
  constexpr auto kernel = tl::kernel{
      "constants", [](tl::ptr<float> x, tl::ptr<std::int8_t> bytes, tl::i32 stride) {
        tl::tensor acc = tl::zeros<float, 64>();
        tl::static_for<2, 4>([&](auto i) {
          acc += tl::load(x + i * stride + at()) * i; // takes the type of the tensor beside it
          acc = tl::where(acc < i, tl::maximum(acc, i), acc / i);
          tl::tensor alone = i;
          static_assert(std::same_as<decltype(alone), tl::i32>);
          static_assert(
              std::same_as<typename decltype(tl::load(bytes) + i)::element_type, std::int8_t>);
          tl::store(bytes + i, i);
        });
        tl::store(x + at(), acc);
      }};
  const std::string text = of(kernel);
  CHECK(count(text, "tt.load") == 2);
  CHECK(has(text, "arith.constant 3 : i8"));
  CHECK(has(text, "dense<3"));
}

TEST_CASE("control flow inside the functions of reductions and maps stays inside") {
  constexpr auto kernel = tl::kernel{"inside", [](tl::ptr<float> x) {
                                       tl::tensor outside = tl::load(x);
                                       auto v = tl::load(x + at());
                                       auto w = tl::map_elementwise(
                                           [](tl::f32 e) {
                                             tl::f32 y = e;
                                             for (auto i : tl::range(0, 3))
                                               y = y * e + i;
                                             return y;
                                           },
                                           v);
                                       tl::store(x + at(), w + outside);
                                     }};
  const std::string text = of(kernel);
  CHECK(count(text, "iter_args") == 1);
  CHECK(has(text, "-> (f32)  : i32 {"));
}

TEST_CASE("what is assigned in a loop or branch and never read is not carried") {
  constexpr auto loop = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::tensor read = n + 0, chain = n + 0, last = n + 0;
    for (auto k : tl::range(0, n)) {
      last = chain; // neither is read but here
      chain = chain * 3 + k;
      read = read + 1;
    }
    tl::store(x, read);
  }};
  CHECK(has(of(loop), "-> (i32)  : i32 {"));
  CHECK(!has(of(loop), "arith.muli"));
  constexpr auto left = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::tensor read = n + 0, chain = n + 0;
    for (auto k : tl::range(0, n)) {
      chain = chain * 3;
      read = read + 1;
      tl::break_if(k == 7);
    }
    tl::store(x, read);
  }};
  CHECK(has(of(left), "scf.while"));
  CHECK(!has(of(left), "arith.muli"));
  constexpr auto repeat = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::tensor read = n + 0, chain = n + 0, tested = n + 0;
    tl::while_([&] { return tested > 1; },
               [&] {
                 tested = tested / 2;
                 chain = chain * 3;
                 read = read + 1;
               });
    tl::store(x, read);
  }};
  CHECK(has(of(repeat), "(i32, i32) -> (i32, i32) {"));
  CHECK(!has(of(repeat), "arith.muli"));
  constexpr auto branch = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::tensor chain = n + 0;
    tl::if_(n > 3, [&] {
      chain = chain * 3;
      tl::store(x, 1);
    });
  }};
  CHECK(!has(of(branch), "arith.muli"));
  CHECK(!has(of(branch), "else"));
}

TEST_CASE("a while loop may keep invariant code") {
  constexpr auto kept = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::while_([&] { return n > 1; }, [&] { n = n / 2; }, {.disable_licm = true});
    tl::store(x, n);
  }};
  CHECK(has(of(kept), "} attributes {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable "
                      "= true, versioningDisable = true>>}"));
}

} // namespace
