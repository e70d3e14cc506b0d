// SPDX-License-Identifier: MIT
//
// A kernel as the LLVM module that a GPU's code generator gets, and what a launch must know of it.
// The vendor's generator makes machine code of it; the emulator (targets/simt) makes code for the
// host. Next: targets/gpu/Pipeline.h, which ends here.
#pragma once

#include "lowering/HiddenParameters.h"
#include "support/Parameter.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tl::backend {

/// What a target keeps on the way to a module.
struct GpuModuleRequest {
  bool texts = false; // of the stages up to it
  bool lines = false; // of the source, as debug locations
};

/// What the lowering makes.
struct GpuKernelCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string symbol; // of the kernel's function
  uint64_t sharedBytes = 0;
  unsigned producerWarps = 0; // of a block, beside the program's
  HiddenParameters hidden;
  std::vector<SourceLocation> inlineAsm; // of the user's texts of assembly, by number
};

struct GpuModule : GpuKernelCode {
  std::string name; // of the kernel
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds; // step, time
  std::string ttir, ttgir, llir;                            // texts, if they were asked for
  unsigned lanes = 32;
  unsigned numWarps = 4;       // of a program, which may be more than were asked for
  unsigned numCtas = 1;        // blocks of a program, which are a cluster
  bool waitsForLaunch = false; // that is ahead of it, so that it may begin before that has ended
};

} // namespace tl::backend
