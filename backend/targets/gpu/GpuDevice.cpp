// SPDX-License-Identifier: MIT
//
// Opening a GPU, and its memory. Streams and events are in GpuStream.cpp, loading and launching in
// Launch.cpp.
#include "targets/gpu/GpuDevice.h"

#include "targets/gpu/GpuStream.h"

namespace tl::backend::gpu {

namespace {

Address address(const void *pointer) { return reinterpret_cast<Address>(pointer); }

} // namespace

std::atomic<int> GpuDevice::gpusInUse{0};

GpuDevice::GpuDevice(const GpuApi &api, const VendorWords &words, int ordinal,
                     std::unique_ptr<Target> target)
    : api(api), words(words), compiler(std::move(target)), ordinal(ordinal),
      label(std::string(words.device) + ":" + std::to_string(ordinal)) {
  check(api.deviceGet(&gpu, ordinal), "cannot open the GPU");
  char name[128] = {};
  api.deviceName(name, sizeof name, gpu);
  text = name;
}

void GpuDevice::begin(const GpuLimits &found, int gpusThatCount) {
  check(api.retainContext(&context, gpu), "cannot make a context on the GPU");
  size_t bytes = 0;
  api.deviceMemory(&bytes, gpu);
  limits = found;
  text += ", " + std::to_string(limits.multiprocessors) + " " + words.processors + ", " +
          std::to_string(bytes >> 30) + " GiB, " + std::string(compiler->name());
  counted = gpusThatCount;
  gpusInUse.fetch_add(counted, std::memory_order_relaxed);
}

/// The primary context lives as long as the process.
GpuDevice::~GpuDevice() { gpusInUse.fetch_sub(counted, std::memory_order_relaxed); }

// ---- Memory

void GpuDevice::failAllocation(Result result, const char *kind, uint64_t bytes) const {
  if (result != errorOutOfMemory)
    fail(result, std::string("cannot allocate ") + kind);
  forgetFailure();
  size_t free = 0, total = 0;
  api.memoryInfo(&free, &total);
  std::string message =
      std::string("out of ") + kind + ": " + std::to_string(bytes) + " bytes were asked for";
  if (bytes > free) // else there is enough, in pieces
    message += ", " + std::to_string(free) + " of " + std::to_string(total) + " are free";
  throw Error(TL_OUT_OF_RESOURCES, message).onDevice(label).exceeding(bytes, free);
}

void *GpuDevice::allocate(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  Entered entered(*this);
  RelaxedCapture relaxed(api);
  Address pointer = 0;
  if (Result result = api.allocate(&pointer, bytes))
    failAllocation(result, "memory", bytes);
  noteReachable(pointer, bytes);
  return reinterpret_cast<void *>(pointer);
}

void GpuDevice::release(void *pointer) {
  if (!pointer)
    return;
  Entered entered(*this);
  RelaxedCapture relaxed(api);
  check(api.free(address(pointer)), "cannot free memory"); // waits for the GPU
}

void *GpuDevice::allocateInOrder(Stream &stream, uint64_t bytes) {
  if (bytes == 0 || !limits.hasMemoryPools)
    return allocate(bytes);
  Entered entered(*this);
  Address pointer = 0;
  if (Result result = api.allocateAsync(&pointer, bytes, native(stream)))
    failAllocation(result, "memory", bytes);
  noteReachable(pointer, bytes);
  return reinterpret_cast<void *>(pointer);
}

void GpuDevice::releaseInOrder(Stream &stream, void *pointer) {
  if (!pointer || !limits.hasMemoryPools)
    return release(pointer);
  Entered entered(*this);
  check(api.freeAsync(address(pointer), native(stream)), "cannot free memory");
}

void *GpuDevice::allocateHost(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  Entered entered(*this);
  RelaxedCapture relaxed(api);
  void *pointer = nullptr;
  if (Result result = api.allocateHost(&pointer, bytes, hostAllocPortable | hostAllocMapped))
    failAllocation(result, "page-locked memory of the host", bytes);
  return pointer;
}

void GpuDevice::releaseHost(void *pointer) {
  if (!pointer)
    return;
  Entered entered(*this);
  RelaxedCapture relaxed(api);
  check(api.freeHost(pointer), "cannot free page-locked memory of the host");
}

// ---- Copies

void GpuDevice::copyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  refuseCapture(static_cast<GpuStream &>(stream), "a copy to the GPU");
  NativeStream queue = native(stream);
  check(api.copyToDevice(address(dst), src, bytes, queue), "cannot copy to the GPU");
  // Pageable host memory has been read when the driver returns, pinned memory only later.
  check(api.synchronizeStream(queue), "the copy to the GPU failed");
}

void GpuDevice::copyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  refuseCapture(static_cast<GpuStream &>(stream), "a copy from the GPU");
  check(api.copyFromDevice(dst, address(src), bytes, native(stream)), "cannot copy from the GPU");
  synchronize(stream);
}

void GpuDevice::queueCopyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(api.copyToDevice(address(dst), src, bytes, native(stream)), "cannot copy to the GPU");
}

void GpuDevice::queueCopyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(api.copyFromDevice(dst, address(src), bytes, native(stream)), "cannot copy from the GPU");
}

void GpuDevice::copyOnDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(api.copyOnDevice(address(dst), address(src), bytes, native(stream)),
        "cannot copy on the GPU");
}

bool GpuDevice::copyFromPeer(Stream &stream, void *dst, Device &source, Stream &sourceStream,
                             const void *src, uint64_t bytes) {
  auto *peer = dynamic_cast<GpuDevice *>(&source);
  if (!peer || &peer->api != &api) // of another vendor
    return false;
  // The copy waits for what was queued on the source, whose later work waits for the copy.
  GpuEvent ready(api, peer->context), done(api, context);
  {
    Entered entered(*peer);
    peer->check(api.createEvent(&ready.native, eventWithoutTiming), "cannot make an event");
    peer->check(api.recordEvent(ready.native, native(sourceStream)), "cannot record the event");
  }
  {
    Entered entered(*this);
    check(api.createEvent(&done.native, eventWithoutTiming), "cannot make an event");
    check(api.streamWait(native(stream), ready.native, 0), "cannot wait for the other GPU");
    check(
        api.copyFromPeer(address(dst), context, address(src), peer->context, bytes, native(stream)),
        "cannot copy from the other GPU");
    check(api.recordEvent(done.native, native(stream)), "cannot record the event");
  }
  Entered entered(*peer);
  peer->check(api.streamWait(native(sourceStream), done.native, 0),
              "cannot wait for the other GPU");
  return true;
}

void GpuDevice::fill(Stream &stream, void *dst, uint8_t value, uint64_t bytes) {
  Entered entered(*this);
  check(api.fill(address(dst), value, bytes, native(stream)), "cannot fill memory of the GPU");
}

} // namespace tl::backend::gpu
