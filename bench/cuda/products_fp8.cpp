// SPDX-License-Identifier: MIT
#include "products.hpp"

namespace bench::gpu {

measured_kernel matmul_fp8() { return products_of<tl::float8e4nv, tl::float16>("matmul_fp8"); }

} // namespace bench::gpu
