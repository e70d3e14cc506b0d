// SPDX-License-Identifier: MIT
//
// The interface between the runtime, which knows no MLIR, and the dialect: TTIR text in, canonical
// text out.
#pragma once

#include "support/KernelSource.h"

#include <string>

namespace tl::backend {

/// Parses and checks TTIR text and prints it again without locations: two texts with one result
/// are the same kernel. The module stays in the source, for the compilation. Throws Error for text
/// that is not TTIR. Any thread may call.
std::string canonicalText(KernelSource &source);

} // namespace tl::backend
