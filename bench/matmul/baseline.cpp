// SPDX-License-Identifier: MIT
//
// The peer of the matrix product: OpenBLAS, where it was found. Its choice of kernels is printed,
// because its guess for a new processor can be one of an older kind; bench/run sets it.

#include "../peers.hpp"

#ifdef TL_BENCH_OPENBLAS
#include <cblas.h>

#include <string>

namespace bench::peer {

bool has_matmul() { return true; }

void matmul(const float *a, const float *b, float *c, int n) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
}

const char *matmul_library() {
  static const std::string text = std::string("OpenBLAS, kernels for ") + openblas_get_corename() +
                                  ", " + std::to_string(openblas_get_num_threads()) + " threads";
  return text.c_str();
}

} // namespace bench::peer
#else
namespace bench::peer {

bool has_matmul() { return false; }
void matmul(const float *, const float *, float *, int) {}
const char *matmul_library() { return ""; }

} // namespace bench::peer
#endif
