// SPDX-License-Identifier: MIT
//
// Streams and events of a GPU, and the records of failed assertions that streams keep.
#include "targets/gpu/GpuStream.h"

#include <algorithm>
#include <new>
#include <optional>

namespace tl::backend::gpu {

// ---- What a stream knows

GpuStream::GpuStream(GpuDevice &device, NativeStream native, bool owned)
    : native(native), device(device), owned(owned) {
  std::lock_guard<std::mutex> lock(device.streamsMutex);
  device.streams.insert(this);
}

GpuStream::~GpuStream() {
  if (GpuApi::isLostByFork()) // and a lock of the parent's may stay taken
    return;
  const GpuApi &api = device.api;
  {
    std::lock_guard<std::mutex> lock(device.streamsMutex);
    device.streams.erase(this);
  }
  CurrentContext current(api, device.context);
  // Kernels in flight may still write into the records. A stream of others may be gone by now, or
  // belong to a capture: it is left alone unless there is something to wait for.
  if (owned || !pending.empty() || !spare.empty() || ownCounter)
    api.synchronizeStream(native);
  if (ownCounter) {
    std::lock_guard<std::mutex> lock(device.countersMutex);
    device.counters.push_back(ownCounter);
  }
  for (Pending &launch : pending)
    if (!launch.captured) // a graph may outlive the stream
      api.freeHost(launch.record);
  for (FailureRecord *record : spare)
    api.freeHost(record);
  if (owned)
    api.destroyStream(native);
}

bool GpuStream::listKernels(std::set<std::string> &names) const {
  for (const std::atomic<const std::string *> &kernel : kernels)
    if (const std::string *name = kernel.load(std::memory_order_relaxed))
      names.insert(*name);
  return !moreKernels.load(std::memory_order_relaxed);
}

void GpuStream::forgetKernels() {
  for (std::atomic<const std::string *> &kernel : kernels)
    kernel.store(nullptr, std::memory_order_relaxed);
  moreKernels.store(false, std::memory_order_relaxed);
}

Address GpuStream::counter(bool captured) {
  if (captured)
    return device.takeCounter();
  std::lock_guard<std::mutex> lock(mutex);
  if (!ownCounter)
    ownCounter = device.takeCounter();
  return ownCounter;
}

FailureRecord *GpuStream::addRecord(const GpuCode &kernel, Address counter, bool captured) {
  std::lock_guard<std::mutex> lock(mutex);
  FailureRecord *record = nullptr;
  if (!spare.empty()) {
    record = spare.back();
    spare.pop_back();
  } else {
    RelaxedCapture relaxed(device.api);
    void *memory = nullptr;
    device.check(device.api.allocateHost(&memory, sizeof(FailureRecord),
                                         hostAllocMapped | hostAllocPortable),
                 "cannot allocate the record of failed assertions");
    record = static_cast<FailureRecord *>(memory);
  }
  *record = FailureRecord();
  pending.push_back({record, counter, captured, kernel.name, kernel.hidden.sites});
  return record;
}

void GpuStream::throwFailedAssertion(const std::string &deviceName) {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<Error> error;
  std::vector<Pending> kept;
  for (Pending &launch : pending) {
    const FailureRecord record = *launch.record;
    // Programs have left the barrier where others waited.
    if (record.taken && launch.counter)
      device.check(device.api.fill(launch.counter, 0, sizeof(uint32_t), native),
                   "cannot clear the counter of a grid-wide barrier");
    if (record.taken && record.site < launch.sites.size() && !error) {
      error =
          errorOf(record, launch.sites[record.site]).inKernel(launch.kernel).onDevice(deviceName);
    }
    if (launch.captured) { // the graph may run again
      *launch.record = FailureRecord();
      kept.push_back(std::move(launch));
    } else {
      spare.push_back(launch.record);
    }
  }
  pending = std::move(kept);
  if (error)
    throw *std::move(error);
}

// ---- The device's functions

std::unique_ptr<Stream> GpuDevice::createStream() {
  Entered entered(*this);
  NativeStream queue = nullptr;
  check(api.createStream(&queue, streamNonBlocking), "cannot make a stream");
  return std::make_unique<GpuStream>(*this, queue, /*owned=*/true);
}

/// The default stream waits for the GPU's legacy default stream and that one for it, as code of
/// the vendor's run-time library and of PyTorch expects that hands us what it has just queued
/// there.
std::unique_ptr<Stream> GpuDevice::createDefaultStream() {
  Entered entered(*this);
  NativeStream queue = nullptr;
  check(api.createStream(&queue, streamBlocking), "cannot make the default stream");
  return std::make_unique<GpuStream>(*this, queue, /*owned=*/true);
}

std::unique_ptr<Stream> GpuDevice::wrapStream(void *native) {
  Entered entered(*this);
  auto queue = static_cast<NativeStream>(native);
  if (reinterpret_cast<uintptr_t>(native) > lastNamedStream) {
    NativeContext owner = nullptr;
    check(api.streamContext(queue, &owner), "cannot wrap the stream");
    if (owner != context) {
      throw Error(TL_INVALID_ARGUMENT,
                  "the stream to be wrapped is not of the primary context of " + label)
          .withHelp(std::string("make it with ") + words.streamFunction + " while " + label +
                    " is the current GPU")
          .onDevice(label);
    }
  }
  return std::make_unique<GpuStream>(*this, queue, /*owned=*/false);
}

void GpuDevice::refuseCapture(GpuStream &stream, const char *what) const {
  int state = captureNone;
  check(api.streamIsCapturing(stream.native, &state), "cannot ask for the state of the stream");
  if (state == captureNone)
    return;
  throw Error(TL_INVALID_ARGUMENT,
              std::string(what) + " waits for the stream, which is being captured into a graph")
      .withHelp("end the capture first; launches and copies from and to tl::host_buffer can be "
                "captured")
      .onDevice(label);
}

void GpuDevice::synchronize(Stream &stream) {
  Entered entered(*this);
  auto &own = static_cast<GpuStream &>(stream);
  refuseCapture(own, "synchronize");
  check(api.synchronizeStream(own.native), "the work of the stream failed");
  own.forgetKernels();
  own.throwFailedAssertion(label);
}

std::unique_ptr<Event> GpuDevice::createEvent() {
  Entered entered(*this);
  auto event = std::make_unique<GpuEvent>(api, context);
  check(api.createEvent(&event->native, eventDefault), "cannot make an event");
  return event;
}

void GpuDevice::record(Event &event, Stream &stream) {
  Entered entered(*this);
  check(api.recordEvent(native(event), native(stream)), "cannot record the event");
}

void GpuDevice::synchronize(Event &event) {
  Entered entered(*this);
  check(api.synchronizeEvent(native(event)), "the work before the event failed");
}

void GpuDevice::wait(Stream &stream, Event &event) {
  Entered entered(*this);
  check(api.streamWait(native(stream), native(event), 0), "cannot wait for the event");
}

double GpuDevice::elapsedMilliseconds(Event &start, Event &end) {
  Entered entered(*this);
  float milliseconds = 0;
  Result result = api.elapsed(&milliseconds, native(start), native(end));
  if (result == errorNotReady)
    fail(result, "the events have not been reached");
  check(result, "cannot read the time between the events");
  return milliseconds;
}

} // namespace tl::backend::gpu
