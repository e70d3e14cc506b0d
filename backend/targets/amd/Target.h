// SPDX-License-Identifier: MIT
//
// The targets "gfx942", "gfx1100" and so on: code for AMD GPUs, on any machine. Next: Pipeline.h
// for the steps, AmdKernel.h for what comes out.
#pragma once

#include "targets/Target.h"

#include <memory>
#include <string_view>

namespace tl::backend::amd {

inline constexpr CompileOptionSet followedOptions = {
    CompileOption::numWarps, CompileOption::numStages, CompileOption::maxRegisters,
    CompileOption::fpFusion, CompileOption::debug,     CompileOption::deterministic};

/// The target of that name; null if it is not the name of an AMD architecture that we know.
std::unique_ptr<Target> openTarget(std::string_view name);

} // namespace tl::backend::amd
