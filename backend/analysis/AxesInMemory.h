// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/AxisInfo.h"

namespace tl::backend {

/// The axes of a tensor of pointers by how near neighbours along them are in memory: as far as the
/// axis analysis is sure, then by what is likely, and among equals the last one first.
std::vector<unsigned> axesInMemory(mlir::Value pointer, const AxisInfoAnalysis &axes);

} // namespace tl::backend
