// SPDX-License-Identifier: MIT
//
// What docs/how_to/choose_a_kernel_at_run_time.md shows: from a value of the host to a template
// argument.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace testing = tl::testing;

namespace {

template <class T, int Cols>
constexpr auto softmax = tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> in, tl::i32 n) {
  auto row = tl::program_id(0);
  auto cols = tl::arange<Cols>();
  auto mask = cols < n;
  tl::tensor v = tl::cast<float>(tl::load(in + row * n + cols, mask, -tl::inf));
  tl::store(out + row * n + cols, tl::cast<T>(tl::softmax<0>(v)), mask);
}};

// [dispatch]
/// Calls f with the first of the numbers that is at least n, as a template argument.
template <int... Numbers, class F> void with_at_least(int n, F &&f) {
  const bool found =
      ((n <= Numbers ? (f(std::integral_constant<int, Numbers>()), true) : false) || ...);
  if (!found)
    throw std::invalid_argument("no kernel for " + std::to_string(n) + " columns");
}

void run_softmax(tl::buffer<float> &out, const tl::buffer<float> &in, int rows, int n) {
  with_at_least<64, 256, 1024>(
      n, [&](auto cols) { softmax<float, cols>[{.grid = {rows}}](out, in, n); });
}
// [dispatch]

// [types]
enum class number { f32, f16, bf16 };

/// Calls f with an object of the element type.
template <class F> void with_type(number kind, F &&f) {
  switch (kind) {
  case number::f32:
    return f(float());
  case number::f16:
    return f(tl::float16());
  case number::bf16:
    return f(tl::bfloat16());
  }
}

void run_softmax(number kind, void *out, const void *in, int rows, int n, tl::device dev) {
  with_type(kind, [&](auto example) {
    using T = decltype(example);
    with_at_least<64, 256, 1024>(n, [&](auto cols) {
      softmax<T, cols>[{.grid = {rows}, .device = dev}](static_cast<T *>(out),
                                                        static_cast<const T *>(in), n);
    });
  });
}
// [types]

// [flag]
template <bool Causal>
constexpr auto mask_scores = tl::kernel{[](tl::ptr<float> scores, tl::i32 n) {
  auto row = tl::program_id(0);
  auto cols = tl::arange<64>();
  auto keep = cols < n;
  if constexpr (Causal) // decided while the C++ compiler runs
    tl::store(scores + row * n + cols, -tl::inf, keep & (cols > row));
  else
    tl::store(scores + row * n + cols, 0.0f, keep & (row < 0));
}};

void run_mask(bool causal, tl::buffer<float> &scores, int n) {
  const auto &kernels = causal ? mask_scores<true>[{.grid = {n}}](scores, n)
                               : mask_scores<false>[{.grid = {n}}](scores, n);
  (void)kernels;
}
// [flag]

std::vector<float> reference(const std::vector<float> &in, int rows, int n) {
  std::vector<float> out(in.size());
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::exp(double(in[row * n + i]));
    for (int i = 0; i < n; ++i)
      out[row * n + i] = float(std::exp(double(in[row * n + i])) / sum);
  }
  return out;
}

} // namespace

TEST_CASE("docs: the smallest kernel that is large enough is launched") {
  for (tl::device dev : testing::devices())
    for (int n : {1, 64, 65, 1000}) {
      const auto host = testing::random_values<float>(3 * n);
      tl::buffer<float> in(dev, host), out(dev, 3 * n);
      run_softmax(out, in, 3, n);
      CHECK(testing::allclose(out, reference(host, 3, n), {.rtol = 1e-5, .atol = 1e-7}));
    }
  tl::buffer<float> x(tl::device("cpu"), 2000);
  CHECK_THROWS_AS(run_softmax(x, x, 1, 2000), std::invalid_argument);
}

TEST_CASE("docs: the element type is chosen when the program runs") {
  for (tl::device dev : testing::devices()) {
    const auto host = testing::random_values<tl::bfloat16>(2 * 50);
    tl::buffer<tl::bfloat16> in(dev, host), out(dev, 2 * 50);
    run_softmax(number::bf16, out.data(), in.data(), 2, 50, dev);
    const std::vector<float> wide(host.begin(), host.end());
    CHECK(testing::allclose(out, reference(wide, 2, 50), {.rtol = 1e-2}));
  }
}

TEST_CASE("docs: a flag of the host chooses between two kernels") {
  for (tl::device dev : testing::devices())
    for (bool causal : {false, true}) {
      tl::buffer<float> scores(dev, 16);
      scores.fill(1);
      run_mask(causal, scores, 4);
      for (int i = 0; i < 16; ++i)
        CHECK(std::isinf(scores.to_vector()[i]) == (causal && i % 4 > i / 4));
    }
}
