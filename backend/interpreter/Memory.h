// SPDX-License-Identifier: MIT
//
// The memory of the device "interpreter": which bytes are a buffer, which of them were ever
// written, and which program of the running launch touched them. This is where the sanitizer knows
// what it knows; ops/Memory.cpp asks, Report.cpp words the answers.
//
// Every pointer carries its *origin*, the allocation that it derives from, through all arithmetic.
// An access is right if it lies within the origin; landing by accident in another live buffer does
// not make it right. Three origins are no allocation of ours:
//  - unknown: made from an integer or read from memory; the address decides, when it is used;
//  - foreign: an argument that points to other host memory. Its bounds and history are unknown, so
//    only the obvious is refused: addresses below 64 KiB and those that the process has not mapped;
//  - null: a null argument; no offset makes it a good pointer.
//
// Shadow state of an allocation, made when first needed:
//  - a bit per byte: written, by a copy, a fill or a kernel. `allWritten` short-cuts it;
//  - a cell per granule (the size of the elements the kernels use, at first that of the first
//    access, split when a smaller one comes): the last program that wrote and the one that read it.
#pragma once

#include "interpreter/Program.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tl::backend::interpreter {

inline constexpr uint32_t unknownOrigin = 0;
inline constexpr uint32_t foreignOrigin = 1;
inline constexpr uint32_t nullOrigin = 2;
inline constexpr uint32_t firstAllocation = 3;

/// No buffer and no host object lies below this address.
inline constexpr uint64_t lowestAddress = 64 * 1024;

/// Who touched a granule in the running launch. A stamp names a program of a launch and is never
/// used again (Races.h); zero is nobody.
struct AccessCell {
  uint32_t writer = 0; // stamp << 1 | 1 if a plain (not atomic) write was among them
  uint32_t reader = 0; // stamp << 1 | 1 if another program has read too
};

/// Zeroed storage whose untouched pages cost nothing.
template <class T> class ZeroedArray {
public:
  void resize(size_t count);
  explicit operator bool() const { return storage != nullptr; }
  T &operator[](size_t i) { return storage.get()[i]; }
  size_t size() const { return count; }
  void clear() { storage.reset(), count = 0; }

private:
  struct Free {
    void operator()(T *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<T[], Free> storage;
  size_t count = 0;
};

class Allocation {
public:
  Allocation(uint32_t id, uint64_t base, uint64_t bytes) : id(id), base(base), bytes(bytes) {}

  const uint32_t id;
  const uint64_t base;
  const uint64_t bytes;
  bool live = true;

  /// True if all of [offset, offset + size) was written. The range must lie within the allocation.
  bool isWritten(uint64_t offset, uint64_t size) {
    return allWritten || (written && testWritten(offset, size));
  }
  void markWritten(uint64_t offset, uint64_t size) {
    if (!allWritten)
      setWritten(offset, size, true);
  }
  void setWritten(uint64_t offset, uint64_t size, bool value);

  /// The cells of [offset, offset + size): the first, and how many.
  AccessCell *cells(uint64_t offset, uint64_t size, uint64_t &cellCount);
  void forgetCells() { accessCells.clear(); }

private:
  bool testWritten(uint64_t offset, uint64_t size);
  void refine(unsigned newGranule);

  bool allWritten = false;
  ZeroedArray<uint64_t> written;
  ZeroedArray<AccessCell> accessCells;
  unsigned granule = 0; // log2 of the bytes a cell stands for
};

class Memory {
public:
  Memory();
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// At least 64-byte aligned; throws Error (TL_OUT_OF_RESOURCES).
  void *allocate(uint64_t bytes);
  /// Throws Error if the pointer is not the start of a live allocation. The bytes are kept back for
  /// a while, so that late uses are distinguished from uses of what was allocated next.
  void release(void *pointer);

  /// The allocation, live or freed, that the address belongs to, its surroundings included.
  Allocation *find(uint64_t address);
  Allocation *byId(uint32_t id);

  /// The origin of a pointer that comes from outside.
  uint32_t originOf(uint64_t address);

  /// True if host memory can be read, or written, there.
  bool isMapped(uint64_t address, uint64_t bytes, bool write);

  /// Copies and fills. Their bounds have been checked where they begin in a live buffer. Here they
  /// are refused in a freed one and beside any; the error names the function. Then bytes are
  /// marked.
  void checkRange(const void *pointer, uint64_t bytes, const char *function);
  void markWritten(void *pointer, uint64_t bytes);
  void copyWritten(void *dst, const void *src, uint64_t bytes);

  void forgetCells();

  /// The stamp of the next launch's first program. It lives as long as the cells that hold stamps,
  /// so that a launch never takes an earlier one's programs for its own.
  uint32_t nextStamp = 1;

  /// Forgets which host memory is mapped: at the start of a launch it may have changed.
  void forgetMapped() { mapped.clear(); }

private:
  struct Block;
  struct MappedRange {
    uint64_t end;
    bool readable;
    bool writable;
  };
  void dropOldest();
  void readMappedRanges();
  bool isMappedNow(uint64_t address, uint64_t bytes, bool write) const;

  std::map<uint64_t, std::unique_ptr<Block>> blocks; // by the address of their first byte
  std::unordered_map<uint32_t, Block *> byIdentity;
  std::vector<Block *> freed; // oldest first
  uint64_t freedBytes = 0;
  uint32_t nextId = firstAllocation;
  std::map<uint64_t, MappedRange> mapped;
};

} // namespace tl::backend::interpreter
