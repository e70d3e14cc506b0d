// SPDX-License-Identifier: MIT
//
// One launch in flight: its blocks in turn, further ones at the same time only where one waits for
// what another will write, and the first failure. Lives on the stack of the launching thread.
#pragma once

#include "targets/cpu/Jit.h"
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Cluster.h"
#include "targets/simt/Kernel.h"
#include "targets/simt/Memory.h"

#include <deque>
#include <memory>
#include <optional>

namespace tl::backend::simt {

class LoadedSimtKernel final : public LoadedKernel {
public:
  LoadedSimtKernel(const SimtKernel &compiled, std::unique_ptr<cpu::LoadedCode> code)
      : compiled(compiled), sharedBytes(uint64_t(compiled.sharedBytes)), sites(compiled.sites),
        entry(reinterpret_cast<ThreadEntry>(code->entry)), code(std::move(code)) {}

  const SimtKernel &compiled; // the runtime keeps it as long as this
  const uint64_t sharedBytes;
  const std::vector<SourceLocation> &sites;
  const ThreadEntry entry;

private:
  std::unique_ptr<cpu::LoadedCode> code;
};

/// Blocks that no launch uses at the moment: their stacks are there already.
using SpareBlocks = std::vector<std::unique_ptr<Block>>;

/// What programs that come to a grid barrier look at (emitGridBarrier); null: the kernel has none.
struct GridWords {
  const uint32_t *arrivals = nullptr; // the top bit turns over when all programs have come
  const uint32_t *failed = nullptr;   // not 0: an assertion has failed, nobody waits any longer
};

class Launch {
public:
  /// `arguments` are the user's and the hidden ones; `spare` is the device's. `checks`: whether
  /// races are looked for. `countsBanks`: whether conflicts in the banks of shared memory are
  /// counted.
  Launch(const LoadedSimtKernel &kernel, Grid grid, std::vector<void *> arguments,
         GridWords gridWords, Memory &memory, SpareBlocks &spare, std::string device, bool checks,
         bool countsBanks);
  ~Launch();

  /// Blocks that run at the same time because they wait for each other; each has a stack for every
  /// thread.
  static constexpr uint64_t mostBlocks = 1024;

  /// Throws the first failure.
  void run();

  void *const *arguments() const { return values.data(); }
  /// What AMD's loaders hand over: the grid's extents, and where there is room to print.
  uint64_t implicitArguments() const { return reinterpret_cast<uint64_t>(implicit); }
  Checks *checks() { return memoryChecks.get(); }
  BankConflicts *bankConflicts() { return banks ? &*banks : nullptr; }

  /// Throws nothing: the error is that of the launch, if it is the first.
  void report(const Thread &thread, Error error);
  bool failed() const { return failure.has_value(); }
  /// With the thread's line, block and number, which follow the message and `before`.
  Error errorOf(const Thread &thread, Error error, const char *before = ", by ") const;

  /// Whether the address is that at which programs count their arrivals at a grid barrier.
  bool countsArrivals(uint64_t address) const {
    return address == reinterpret_cast<uint64_t>(gridWords.arrivals);
  }
  /// Whether the thread is at a grid barrier to which not all programs have come.
  bool mustWaitForGrid(const Thread &thread) const;

  /// What is at the address in global memory; nothing if no buffer is.
  const MemoryRange *rangeOf(uint64_t address);

  const LoadedSimtKernel &kernel;
  const uint32_t grid[3];
  Memory &memory;

private:
  void runBlocks();
  void takeBlocks(Cluster &cluster);
  Error outOfMemory() const;
  void failIfLeftAlone() const;

  const std::vector<void *> values;
  const GridWords gridWords;
  const uint32_t *implicit; // 256 bytes
  PrintBuffer *prints;
  SpareBlocks &spare;
  const std::string device;
  std::vector<std::unique_ptr<Cluster>> running;
  std::vector<MemoryRange> ranges;   // sorted
  const MemoryRange *last = nullptr; // that was found
  std::unique_ptr<Checks> memoryChecks;
  std::optional<BankConflicts> banks;
  std::optional<Error> failure;
};

} // namespace tl::backend::simt
