// SPDX-License-Identifier: MIT
//
// Allocation with surroundings, the table of live and freed buffers, and their shadow state.
#include "interpreter/Memory.h"

#include "targets/Target.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace tl::backend::interpreter {

namespace {

constexpr uint64_t surrounding = 256;             // bytes before and after a buffer
constexpr uint64_t quarantineBytes = 64ull << 20; // freed memory that is kept back
constexpr uint64_t poisonedBytes = 16ull << 20;   // larger buffers are left to the kernel's zeros
constexpr int poison = 0xA5;                      // what never-written bytes look like

uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

} // namespace

template <class T> void ZeroedArray<T>::resize(size_t newCount) {
  storage.reset(static_cast<T *>(std::calloc(std::max<size_t>(newCount, 1), sizeof(T))));
  if (!storage)
    throw Error(TL_OUT_OF_RESOURCES,
                "the interpreter has no memory left for the shadow of a buffer")
        .onDevice("interpreter")
        .exceeding(newCount * sizeof(T), physicalMemory());
  count = newCount;
}

// ---- Allocation

bool Allocation::testWritten(uint64_t offset, uint64_t size) {
  // Elements are small; whole words matter for copies only, which do not ask.
  for (uint64_t i = offset; i < offset + size;) {
    const uint64_t bit = i % 64, n = std::min<uint64_t>(64 - bit, offset + size - i);
    const uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << bit;
    if ((written[i / 64] & mask) != mask)
      return false;
    i += n;
  }
  return true;
}

void Allocation::setWritten(uint64_t offset, uint64_t size, bool value) {
  if (value && offset == 0 && size == bytes) {
    allWritten = true;
    written.clear();
    return;
  }
  if (!written) {
    if (!value && !allWritten)
      return;
    written.resize(bytes / 64 + 1);
    if (allWritten)
      std::memset(&written[0], 0xFF, written.size() * sizeof(uint64_t));
    allWritten = false;
  }
  for (uint64_t i = offset; i < offset + size;) {
    const uint64_t bit = i % 64, n = std::min<uint64_t>(64 - bit, offset + size - i);
    const uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << bit;
    written[i / 64] = value ? written[i / 64] | mask : written[i / 64] & ~mask;
    i += n;
  }
}

AccessCell *Allocation::cells(uint64_t offset, uint64_t size, uint64_t &cellCount) {
  if (!accessCells) {
    granule = static_cast<unsigned>(std::countr_zero(offset | size));
    accessCells.resize((bytes >> granule) + 1);
  } else if ((offset | size) & ((1ull << granule) - 1)) {
    refine(static_cast<unsigned>(std::countr_zero(offset | size)));
  }
  cellCount = size >> granule;
  return &accessCells[offset >> granule];
}

void Allocation::refine(unsigned newGranule) {
  ZeroedArray<AccessCell> finer;
  finer.resize((bytes >> newGranule) + 1);
  for (size_t i = 0; i < finer.size(); ++i) {
    const AccessCell cell = accessCells[i >> (granule - newGranule)];
    if (cell.writer | cell.reader)
      finer[i] = cell;
  }
  accessCells = std::move(finer);
  granule = newGranule;
}

// ---- Memory

struct Memory::Block {
  Block(uint32_t id, std::byte *storage, uint64_t bytes)
      : storage(storage), allocation(id, reinterpret_cast<uint64_t>(storage + surrounding), bytes) {
  }
  ~Block() { std::free(storage); }

  uint64_t begin() const { return reinterpret_cast<uint64_t>(storage); }
  uint64_t end() const { return allocation.base + allocation.bytes + surrounding; }

  std::byte *storage;
  Allocation allocation;
};

Memory::Memory() = default;
Memory::~Memory() = default;

void *Memory::allocate(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  const uint64_t limit = physicalMemory();
  const uint64_t total = (bytes + 2 * surrounding + 63) / 64 * 64;
  void *storage = bytes <= limit ? std::aligned_alloc(64, total) : nullptr;
  if (!storage)
    throw Error(TL_OUT_OF_RESOURCES, "a buffer of " + std::to_string(bytes) +
                                         " bytes does not fit into the " + std::to_string(limit) +
                                         " bytes of memory of this machine")
        .onDevice("interpreter")
        .exceeding(bytes, limit);
  auto block = std::make_unique<Block>(nextId++, static_cast<std::byte *>(storage), bytes);
  std::memset(block->storage, poison, surrounding);
  if (bytes <= poisonedBytes)
    std::memset(block->storage + surrounding, poison, bytes);
  std::memset(block->storage + surrounding + bytes, poison, surrounding);
  void *const result = block->storage + surrounding;
  byIdentity[block->allocation.id] = block.get();
  blocks[block->begin()] = std::move(block);
  return result;
}

void Memory::release(void *pointer) {
  if (!pointer)
    return;
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Allocation *allocation = find(address);
  if (!allocation || allocation->base != address || !allocation->live)
    throw Error(TL_INVALID_ARGUMENT,
                "tl_free got a pointer that is no live allocation of the interpreter")
        .onDevice("interpreter");
  allocation->live = false;
  allocation->forgetCells();
  freed.push_back(byIdentity[allocation->id]);
  freedBytes += allocation->bytes;
  while (freedBytes > quarantineBytes)
    dropOldest();
}

void Memory::dropOldest() {
  Block *block = freed.front();
  freed.erase(freed.begin());
  freedBytes -= block->allocation.bytes;
  byIdentity.erase(block->allocation.id);
  blocks.erase(block->begin());
}

Allocation *Memory::find(uint64_t address) {
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin())
    return nullptr;
  Block *block = std::prev(it)->second.get();
  return address < block->end() ? &block->allocation : nullptr;
}

Allocation *Memory::byId(uint32_t id) {
  auto it = byIdentity.find(id);
  return it == byIdentity.end() ? nullptr : &it->second->allocation;
}

uint32_t Memory::originOf(uint64_t address) {
  if (address == 0)
    return nullOrigin;
  const Allocation *allocation = find(address);
  return allocation ? allocation->id : foreignOrigin;
}

void Memory::checkRange(const void *pointer, uint64_t bytes, const char *function) {
  auto refuse = [&](const std::string &what) {
    throw Error(TL_INVALID_ARGUMENT, function + what).onDevice("interpreter");
  };
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  // The first block that ends past the address: memory that is not ours may run into it.
  auto it = blocks.upper_bound(address);
  if (it != blocks.begin() && address < std::prev(it)->second->end())
    --it;
  if (it == blocks.end() || (it->first > address && it->first - address >= bytes))
    return;
  const Allocation &allocation = it->second->allocation;
  if (!allocation.live)
    refuse(" got a buffer that was freed");
  const uint64_t offset = address - allocation.base;
  if (bytes != 0 && (offset > allocation.bytes || bytes > allocation.bytes - offset))
    refuse(" of " + std::to_string(bytes) + " bytes at offset " + std::to_string(int64_t(offset)) +
           " of a buffer of " + std::to_string(allocation.bytes) + " bytes");
}

void Memory::markWritten(void *pointer, uint64_t bytes) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (Allocation *allocation = bytes ? find(address) : nullptr)
    allocation->markWritten(address - allocation->base, bytes);
}

void Memory::copyWritten(void *dst, const void *src, uint64_t bytes) {
  const uint64_t to = reinterpret_cast<uint64_t>(dst), from = reinterpret_cast<uint64_t>(src);
  Allocation *target = bytes ? find(to) : nullptr;
  Allocation *source = bytes ? find(from) : nullptr;
  if (!target)
    return;
  const uint64_t offset = to - target->base;
  if (!source || source->isWritten(from - source->base, bytes)) {
    target->markWritten(offset, bytes);
    return;
  }
  std::vector<bool> flags(bytes); // the ranges may overlap
  for (uint64_t i = 0; i < bytes; ++i)
    flags[i] = source->isWritten(from - source->base + i, 1);
  for (uint64_t i = 0; i < bytes; ++i)
    target->setWritten(offset + i, 1, flags[i]);
}

void Memory::forgetCells() {
  for (auto &[address, block] : blocks)
    block->allocation.forgetCells();
}

// ---- Host memory that is not ours

void Memory::readMappedRanges() {
  mapped.clear();
  std::FILE *file = std::fopen("/proc/self/maps", "r");
  if (!file)
    return;
  char line[512];
  while (std::fgets(line, sizeof line, file)) {
    unsigned long long begin = 0, end = 0;
    char flags[5] = {};
    if (std::sscanf(line, "%llx-%llx %4s", &begin, &end, flags) == 3)
      mapped[begin] = {end, flags[0] == 'r', flags[1] == 'w'};
  }
  std::fclose(file);
}

bool Memory::isMappedNow(uint64_t address, uint64_t bytes, bool write) const {
  const uint64_t end = address + bytes;
  while (address < end) {
    auto it = mapped.upper_bound(address);
    if (it == mapped.begin())
      return false;
    const MappedRange &range = std::prev(it)->second;
    if (address >= range.end || !(write ? range.writable : range.readable))
      return false;
    address = range.end;
  }
  return true;
}

bool Memory::isMapped(uint64_t address, uint64_t bytes, bool write) {
  if (address < lowestAddress || address + bytes < address)
    return false;
  if (isMappedNow(address, bytes, write))
    return true;
  readMappedRanges(); // what was not there a moment ago may have been mapped since
  return mapped.empty() || isMappedNow(address, bytes, write);
}

} // namespace tl::backend::interpreter
