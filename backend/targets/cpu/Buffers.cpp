// SPDX-License-Identifier: MIT
#include "targets/cpu/Buffers.h"

#include "support/Fork.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tl::backend::cpu {
namespace {

constexpr uint64_t alignment = 64;

/// From two of these on, buffers are aligned to huge pages and ask for them: a sweep over memory
/// then misses the TLB 512 times less often.
constexpr uint64_t hugePage = uint64_t(2) << 20;

/// Up to this size buffers share runs.
constexpr uint64_t largestSlot = uint64_t(64) << 10;
constexpr uint64_t firstRun = uint64_t(256) << 10, largestRun = uint64_t(64) << 20;

/// At both ends of a run and of a large buffer; it takes addresses and no memory.
constexpr uint64_t closedBytes = uint64_t(64) << 10;

/// Mappings are kept for the next buffer: to fill a new one with zeros takes the system longer than
/// many kernels run.
constexpr uint64_t largestIdle = uint64_t(32) << 20, mostIdle = uint64_t(64) << 20;

/// With TL_CHECK=1, on each side of a buffer: a block of 1024 floats fits.
constexpr uint64_t guardBytes = 4096;
constexpr unsigned char guardByte = 0xD5;

/// What lies so far from a buffer may have been meant for it.
constexpr uint64_t nearBytes = uint64_t(64) << 10;

uint64_t pageBytes() {
  static const auto bytes = uint64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

constexpr uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Sizes in four steps from a power of two to the next, at least 64 apart: at most a fifth is lost.
uint64_t stepped(uint64_t bytes) {
  const uint64_t step = std::max(alignment, std::bit_floor(std::max<uint64_t>(bytes - 1, 1)) / 4);
  return roundUp(bytes, step);
}

/// The number of the class of a stepped size.
unsigned classOf(uint64_t size) {
  const uint64_t base = std::bit_floor(size - 1);
  const uint64_t step = std::max(alignment, base / 4);
  return unsigned(std::bit_width(base)) * 4 + unsigned((size - base) / step);
}

/// Reserves more than can be accessed; nothing if there is no memory.
char *reserve(uint64_t bytes) {
  void *all = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return all == MAP_FAILED ? nullptr : static_cast<char *>(all);
}

bool open(char *begin, uint64_t bytes) {
  return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

void writeGuards(char *buffer, uint64_t bytes) {
  std::memset(buffer - guardBytes, guardByte, guardBytes);
  std::memset(buffer + bytes, guardByte, roundUp(bytes, alignment) - bytes + guardBytes);
}

} // namespace

// ---- Memory

char *Buffers::takeSlot(uint64_t size, Live &buffer) {
  buffer.slotClass = classOf(size);
  if (classes.size() <= buffer.slotClass)
    classes.resize(buffer.slotClass + 1);
  SlotClass &slots = classes[buffer.slotClass];
  if (!slots.freed.empty()) {
    char *slot = slots.freed.back();
    slots.freed.pop_back();
    return slot;
  }
  if (uint64_t(slots.end - slots.next) < size) {
    const uint64_t page = pageBytes();
    const uint64_t bytes =
        std::clamp(roundUp(2 * slots.runBytes, page), firstRun, largestRun) / size * size;
    char *all = reserve(roundUp(bytes, page) + 2 * closedBytes);
    if (!all || !open(all + closedBytes, roundUp(bytes, page)))
      return nullptr;
    // The last slot ends at the page after it.
    slots.next = all + closedBytes + (roundUp(bytes, page) - bytes) / alignment * alignment;
    slots.end = slots.next + bytes;
    slots.runBytes = bytes;
  }
  // So that a release never allocates.
  if (slots.freed.capacity() <= slots.cut)
    slots.freed.reserve(2 * slots.cut + 16);
  ++slots.cut;
  char *slot = slots.next;
  slots.next += size;
  return slot;
}

/// The begin of a block of `payload` bytes of which the buffer has `bytes`.
char *Buffers::takeMapping(uint64_t bytes, uint64_t payload, Live &buffer) {
  const uint64_t page = pageBytes();
  const uint64_t front = isGuarded ? roundUp(guardBytes, page) : 0;
  Mapping &mapping = buffer.mapping;
  mapping.huge = bytes >= 2 * hugePage;
  // A huge one begins at its page, so it ends near the closed memory only if nothing is added.
  const uint64_t needed = mapping.huge
                              ? roundUp(payload + (isGuarded ? front - guardBytes : 0), page)
                              : roundUp(stepped(payload), page);
  auto &kept = idle[mapping.huge];
  if (auto found = kept.lower_bound(needed);
      found != kept.end() && found->first <= needed * 5 / 4) {
    mapping = found->second;
    idleBytes -= mapping.bytes;
    kept.erase(found);
  } else {
    mapping.bytes = needed;
    mapping.reservedBytes = needed + 2 * closedBytes + (mapping.huge ? hugePage + front : 0);
    mapping.reserved = reserve(mapping.reservedBytes);
    if (!mapping.reserved)
      return nullptr;
    mapping.begin = mapping.reserved + closedBytes;
    if (mapping.huge) // the buffer itself is aligned, after its guards
      mapping.begin = reinterpret_cast<char *>(
                          roundUp(reinterpret_cast<uintptr_t>(mapping.begin) + front, hugePage)) -
                      front;
    if (!open(mapping.begin, mapping.bytes)) {
      munmap(mapping.reserved, mapping.reservedBytes);
      return nullptr;
    }
    if (mapping.huge)
      madvise(mapping.begin, mapping.bytes, MADV_HUGEPAGE); // a wish: failure does no harm
  }
  return mapping.huge ? mapping.begin + (front - (isGuarded ? guardBytes : 0))
                      : mapping.begin + mapping.bytes - payload;
}

void *Buffers::allocate(uint64_t bytes) {
  if (bytes > SIZE_MAX / 4)
    return nullptr;
  const uint64_t payload = roundUp(bytes, alignment) + (isGuarded ? 2 * guardBytes : 0);
  Live made;
  made.bytes = bytes;
  std::lock_guard<std::mutex> lock(mutex);
  char *block = payload <= largestSlot ? made.slot = takeSlot(stepped(payload), made)
                                       : takeMapping(bytes, payload, made);
  if (!block)
    return nullptr;
  char *buffer = block + (isGuarded ? guardBytes : 0);
  try {
    live.emplace(buffer, made);
  } catch (...) {
    if (made.slot)
      classes[made.slotClass].freed.push_back(made.slot);
    else
      munmap(made.mapping.reserved, made.mapping.reservedBytes);
    throw;
  }
  if (isGuarded)
    writeGuards(buffer, bytes);
  return buffer;
}

bool Buffers::release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(static_cast<char *>(pointer));
  if (found == live.end())
    return false;
  const Live buffer = found->second;
  live.erase(found);
  if (buffer.slot)
    classes[buffer.slotClass].freed.push_back(buffer.slot);
  else
    keepOrUnmap(buffer.mapping);
  return true;
}

void Buffers::keepOrUnmap(const Mapping &mapping) {
  auto unmap = [](const Mapping &old) { munmap(old.reserved, old.reservedBytes); };
  if (mapping.bytes > largestIdle)
    return unmap(mapping);
  for (auto &kept : idle)
    while (!kept.empty() && idleBytes + mapping.bytes > mostIdle) {
      idleBytes -= kept.begin()->first;
      unmap(kept.begin()->second);
      kept.erase(kept.begin());
    }
  try {
    idle[mapping.huge].emplace(mapping.bytes, mapping);
    idleBytes += mapping.bytes;
  } catch (...) {
    unmap(mapping);
  }
}

// ---- Guard words

bool Buffers::examine(char *buffer, uint64_t bytes, std::optional<Damage> &found) {
  int64_t first = 0;
  uint64_t count = 0;
  auto look = [&](const char *begin, uint64_t size) {
    // Almost always everything is as it was: compared with itself, one byte further on.
    auto isGuard = [](char byte) { return static_cast<unsigned char>(byte) == guardByte; };
    if (isGuard(*begin) && std::memcmp(begin, begin + 1, size - 1) == 0)
      return;
    for (const char *byte = begin; byte != begin + size; ++byte)
      if (!isGuard(*byte) && count++ == 0)
        first = byte - buffer;
  };
  look(buffer - guardBytes, guardBytes);
  look(buffer + bytes, roundUp(bytes, alignment) - bytes + guardBytes);
  if (count == 0)
    return false;
  writeGuards(buffer, bytes);
  if (found)
    ++found->others;
  else
    found = Damage{buffer, bytes, first, count, 0};
  return true;
}

std::optional<Damage> Buffers::findDamage(const void *only) {
  std::optional<Damage> found;
  if (!isGuarded)
    return found;
  ForkGuard inside; // launches are not
  std::lock_guard<std::mutex> lock(mutex);
  if (!only) {
    for (auto &[buffer, entry] : live)
      examine(buffer, entry.bytes, found);
  } else if (auto entry = holder(reinterpret_cast<uintptr_t>(only), 0)) {
    examine(static_cast<char *>(const_cast<void *>(entry->buffer)), entry->bytes, found);
  }
  return found;
}

std::optional<Buffers::Location> Buffers::holder(uintptr_t address, uint64_t distance) const {
  std::optional<Location> best;
  uint64_t nearest = distance + 1;
  for (auto &[buffer, entry] : live) {
    const auto begin = reinterpret_cast<uintptr_t>(buffer);
    const uint64_t away = address < begin                 ? begin - address
                          : address < begin + entry.bytes ? 0
                                                          : address - (begin + entry.bytes) + 1;
    if (away >= nearest)
      continue;
    nearest = away;
    best = Location{buffer, entry.bytes, int64_t(address - begin)};
  }
  return best;
}

std::optional<Buffers::Location> Buffers::near(uintptr_t address) {
  ForkGuard inside; // launches are not
  std::lock_guard<std::mutex> lock(mutex);
  return holder(address, nearBytes);
}

} // namespace tl::backend::cpu
