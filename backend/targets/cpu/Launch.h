// SPDX-License-Identifier: MIT
//
// One launch in flight: what the hooks of Driver.h need to know about the kernel that calls them.
#pragma once

#include "targets/Target.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/Jit.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tl::backend::cpu {

/// A kernel in executable memory.
class CpuLoadedKernel final : public LoadedKernel {
public:
  explicit CpuLoadedKernel(const CpuKernel &kernel);

  const std::string name;
  const std::vector<Parameter> parameters;
  const std::vector<Site> sites;
  const uint64_t scratchBytes;
  const std::unique_ptr<LoadedCode> code;
  const KernelEntry entry;

  /// What one program costs, learned from the launches so far; 0 before the first.
  std::atomic<float> nanosecondsPerProgram{0};
};

/// Runs programs of one kernel and keeps the first failure. Lives on the stack of the launching
/// thread.
class Launch {
public:
  Launch(const CpuLoadedKernel &kernel, Grid grid, void *const *arguments);

  /// Runs the programs begin … end-1 on the calling thread, unless a program has failed before.
  void run(uint64_t begin, uint64_t end);

  /// Throws the Error of the first failure, if there was one.
  void check() const;

  void report(uint32_t site, uint64_t program, uint64_t element);
  void print(uint32_t site, uint64_t program, const void *const *operands) const;

  /// Coordinates of a program in the grid.
  std::array<uint32_t, 3> coordinates(uint64_t program) const;

  /// The launch whose programs this thread runs.
  static thread_local Launch *current;

private:
  enum class Failure : uint8_t { none, check, fault };

  const CpuLoadedKernel &kernel;
  const uint32_t extents[3];
  void *const *const arguments;

  std::atomic<bool> failed{false};
  std::mutex mutex; // guards what follows
  Failure failure = Failure::none;
  uint32_t failedSite = 0;
  uint64_t failedProgram = 0, failedElement = 0;
  uintptr_t faultAddress = 0;
};

} // namespace tl::backend::cpu
