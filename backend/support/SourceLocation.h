// SPDX-License-Identifier: MIT
//
// A line of the user's source, as MLIR's locations, errors and compiled kernels pass it on.
#pragma once

#include <cstdint>
#include <string>

namespace tl::backend {

/// Line 0 if nothing is known.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

} // namespace tl::backend
