// SPDX-License-Identifier: MIT
#include "runtime/OpenDevice.h"

#include "support/Error.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

namespace tl::backend {
namespace {

/// No machine has more; beyond it the sizes of drivers and allocators overflow when they round up.
constexpr uint64_t maxAllocation = uint64_t(1) << 47;

std::string hex(const void *pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)));
  return text;
}

} // namespace

OpenDevice::OpenDevice(std::unique_ptr<Device> opened)
    : name(opened->name()), description(opened->description()), target(opened->target().name()),
      device(std::move(opened)), handle(HandleKind::Device, this),
      initialStream(*this, device->createDefaultStream()) {}

void OpenDevice::checkSize(uint64_t bytes) const {
  if (bytes <= maxAllocation)
    return;
  throw Error(TL_OUT_OF_RESOURCES, "an allocation of " + std::to_string(bytes) + " bytes on " +
                                       name + " exceeds the limit of " +
                                       std::to_string(maxAllocation) + " bytes")
      .exceeding(bytes, maxAllocation);
}

void *OpenDevice::allocate(uint64_t bytes, OpenStream *stream) {
  if (bytes == 0)
    return nullptr;
  checkSize(bytes);
  void *pointer =
      stream ? device->allocateInOrder(*stream->stream, bytes) : device->allocate(bytes);
  std::unique_lock lock(mutex);
  try {
    allocations[reinterpret_cast<uintptr_t>(pointer)] = bytes;
  } catch (...) {
    device->release(pointer);
    throw;
  }
  return pointer;
}

void OpenDevice::free(const char *function, void *pointer, OpenStream *stream) {
  if (!pointer)
    return;
  {
    std::unique_lock lock(mutex);
    auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
    if (found == allocations.end())
      raise(TL_INVALID_ARGUMENT, std::string(function) + " got " + hex(pointer) +
                                     ", which is not a live allocation of " + name);
    allocations.erase(found);
  }
  stream ? device->releaseInOrder(*stream->stream, pointer) : device->release(pointer);
}

void *OpenDevice::allocateHost(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  checkSize(bytes);
  void *pointer = device->allocateHost(bytes);
  std::unique_lock lock(mutex);
  try {
    hostAllocations.insert(pointer);
  } catch (...) {
    device->releaseHost(pointer);
    throw;
  }
  return pointer;
}

void OpenDevice::freeHost(void *pointer) {
  if (!pointer)
    return;
  {
    std::unique_lock lock(mutex);
    if (!hostAllocations.erase(pointer))
      raise(TL_INVALID_ARGUMENT, "tl_free_host got " + hex(pointer) +
                                     ", which is not a live allocation of tl_allocate_host on " +
                                     name);
  }
  device->releaseHost(pointer);
}

void OpenDevice::copyFrom(OpenStream &stream, void *dst, OpenDevice &source, const void *src,
                          uint64_t bytes) {
  if (&source == this)
    return device->copyOnDevice(*stream.stream, dst, src, bytes);
  Stream &queue = *stream.stream, &other = *source.initialStream.stream;
  if (device->copyFromPeer(queue, dst, *source.device, other, src, bytes))
    return;
  constexpr uint64_t piece = uint64_t(16) << 20;
  std::vector<char> host(std::min(bytes, piece));
  for (uint64_t done = 0; done < bytes; done += host.size()) {
    uint64_t count = std::min<uint64_t>(bytes - done, host.size());
    source.device->copyFromDevice(other, host.data(), static_cast<const char *>(src) + done, count);
    device->copyToDevice(queue, static_cast<char *>(dst) + done, host.data(), count);
  }
}

void OpenDevice::checkRange(const char *function, const void *begin, uint64_t bytes) {
  uintptr_t first = reinterpret_cast<uintptr_t>(begin);
  if (bytes > UINTPTR_MAX - first)
    raise(TL_INVALID_ARGUMENT, std::string(function) + " got " + std::to_string(bytes) +
                                   " bytes from " + hex(begin) +
                                   ", which is past the end of the address space");
  std::shared_lock lock(mutex);
  auto next = allocations.upper_bound(first);
  if (next == allocations.begin())
    return;
  auto [start, size] = *std::prev(next);
  if (first - start >= size)
    return;
  if (bytes > size - (first - start))
    raise(TL_INVALID_ARGUMENT, std::string(function) + " got " + std::to_string(bytes) +
                                   " bytes, but the allocation on " + name + " has " +
                                   std::to_string(size - (first - start)) + " bytes from there");
}

} // namespace tl::backend
