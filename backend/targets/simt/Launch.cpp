// SPDX-License-Identifier: MIT
#include "targets/simt/Launch.h"

#include "targets/simt/Sanitizer.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tl::backend::simt {

namespace {
constexpr ptrdiff_t mostSpare = 8; // blocks that are kept
} // namespace

Launch::Launch(const LoadedSimtKernel &kernel, Grid grid, std::vector<void *> arguments,
               GridWords gridWords, Memory &memory, SpareBlocks &spare, std::string device,
               bool checks, bool countsBanks)
    : kernel(kernel), grid{grid.x * kernel.compiled.clusterBlocks, grid.y, grid.z}, memory(memory),
      values(std::move(arguments)), gridWords(gridWords), spare(spare), device(std::move(device)) {
  if (checks)
    memoryChecks = std::make_unique<Sanitizer>(kernel.compiled.blockThreads);
  if (countsBanks)
    banks.emplace(kernel.compiled.banks);
  const uint32_t room = kernel.compiled.formats.empty() ? 0 : PrintBuffer::mostBytes;
  auto release = [&memory](void *pointer) { memory.release(pointer); };
  auto allocate = [&](uint64_t bytes) {
    std::unique_ptr<void, decltype(release)> made(memory.allocate(bytes, true), release);
    if (!made)
      throw Error(TL_OUT_OF_RESOURCES, "there is no memory for a launch");
    return made;
  };
  auto words = allocate(256), printed = allocate(sizeof(PrintBuffer) + room);
  ranges = memory.ranges();
  prints = new (printed.release()) PrintBuffer{0, room};
  auto *written = static_cast<uint32_t *>(words.release());
  std::memset(written, 0, 256);
  std::memcpy(written, this->grid, sizeof this->grid);
  std::memcpy(written + 18, &prints, sizeof prints);
  implicit = written;
}

Launch::~Launch() {
  memory.release(const_cast<uint32_t *>(implicit));
  memory.release(prints);
  for (const std::unique_ptr<Cluster> &cluster : running)
    takeBlocks(*cluster);
  // Those whose stacks are closed are worth the most.
  std::partition(spare.begin(), spare.end(),
                 [](const std::unique_ptr<Block> &block) { return !block->hasClosedStacks(); });
  if (ptrdiff_t(spare.size()) > mostSpare)
    spare.erase(spare.begin(), spare.end() - mostSpare);
}

void Launch::takeBlocks(Cluster &cluster) {
  for (std::unique_ptr<Block> &block : cluster.takeBlocks())
    spare.push_back(std::move(block));
}

/// What has been printed before a failure is shown as well.
void Launch::run() {
  try {
    runBlocks();
  } catch (const std::bad_alloc &) {
    printRecords(*prints, kernel.compiled.formats);
    throw outOfMemory();
  } catch (...) {
    printRecords(*prints, kernel.compiled.formats);
    throw;
  }
  printRecords(*prints, kernel.compiled.formats);
}

Error Launch::outOfMemory() const {
  const SimtKernel &code = kernel.compiled;
  const uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2] / code.clusterBlocks;
  std::string text = "the host ran out of memory for programs of " +
                     std::to_string(code.blockThreads * code.clusterBlocks) + " threads";
  if (running.empty())
    return Error(TL_OUT_OF_RESOURCES, text).inKernel(code.name).onDevice(device);
  return Error(TL_OUT_OF_RESOURCES, text + ", which wait for each other: it has memory for " +
                                        std::to_string(running.size()) + " of " +
                                        std::to_string(programs))
      .inKernel(code.name)
      .onDevice(device)
      .exceeding(programs, running.size());
}

void Launch::runBlocks() {
  const SimtKernel &code = kernel.compiled;
  const uint64_t count = uint64_t(grid[0]) * grid[1] * grid[2];
  uint64_t next = 0;
  bool anyEnded = false;
  auto fits = [&](const std::unique_ptr<Block> &block) {
    return block->threadCount() == code.blockThreads && block->lanes() == code.lanes;
  };
  auto freshBlock = [&] {
    auto found = std::find_if(spare.begin(), spare.end(), fits);
    if (found == spare.end())
      spare.push_back(std::make_unique<Block>(code.blockThreads, code.lanes));
    else
      std::iter_swap(found, std::prev(spare.end()));
    std::unique_ptr<Block> block = std::move(spare.back());
    spare.pop_back();
    return block;
  };
  auto beginNext = [&] {
    std::vector<std::unique_ptr<Block>> blocks;
    for (unsigned rank = 0; rank < code.clusterBlocks; ++rank, ++next) {
      const uint32_t program[3] = {uint32_t(next % grid[0]), uint32_t(next / grid[0] % grid[1]),
                                   uint32_t(next / grid[0] / grid[1])};
      blocks.push_back(freshBlock());
      blocks.back()->begin(*this, program);
    }
    running.push_back(std::make_unique<Cluster>(std::move(blocks), next / code.clusterBlocks));
  };
  while (next < count || !running.empty()) {
    if (running.empty())
      beginNext();
    bool moved = false;
    for (size_t i = 0; i < running.size();) {
      const Cluster::Progress progress = running[i]->run();
      if (failed())
        throw *failure;
      if (progress == Cluster::Progress::stuck)
        throw running[i]->describeStuck();
      if (progress == Cluster::Progress::ended) {
        takeBlocks(*running[i]);
        running.erase(running.begin() + ptrdiff_t(i));
        moved = anyEnded = true;
      } else {
        ++i;
      }
    }
    if (anyEnded)
      failIfLeftAlone();
    // All wait for what another block has to write.
    if (!moved && next < count) {
      if (running.size() * code.clusterBlocks >= mostBlocks)
        throw Error(TL_OUT_OF_RESOURCES,
                    "programs of the kernel wait for each other, and the emulator runs at most " +
                        std::to_string(mostBlocks) + " at a time")
            .inKernel(code.name)
            .onDevice(device)
            .exceeding(count, mostBlocks);
      beginNext();
    }
  }
}

bool Launch::mustWaitForGrid(const Thread &thread) const {
  return thread.isAtGridBarrier && int32_t(thread.gridArrivals ^ *gridWords.arrivals) >= 0 &&
         !(gridWords.failed && *gridWords.failed);
}

/// A program that has ended comes to no barrier, and no program may miss one: who waits there,
/// waits for ever. That others poll memory, or have not begun, does not matter then.
void Launch::failIfLeftAlone() const {
  if (!gridWords.arrivals)
    return;
  for (const std::unique_ptr<Cluster> &cluster : running)
    if (const Thread *thread = cluster->waitingForGrid())
      throw errorOf(*thread,
                    Error(TL_RUNTIME_ERROR,
                          "other programs ended before they came to the tl::grid_barrier",
                          "each program must come to it equally often"),
                    " in ");
}

void Launch::report(const Thread &thread, Error error) {
  if (!failure)
    failure = errorOf(thread, std::move(error));
}

Error Launch::errorOf(const Thread &thread, Error error, const char *before) const {
  error.message +=
      before + std::string("thread ") + std::to_string(thread.index) + " of program (" +
      std::to_string(thread.program[0] / kernel.compiled.clusterBlocks) + ", " +
      std::to_string(thread.program[1]) + ", " + std::to_string(thread.program[2]) + ")";
  return std::move(error)
      .at(kernel.sites[thread.site])
      .inKernel(kernel.compiled.name)
      .onDevice(device);
}

const MemoryRange *Launch::rangeOf(uint64_t address) {
  if (last && address - last->begin < last->bytes)
    return last;
  auto after = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](uint64_t where, const MemoryRange &range) { return where < range.begin; });
  if (after == ranges.begin())
    return nullptr;
  const MemoryRange &range = *std::prev(after);
  if (address - range.begin >= range.bytes)
    return nullptr;
  return last = &range;
}

} // namespace tl::backend::simt
