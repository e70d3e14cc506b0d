// SPDX-License-Identifier: MIT
//
// The contract between emulated kernels and the device that runs them. No LLVM header is needed
// here. Next: Functions.h, what the code calls; Translation.h, which makes it.
#pragma once

#include "lowering/HiddenParameters.h"
#include "targets/Target.h"
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Printing.h"

#include <string>
#include <vector>

namespace tl::backend::simt {

/// One thread of the kernel, from its beginning to its end. arguments[i] points to the value of
/// parameter i, those of HiddenParameters after the user's.
using ThreadEntry = void (*)(void *const *arguments);

/// What the emulator's target makes of a kernel. The target derives from it and knows the stages.
struct SimtKernel : CompiledKernel {
  std::string object; // relocatable object file of this host
  std::string entry;  // symbol of the ThreadEntry in it
  unsigned lanes = 32;
  unsigned blockThreads = 0;
  unsigned clusterBlocks = 1; // of a program
  HiddenParameters hidden;
  PrintFormats formats; // of what AMD's code prints
  BankRules banks;
  std::vector<SourceLocation> sites; // the user's lines, by number; the first is unknown

  const HiddenParameters *hiddenParameters() const override { return &hidden; }
};

} // namespace tl::backend::simt
