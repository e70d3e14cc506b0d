// SPDX-License-Identifier: MIT
//
// One launch in flight: what the hooks of Driver.h need to know about the kernel that calls them.
#pragma once

#include "targets/Target.h"
#include "targets/cpu/Buffers.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/Jit.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
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
  const bool gridBarrier;
  const std::unique_ptr<LoadedCode> code;
  const KernelEntry entry;

  /// What one program costs, learned from the launches so far; 0 before the first.
  std::atomic<float> nanosecondsPerProgram{0};
};

/// Where the programs of a grid meet. Each is a thread that calls `arrive` any number of times and
/// then `leave`.
class GridBarrier {
public:
  explicit GridBarrier(uint64_t programs) : programs(programs) {}

  /// Waits for the others; false if one of them has left, so that they will never all be here.
  bool arrive();
  void leave();

private:
  const uint64_t programs;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t waiting = 0, gone = 0, meetings = 0;
};

/// Runs programs of one kernel and keeps the first failure. Lives on the stack of the launching
/// thread.
class Launch {
public:
  Launch(const CpuLoadedKernel &kernel, Grid grid, void *const *arguments);

  /// Runs the programs begin … end-1 on the calling thread, unless a program has failed before.
  void run(uint64_t begin, uint64_t end);

  /// Runs all programs at the same time, each on a thread of its own.
  void runConcurrently(uint64_t programs);
  /// What a program does at the grid's barrier; false if it is to end there.
  bool waitAtBarrier(uint32_t site, uint64_t program);

  /// Throws the Error of the first failure, if there was one. `buffers` are those that the kernel
  /// may have meant.
  void check(Buffers &buffers) const;

  void report(uint32_t site, uint64_t program, uint64_t element);
  void print(uint32_t site, uint64_t program, const void *const *operands) const;

  /// Coordinates of a program in the grid.
  std::array<uint32_t, 3> coordinates(uint64_t program) const;

  /// The launch whose programs this thread runs.
  static thread_local Launch *current;

private:
  enum class Failure : uint8_t { none, check, fault, exception };

  const CpuLoadedKernel &kernel;
  const uint32_t extents[3];
  void *const *const arguments;

  GridBarrier *barrier = nullptr; // of programs that run concurrently
  std::atomic<bool> failed{false};
  std::mutex mutex; // guards what follows
  Failure failure = Failure::none;
  uint32_t failedSite = 0;
  uint64_t failedProgram = 0, failedElement = 0;
  uintptr_t faultAddress = 0;
  std::exception_ptr exception;
};

} // namespace tl::backend::cpu
