// SPDX-License-Identifier: MIT
//
// Accesses to memory, atomics and fences; and printing, which reads its arguments from memory.
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Cluster.h"
#include "targets/simt/Functions.h"
#include "targets/simt/Launch.h"
#include "targets/simt/Printing.h"

#include "targets/cpu/Overruns.h"
#include "tl/dtype.hpp"

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace tl::backend::simt {

namespace {

const char *verbOf(AccessKind kind) {
  return kind == AccessKind::read ? "reads " : kind == AccessKind::write ? "writes " : "changes ";
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void failOutside(Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind) {
  Launch &launch = thread.block->launch();
  std::string text = std::string(verbOf(kind)) + std::to_string(bytes) + " bytes ";
  const std::vector<MemoryRange> ranges = launch.memory.ranges();
  const MemoryRange *nearest = nullptr;
  int64_t distance = int64_t(1) << 20; // that an access may have been meant for a buffer
  for (const MemoryRange &range : ranges) {
    const int64_t from = int64_t(address - range.begin);
    const int64_t away = from < 0 ? -from : std::max<int64_t>(0, from - int64_t(range.bytes));
    if (!range.isInternal && away < distance) {
      distance = away;
      nearest = &range;
    }
  }
  if (nearest)
    text += cpu::locationText(int64_t(address - nearest->begin), nearest->bytes) + " a buffer" +
            cpu::bufferText(reinterpret_cast<void *>(nearest->begin), nearest->bytes,
                            launch.kernel.compiled.parameters, launch.arguments());
  else
    text += "at " + hex(address) + ", where no buffer of the device is";
  thread.block->fail(thread, Error(TL_RUNTIME_ERROR, "the kernel " + text));
}

[[noreturn]] void failUnwritten(Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind,
                                const MemoryRange &range) {
  Launch &launch = thread.block->launch();
  thread.block->fail(
      thread,
      Error(TL_RUNTIME_ERROR,
            std::string("the kernel ") + verbOf(kind) + std::to_string(bytes) + " bytes " +
                cpu::locationText(int64_t(address - range.begin), range.bytes) + " a buffer" +
                cpu::bufferText(reinterpret_cast<void *>(range.begin), range.bytes,
                                launch.kernel.compiled.parameters, launch.arguments()) +
                " that nobody has written"));
}

} // namespace

void noteAccess(Thread &thread, uint64_t address, uint32_t bytes, uint32_t alignmentBits,
                AccessKind kind, Agent agent) {
  Block &block = *thread.block;
  Launch &launch = block.launch();
  const bool isShared = block.ownerOf(address) != nullptr;
  if (isShared) {
    const uint64_t at = uint32_t(address) - SharedArena::offset, most = launch.kernel.sharedBytes;
    if (at > most || most - at < bytes) [[unlikely]]
      block.fail(thread, Error(TL_RUNTIME_ERROR, std::string("the kernel ") + verbOf(kind) +
                                                     std::to_string(bytes) + " bytes at offset " +
                                                     std::to_string(int64_t(at)) +
                                                     " of the shared memory, of which it has " +
                                                     std::to_string(most) + " bytes"));
  } else {
    const MemoryRange *range = launch.rangeOf(address);
    if (!range || range->bytes - (address - range->begin) < bytes) [[unlikely]]
      failOutside(thread, address, bytes, kind);
    if (range->isInternal)
      return;
    if (range->isWritten) {
      bool *written = range->isWritten + (address - range->begin);
      if (kind == AccessKind::write)
        std::memset(written, 1, bytes);
      else if (std::memchr(written, 0, bytes)) [[unlikely]]
        failUnwritten(thread, address, bytes, kind, *range);
    }
  }
  if (address & ((uint64_t(1) << alignmentBits) - 1)) [[unlikely]]
    block.fail(thread, Error(TL_RUNTIME_ERROR, std::string("the kernel ") + verbOf(kind) +
                                                   std::to_string(bytes) + " bytes at " +
                                                   hex(address) + ", which is no multiple of " +
                                                   std::to_string(1u << alignmentBits)));
  if (Checks *checks = block.checks())
    checks->access(thread, {address, bytes, kind, agent, isShared});
}

void countBanks(Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind,
                uint32_t number) {
  Block &block = *thread.block;
  if (BankConflicts *banks = block.bankConflicts()) [[unlikely]]
    if (block.arena.holds(address))
      banks->access(thread, address, bytes, kind, number);
}

namespace {

/// `word` has the number of bytes, the alignment and the kind.
void checkAccess(Thread *thread, uint64_t address, uint32_t word) {
  noteAccess(*thread, address, word & 0xffff, word >> 16 & 255, AccessKind(word >> 24));
}

void callAccess(Thread *thread, uint64_t address, uint32_t word, uint32_t number) {
  checkAccess(thread, address, word);
  countBanks(*thread, address, word & 0xffff, AccessKind(word >> 24), number);
}

// ---- Buffers of AMD

/// Memory with an end that the hardware looks at.
struct BufferResource {
  uint64_t base, extent;
  bool holds(uint32_t offset, uint32_t bytes) const {
    return offset < extent && extent - offset >= bytes;
  }
};

void callBufferLoad(Thread *thread, const BufferResource *buffer, uint32_t offset, uint32_t word,
                    void *result) {
  const uint32_t bytes = word & 0xffff;
  if (!buffer->holds(offset, bytes)) {
    std::memset(result, 0, bytes);
    return;
  }
  checkAccess(thread, buffer->base + offset, word);
  std::memcpy(result, reinterpret_cast<const void *>(buffer->base + offset), bytes);
}

void callBufferStore(Thread *thread, const BufferResource *buffer, uint32_t offset, uint32_t word,
                     const void *value) {
  const uint32_t bytes = word & 0xffff;
  if (!buffer->holds(offset, bytes))
    return;
  checkAccess(thread, buffer->base + offset, word);
  std::memcpy(reinterpret_cast<void *>(buffer->base + offset), value, bytes);
}

// ---- Atomics

template <class T> T combine(AtomicOperation operation, T old, T value, T expected) {
  using Signed = std::make_signed_t<T>;
  switch (operation) {
  case AtomicOperation::load:
    return old;
  case AtomicOperation::store:
  case AtomicOperation::exchange:
    return value;
  case AtomicOperation::compareExchange:
    return old == expected ? value : old;
  case AtomicOperation::add:
    return T(old + value);
  case AtomicOperation::addF16:
    return T((float16::from_bits(uint16_t(old)) + float16::from_bits(uint16_t(value))).bits);
  case AtomicOperation::addBf16:
    return T((bfloat16::from_bits(uint16_t(old)) + bfloat16::from_bits(uint16_t(value))).bits);
  case AtomicOperation::addF32:
    return T(std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(old)) +
                                     std::bit_cast<float>(uint32_t(value))));
  case AtomicOperation::addF64:
    return T(std::bit_cast<uint64_t>(std::bit_cast<double>(uint64_t(old)) +
                                     std::bit_cast<double>(uint64_t(value))));
  case AtomicOperation::bitAnd:
    return T(old & value);
  case AtomicOperation::bitOr:
    return T(old | value);
  case AtomicOperation::bitXor:
    return T(old ^ value);
  case AtomicOperation::maxSigned:
    return Signed(old) < Signed(value) ? value : old;
  case AtomicOperation::minSigned:
    return Signed(value) < Signed(old) ? value : old;
  case AtomicOperation::maxUnsigned:
    return old < value ? value : old;
  case AtomicOperation::minUnsigned:
    return value < old ? value : old;
  }
  return old;
}

template <class T>
uint64_t change(uint64_t address, AtomicOperation operation, uint64_t value, uint64_t expected) {
  T old;
  auto *place = reinterpret_cast<void *>(address);
  std::memcpy(&old, place, sizeof(T));
  if (operation != AtomicOperation::load) {
    const T made = combine<T>(operation, old, T(value), T(expected));
    std::memcpy(place, &made, sizeof(T));
  }
  return old;
}

uint64_t callAtomic(Thread *thread, uint64_t address, uint32_t word, uint64_t value,
                    uint64_t expected, uint32_t number) {
  const auto operation = AtomicOperation(word & 255);
  const uint32_t bytes = word >> 8 & 255;
  const bool acquires = word >> 16 & 1, releases = (word >> 17 & 1) || thread->fenced;
  Block &block = *thread->block;
  const bool looks =
      operation == AtomicOperation::load || operation == AtomicOperation::compareExchange;
  const bool isAtGridBarrier = block.launch().countsArrivals(address);
  // Who looks for a change may look again and again.
  if (isAtGridBarrier && looks && block.launch().mustWaitForGrid(*thread))
    block.pollLater(*thread);
  else if (looks)
    block.poll(*thread);
  noteAccess(*thread, address, bytes, uint32_t(std::countr_zero(bytes)), AccessKind::atomic);
  countBanks(*thread, address, bytes, AccessKind::atomic, number);
  Checks *checks = block.checks();
  if (checks && releases) {
    checks->release(*thread, address, Agent::thread);
    checks->publish(*thread, address);
  }
  uint64_t old = 0;
  switch (bytes) {
  case 1:
    old = change<uint8_t>(address, operation, value, expected);
    break;
  case 2:
    old = change<uint16_t>(address, operation, value, expected);
    break;
  case 4:
    old = change<uint32_t>(address, operation, value, expected);
    break;
  default:
    old = change<uint64_t>(address, operation, value, expected);
    break;
  }
  // Who arrives changes the count, and then looks until its top bit is another one.
  if (isAtGridBarrier && !looks)
    thread->gridArrivals = uint32_t(old);
  if (isAtGridBarrier)
    thread->isAtGridBarrier = int32_t(thread->gridArrivals ^ uint32_t(old)) >= 0;
  if (checks && acquires)
    checks->acquire(*thread, address);
  thread->lastAtomic = address;
  return old;
}

void callFence(Thread *thread, uint32_t kind) {
  Checks *checks = thread->block->checks();
  if (!checks)
    return;
  if (FenceKind(kind) == FenceKind::agents)
    return checks->fenceForAgents(*thread);
  thread->fenced = true;
  if (thread->lastAtomic)
    checks->acquire(*thread, thread->lastAtomic);
}

/// Volatile reads and clocks are what loops wait by.
void callPoll(Thread *thread) { thread->block->poll(*thread); }

uint64_t callClock(Thread *thread) {
  thread->block->poll(*thread);
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

Thread *callThread() { return &Block::running(); }

// ---- Printing

int callPrint(const char *format, const char *list) {
  printList(format, list);
  return 0;
}

} // namespace

void addMemoryFunctions(SymbolList &list) {
  list.emplace_back("tl_simt_thread", reinterpret_cast<void *>(&callThread));
  list.emplace_back("tl_simt_access", reinterpret_cast<void *>(&callAccess));
  list.emplace_back("tl_simt_buffer_load", reinterpret_cast<void *>(&callBufferLoad));
  list.emplace_back("tl_simt_buffer_store", reinterpret_cast<void *>(&callBufferStore));
  list.emplace_back("tl_simt_atomic", reinterpret_cast<void *>(&callAtomic));
  list.emplace_back("tl_simt_fence", reinterpret_cast<void *>(&callFence));
  list.emplace_back("tl_simt_poll", reinterpret_cast<void *>(&callPoll));
  list.emplace_back("tl_simt_clock", reinterpret_cast<void *>(&callClock));
  list.emplace_back("vprintf", reinterpret_cast<void *>(&callPrint));
}

} // namespace tl::backend::simt
