// SPDX-License-Identifier: MIT
#include "targets/simt/Block.h"

#include "targets/simt/BankConflicts.h"
#include "targets/simt/Checks.h"
#include "targets/simt/Cluster.h"
#include "targets/simt/Launch.h"

#include <bit>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace tl::backend::simt {

namespace {

thread_local Thread *runningThread = nullptr;

/// Looks at memory after which a thread lets others run.
constexpr unsigned pollsInARow = 64;

} // namespace

// ---- Shared memory

SharedArena::SharedArena() {
  constexpr uint64_t apart = uint64_t(1) << 32;
  void *all =
      mmap(nullptr, 2 * apart, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    throw std::bad_alloc();
  const auto begin = reinterpret_cast<uint64_t>(all);
  address = (begin + apart - 1) / apart * apart;
  reserved = address;
  if (begin != address)
    munmap(all, address - begin);
  munmap(reinterpret_cast<void *>(address + apart), begin + apart - address);
  mprotect(reinterpret_cast<void *>(address), offset + mostBytes, PROT_READ | PROT_WRITE);
}

SharedArena::~SharedArena() { munmap(reinterpret_cast<void *>(reserved), uint64_t(1) << 32); }

// ---- Running

Block::Block(unsigned count, unsigned lanes) : stacks(count), warps((count + lanes - 1) / lanes) {
  for (unsigned i = 0; i < count; ++i) {
    auto &thread = *threads.emplace_back(std::make_unique<Thread>());
    thread.index = i;
    thread.block = this;
    thread.warp = &warps[i / lanes];
    thread.lane = i % lanes;
    thread.shared = arena.base();
    thread.fiber.useStack(stacks[i]);
  }
  for (unsigned i = 0; i < warps.size(); ++i) {
    warps[i].block = this;
    warps[i].number = i;
    warps[i].lanes = lanes;
  }
}

Thread &Block::running() { return *runningThread; }

void Block::begin(Launch &launch, const uint32_t (&program)[3]) {
  current = &launch;
  memoryChecks = launch.checks();
  banks = launch.bankConflicts();
  // What nobody has written is not what a kernel would want.
  std::memset(reinterpret_cast<void *>(arena.base() + SharedArena::offset), 0xD5,
              launch.kernel.sharedBytes);
  sharedBarriers.clear();
  barriers = {};
  for (Warp &warp : warps) {
    warp.live = warp.ready = warp.polling = warp.here = warp.held = 0;
    warp.operation = nullptr;
  }
  for (auto &thread : threads) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      thread->program[axis] = program[axis];
      thread->programs[axis] = launch.grid[axis];
    }
    thread->site = thread->polls = 0;
    thread->arrivedAt = 0;
    thread->fenced = thread->isAtGridBarrier = false;
    thread->lastAtomic = 0;
    thread->implicit = launch.implicitArguments();
    thread->fiber.prepare(&runThread, thread.get());
    thread->warp->live |= uint64_t(1) << thread->lane;
  }
  for (Warp &warp : warps)
    warp.ready = warp.live;
  live = threadCount();
  if (memoryChecks)
    memoryChecks->beginBlock(*this);
}

void Block::runThread(void *argument) {
  auto &thread = *static_cast<Thread *>(argument);
  thread.block->current->kernel.entry(thread.block->current->arguments());
  thread.block->end(thread);
  thread.fiber.leave();
}

void Block::join(Cluster &cluster, unsigned rank) {
  neighbours = &cluster;
  for (auto &thread : threads)
    thread->rank = rank;
}

Block *Block::ownerOf(uint64_t address) {
  return arena.holds(address)     ? this
         : neighbours->size() > 1 ? neighbours->ownerOf(address)
                                  : nullptr;
}

void Block::wakePolling() {
  for (Warp &warp : warps) {
    warp.ready |= warp.polling;
    warp.polling = 0;
  }
}

bool Block::isPolling() const {
  for (const Warp &warp : warps)
    if (warp.polling)
      return true;
  return false;
}

const Thread *Block::waitingForGrid() const {
  for (const Warp &warp : warps)
    for (uint64_t lanes = warp.polling; lanes; lanes &= lanes - 1) {
      const Thread &thread = *threads[warp.number * warp.lanes + unsigned(std::countr_zero(lanes))];
      if (current->mustWaitForGrid(thread))
        return &thread;
    }
  return nullptr;
}

bool Block::runReady() {
  const unsigned lanes = warps[0].lanes;
  bool ranAny = false;
  for (bool ran = true; ran;) {
    ran = false;
    for (Warp &warp : warps)
      while (warp.ready) {
        ran = ranAny = true;
        const auto lane = unsigned(std::countr_zero(warp.ready));
        warp.ready &= ~(uint64_t(1) << lane);
        Thread &thread = *threads[warp.number * lanes + lane];
        runningThread = &thread;
        thread.fiber.resume();
        if (thread.fiber.hasOverflowed()) [[unlikely]]
          current->report(thread,
                          Error(TL_OUT_OF_RESOURCES,
                                "the kernel needs more than the " +
                                    std::to_string(FiberStacks::bytes - FiberStacks::closedBytes) +
                                    " bytes that the emulator has for a thread's stack"));
        if (current->failed())
          return true;
      }
  }
  return ranAny;
}

void Block::sleep(Thread &thread) { thread.fiber.leave(); }

void Block::end(Thread &thread) {
  Warp &warp = *thread.warp;
  warp.live &= ~(uint64_t(1) << thread.lane);
  --live;
  if (banks && warp.live == 0)
    banks->meet(warp);
  // Others may have waited for this one alone.
  if (warp.operation && warp.here == warp.live)
    finish(warp);
  for (Barrier &barrier : barriers)
    if (barrier.arrived && barrier.count == 0)
      finishIfComplete(barrier);
  neighbours->noteEnd(thread);
}

void Block::fail(Thread &thread, Error error) {
  current->report(thread, std::move(error));
  runningThread->fiber.leave();
  __builtin_unreachable();
}

Error Block::describeStuck() const {
  std::string text = "the threads of a program wait for each other for ever";
  const Thread *first = nullptr;
  uint32_t shown = ~0u;
  unsigned lines = 0;
  for (const auto &thread : threads)
    if (thread->warp->live >> thread->lane & 1 && thread->site != shown && lines < 4) {
      if (!first)
        first = thread.get();
      shown = thread->site;
      ++lines;
      text += (lines == 1 ? ": thread " : ", thread ") + std::to_string(thread->index) +
              " at line " + std::to_string(current->kernel.sites[shown].line);
    }
  return current->errorOf(*first, Error(TL_RUNTIME_ERROR, text));
}

// ---- Warps

void Block::meet(Thread &thread, Warp::Operation operation, void *operand) {
  Warp &warp = *thread.warp;
  if (!warp.operation) {
    warp.operation = operation;
  } else if (warp.operation != operation) {
    const Thread &other =
        *threads[thread.index - thread.lane + unsigned(std::countr_zero(warp.here))];
    fail(thread, Error(TL_RUNTIME_ERROR,
                       "lanes of a warp are at different instructions that all of them take part "
                       "in: the other is at line " +
                           std::to_string(current->kernel.sites[other.site].line)));
  }
  warp.operands[thread.lane] = operand;
  warp.here |= uint64_t(1) << thread.lane;
  if (warp.here == warp.live)
    finish(warp);
  if (warp.ready >> thread.lane & 1)
    warp.ready &= ~(uint64_t(1) << thread.lane); // was the last: goes on
  else
    sleep(thread);
}

void Block::finish(Warp &warp) {
  Warp::Operation operation = warp.operation;
  warp.operation = nullptr;
  if (banks)
    banks->meet(warp);
  operation(warp);
  warp.ready |= warp.here & ~warp.held;
  warp.here = warp.held = 0;
}

// ---- Barriers of the block

bool Block::meetAtBarrier(Thread &thread, unsigned id, unsigned count, bool waits, bool value) {
  // All lanes of a warp come to the same instruction.
  Arrival arrival{id, count, waits, value};
  meet(thread, &arriveAsWarp, &arrival);
  return thread.answer != 0;
}

void Block::arriveAsWarp(Warp &warp) {
  Block &block = *warp.block;
  for (uint64_t lanes = warp.here; lanes; lanes &= lanes - 1) {
    const auto lane = unsigned(std::countr_zero(lanes));
    Thread &thread = *block.threads[warp.number * warp.lanes + lane];
    const auto arrival = warp.operand<Arrival>(lane);
    if (arrival.id >= block.barriers.size())
      block.fail(thread,
                 Error(TL_RUNTIME_ERROR, "there is no barrier " + std::to_string(arrival.id)));
    Barrier &barrier = block.barriers[arrival.id];
    if (barrier.arrived == 0) {
      barrier.count = arrival.count;
      barrier.value = false;
    } else if (barrier.count != arrival.count) {
      block.fail(thread, Error(TL_RUNTIME_ERROR,
                               "threads come to barrier " + std::to_string(arrival.id) +
                                   " with different counts, " + std::to_string(arrival.count) +
                                   " and " + std::to_string(barrier.count)));
    }
    barrier.value |= arrival.value;
    ++barrier.arrived;
    barrier.came.push_back(&thread);
    if (arrival.waits) {
      barrier.waiting.push_back(&thread);
      warp.held |= uint64_t(1) << lane;
    }
    block.finishIfComplete(barrier);
  }
}

void Block::finishIfComplete(Barrier &barrier) {
  if (barrier.arrived < (barrier.count ? barrier.count : live))
    return;
  if (memoryChecks)
    memoryChecks->meet(barrier.came.data(), unsigned(barrier.came.size()));
  for (Thread *thread : barrier.waiting) {
    thread->answer = barrier.value;
    wake(*thread);
  }
  barrier.arrived = 0;
  barrier.waiting.clear();
  barrier.came.clear();
}

// ---- Barriers in shared memory

void Block::initSharedBarrier(Thread &thread, uint64_t address, uint32_t count) {
  if (address % 8 != 0)
    fail(thread,
         Error(TL_RUNTIME_ERROR, "an mbarrier lies at an address that is no multiple of 8"));
  SharedBarrier &barrier = sharedBarriers[address];
  if (!barrier.waiters.empty())
    fail(thread, Error(TL_RUNTIME_ERROR, "an mbarrier is made again while threads wait at it"));
  barrier = SharedBarrier();
  barrier.expected = barrier.pending = count;
}

SharedBarrier &Block::sharedBarrier(Thread &thread, uint64_t address) {
  auto found = sharedBarriers.find(address);
  if (found == sharedBarriers.end())
    fail(thread, Error(TL_RUNTIME_ERROR, "an mbarrier is used that has not been made"));
  return found->second;
}

void Block::dropSharedBarrier(Thread &thread, uint64_t address) {
  sharedBarrier(thread, address);
  sharedBarriers.erase(address);
}

void Block::arriveAtSharedBarrier(Thread &thread, uint64_t address, uint32_t arrivals,
                                  int64_t expects) {
  SharedBarrier &barrier = sharedBarrier(thread, address);
  if (arrivals > barrier.pending)
    fail(thread, Error(TL_RUNTIME_ERROR, "more threads arrive at an mbarrier than it expects, " +
                                             std::to_string(barrier.expected)));
  if (memoryChecks)
    memoryChecks->release(thread, address, Agent::thread);
  barrier.bytes += expects;
  barrier.pending -= arrivals;
  finishPhase(barrier, address);
}

void Block::completeBytes(Thread &thread, uint64_t address, uint64_t bytes) {
  SharedBarrier &barrier = sharedBarrier(thread, address);
  if (memoryChecks)
    memoryChecks->release(thread, address, Agent::bulkCopies);
  barrier.bytes -= int64_t(bytes);
  finishPhase(barrier, address);
}

void Block::finishPhase(SharedBarrier &barrier, uint64_t address) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  if (memoryChecks)
    memoryChecks->publish(running(), address);
  barrier.pending = barrier.expected;
  std::vector<SharedBarrier::Waiter> waiters = std::move(barrier.waiters);
  barrier.waiters.clear();
  for (const SharedBarrier::Waiter &waiter : waiters) {
    if ((barrier.phase & 1) == waiter.parity) {
      barrier.waiters.push_back(waiter);
      continue;
    }
    if (memoryChecks)
      memoryChecks->acquire(*waiter.thread, address);
    wake(*waiter.thread);
  }
}

void Block::waitAtSharedBarrier(Thread &thread, uint64_t address, uint32_t parity) {
  SharedBarrier &barrier = sharedBarrier(thread, address);
  if ((barrier.phase & 1) == (parity & 1)) {
    barrier.waiters.push_back({&thread, parity & 1});
    return sleep(thread);
  }
  if (memoryChecks)
    memoryChecks->acquire(thread, address);
}

void Block::poll(Thread &thread) {
  if (++thread.polls >= pollsInARow)
    pollLater(thread);
}

void Block::pollLater(Thread &thread) {
  thread.polls = 0;
  thread.warp->polling |= uint64_t(1) << thread.lane;
  sleep(thread);
}

} // namespace tl::backend::simt
