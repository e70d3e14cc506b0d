// SPDX-License-Identifier: MIT
#include "targets/simt/Memory.h"

#include <cstring>
#include <new>

namespace tl::backend::simt {

namespace {
/// As GPUs align what they allocate; and room at both ends, so that no buffers are neighbours.
constexpr auto alignment = std::align_val_t(256);
constexpr uint64_t apart = 256;
} // namespace

Memory::~Memory() {
  for (auto [begin, range] : live) {
    ::operator delete(reinterpret_cast<char *>(begin) - apart, alignment);
    delete[] range.isWritten;
  }
}

void *Memory::allocate(uint64_t bytes, bool isInternal) {
  if (bytes == 0)
    return nullptr;
  auto *all = static_cast<char *>(::operator new(bytes + 2 * apart, alignment, std::nothrow));
  if (!all)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  const auto begin = reinterpret_cast<uint64_t>(all + apart);
  bool *written = keepsWritten && !isInternal ? new bool[bytes]() : nullptr;
  live[begin] = {begin, bytes, isInternal, written};
  return all + apart;
}

bool Memory::release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(reinterpret_cast<uint64_t>(pointer));
  if (found == live.end())
    return false;
  delete[] found->second.isWritten;
  live.erase(found);
  ::operator delete(static_cast<char *>(pointer) - apart, alignment);
  return true;
}

/// Null where it is not known.
bool *Memory::writtenAt(const void *pointer, uint64_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  auto after = live.upper_bound(address);
  if (after == live.begin())
    return nullptr;
  const MemoryRange &range = std::prev(after)->second;
  const uint64_t at = address - range.begin;
  return range.isWritten && at < range.bytes && range.bytes - at >= bytes ? range.isWritten + at
                                                                          : nullptr;
}

void Memory::noteWritten(const void *pointer, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bool *written = writtenAt(pointer, bytes))
    std::memset(written, 1, bytes);
}

void Memory::noteCopied(const void *to, const void *from, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  bool *written = writtenAt(to, bytes);
  const bool *source = writtenAt(from, bytes);
  if (written && source)
    std::memmove(written, source, bytes);
  else if (written)
    std::memset(written, 1, bytes);
}

std::vector<MemoryRange> Memory::ranges() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<MemoryRange> all;
  for (const auto &[begin, range] : live)
    all.push_back(range);
  return all;
}

} // namespace tl::backend::simt
