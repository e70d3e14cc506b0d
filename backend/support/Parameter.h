// SPDX-License-Identifier: MIT
//
// What compiled kernels say of their parameters.
#pragma once

#include <string>

namespace tl::backend {

/// A kernel parameter as the launcher sees it.
struct Parameter {
  std::string type;   // as printed in TTIR: "!tt.ptr<f32>", "i32", "bf16"
  unsigned bytes = 0; // bytes read through the argument pointer
  bool isPointer = false;
};

} // namespace tl::backend
