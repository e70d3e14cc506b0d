// SPDX-License-Identifier: MIT
#pragma once
// The names that examples in the headers' comments use without declaring them. examples.py compiles
// the examples, and nothing is linked. A name that means something else in one header is declared
// in the list of examples.py.

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <cstdio>
#include <random>
#include <vector>

#define CHECK(x) ((void)(x))

using tl::shape;
template <class T, int... E> using block = tl::tensor<T, shape<E...>>;

// ---- On the host

namespace on_host {

extern tl::device dev;
extern tl::stream s;
extern tl::launch_grid grid;
extern int n, g, M, N, K, rows, columns, stride, n_cols;
extern std::vector<float> host_vector;
extern tl::buffer<float> x, y, out, in, a, b, c;
void use_smaller_tiles(std::uint64_t required, std::uint64_t limit);

template <int Block>
constexpr auto add =
    tl::kernel{[](tl::ptr<const float>, tl::ptr<const float>, tl::ptr<float>, tl::i32) {}};
template <class T, int Cols>
constexpr auto softmax = tl::kernel{[](tl::ptr<T>, tl::ptr<const T>, tl::i32, tl::i32) {}};

struct gemm_config {
  int block_m;
};
inline constexpr gemm_config config{64}, large{256};
template <gemm_config C>
constexpr auto matmul = tl::kernel{
    [](tl::ptr<const float>, tl::ptr<const float>, tl::ptr<float>, tl::i32, tl::i32, tl::i32) {}};
inline auto tuned = tl::autotune<config, large>([]<gemm_config C> { return matmul<C>; });

struct copy_config {
  int block;
};
template <copy_config C>
constexpr auto copy = tl::kernel{[](tl::ptr<const float>, tl::ptr<float>, tl::i32) {}};

} // namespace on_host

// ---- In a kernel

namespace in_kernel {

inline constexpr int Block = 64;
extern tl::i32 n, s32, rows, columns, stride, k, row, pid, i, j, M, N, K;
extern tl::f32 s, eps, total;
extern block<float, 64> x, y, z, a, b, e, v, acc, low, high, re, im;
extern block<std::int32_t, 64> offsets, bins, index, cols, lengths;
extern block<bool, 64> mask;
extern block<float *, 64> pointers;
extern tl::ptr<float> out, partial, scratch, base;
extern tl::ptr<std::int32_t> counts, counter, lock, flag;

} // namespace in_kernel
