// SPDX-License-Identifier: MIT
//
// PTX to machine code. In process through nvJitLink where the library is found, else through the
// ptxas program; both need no GPU. Where neither is there, the driver assembles when it loads the
// PTX (Driver.h). TL_PTXAS names a program that is to be used instead.
//
// nvJitLink assembles for a linker: with what may be linked to a kernel in mind it takes more
// registers, and leaves its threads those they begin with. So where that matters ptxas has the last
// word, which costs the start of a program.
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
  bool wholeProgram = false; // nothing will be linked to it: by ptxas, if that is there
};

/// Whether ptxas may do better than what assembles here.
bool canAssembleWholeProgram();

/// The cubin for `architecture` ("sm_90a"). Throws Error with the assembler's own message, which
/// means that our PTX was wrong, or TL_UNSUPPORTED if there is no assembler.
std::string assemble(std::string_view ptx, std::string_view architecture,
                     const AssemblerOptions &options);

} // namespace tl::backend::nvidia
