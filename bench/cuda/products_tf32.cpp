// SPDX-License-Identifier: MIT
#include "products.hpp"

namespace bench::gpu {

measured_kernel matmul_tf32() { return products_of<float, float>("matmul_tf32"); }

} // namespace bench::gpu
