// SPDX-License-Identifier: MIT
// What does tracing refuse, and in which words and line? Errors that the C++ compiler can see are
// in tests/compile_fail.
#include "trace.hpp"

#include <optional>
#include <thread>
#include <vector>

namespace {

using traces::fails;
using traces::failure;
using traces::has;

constexpr auto at = [] { return tl::arange<64>(); };

void expect(const failure &f, unsigned line, const char *message, const char *help = "") {
  CAPTURE(f.message);
  CHECK(f.message == message);
  CHECK(f.help == help);
  CHECK(f.line == line);
  CHECK(has(f.file, "errors_test.cpp"));
}

TEST_CASE("a tensor is used before it has a value") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
    tl::f32 v;
    tl::store(x, v + 1);
  }};
  expect(fails(kernel), line, "the tensor is used before it has a value",
         "initialise it, or assign to it in both branches of tl::if_");
}

TEST_CASE("only one branch gave a value") {
  constexpr unsigned line = __LINE__ + 4;
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::f32 v;
    tl::if_(n > 0, [&] { v = 1; });
    tl::store(x, v);
  }};
  expect(fails(kernel), line, "the tensor is used before it has a value",
         "initialise it, or assign to it in both branches of tl::if_");
}

std::optional<tl::f32> leaked;

TEST_CASE("a tensor of an earlier trace is noticed") {
  constexpr auto keeps = tl::kernel{[](tl::ptr<float> x) { leaked = tl::load(x); }};
  constexpr unsigned line = __LINE__ + 1;
  constexpr auto uses = tl::kernel{[](tl::ptr<float> x) { tl::store(x, *leaked); }};
  keeps.trace();
  expect(fails(uses), line, "the tensor belongs to another kernel",
         "pass it as a parameter or make it in this kernel");
  leaked.reset();
}

TEST_CASE("a tensor of a loop body that has ended is noticed") {
  constexpr unsigned line = __LINE__ + 5;
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    std::optional<tl::expression<float>> kept;
    for (auto i : tl::range(0, n))
      kept.emplace(tl::load(x + i) + 1.0f);
    tl::store(x, *kept);
  }};
  expect(fails(kernel), line, "the tensor was made in a loop body or branch that has ended",
         "declare a tl::tensor before the loop or branch and assign to it inside");
}

TEST_CASE("a body must not be left by break, return or goto") {
  constexpr unsigned line = __LINE__ + 2;
  constexpr auto breaks = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      tl::store(x + i, 1);
      break;
    }
    tl::store(x, 2);
  }};
  expect(fails(breaks), line, "the body of a loop over tl::range was left by break, return or goto",
         "use tl::break_if or tl::continue_if");
  constexpr unsigned inner = __LINE__ + 3;
  constexpr auto returns = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n))
      for (auto j : tl::range(0, i)) {
        tl::store(x + j, 1);
        return;
      }
  }};
  expect(fails(returns), inner,
         "the body of a loop over tl::range was left by break, return or goto",
         "use tl::break_if or tl::continue_if");
}

TEST_CASE("a range can be kept, but not nested in itself") {
  constexpr auto twice = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    auto r = tl::range(0, n);
    for (auto i : r)
      tl::store(x + i, 1);
    for (auto i : r)
      tl::store(x + i, 2);
  }};
  CHECK(traces::count(traces::of(twice), "scf.for") == 2);
  constexpr auto nested = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    auto r = tl::range(0, n);
    for (auto i : r)
      for (auto j : r)
        tl::store(x + i, j);
  }};
  CHECK(fails(nested).message == "one tl::range is used by two nested loops");
}

TEST_CASE("continue is what it is in C++") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      tl::store(x + i, 1);
      if (true)
        continue;
      tl::store(x + i, 2);
    }
  }};
  const std::string text = traces::of(kernel);
  CHECK(traces::count(text, "tt.store") == 1);
}

TEST_CASE("exceptions pass through loops unharmed") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      tl::store(x + i, 1);
      throw std::out_of_range("mine");
    }
  }};
  CHECK_THROWS_WITH_AS(kernel.trace(), "mine", std::out_of_range);
  CHECK(tl::impl::current_trace == nullptr);
}

TEST_CASE("an exception that leaves a loop or branch cannot be caught in the kernel") {
  const char *help = "catch it within the loop or branch, or outside of the kernel";
  constexpr unsigned loop = __LINE__ + 3;
  constexpr auto range = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    try {
      for (auto i : tl::range(0, n)) {
        tl::store(x + i, 1);
        throw 1;
      }
    } catch (int) {
    }
    tl::store(x, 2);
  }};
  expect(fails(range), loop,
         "an exception that left the body of a loop over tl::range was caught in the kernel", help);
  constexpr unsigned branch = __LINE__ + 4;
  constexpr auto if_in_range = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      try {
        tl::if_(i > 3, [&] { throw 1; });
      } catch (int) {
      }
      tl::store(x + i, 1);
    }
  }};
  expect(fails(if_in_range), branch,
         "an exception that left the function given to tl::if_ was caught in the kernel", help);
  constexpr auto while_loop = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    try {
      tl::while_([&] { return n > 0; }, [&] { throw 1; });
    } catch (int) {
    }
    tl::store(x, 1);
  }};
  CHECK(fails(while_loop).message ==
        "an exception that left the functions given to tl::while_ was caught in the kernel");
  constexpr auto combine = tl::kernel{[](tl::ptr<float> x) {
    try {
      tl::reduce<0>(tl::load(x + at()), [](auto a, auto b) {
        throw 1;
        return a + b;
      });
    } catch (int) {
    }
    tl::store(x, 1);
  }};
  CHECK(fails(combine).message ==
        "an exception that left the function given to tl::reduce was caught in the kernel");
  constexpr auto map = tl::kernel{[](tl::ptr<float> x) {
    try {
      tl::map_elementwise(
          [](tl::f32 v) {
            throw 1;
            return v;
          },
          tl::load(x + at()));
    } catch (int) {
    }
    tl::store(x, 1);
  }};
  CHECK(fails(map).message == "an exception that left the function given to tl::map_elementwise "
                              "was caught in the kernel");
  constexpr auto within = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      try {
        throw 1;
      } catch (int) {
        tl::store(x + i, 1);
      }
    }
  }};
  CHECK(fails(within).message == "no error");
}

void calls_itself(tl::ptr<float> x, tl::i32 n) {
  tl::if_(n > 0, [&] { calls_itself(x, n - 1); });
  tl::store(x, n);
}
tl::f32 adds_itself(tl::f32 v, unsigned times) {
  return times == 0 ? v : adds_itself(v + 1.0f, times - 1) + 1.0f;
}

TEST_CASE("a function that calls itself while it is traced is stopped") {
  constexpr unsigned line = __LINE__ - 8;
  constexpr auto branches = tl::kernel{[](tl::ptr<float> x, tl::i32 n) { calls_itself(x, n); }};
  expect(fails(branches), line,
         "loops and branches are nested more than 120 deep while the kernel "
         "is traced",
         "a function that calls itself ends only by what is known while tracing: C++ constants");
  constexpr auto straight =
      tl::kernel{[](tl::ptr<float> x) { tl::store(x, adds_itself(1.0f, ~0u)); }};
  const auto stops = [&] {
    expect(fails(straight), line + 4,
           "functions of the kernel call each other without end while it is traced",
           "a function that calls itself ends only by what is known while tracing: C++ constants");
  };
  stops();
  std::thread(stops).join();
}

TEST_CASE("exits may be as many as nested regions") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n))
      for (int k = 0; k < 118; ++k) {
        tl::continue_if(tl::load(x + i) > float(k));
        tl::store(x + i, 1);
      }
  }};
  CHECK(fails(kernel).message == "no error");
}

TEST_CASE("a container of tensors does not grow in a loop") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    std::vector<tl::f32> parts{tl::load(x)};
    for (auto i : tl::range(0, n))
      parts.push_back(tl::load(x + i));
    tl::store(x, parts[0]);
  }};
  expect(fails(kernel), line, "a tensor that was alive before tl::range was destroyed inside it",
         "do not grow or shrink a container of tensors there");
}

TEST_CASE("functions of reductions use their arguments only") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto captures = tl::kernel{[](tl::ptr<float> x) {
    tl::f32 s = tl::load(x);
    auto v = tl::reduce<0>(tl::load(x + at()), [&](auto a, auto b) { return a * s + b; });
    tl::store(x, v);
  }};
  expect(fails(captures), line, "the function given to tl::reduce uses a tensor from outside of it",
         "pass it as a further operand");
  constexpr auto assigns = tl::kernel{[](tl::ptr<float> x) {
    tl::f32 s = tl::load(x);
    auto v = tl::associative_scan<0>(tl::load(x + at()), [&](auto a, auto b) {
      s = a;
      return a + b;
    });
    tl::store(x + at(), v);
  }};
  CHECK(fails(assigns).message ==
        "the function given to tl::associative_scan assigns to a tensor from outside of it");
}

TEST_CASE("exits stand where they can") {
  constexpr unsigned outside = __LINE__ + 2;
  constexpr auto breaks = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::break_if(n > 3);
    tl::store(x, 1);
  }};
  expect(fails(breaks), outside,
         "tl::break_if works only in the body of a loop over tl::range or of tl::while_");
  constexpr unsigned in_branch = __LINE__ + 2;
  constexpr auto continues = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::if_(n > 3, [&] { tl::continue_if(n > 4); });
    tl::store(x, 1);
  }};
  expect(fails(continues), in_branch,
         "tl::continue_if works only in the body of a loop over tl::range or of tl::while_");
  constexpr unsigned in_condition = __LINE__ + 4;
  constexpr auto condition = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::while_(
        [&] {
          tl::break_if(n > 4);
          return n > 3;
        },
        [&] { n -= 1; });
    tl::store(x, n);
  }};
  expect(fails(condition), in_condition,
         "tl::break_if works only in the body of a loop over tl::range or of tl::while_");
  constexpr unsigned returns_in_condition = __LINE__ + 4;
  constexpr auto returns = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::while_(
        [&] {
          tl::if_(n > 5, [&] { tl::return_if(n > 4); });
          return n > 3;
        },
        [&] { n -= 1; });
    tl::store(x, n);
  }};
  expect(fails(returns), returns_in_condition,
         "tl::return_if stands in the condition of tl::while_, which cannot end the program",
         "let the condition be false, and write tl::return_if after the loop");
  constexpr unsigned in_map = __LINE__ + 4;
  constexpr auto maps = tl::kernel{[](tl::ptr<float> x) {
    tl::store(x + tl::arange<64>(), tl::map_elementwise(
                                        [](auto e) {
                                          tl::return_if(e > 4);
                                          return e;
                                        },
                                        tl::arange<64>()));
  }};
  expect(fails(maps), in_map,
         "tl::return_if stands in the function given to tl::map_elementwise, which cannot end the "
         "program");
}

TEST_CASE("a function that an exit leaves returns what was known before") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto after = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n)) {
      auto v = tl::if_(
          i > 3,
          [&] {
            tl::break_if(i > 4);
            return tl::load(x + i);
          },
          [&] { return tl::load(x); });
      tl::store(x, v);
    }
  }};
  expect(fails(after), line,
         "a function given to tl::if_ returns what it computes after tl::return_if, tl::break_if "
         "or tl::continue_if",
         "assign it to a variable that is declared before tl::if_");
}

TEST_CASE("numbers that do not fit are refused") {
  constexpr unsigned line = __LINE__ + 2;
  constexpr auto large =
      tl::kernel{[](tl::ptr<std::int8_t> x) { tl::store(x, tl::load(x) + 300); }};
  expect(fails(large), line, "the number 300 does not fit i8");
  constexpr auto negative =
      tl::kernel{[](tl::ptr<std::uint32_t> x) { tl::store(x, tl::load(x) * -1); }};
  CHECK(fails(negative).message == "the number -1 does not fit u32");
  constexpr auto huge = tl::kernel{[](tl::ptr<float> x) { tl::store(x, tl::load(x) * 1e300); }};
  CHECK(has(fails(huge).message, "does not fit fp32"));
  constexpr auto half = tl::kernel{[](tl::ptr<tl::float16> x) { tl::store(x, tl::f16(1e6f)); }};
  CHECK(fails(half).message == "the number 1e+06 does not fit fp16");
  constexpr auto masked = tl::kernel{[](tl::ptr<tl::float16> x) {
    tl::store(x, tl::where(tl::load(x) > 0, tl::load(x), -65520));
  }};
  CHECK(fails(masked).message == "the number -65520 does not fit fp16");
  constexpr auto largest = tl::kernel{[](tl::ptr<tl::float16> x) {
    tl::store(x, 65519);
    tl::store(x, -tl::inf);
  }};
  CHECK(fails(largest).message == "no error");
  constexpr auto brain =
      tl::kernel{[](tl::ptr<tl::bfloat16> x) { tl::store(x, tl::full<tl::bfloat16>(3.4e38)); }};
  CHECK(fails(brain).message == "the number 3.4e+38 does not fit bf16");
  constexpr auto fraction = tl::kernel{
      [](tl::ptr<std::int32_t> x) { tl::store(x + at(), tl::load(x + at(), at() < 3, 0.5f)); }};
  CHECK(fails(fraction).message == "the number 0.5 cannot become i32");
  constexpr auto whole = tl::kernel{
      [](tl::ptr<std::int32_t> x) { tl::store(x + at(), tl::load(x + at(), at() < 3, 0.0f)); }};
  CHECK(fails(whole).message == "no error");
  constexpr auto below =
      tl::kernel{[](tl::ptr<float> x) { tl::store(x - std::uint64_t(-1), 1.0f); }};
  CHECK(fails(below).message == "the number 18446744073709551615 does not fit i64");
  constexpr auto above = tl::kernel{[](tl::ptr<float> x) { tl::store(x - INT64_MIN, 1.0f); }};
  CHECK(fails(above).message == "the number 9223372036854775808 does not fit i64");
}

TEST_CASE("options out of range are refused") {
  constexpr auto axis = tl::kernel{[](tl::ptr<float> x) { tl::store(x + tl::program_id(3), 1); }};
  CHECK(fails(axis).message == "axis 3 of tl::program_id is not 0, 1 or 2");
  constexpr auto count = tl::kernel{[](tl::ptr<float> x) { tl::store(x, tl::num_programs(-1)); }};
  CHECK(fails(count).message == "axis -1 of tl::num_programs is not 0, 1 or 2");
  constexpr auto step = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n, 0))
      tl::store(x + i, 1);
  }};
  CHECK(fails(step).message == "the step of tl::range is 0");
  constexpr auto stages = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    for (auto i : tl::range(0, n, 1, {.num_stages = -1}))
      tl::store(x + i, 1);
  }};
  CHECK(fails(stages).message == "num_stages and loop_unroll_factor of tl::range are not negative");
  constexpr auto cache =
      tl::kernel{[](tl::ptr<float> x) { tl::store(x, tl::load(x, {.cache = tl::cache::wb})); }};
  CHECK(fails(cache).message == "tl::load has no cache modifier wb");
  CHECK(fails(cache).help == "use ca, cg, cs or cv");
  constexpr auto store =
      tl::kernel{[](tl::ptr<float> x) { tl::store(x, 1, {.cache = tl::cache::ca}); }};
  CHECK(fails(store).message == "tl::store has no cache modifier ca");
  constexpr auto rounding = tl::kernel{
      [](tl::ptr<float> x) { tl::store(x, tl::cast<double>(tl::load(x), {.rounding = tl::rtz})); }};
  CHECK(fails(rounding).message == "tl::cast rounds only from a float to a narrower float");
  constexpr auto imprecise = tl::kernel{[](tl::ptr<float> x) {
    auto a = tl::load(x + tl::reshape<8, 8>(at()));
    tl::store(x, tl::sum(tl::dot(a, a, {.max_num_imprecise_acc = 9})));
  }};
  CHECK(fails(imprecise).message ==
        "max_num_imprecise_acc of tl::dot is 9, it is at most the inner extent 8");
  constexpr auto pack = tl::kernel{[](tl::ptr<float> x) {
    tl::store(x,
              tl::sum(tl::inline_asm_elementwise<float>("", "", {.pack = 3}, tl::load(x + at()))));
  }};
  CHECK(fails(pack).message == "pack of tl::inline_asm_elementwise is 3, it must be a power of two "
                               "that divides the number of elements");
  constexpr auto order = tl::kernel{
      [](tl::ptr<float> x) { tl::store(x, tl::atomic_load(x, {.sem = tl::sem::release})); }};
  CHECK(fails(order).message == "tl::atomic_load is ordered as relaxed or acquire");
  constexpr auto colon = tl::kernel{"colon", [] { tl::extern_libs("one.bc", "two:three.bc"); }};
  CHECK(fails(colon).message == "tl::extern_libs takes paths without a colon, not 'two:three.bc'");
}

TEST_CASE("descriptors are checked") {
  constexpr auto coordinates = tl::kernel{[](tl::descriptor<float, 8, 8> d) { d.store({0}, 1); }};
  CHECK(fails(coordinates).message == "a descriptor of 2 axes takes as many coordinates, not 1");
  constexpr auto wide =
      tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::i64 n) { d.store({n, 0}, 1); }};
  CHECK(fails(wide).message == "coordinates of a descriptor are 32-bit integers");
  CHECK(fails(wide).help == "tl::cast them");
  constexpr auto extents = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::make_tensor_descriptor<8, 8>(x, {n}, {n, 1}).store({0, 0}, 1);
  }};
  CHECK(fails(extents).message ==
        "tl::make_tensor_descriptor of 2 axes got 1 extents and 2 strides");
  constexpr auto stride = tl::kernel{[](tl::ptr<float> x, tl::i32 n) {
    tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 2}).store({0, 0}, 1);
  }};
  CHECK(fails(stride).message == "the last stride of tl::make_tensor_descriptor is the number 1");
  constexpr auto padding = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.padding = tl::padding::nan})
        .store({0, 0}, 1);
  }};
  CHECK(fails(padding).message == "a descriptor of integers has no NaN to pad with");
  constexpr auto rounding = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n) {
    tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.round_f32_to_tf32 = true})
        .store({0, 0}, 1);
  }};
  CHECK(fails(rounding).message == "only a descriptor of float is read as TF32");
}

TEST_CASE("what is asked of a descriptor is checked") {
  constexpr auto axis = tl::kernel{
      [](tl::descriptor<float, 8, 8> d, tl::ptr<float> x) { tl::store(x + d.shape(2), 1); }};
  CHECK(fails(axis).message == "axis 2 is not one of a descriptor of 2 axes");
  constexpr auto unknown =
      tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::descriptor<float, 8, 8> e, tl::i32 n) {
        tl::descriptor<float, 8, 8> either;
        tl::if_(n > 0, [&] { either = d; });
        e.store({either.shape(0) - 8, 0}, 1);
      }};
  CHECK(fails(unknown).message == "the descriptor is used before it has a value");
  constexpr auto empty = tl::kernel{[](tl::ptr<float> x) {
    tl::descriptor<float, 8, 8> d;
    tl::store(x, tl::sum(d.load({0, 0})));
  }};
  CHECK(fails(empty).message == "the descriptor is used before it has a value");
  constexpr auto padded =
      tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::ptr<float> x, tl::i32 n) {
        tl::if_(n > 0, [&] {
          d = tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.padding = tl::padding::nan});
        });
        d.slice(0, n).store({0, 0}, 1);
      }};
  CHECK(fails(padded).message == "a descriptor that may pad with zeros or with NaN has no slices");
  const char *mixed = "a descriptor whose reads are rounded to TF32 and one whose reads are not "
                      "cannot be assigned to each other";
  constexpr auto rounded =
      tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::ptr<float> x, tl::i32 n) {
        d = tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.round_f32_to_tf32 = true});
        d.store({0, 0}, 1);
      }};
  CHECK(fails(rounded).message == mixed);
  constexpr auto returned =
      tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::ptr<float> x, tl::i32 n) {
        auto e = tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.round_f32_to_tf32 = true});
        tl::if_(n > 0, [&] { return d; }, [&] { return e; }).store({0, 0}, 1);
      }};
  CHECK(fails(returned).message == mixed);
  constexpr auto arms = tl::kernel{[](tl::descriptor<float, 8, 8> d, tl::ptr<float> x, tl::i32 n) {
    tl::descriptor<float, 8, 8> e;
    tl::if_(
        n > 0, [&] { e = d; },
        [&] {
          e = tl::make_tensor_descriptor<8, 8>(x, {n, n}, {n, 1}, {.round_f32_to_tf32 = true});
        });
    e.store({0, 0}, 1);
  }};
  CHECK(fails(arms).message == mixed);
}

TEST_CASE("a quotient is correctly rounded or approximate") {
  constexpr auto both = tl::kernel{[](tl::ptr<float> x, tl::f32 y) {
    tl::store(x, tl::fdiv(y, y + 1, {.ieee_rounding = true, .approximate = true}));
  }};
  CHECK(fails(both).message == "tl::fdiv is correctly rounded or approximate, not both");
  constexpr auto wide = tl::kernel{[](tl::ptr<double> x, tl::f64 y) {
    tl::store(x, tl::fdiv(y, y + 1, {.approximate = true}));
  }};
  CHECK(fails(wide).message == "tl::fdiv is approximate for float only");
}

TEST_CASE("the target is known only where there is one") {
  constexpr auto asks = tl::kernel{[](tl::ptr<float> x) {
    if (tl::target_info::is_cuda())
      tl::store(x, 1);
  }};
  CHECK(fails(asks).message ==
        "tl::target_info has no answer in a kernel that is traced for no target");
  CHECK(fails(asks).help ==
        "launch or compile the kernel, or call trace_for(target) instead of trace()");
}

TEST_CASE("the language works only in kernels") {
  CHECK_THROWS_AS(tl::program_id(0), tl::compile_error);
  try {
    tl::arange<64>();
  } catch (const tl::compile_error &e) {
    CHECK(e.message() == "tl::arange can be used only while a kernel is traced");
    CHECK(e.line() == __LINE__ - 3);
  }
}

TEST_CASE("the report shows the user's line") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) { tl::store(x + tl::program_id(7), 1); }};
  try {
    kernel.trace();
  } catch (const tl::compile_error &e) {
    CHECK(has(e.what(), "error: axis 7 of tl::program_id is not 0, 1 or 2"));
    CHECK(has(e.what(), "tl::store(x + tl::program_id(7), 1);"));
    CHECK(has(e.what(), "^"));
  }
}

TEST_CASE("an expression that is reached as a tensor still refuses assignment") {
  constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) {
    auto v = tl::load(x) + 1.0f;
    tl::f32 &w = v;
    w = tl::load(x + 1);
    tl::store(x, w);
  }};
  CHECK(fails(kernel).message == "an expression declared with auto cannot be assigned to");
  CHECK(fails(kernel).help == "declare it as tl::tensor");
}

tl::f32 global;

TEST_CASE("a tensor that is older than the kernel cannot be assigned to") {
  constexpr unsigned line = __LINE__ + 2;
  constexpr auto assigns = tl::kernel{[](tl::ptr<float> x) {
    global = tl::load(x);
    tl::store(x, 1);
  }};
  expect(fails(assigns), line,
         "a tl::tensor that is static, global or older than the kernel cannot be assigned to",
         "declare it in the lambda of the kernel");
  constexpr auto keeps = tl::kernel{[](tl::ptr<float> x, tl::i32) {
    static tl::f32 total;
    total = tl::load(x);
    tl::store(x, total);
  }};
  CHECK(fails(keeps).message == "no error");
  CHECK(fails(keeps).message ==
        "a tl::tensor that is static, global or older than the kernel cannot be assigned to");
}

float *raw = nullptr;

TEST_CASE("a raw pointer of the host is refused in a kernel") {
  constexpr auto loads = tl::kernel{[](tl::ptr<float> x) { tl::store(x, tl::load(raw)); }};
  CHECK(fails(loads).message == "a raw pointer cannot be used in a kernel");
  constexpr auto moves = tl::kernel{[](tl::ptr<float> x) {
    tl::store(x, 1);
    tl::store(raw + at(), 1.0f);
  }};
  CHECK(fails(moves).message == "a raw pointer cannot be used in a kernel");
  CHECK(fails(moves).help == "give it to the launch, and declare a tl::ptr parameter");
}

} // namespace
