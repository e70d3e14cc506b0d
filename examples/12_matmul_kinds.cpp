// SPDX-License-Identifier: MIT
//
// Other products: grouped, block-scaled, and with weights of four bits.
//
// The first multiplies matrices of different extents in one launch; in the second, neighbours of
// 8 bits share a scale; in the third, weights are widened on the way to the product.
//
// The kernels are those that are measured in bench/matmul; here is what they are given. A config
// is a template argument and says what a launch needs, too.

#include "../bench/matmul/block_scaled.hpp"
#include "../bench/matmul/grouped.hpp"
#include "../bench/matmul/int4_weights.hpp"
#include "lesson.hpp"

namespace {

using namespace bench::products;
using T = tl::float16;

// Small tiles, for small matrices on any device; bench/matmul/tuned.hpp has those of large ones.
constexpr tile_config tiles{.block_m = 32, .block_n = 32, .block_k = 32, .group_m = 4};

int tiles_of(int M, int N) { return tl::cdiv(M, tiles.block_m) * tl::cdiv(N, tiles.block_n); }
tl::launch_options launch(tl::launch_grid grid) {
  return {.grid = grid, .num_warps = tiles.num_warps, .num_stages = tiles.num_stages};
}

/// a b in double, both by rows.
template <class A, class B>
std::vector<double> product(const A &a, const B &b, int M, int N, int K) {
  std::vector<double> c(std::size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k)
      for (int n = 0; n < N; ++n)
        c[m * N + n] += double(a[m * K + k]) * double(b[k * N + n]);
  return c;
}

/// The kernel finds its problems in device memory: addresses of A, B and C, and M, N and K.
bool check_grouped(const lesson::options &o) {
  struct problem {
    int M, N, K;
  };
  const std::vector<problem> problems{{70, 40, 24}, {8, 16, 8}, {33, 64, 40}};
  std::vector<tl::buffer<T>> operands, results;
  std::vector<std::vector<double>> want;
  std::vector<std::int64_t> addresses;
  std::vector<std::int32_t> extents;
  for (const auto &[M, N, K] : problems) {
    const auto a = lesson::random_values<T>(M * K, 121), b = lesson::random_values<T>(K * N, 122);
    want.push_back(product(a, b, M, N, K));
    operands.emplace_back(o.device, a);
    operands.emplace_back(o.device, b);
    results.emplace_back(o.device, M * N);
    const T *parts[] = {operands.end()[-2].data(), operands.back().data(), results.back().data()};
    for (const T *part : parts)
      addresses.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(part)));
    extents.insert(extents.end(), {M, N, K});
  }
  tl::buffer<std::int64_t> address_list(o.device, addresses);
  tl::buffer<std::int32_t> extent_list(o.device, extents);
  // Four programs go round over the tiles of all problems; N and K are multiples of 8.
  grouped_matmul<T, T, tiles, 8>[launch(4)](address_list, extent_list, int(problems.size()));
  bool right = true;
  for (std::size_t i = 0; i < problems.size(); ++i)
    right &= lesson::close("grouped product", results[i].to_vector(), want[i], 0x1p-10, 1e-3);
  return right;
}

/// Elements of float8e4nv, of which 32 neighbours along K have a power of two as scale. B is given
/// transposed, so that its neighbours along K are neighbours in memory.
bool check_block_scaled(const lesson::options &o, int M, int N, int K) {
  using fp8 = tl::float8e4nv;
  const auto a = lesson::random_values<fp8>(M * K, 123, -4, 4);
  const auto b = lesson::random_values<fp8>(N * K, 124, -4, 4);
  const auto a_scales = lesson::random_values<std::uint8_t>(M * K / 32, 125, 124, 131);
  const auto b_scales = lesson::random_values<std::uint8_t>(N * K / 32, 126, 124, 131);
  std::vector<double> want(std::size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k)
        want[m * N + n] +=
            std::ldexp(double(a[m * K + k]) * double(b[n * K + k]),
                       a_scales[(m * K + k) / 32] + b_scales[(n * K + k) / 32] - 254);
  tl::buffer<fp8> x(o.device, a), y(o.device, b);
  tl::buffer<std::uint8_t> x_scales(o.device, a_scales), y_scales(o.device, b_scales);
  tl::buffer<float> c(o.device, M * N);
  block_scaled_matmul<tl::e4m3, tl::e4m3, float, tiles>[launch(tiles_of(M, N))](
      x, x_scales, y, y_scales, c, M, N, K);
  return lesson::close("block-scaled product", c.to_vector(), want, 1e-5, K * 0x1p-16);
}

/// Weights (q - zero) * scale, with a zero and a scale for each column and `group` rows. Eight
/// neighbours of a row share an int32, as the header says.
bool check_int4(const lesson::options &o, int M, int N, int K) {
  constexpr int group = 32;
  const auto q = lesson::random_values<std::int32_t>(K * N, 127, 0, 16);
  const auto zeros = lesson::random_values<std::int32_t>(K / group * N, 128, 0, 16);
  const auto scales = lesson::random_values<T>(K / group * N, 129, 0.01f, 0.1f);
  const auto x = lesson::random_values<T>(M * K, 130);
  const auto pack = [](const std::vector<std::int32_t> &numbers) {
    std::vector<std::int32_t> words(numbers.size() / 8);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      words[i / 8] |= std::int32_t(std::uint32_t(numbers[i]) << (i % 8 / 2 + i % 2 * 4) * 4);
    return words;
  };
  std::vector<T> weights; // each is rounded to float16 once
  for (int i = 0; i < K * N; ++i) {
    const int line = i / N / group * N + i % N;
    weights.push_back(T(float(q[i] - zeros[line]) * float(scales[line])));
  }
  tl::buffer<T> in(o.device, x), scale_values(o.device, scales), out(o.device, M * N);
  tl::buffer<std::int32_t> words(o.device, pack(q)), zero_words(o.device, pack(zeros));
  const auto needed = scratch_of(tiles, M, N);
  tl::buffer<float> sums(o.device, needed.sums);
  tl::buffer<std::int32_t> counters(o.device, needed.counters);
  counters.fill(0);
  int4_matmul<T, tiles, group>[launch(tl::grid(tiles_of(M, N), tiles.splits))](
      in, words, zero_words, scale_values, out, M, N / 8, K, sums, counters);
  return lesson::close("product with int4 weights", out.to_vector(), product(x, weights, M, N, K),
                       0x1p-10, 1e-3);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "kinds of products", [](const lesson::options &o) {
    const int size = o.quick ? 1 : 8;
    return lesson::all({check_grouped(o), check_block_scaled(o, 40 * size, 24 * size, 96 * size),
                        check_int4(o, 20, 72 * size, 96 * size)});
  });
}
