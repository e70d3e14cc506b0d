// SPDX-License-Identifier: MIT
//
// What a launch knows of a kernel's tensor maps: numbers, and whether the arguments are such that
// the map can be made.
#pragma once

#include "analysis/TensorMapRecipe.h"
#include "support/Parameter.h"

namespace tl::backend::gpu {

/// The number in a launch with these arguments.
int64_t valueOf(const LaunchNumber &number, const std::vector<Parameter> &parameters,
                void *const *arguments);

/// Whether TMA takes a stride: a multiple of 16 bytes from 0 to 2^40.
bool isStride(uint64_t bytes);
inline constexpr int64_t strideLimit = int64_t(1) << 40;

/// Whether TMA brings the blocks that the pointers of the kernel's text lead to: it takes the base
/// and the strides, the tensor is not empty, and what counts is 0 to mostCount. True for the map
/// of a descriptor, which is refused for what it cannot describe.
bool fitsArguments(const TensorMapRecipe &recipe, const std::vector<Parameter> &parameters,
                   void *const *arguments);

} // namespace tl::backend::gpu
