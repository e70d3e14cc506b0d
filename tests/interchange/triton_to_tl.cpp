// SPDX-License-Identifier: MIT
//
// The C++ side of docs/how_to/come_from_triton.md: writes the TTIR of its kernels, one file a
// kernel, for triton_to_tl.py, which has the same in Triton and compares what they do.
//
//     triton_to_tl FOLDER
#include "kernel_texts.hpp"
#include "matmul.hpp"
#include "softmax.hpp"
#include "vector_add.hpp"

#include <bit>
#include <cstdio>

namespace {

// [transpose]
template <class T, int B>
constexpr auto transpose = tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> out, tl::i32 M, tl::i32 N) {
  auto source = tl::make_tensor_descriptor<B, B>(x, {M, N}, {N, 1});
  auto target = tl::make_tensor_descriptor<B, B>(out, {N, M}, {M, 1});
  tl::i32 i = tl::program_id(0) * B, j = tl::program_id(1) * B;
  target.store({j, i}, tl::trans(source.load({i, j})));
}};
// [transpose]

// [collatz]
constexpr auto collatz =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 n) {
      auto pid = tl::program_id(0);
      tl::return_if(pid >= n);
      tl::i32 value = tl::load(x + pid);
      tl::i32 steps = 0;
      tl::while_([&] { return value != 1; },
                 [&] {
                   tl::if_(
                       value % 2 == 0, //
                       [&] { value = value / 2; }, [&] { value = 3 * value + 1; });
                   steps += 1;
                 });
      tl::store(out + pid, steps);
    }};
// [collatz]

// [loops]
template <int N, int Degree>
constexpr auto loops = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
  auto i = tl::arange<N>();
  tl::tensor v = tl::load(x + i);
  tl::tensor y = tl::zeros<float, N>();
  for (auto k : tl::range(0, n, 1, {.num_stages = 2})) // when the kernel runs
    y += v * k;
  for (int k = 0; k < Degree; ++k) // unrolled
    y = y * v + k;
  tl::store(out + i, y);
}};
// [loops]

// [moments]
template <int N>
constexpr auto moments = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto i = tl::arange<N>();
  tl::tensor v = tl::load(x + i);
  auto [total, squares] =
      tl::reduce<0>(std::tuple(v, v * v), [](auto s1, auto q1, auto s2, auto q2) {
        return std::tuple(s1 + s2, q1 + q2);
      });
  auto highest = tl::associative_scan<0>(v, [](auto a, auto b) { return tl::maximum(a, b); });
  auto [value, place] = tl::max_with_index<0>(v);
  tl::store(out + i, highest - total / N + squares + value * place);
}};
// [moments]

// [rotary]
auto rotated(const auto &a, const auto &b, const auto &c, const auto &s) {
  return std::pair(a * c - b * s, b * c + a * s);
}

template <int Half>
constexpr auto rotary =
    tl::kernel{[](tl::ptr<float> x, tl::ptr<const float> cosines, tl::ptr<const float> sines) {
      auto i = tl::arange<Half>();
      auto first = x + i, second = x + Half + i;
      auto [a, b] =
          rotated(tl::load(first), tl::load(second), tl::load(cosines + i), tl::load(sines + i));
      tl::store(first, a);
      tl::store(second, b);
    }};
// [rotary]

// [descent]
struct learned {
  tl::ptr<float> weight;
  tl::ptr<const float> gradient;
};

template <int Block>
constexpr auto descent = tl::kernel{[](learned state, tl::f32 rate, tl::i32 n) {
  auto [weight, gradient] = state;
  auto at = tl::program_id(0) * Block + tl::arange<Block>();
  tl::tensor w = tl::load(weight + at, at < n);
  tl::store(weight + at, w - w * rate * tl::load(gradient + at, at < n), at < n);
}};
// [descent]

// [shapes]
template <int N>
constexpr auto shapes = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  auto i = tl::arange<N>();
  tl::tensor v = tl::load(x + i);
  auto [even, odd] = tl::split(tl::reshape<N / 2, 2>(v));
  tl::tensor table = tl::trans(tl::join(even, odd)); // 2 x N / 2
  table -= tl::sum<1, tl::keep_dims>(table);
  auto turned = tl::interleave(odd, even);
  auto picked = tl::gather<0>(v, N - 1 - i);
  auto best = tl::where(turned > 0, turned, tl::sort(picked, {.descending = true}));
  tl::store(out + i, best + tl::ravel(table) + tl::flip(v));
}};
// [shapes]

// [types]
template <int N>
constexpr auto types = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<float> out) {
  auto i = tl::arange<N>();
  tl::tensor v = tl::load(x + i); // int32
  auto ratio = tl::cast<float>(v) / 3;
  auto whole = v / 3;
  auto half = tl::cast<tl::float16>(ratio) * 2.5; // float16
  auto bits = tl::bitcast<std::uint16_t>(half);
  auto high = tl::cast<std::int8_t>(bits >> 8);
  tl::store(out + i, ratio + whole + half + high);
}};
// [types]

// [counts]
template <int N>
constexpr auto counts = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> total,
                                      tl::ptr<std::int32_t> bins, tl::ptr<std::int32_t> lock) {
  auto i = tl::arange<N>();
  tl::tensor v = tl::load(x + tl::program_id(0) * N + i);
  tl::atomic_add(bins + v, 1, {.sem = tl::sem::relaxed});
  tl::while_([&] { return tl::atomic_cas(lock, 0, 1) == 1; }, [] {});
  tl::store(total + i, tl::load(total + i) + v);
  tl::atomic_xchg(lock, 0);
}};
// [counts]

// [draws]
template <int N>
constexpr auto draws = tl::kernel{[](tl::ptr<float> out, tl::i32 seed) {
  auto i = tl::arange<N>();
  tl::tensor u = tl::rand(seed, i);
  tl::device_assert(u < 1, "u is below one");
  tl::store(out + i, tl::libdevice::asin(u));
}};
// [draws]

// [elements]
constexpr int power_of_two_above(int n) { return int(std::bit_ceil(unsigned(n) + 1)); }

tl::i32 steps_to_one(tl::i32 value) {
  tl::i32 steps = 0;
  tl::while_([&] { return value > 1; }, // each element its own number of times
             [&] {
               tl::if_(
                   value % 2 == 0, //
                   [&] { value = value / 2; }, [&] { value = 3 * value + 1; });
               steps += 1;
             });
  return steps;
}

template <int N, int Most>
constexpr auto elements =
    tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out, tl::i32 n) {
      constexpr int Bins = power_of_two_above(Most);
      static_assert(Bins > Most, "there is a bin for each");
      tl::assume(n > 0);
      auto i = tl::max_contiguous<N>(tl::arange<N>());
      tl::tensor v = tl::load(x + i, (0 <= i) & (i < n), 1);
      tl::tensor steps = tl::map_elementwise([](tl::i32 value) { return steps_to_one(value); }, v);
      tl::store(out + tl::arange<Bins>(), tl::histogram<Bins>(steps, i < n));
    }};
// [elements]

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: triton_to_tl FOLDER\n");
    return 2;
  }
  kernel_texts print(argv[1]);
  print("add", kernels::add<64>);
  print("softmax", kernels::softmax<float, 64>);
  print("matmul", kernels::matmul<float, kernels::gemm_config{16, 16, 16, 2}>);
  print("transpose", transpose<float, 16>);
  print("collatz", collatz);
  print("loops", loops<32, 3>);
  print("moments", moments<32>);
  print("rotary", rotary<16>);
  print("descent", descent<32>);
  print("shapes", shapes<32>);
  print("types", types<32>);
  print("counts", counts<32>);
  print("draws", draws<32>);
  print("elements", elements<64, 30>);
  if (!print.all_written())
    std::fprintf(stderr, "triton_to_tl: cannot write to %s\n", argv[1]);
  return print.all_written() ? 0 : 1;
}
