// SPDX-License-Identifier: MIT
//
// A device, its streams and its events as the C API hands them out: the target's own object, the
// handle it goes by, and the checks that are the same for every device. Next: Registry.h opens
// devices; targets/Target.h has the interfaces.
#pragma once

#include "runtime/HandleTable.h"
#include "targets/Target.h"

#include <map>
#include <set>
#include <shared_mutex>

namespace tl::backend {

class OpenDevice;

struct OpenStream {
  OpenStream(OpenDevice &device, std::unique_ptr<Stream> stream)
      : device(device), stream(std::move(stream)), handle(HandleKind::Stream, this) {}
  OpenDevice &device;
  std::unique_ptr<Stream> stream;
  Handle handle;
};

struct OpenEvent {
  OpenEvent(OpenDevice &device, std::unique_ptr<Event> event)
      : device(device), event(std::move(event)), handle(HandleKind::Event, this) {}
  OpenDevice &device;
  std::unique_ptr<Event> event;
  bool recorded = false;
  Handle handle;
};

/// A device in use. It keeps a list of its allocations: what is freed must have been allocated
/// here, and a copy that begins in an allocation must end in it.
class OpenDevice {
public:
  explicit OpenDevice(std::unique_ptr<Device> opened);

  /// For callers outside that want strings with a terminator.
  const std::string name, description, target;
  const std::unique_ptr<Device> device;

  OpenStream &defaultStream() { return initialStream; }

  /// In the order of a stream where there is one.
  void *allocate(uint64_t bytes, OpenStream *stream = nullptr);
  void free(const char *function, void *pointer, OpenStream *stream);
  void *allocateHost(uint64_t bytes);
  void freeHost(void *pointer);
  /// From a device that may be another one.
  void copyFrom(OpenStream &stream, void *dst, OpenDevice &source, const void *src, uint64_t bytes);
  /// Throws if the range begins in an allocation of this device and ends outside of it. Memory
  /// that was not allocated here (another library's, on the same device) is not judged.
  void checkRange(const char *function, const void *begin, uint64_t bytes);

  Handle handle;

private:
  void checkSize(uint64_t bytes) const;

  std::shared_mutex mutex;
  std::map<uintptr_t, uint64_t> allocations; // begin, bytes
  std::set<void *> hostAllocations;
  OpenStream initialStream;
};

} // namespace tl::backend
