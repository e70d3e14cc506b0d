// SPDX-License-Identifier: MIT
#pragma once
// What tl is measured against: for each kernel the best plain C++ loop that we know how to write,
// threaded by OpenMP, each in baseline.cpp beside the kernel. Those files are compiled with -O3 for
// this very processor.

#include <cstddef>

namespace bench::peer {

void vector_add(const float *x, const float *y, float *out, std::ptrdiff_t n);

void softmax(const float *in, float *out, std::ptrdiff_t rows, std::ptrdiff_t cols);

void layer_norm(const float *x, const float *weight, const float *bias, float *y, float *mean,
                float *rstd, std::ptrdiff_t rows, std::ptrdiff_t cols, float eps);

/// C = A B, row-major n x n, by OpenBLAS; false where it was absent when building.
bool has_matmul();
void matmul(const float *a, const float *b, float *c, int n);

/// Name and threads of the library that matmul calls, "" without one.
const char *matmul_library();

/// Sets the number of threads of all peers.
void use_threads(int count);

} // namespace bench::peer
