// SPDX-License-Identifier: MIT
//
// What the AMD target makes of a kernel and a device needs to load and launch it: the contract
// between Target.cpp and the HIP driver. The code object holds one kernel, whose name is `symbol`.
// Its kernarg segment is the user's parameters and then those of HiddenParameters.h, each aligned
// to its size, as hipModuleLaunchKernel lays them out. LDS is static: a launch asks for none.
#pragma once

#include "lowering/HiddenParameters.h"
#include "targets/Target.h"

#include <string>

namespace tl::backend::amd {

struct AmdKernel : CompiledKernel {
  std::string hsaco;                 // the linked code object
  unsigned numWarps = 4, lanes = 64; // a block has numWarps * lanes threads
  HiddenParameters hidden;

  const HiddenParameters *hiddenParameters() const override { return &hidden; }
};

} // namespace tl::backend::amd
