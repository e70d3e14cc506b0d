// SPDX-License-Identifier: MIT
//
// A device in the memory of the host, whose work is done when a call returns: streams and events
// only keep the order and the time. What is left to such a device is its memory, of which some
// errors are here, and its kernels. Next: targets/cpu/Driver.h, the first of them.
#pragma once

#include "targets/Target.h"

#include <memory>
#include <string>

namespace tl::backend {

class HostDevice : public Device {
public:
  std::unique_ptr<Stream> createStream() final;
  std::unique_ptr<Stream> wrapStream(void *native) final;
  void synchronize(Stream &) final {}
  std::unique_ptr<Event> createEvent() final;
  void record(Event &, Stream &) final;
  void synchronize(Event &) final;
  void wait(Stream &, Event &) final;
  double elapsedMilliseconds(Event &start, Event &end) final;

protected:
  /// `kind`: as errors call it, "the cpu".
  explicit HostDevice(std::string kind) : kind(std::move(kind)) {}

  [[noreturn]] void fail(tl_status status, std::string message, std::string help = {}) const;
  [[noreturn]] void failToAllocate(uint64_t bytes, uint64_t limit) const;
  [[noreturn]] void failToRelease() const;

  /// Whether there is anything to copy or to fill. Null pointers are errors then.
  bool hasBytesToCopy(const void *dst, const void *src, uint64_t bytes) const;
  bool hasBytesToFill(const void *dst, uint64_t bytes) const;

  /// What the device's own target has compiled; an error for other kernels.
  template <class Kernel> const Kernel &ownKernel(const CompiledKernel &kernel) const {
    if (auto *own = dynamic_cast<const Kernel *>(&kernel))
      return *own;
    failToLoad(kernel);
  }

private:
  [[noreturn]] void failToLoad(const CompiledKernel &kernel) const;

  const std::string kind;
};

} // namespace tl::backend
