// SPDX-License-Identifier: MIT
//
// The environment variables that libtl obeys, read and checked in one place, but for those that
// name files of vendors: TL_PTXAS, TL_LIBCUDA (targets/nvidia/Assembler.h, CudaApi.h) and TL_LIBHIP
// (targets/amd/HipApi.h). A value that means nothing is an error that names the variable, the value
// and what was expected; it is never ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tl::backend {

/// What TL_PRINT_IR asks for; the text goes to stderr.
enum class PrintIR {
  Nothing,     // "" or "none"
  Before,      // "before": the module as it enters the pipeline
  After,       // "after": the module as it leaves the last pass
  AfterEach,   // "after-each": the module after each pass
  AfterChange, // "after-change": the module after each pass that changed it
};

/// The variables, parsed. Unset and empty mean the same: the default that stands here.
struct Environment {
  /// TL_DEVICE: the device that tl_device_best returns, by a name that tl_device_open takes.
  /// Whether such a device exists is checked there.
  std::string device;

  /// TL_NUM_THREADS: threads that run programs on the CPU, 1 to 1024; 0 here stands for the
  /// number of processors that this process may use.
  unsigned numThreads = 0;

  /// TL_PRINT_IR: none, before, after, after-each or after-change.
  PrintIR printIR = PrintIR::Nothing;

  /// TL_TIME_PASSES: 1 prints the time of each compilation step to stderr; 0 does not.
  bool timePasses = false;

  /// TL_REMARKS: 1 prints to stderr what passes have to say about a kernel that is right; 0 does
  /// not. `tlc compile` does, unless the variable is set.
  bool remarks = false;

  /// TL_CPU_FEATURES: comma-separated +feature and -feature that are laid over those of the host
  /// ("-avx512f"). The spelling is checked here, the names where the host's features are known.
  std::string cpuFeatures;

  /// TL_TMA: how kernels for sm_90a and later move blocks of tensor descriptors. 0: by pointers;
  /// 1: by TMA wherever its rules hold (multiples of 16 bytes), if need be by a look at them in the
  /// kernel; not set: by TMA on sm_90a, where the launch can make the map and no loop moves blocks
  /// but those for products, which may be loaded by strided pointers as well.
  std::optional<bool> tensorCopies;

  /// TL_CHECK: 1 puts guard words around the buffers of the CPU and looks at them after each
  /// launch, copy and free, so that a kernel which writes beside its buffers is named, and on
  /// emulated GPUs looks for races and for reads of what nobody has written; 0 does not.
  bool check = false;

  /// TL_BANK_CONFLICTS: 1 prints to stderr, after each launch on an emulated GPU, what accesses of
  /// shared memory cost in its banks, and how much of it by conflicts; 0 does not.
  bool bankConflicts = false;

  /// TL_INTERPRETER_STEPS: instructions that one program may carry out in the interpreter before it
  /// is taken to run for ever, 1 to 10^18.
  uint64_t interpreterSteps = uint64_t(1) << 28;

  /// TL_REPRODUCER_DIR: folder into which an internal error writes the TTIR that caused it; the
  /// folder for temporary files by default.
  std::string reproducerDir;
};

/// Reads all variables afresh. Throws Error (TL_INVALID_ARGUMENT) for the first bad value.
Environment readEnvironment();

/// The variables as they were at the first call that found them all valid.
const Environment &environment();

} // namespace tl::backend
