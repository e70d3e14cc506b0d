// SPDX-License-Identifier: MIT
#include "targets/HostDevice.h"

#include <chrono>

namespace tl::backend {

namespace {

using Clock = std::chrono::steady_clock;

class HostStream final : public Stream {};

class HostEvent final : public Event {
public:
  bool recorded = false;
  Clock::time_point when;
};

} // namespace

// ---- Streams and events

std::unique_ptr<Stream> HostDevice::createStream() { return std::make_unique<HostStream>(); }

std::unique_ptr<Stream> HostDevice::wrapStream(void *) {
  fail(TL_UNSUPPORTED, kind + " has no native streams to wrap", "create a stream instead");
}

std::unique_ptr<Event> HostDevice::createEvent() { return std::make_unique<HostEvent>(); }

void HostDevice::record(Event &event, Stream &) {
  auto &own = static_cast<HostEvent &>(event);
  own.when = Clock::now();
  own.recorded = true;
}

void HostDevice::synchronize(Event &event) {
  if (!static_cast<HostEvent &>(event).recorded)
    fail(TL_INVALID_ARGUMENT, "the event has not been recorded", "record it in a stream first");
}

void HostDevice::wait(Stream &, Event &event) { synchronize(event); }

double HostDevice::elapsedMilliseconds(Event &start, Event &end) {
  synchronize(start);
  synchronize(end);
  return std::chrono::duration<double, std::milli>(static_cast<HostEvent &>(end).when -
                                                   static_cast<HostEvent &>(start).when)
      .count();
}

// ---- Errors

void HostDevice::fail(tl_status status, std::string message, std::string help) const {
  throw Error(status, std::move(message)).withHelp(std::move(help)).onDevice(name());
}

void HostDevice::failToAllocate(uint64_t bytes, uint64_t limit) const {
  throw Error(TL_OUT_OF_RESOURCES,
              "out of memory: " + std::to_string(bytes) + " bytes were asked for")
      .onDevice(name())
      .exceeding(bytes, limit);
}

void HostDevice::failToRelease() const {
  fail(TL_INVALID_ARGUMENT, "the pointer to free is not a live allocation of this device");
}

void HostDevice::failToLoad(const CompiledKernel &kernel) const {
  throw Error(TL_INVALID_ARGUMENT, "the kernel was compiled for another target")
      .inKernel(kernel.name)
      .onDevice(name());
}

bool HostDevice::hasBytesToCopy(const void *dst, const void *src, uint64_t bytes) const {
  if (bytes && (!dst || !src))
    fail(TL_INVALID_ARGUMENT, "copy of " + std::to_string(bytes) + " bytes " +
                                  (dst ? "from" : "to") + " a null pointer");
  return bytes != 0;
}

bool HostDevice::hasBytesToFill(const void *dst, uint64_t bytes) const {
  if (bytes && !dst)
    fail(TL_INVALID_ARGUMENT, "fill of " + std::to_string(bytes) + " bytes at a null pointer");
  return bytes != 0;
}

} // namespace tl::backend
