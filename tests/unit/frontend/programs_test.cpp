// SPDX-License-Identifier: MIT
// The programs that fix the spelling of the interface, as users write them: they compile on every
// supported compiler, and trace.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

// 1. Vector add
template <int Block>
inline constexpr auto add =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};

[[maybe_unused]] void run_add(const std::vector<float> &host_x, const std::vector<float> &host_y) {
  const int n = 98432;
  auto dev = tl::device::best();
  tl::buffer<float> x(dev, host_x), y(dev, host_y), out(dev, n);
  add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
  std::vector<float> result = out.to_vector();
  auto k = add<1024>.compile(dev, x, y, out, n);
  [[maybe_unused]] auto text = k.text(tl::stage::ttir);
}

// 2. Softmax over rows
template <class T, int Cols>
inline constexpr auto softmax =
    tl::kernel{[](tl::ptr<T> out, tl::ptr<const T> in, tl::i32 stride, tl::i32 n_cols) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n_cols;
      tl::tensor v = tl::cast<float>(tl::load(in + row * stride + cols, mask, -tl::inf));
      tl::tensor e = tl::exp(v - tl::max<0>(v));
      tl::store(out + row * stride + cols, tl::cast<T>(e / tl::sum<0>(e)), mask);
    }};

[[maybe_unused]] void run_softmax(tl::buffer<tl::float16> &out, tl::buffer<tl::float16> &in,
                                  int rows, int stride, int n_cols) {
  softmax<tl::float16, 1024>[{.grid = {rows}, .num_warps = 8}](out, in, stride, n_cols);
}

// 3. Matrix product
struct gemm_config {
  int block_m, block_n, block_k, group_m;
  int num_warps = 4, num_stages = 3;
};

template <gemm_config C>
inline constexpr auto matmul = tl::kernel{
    [](tl::ptr<const tl::float16> a, tl::ptr<const tl::float16> b, tl::ptr<tl::float16> c,
       tl::i32 M, tl::i32 N, tl::i32 K, tl::i32 lda, tl::i32 ldb, tl::i32 ldc) {
      auto [pid_m, pid_n] = tl::swizzle2d(
          tl::program_id(0) / tl::cdiv(N, C.block_n), tl::program_id(0) % tl::cdiv(N, C.block_n),
          tl::cdiv(M, C.block_m), tl::cdiv(N, C.block_n), C.group_m);
      auto rows = pid_m * C.block_m + tl::arange<C.block_m>();
      auto cols = pid_n * C.block_n + tl::arange<C.block_n>();
      auto ks = tl::arange<C.block_k>();
      tl::tensor a_ptrs = a + rows(tl::all, tl::newaxis) * lda + ks(tl::newaxis, tl::all);
      tl::tensor b_ptrs = b + ks(tl::all, tl::newaxis) * ldb + cols(tl::newaxis, tl::all);
      auto acc = tl::zeros<float, C.block_m, C.block_n>();
      for (auto k : tl::range(0, K, C.block_k)) {
        auto a_tile = tl::load(
            a_ptrs, (rows(tl::all, tl::newaxis) < M) & (ks(tl::newaxis, tl::all) < K - k), 0.0f);
        auto b_tile = tl::load(
            b_ptrs, (ks(tl::all, tl::newaxis) < K - k) & (cols(tl::newaxis, tl::all) < N), 0.0f);
        acc += tl::dot(a_tile, b_tile);
        a_ptrs += C.block_k;
        b_ptrs += C.block_k * ldb;
      }
      auto mask = (rows(tl::all, tl::newaxis) < M) & (cols(tl::newaxis, tl::all) < N);
      tl::store(c + rows(tl::all, tl::newaxis) * ldc + cols(tl::newaxis, tl::all),
                tl::cast<tl::float16>(acc), mask);
    }};

// 4. Autotuning
inline auto tuned_matmul =
    tl::autotune<gemm_config{128, 256, 64, 8, 8, 3}, gemm_config{128, 128, 64, 8, 4, 4}>(
        []<gemm_config C> { return matmul<C>; }, {.key = tl::args<3, 4, 5>});

[[maybe_unused]] void run_matmul(tl::buffer<tl::float16> &a, tl::buffer<tl::float16> &b,
                                 tl::buffer<tl::float16> &c, int M, int N, int K) {
  tuned_matmul[tl::grid([&](gemm_config cfg) {
    return tl::cdiv(M, cfg.block_m) * tl::cdiv(N, cfg.block_n);
  })](a, b, c, M, N, K, K, N, N);
}

// 5. Control flow on run-time values
inline constexpr auto flow =
    tl::kernel{[](tl::ptr<float> out, tl::i32 n, tl::i32 lo, tl::i32 hi, tl::i32 step) {
      tl::tensor acc = tl::zeros<float, 64>();
      tl::tensor x = n;
      tl::tensor y = n + 1;
      auto c = n > 3;
      tl::if_(tl::program_id(0) == 0, [&] { acc = acc * 2.0f; }, [&] { acc = acc + 1.0f; });
      auto z = tl::if_(c, [&] { return x; }, [&] { return y; });
      tl::while_([&] { return x > 1; }, [&] { x = x / 2; });
      tl::return_if(tl::program_id(0) >= n);
      for (auto k : tl::range(lo, hi, step, {.num_stages = 4, .warp_specialize = true})) {
        acc += k;
      }
      tl::static_for<4>([&](auto i) { acc += float(i); });
      tl::store(out + tl::arange<64>(), acc + z + x);
    }};

TEST_CASE("the programs of the interface trace") {
  CHECK(add<1024>.trace().find("tt.store") != std::string::npos);
  CHECK(softmax<float, 256>.trace().find("tt.reduce") != std::string::npos);
  CHECK(softmax<tl::float16, 1024>.trace().find("arith.truncf") != std::string::npos);
  CHECK(matmul<gemm_config{64, 64, 32, 8}>.trace().find("scf.for") != std::string::npos);
  CHECK(flow.trace().find("tt.warp_specialize") != std::string::npos);
}

} // namespace
