// SPDX-License-Identifier: MIT
//
// The plain C++ vector add, on one thread where waking another costs more than it gives; and the
// thread count of all OpenMP peers.

#include "../peers.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bench::peer {

void vector_add(const float *x, const float *y, float *out, std::ptrdiff_t n) {
  if (n < 1 << 16) {
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < n; ++i)
      out[i] = x[i] + y[i];
    return;
  }
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

void use_threads(int count) {
#ifdef _OPENMP
  omp_set_num_threads(count);
#else
  (void)count;
#endif
}

} // namespace bench::peer
