// SPDX-License-Identifier: MIT
//
// A kernel as the LLVM module that a GPU's code generator gets, and what a launch must know of it.
// The vendor's generator makes machine code of it; the emulator (targets/simt) makes code for the
// host. So each GPU target has one function that ends here.
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

struct GpuModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string name, symbol; // of the kernel, and of its function
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds; // step, time
  std::string ttir, ttgir, llir;                            // texts, if they were asked for
  uint64_t sharedBytes = 0;
  unsigned lanes = 32;
  unsigned numWarps = 4;       // of a program, which may be more than were asked for
  unsigned producerWarps = 0;  // of a block, beside the program's
  unsigned numCtas = 1;        // blocks of a program, which are a cluster
  bool waitsForLaunch = false; // that is ahead of it, so that it may begin before that has ended
  HiddenParameters hidden;
  std::vector<SourceLocation> inlineAsm; // of the user's texts of assembly, by number
};

} // namespace tl::backend
