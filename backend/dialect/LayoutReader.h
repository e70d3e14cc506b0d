// SPDX-License-Identifier: MIT
//
// From the text of an attribute or type to the layout that it means, for those who have no module
// around it: `tlc layout`. Mentions no MLIR.
#pragma once

#include "layout/LayoutForms.h"

#include <string_view>

namespace tl::backend {

struct ReadLayout {
  LinearLayout layout;
  LayoutKind kind = LayoutKind::Distributed;
  unsigned elementBits = 0; // of a type; 0: the text does not say
};

/// Reads `#ttg.layout<...>`, `#ttg.shared<...>`, `tensor<16x64xf16, #ttg.layout<...>>` or
/// `!ttg.memdesc<64x64xf16, #ttg.shared<...>>`. Throws Error (TL_INVALID_ARGUMENT) with line and
/// column in the text.
ReadLayout readLayout(std::string_view text);

} // namespace tl::backend
