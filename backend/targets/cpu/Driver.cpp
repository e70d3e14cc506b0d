// SPDX-License-Identifier: MIT
//
// Memory of the device "cpu". Launching is in Launch.cpp.
#include "targets/cpu/Driver.h"

#include "support/Environment.h"
#include "support/Fork.h"
#include "targets/cpu/Buffers.h"
#include "targets/cpu/Faults.h"
#include "targets/cpu/HostFeatures.h"
#include "targets/cpu/Overruns.h"
#include "targets/cpu/Printing.h"
#include "targets/cpu/ThreadPool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tl::backend::cpu {
namespace {

uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : 0;
}

/// Copies and fills from this size on use all threads: one does not saturate the memory.
constexpr uint64_t parallelBytes = uint64_t(4) << 20;
constexpr uint64_t copyGrain = uint64_t(1) << 20;

template <typename Body> void inParts(uint64_t bytes, Body &&body) {
  if (bytes < parallelBytes)
    return body(0, bytes);
  ThreadPool::shared().run(
      bytes, copyGrain, [&](uint64_t begin, uint64_t end, unsigned) { body(begin, end - begin); });
}

void move(void *dst, const void *src, uint64_t bytes) {
  auto *to = static_cast<char *>(dst);
  auto *from = static_cast<const char *>(src);
  auto distance =
      uint64_t(std::abs(reinterpret_cast<intptr_t>(to) - reinterpret_cast<intptr_t>(from)));
  if (distance < bytes) { // overlapping
    std::memmove(dst, src, bytes);
    return;
  }
  inParts(bytes,
          [&](uint64_t begin, uint64_t count) { std::memcpy(to + begin, from + begin, count); });
}

} // namespace

CpuDevice::CpuDevice(const Target &target)
    : HostDevice("the cpu"), compiler(target),
      buffers(std::make_unique<Buffers>(environment().check)),
      overruns(std::make_unique<Overruns>(*buffers)) {
  onFork(
      [](void *) {
        FaultGuard::freeLock();
        freePrintingLock();
      },
      nullptr);
  const unsigned threads = ThreadPool::shared().threads();
  text = HostFeatures::host().description() + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

CpuDevice::~CpuDevice() = default;

std::string_view CpuDevice::description() const { return text; }

void *CpuDevice::allocate(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  if (void *buffer = buffers->allocate(bytes))
    return buffer;
  failToAllocate(bytes, physicalMemory());
}

void CpuDevice::release(void *pointer) {
  if (!pointer)
    return;
  const std::optional<Damage> damage = buffers->findDamage(pointer);
  if (!buffers->release(pointer))
    failToRelease();
  overruns->report(damage); // freed all the same
}

void CpuDevice::copy(void *dst, const void *src, uint64_t bytes) const {
  if (hasBytesToCopy(dst, src, bytes))
    move(dst, src, bytes);
}

void CpuDevice::copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  overruns->report(buffers->findDamage(dst));
  copy(dst, src, bytes);
}

void CpuDevice::copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  overruns->report(buffers->findDamage(src));
  copy(dst, src, bytes);
}

void CpuDevice::copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  overruns->report(buffers->findDamage(dst));
  overruns->report(buffers->findDamage(src));
  copy(dst, src, bytes);
}

void CpuDevice::fill(Stream &, void *dst, uint8_t value, uint64_t bytes) {
  if (!hasBytesToFill(dst, bytes))
    return;
  inParts(bytes, [&](uint64_t begin, uint64_t count) {
    std::memset(static_cast<char *>(dst) + begin, value, count);
  });
}

} // namespace tl::backend::cpu
