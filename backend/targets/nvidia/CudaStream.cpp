// SPDX-License-Identifier: MIT
//
// Streams and events of a CUDA device, and the records of failed assertions that streams keep.
#include "targets/nvidia/CudaStream.h"

#include <algorithm>
#include <new>
#include <optional>

namespace tl::backend::nvidia {

// ---- What a stream knows

CudaStream::CudaStream(CudaDevice &device, CUstream native, bool owned)
    : native(native), device(device), owned(owned) {
  std::lock_guard<std::mutex> lock(device.streamsMutex);
  device.streams.insert(this);
}

CudaStream::~CudaStream() {
  if (CudaApi::isLostByFork()) // and a lock of the parent's may stay taken
    return;
  const CudaApi &cuda = device.cuda;
  {
    std::lock_guard<std::mutex> lock(device.streamsMutex);
    device.streams.erase(this);
  }
  CurrentContext current(cuda, device.context);
  // Kernels in flight may still write into the records. A stream of others may be gone by now, or
  // belong to a capture: it is left alone unless there is something to wait for.
  if (owned || !pending.empty() || !spare.empty() || ownCounter)
    cuda.synchronizeStream(native);
  if (ownCounter) {
    std::lock_guard<std::mutex> lock(device.countersMutex);
    device.counters.push_back(ownCounter);
  }
  for (Pending &launch : pending)
    if (!launch.captured) // a graph may outlive the stream
      cuda.freeHost(launch.record);
  for (FailureRecord *record : spare)
    cuda.freeHost(record);
  if (owned)
    cuda.destroyStream(native);
}

bool CudaStream::listKernels(std::set<std::string> &names) const {
  for (const std::atomic<const std::string *> &kernel : kernels)
    if (const std::string *name = kernel.load(std::memory_order_relaxed))
      names.insert(*name);
  return !moreKernels.load(std::memory_order_relaxed);
}

void CudaStream::forgetKernels() {
  for (std::atomic<const std::string *> &kernel : kernels)
    kernel.store(nullptr, std::memory_order_relaxed);
  moreKernels.store(false, std::memory_order_relaxed);
}

CUdeviceptr CudaStream::counter(bool captured) {
  if (captured)
    return device.takeCounter();
  std::lock_guard<std::mutex> lock(mutex);
  if (!ownCounter)
    ownCounter = device.takeCounter();
  return ownCounter;
}

FailureRecord *CudaStream::addRecord(const NvidiaKernel &kernel, CUdeviceptr counter,
                                     bool captured) {
  std::lock_guard<std::mutex> lock(mutex);
  FailureRecord *record = nullptr;
  if (!spare.empty()) {
    record = spare.back();
    spare.pop_back();
  } else {
    RelaxedCapture relaxed(device.cuda);
    void *memory = nullptr;
    device.check(device.cuda.allocateHost(&memory, sizeof(FailureRecord),
                                          cuda::hostAllocMapped | cuda::hostAllocPortable),
                 "cannot allocate the record of failed assertions");
    record = static_cast<FailureRecord *>(memory);
  }
  *record = FailureRecord();
  pending.push_back({record, counter, captured, kernel.name, kernel.hidden.sites});
  return record;
}

void CudaStream::throwFailedAssertion(const std::string &deviceName) {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<Error> error;
  std::vector<Pending> kept;
  for (Pending &launch : pending) {
    const FailureRecord record = *launch.record;
    // Programs have left the barrier where others waited.
    if (record.taken && launch.counter)
      device.check(device.cuda.fill(launch.counter, 0, sizeof(uint32_t), native),
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

std::unique_ptr<Stream> CudaDevice::createStream() {
  Entered entered(*this);
  CUstream queue = nullptr;
  check(cuda.createStream(&queue, cuda::streamNonBlocking), "cannot make a stream");
  return std::make_unique<CudaStream>(*this, queue, /*owned=*/true);
}

/// The default stream waits for the GPU's legacy default stream and that one for it, as code of
/// the CUDA run-time library and of PyTorch expects that hands us what it has just queued there.
std::unique_ptr<Stream> CudaDevice::createDefaultStream() {
  Entered entered(*this);
  CUstream queue = nullptr;
  check(cuda.createStream(&queue, cuda::streamBlocking), "cannot make the default stream");
  return std::make_unique<CudaStream>(*this, queue, /*owned=*/true);
}

std::unique_ptr<Stream> CudaDevice::wrapStream(void *native) {
  Entered entered(*this);
  auto queue = static_cast<CUstream>(native);
  if (reinterpret_cast<uintptr_t>(native) > cuda::lastNamedStream) {
    CUcontext owner = nullptr;
    check(cuda.streamContext(queue, &owner), "cannot wrap the stream");
    if (owner != context) {
      throw Error(TL_INVALID_ARGUMENT,
                  "the stream to be wrapped is not of the primary context of " + label)
          .withHelp("make it with cudaStreamCreate while " + label + " is the current GPU")
          .onDevice(label);
    }
  }
  return std::make_unique<CudaStream>(*this, queue, /*owned=*/false);
}

void CudaDevice::refuseCapture(CudaStream &stream, const char *what) const {
  int state = cuda::captureNone;
  check(cuda.streamIsCapturing(stream.native, &state), "cannot ask for the state of the stream");
  if (state == cuda::captureNone)
    return;
  throw Error(TL_INVALID_ARGUMENT,
              std::string(what) + " waits for the stream, which is being captured into a graph")
      .withHelp("end the capture first; launches and copies from and to tl::host_buffer can be "
                "captured")
      .onDevice(label);
}

void CudaDevice::synchronize(Stream &stream) {
  Entered entered(*this);
  auto &own = static_cast<CudaStream &>(stream);
  refuseCapture(own, "synchronize");
  check(cuda.synchronizeStream(own.native), "the work of the stream failed");
  own.forgetKernels();
  own.throwFailedAssertion(label);
}

std::unique_ptr<Event> CudaDevice::createEvent() {
  Entered entered(*this);
  auto event = std::make_unique<CudaEvent>(cuda, context);
  check(cuda.createEvent(&event->native, cuda::eventDefault), "cannot make an event");
  return event;
}

void CudaDevice::record(Event &event, Stream &stream) {
  Entered entered(*this);
  check(cuda.recordEvent(native(event), native(stream)), "cannot record the event");
}

void CudaDevice::synchronize(Event &event) {
  Entered entered(*this);
  check(cuda.synchronizeEvent(native(event)), "the work before the event failed");
}

void CudaDevice::wait(Stream &stream, Event &event) {
  Entered entered(*this);
  check(cuda.streamWait(native(stream), native(event), 0), "cannot wait for the event");
}

double CudaDevice::elapsedMilliseconds(Event &start, Event &end) {
  Entered entered(*this);
  float milliseconds = 0;
  CUresult result = cuda.elapsed(&milliseconds, native(start), native(end));
  if (result == cudaErrorNotReady)
    fail(result, "the events have not been reached");
  check(result, "cannot read the time between the events");
  return milliseconds;
}

} // namespace tl::backend::nvidia
