// SPDX-License-Identifier: MIT
#include "products.hpp"

namespace bench::gpu {

measured_kernel matmul_int8() { return products_of<std::int8_t, std::int32_t>("matmul_int8"); }

} // namespace bench::gpu
