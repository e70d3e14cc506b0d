// SPDX-License-Identifier: MIT
#include "products.hpp"

namespace bench::gpu {

measured_kernel matmul_bf16() { return products_of<tl::bfloat16, tl::bfloat16>("matmul_bf16"); }

} // namespace bench::gpu
