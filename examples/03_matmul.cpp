// SPDX-License-Identifier: MIT
//
// Loops and products: a matrix product in tiles, with a configuration as template parameter.
//
// A program computes one tile of C. It walks along K: the two tiles of pointers move, and the
// accumulator is carried from step to step, simply by being assigned. All three are tl::tensor
// variables, since they change. The tile sizes come from a struct, so that one kernel serves many.

#include "kernels/matmul.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

std::vector<double> reference(const std::vector<tl::float16> &a, const std::vector<tl::float16> &b,
                              int M, int N, int K) {
  std::vector<float> wide_b(b.begin(), b.end());
  std::vector<double> c(std::size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k) {
      double factor = float(a[std::size_t(m) * K + k]);
      for (int n = 0; n < N; ++n)
        c[std::size_t(m) * N + n] += factor * wide_b[std::size_t(k) * N + n];
    }
  return c;
}

template <gemm_config C>
bool check(const lesson::options &o, const char *what, int M, int N, int K) {
  auto host_a = lesson::random_values<tl::float16>(std::size_t(M) * K, 11);
  auto host_b = lesson::random_values<tl::float16>(std::size_t(K) * N, 12);
  tl::buffer<tl::float16> a(o.device, host_a), b(o.device, host_b);
  tl::buffer<tl::float16> c(o.device, std::size_t(M) * N);
  auto product = [&] {
    // [launch]
    const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
    matmul<tl::float16, C>[{.grid = {tiles}, .num_warps = C.num_warps, .num_stages = C.num_stages}](
        a, b, c, M, N, K, K, N, N);
    // [launch]
    lesson::wait(o.device);
  };
  product();
  // Rounding the result to float16 is half of 2^-10; summing K products in float adds little.
  bool right =
      lesson::close(what, c.to_vector(), reference(host_a, host_b, M, N, K), 0x1p-10, 1e-4);
  if (!o.quick) {
    double seconds = lesson::median_seconds(product);
    std::printf("%s: %d x %d x %d in %.3f ms, %.1f GFLOP/s\n", what, M, N, K, seconds * 1e3,
                2e-9 * M * N * K / seconds);
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "matrix product", [](const lesson::options &o) {
    constexpr gemm_config small{32, 32, 16, 4}, large{64, 128, 64, 8, 8};
    if (o.quick)
      return check<small>(o, "32x32x16 tiles", 70, 50, 41);
    return check<small>(o, "32x32x16 tiles", 200, 180, 150) &&
           check<large>(o, "64x128x64 tiles", 1000, 1024, 512);
  });
}
