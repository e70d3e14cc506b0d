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
  for (auto [begin, range] : live)
    ::operator delete(reinterpret_cast<char *>(begin) - apart, alignment);
}

void *Memory::allocate(uint64_t bytes, bool isInternal) {
  if (bytes == 0)
    return nullptr;
  auto *all = static_cast<char *>(::operator new(bytes + 2 * apart, alignment, std::nothrow));
  if (!all)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  const auto begin = reinterpret_cast<uint64_t>(all + apart);
  live[begin] = {begin, bytes, isInternal};
  return all + apart;
}

bool Memory::release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!live.erase(reinterpret_cast<uint64_t>(pointer)))
    return false;
  ::operator delete(static_cast<char *>(pointer) - apart, alignment);
  return true;
}

std::vector<MemoryRange> Memory::ranges() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<MemoryRange> all;
  for (const auto &[begin, range] : live)
    all.push_back(range);
  return all;
}

} // namespace tl::backend::simt
