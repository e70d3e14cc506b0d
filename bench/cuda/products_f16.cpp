// SPDX-License-Identifier: MIT
#include "products.hpp"

namespace bench::gpu {

measured_kernel matmul_f16() { return products_of<tl::float16, tl::float16>("matmul_f16"); }

} // namespace bench::gpu
