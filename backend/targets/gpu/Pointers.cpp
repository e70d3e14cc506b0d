// SPDX-License-Identifier: MIT
//
// Whether the GPU can reach what the arguments of a launch point to. A kernel that reads through
// an address of the host takes the whole context down with it, so the error is worth finding
// before the launch. Memory of other libraries is known to the driver and passes.
#include "targets/gpu/GpuKernel.h"

#include <cstdio>
#include <unistd.h>

namespace tl::backend::gpu {
namespace {

std::string hex(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

/// Is this an address that the host can read? Asked of the kernel, which answers instead of
/// faulting.
bool isReadableByHost(uint64_t address) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  const ssize_t written = write(ends[1], reinterpret_cast<const void *>(address), 1);
  close(ends[0]);
  close(ends[1]);
  return written == 1;
}

[[noreturn]] void refuse(const GpuDevice &device, const GpuCode &code, size_t index, uint64_t value,
                         const std::string &what, std::string help) {
  throw Error(TL_INVALID_ARGUMENT, "argument " + std::to_string(index) + " of kernel " + code.name +
                                       " (" + code.parameters[index].type + ") is " + hex(value) +
                                       ", " + what)
      .withHelp(std::move(help))
      .inKernel(code.name)
      .onDevice(device.name());
}

} // namespace

void GpuDevice::noteReachable(Address pointer, uint64_t bytes) {
  uint64_t first = page(pointer), last = page(pointer + bytes - 1);
  last = std::min(last, first + pageSlots - 1);
  for (uint64_t number = first; number <= last; ++number)
    reachable[number % pageSlots].store(number, std::memory_order_relaxed);
}

void GpuDevice::examinePointer(const GpuKernel &kernel, size_t index, uint64_t value) {
  const GpuCode &code = kernel.code;
  const std::string help =
      "pass a tl::buffer of " + label + ", or memory of " + words.memoryFunctions;
  Entered entered(*this);
  unsigned type = 0;
  if (api.pointerAttribute(&type, memoryType, value) != success) {
    // No memory of the driver's. It may be the end of an array, or point before one, and never be
    // read through; but what the host can read there is the host's.
    if (isReadableByHost(value))
      refuse(*this, code, index, value, "memory of the host that " + label + " cannot reach", help);
    return;
  }
  unsigned managed = 0;
  if (api.pointerAttribute(&managed, isManaged, value) == success && managed) {
    // Moves to whoever reads it.
  } else if (type == hostMemory) {
    Address seen = 0;
    if (api.pointerAttribute(&seen, devicePointer, value) != success)
      refuse(*this, code, index, value, "memory of the host that " + label + " cannot reach", help);
    if (seen != value)
      refuse(*this, code, index, value,
             "memory of the host that " + label + " sees at " + hex(seen),
             std::string("pass the address that ") + words.hostPointer + " gives");
  } else if (int owner = ordinal;
             api.pointerAttribute(&owner, deviceOrdinal, value) == success && owner != ordinal) {
    int possible = 0;
    api.canAccessPeer(&possible, gpu, owner);
    if (!possible || !reachPeer(owner))
      refuse(*this, code, index, value,
             std::string("memory of ") + words.device + ":" + std::to_string(owner) + " that " +
                 label + " cannot reach",
             "copy it to a buffer of " + label + " first");
  }
  noteReachable(value, 1);
}

bool GpuDevice::reachPeer(int other) {
  int peer = 0;
  NativeContext theirs = nullptr;
  if (api.deviceGet(&peer, other) || api.retainContext(&theirs, peer))
    return false;
  Result result = api.enablePeerAccess(theirs, 0);
  return result == success || result == errorPeerAccessAlreadyEnabled;
}

} // namespace tl::backend::gpu
