// SPDX-License-Identifier: MIT
#pragma once
// A device function that two files share: docs/how_to/write_device_functions.md shows it.

// [declaration]
#include <tl/tl.hpp>

namespace activation {

using tile = tl::tensor<float, tl::shape<64>>;

tile gelu(const tile &x); // defined in another file

} // namespace activation
// [declaration]
