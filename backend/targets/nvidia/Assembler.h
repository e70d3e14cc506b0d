// SPDX-License-Identifier: MIT
//
// PTX to machine code. In process through nvJitLink where the library is found, else through the
// ptxas program; both need no GPU. nvJitLink assembles for a linker, so that it must leave a
// kernel's threads the registers they begin with: a kernel that sets them goes to ptxas if that is
// there. Where neither is there, the driver assembles when it loads the PTX (Driver.h). TL_PTXAS
// names a program that is to be used instead.
#pragma once

#include <string>
#include <string_view>

namespace tl::backend::nvidia {

/// What assembles here.
enum class AssemblerKind { none, nvJitLink, ptxas };

struct AssemblerChoice {
  AssemblerKind kind = AssemblerKind::none;
  std::string path; // of the library or the program
};

/// Looks once: TL_PTXAS, then libnvJitLink, then ptxas in CUDA_HOME, /usr/local/cuda and PATH.
const AssemblerChoice &assemblerChoice();

struct AssemblerOptions {
  int maxRegisters = 0; // 0: the assembler's choice
  bool lineInfo = true;
  bool setsRegisters = false; // the kernel does, when it runs
};

/// The cubin for `architecture` ("sm_90a"). Throws Error with the assembler's own message, which
/// means that our PTX was wrong, or TL_UNSUPPORTED if there is no assembler.
std::string assemble(std::string_view ptx, std::string_view architecture,
                     const AssemblerOptions &options);

} // namespace tl::backend::nvidia
