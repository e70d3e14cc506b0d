// SPDX-License-Identifier: MIT
//
// The targets "sm_80", "sm_90a" and so on: code for NVIDIA GPUs, on any machine. Next: Pipeline.h
// for the steps, Driver.h for running what comes out.
#pragma once

#include "targets/Target.h"

#include <memory>
#include <string>
#include <string_view>

namespace tl::backend::nvidia {

inline constexpr CompileOptionSet followedOptions = {
    CompileOption::numWarps,     CompileOption::numStages, CompileOption::numCtas,
    CompileOption::maxRegisters, CompileOption::fpFusion,  CompileOption::debug,
    CompileOption::deterministic};

/// The target of that name; null if it is not the name of an NVIDIA architecture that we know.
std::unique_ptr<Target> openTarget(std::string_view name);

/// What of NVIDIA's tools and libraries is missing here, a sentence each.
std::string missingDriver();
std::string missingAssembler();

} // namespace tl::backend::nvidia
