// SPDX-License-Identifier: MIT
//
// What the AMD target makes of a kernel and a device needs to load and launch it: the contract
// between Target.cpp and the HIP driver. The code object holds one kernel, whose name is `symbol`.
// Its kernarg segment is the user's parameters and then those of HiddenParameters.h, each aligned
// to its size, as hipModuleLaunchKernel lays them out. LDS is static: a launch asks for none.
#pragma once

#include "targets/gpu/GpuDevice.h"

#include <string>

namespace tl::backend::amd {

struct AmdKernel : gpu::GpuCode {
  std::string hsaco; // the linked code object

  AmdKernel() { lanes = 64; }
};

} // namespace tl::backend::amd
