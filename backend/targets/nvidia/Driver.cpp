// SPDX-License-Identifier: MIT
//
// Opening a CUDA device, and its memory. Streams and events are in CudaStream.cpp, loading and
// launching in Launch.cpp.
#include "targets/nvidia/Driver.h"

#include "targets/nvidia/CudaStream.h"

namespace tl::backend::nvidia {

namespace {

const CudaApi &driver() {
  std::string why;
  if (const CudaApi *api = CudaApi::find(&why))
    return *api;
  throw Error(TL_RUNTIME_ERROR, why).onDevice("cuda");
}

int attribute(const CudaApi &api, int which, CUdevice gpu) {
  int value = 0;
  api.deviceAttribute(&value, which, gpu);
  return value;
}

CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

} // namespace

std::atomic<int> CudaDevice::gpusInUse{0};

int CudaDevice::count() {
  int count = 0;
  if (const CudaApi *api = CudaApi::find())
    api->deviceCount(&count);
  return count;
}

std::string CudaDevice::architecture(int ordinal) {
  const CudaApi &api = driver();
  CUdevice gpu = 0;
  api.deviceGet(&gpu, ordinal);
  int major = attribute(api, cuda::computeMajor, gpu);
  int minor = attribute(api, cuda::computeMinor, gpu);
  // From 9.0 on the feature set of the very architecture has instructions that no other has.
  return "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : "");
}

CudaDevice::CudaDevice(int ordinal, std::unique_ptr<Target> target)
    : cuda(driver()), compiler(std::move(target)), ordinal(ordinal),
      label("cuda:" + std::to_string(ordinal)) {
  check(cuda.deviceGet(&gpu, ordinal), "cannot open the GPU");
  char name[128] = {};
  cuda.deviceName(name, sizeof name, gpu);
  if (!compiler) {
    throw Error(TL_UNSUPPORTED, label + " is a " + name + " of architecture " +
                                    architecture(ordinal) + ", libtl knows those from sm_80 on")
        .onDevice(label);
  }
  check(cuda.retainContext(&context, gpu), "cannot make a context on the GPU");
  size_t bytes = 0;
  cuda.deviceMemory(&bytes, gpu);
  auto number = [&](int which) { return attribute(cuda, which, gpu); };
  multiprocessors = number(cuda::multiprocessorCount);
  maxShared = number(cuda::maxSharedPerBlockOptin);
  maxThreads = number(cuda::maxThreadsPerBlock);
  maxRegisters = number(cuda::maxRegistersPerBlock);
  maxGrid[0] = uint32_t(number(cuda::maxGridX));
  maxGrid[1] = uint32_t(number(cuda::maxGridY));
  maxGrid[2] = uint32_t(number(cuda::maxGridZ));
  readsAllHostMemory = number(cuda::pageableMemoryAccess) != 0;
  hasMemoryPools = number(cuda::memoryPoolsSupported) != 0;
  text = std::string(name) + ", " + std::to_string(multiprocessors) + " multiprocessors, " +
         std::to_string(bytes >> 30) + " GiB, " + std::string(compiler->name());
  gpusInUse.fetch_add(1, std::memory_order_relaxed);
}

/// The primary context lives as long as the process.
CudaDevice::~CudaDevice() { gpusInUse.fetch_sub(1, std::memory_order_relaxed); }

// ---- Memory

void CudaDevice::failAllocation(CUresult result, const char *kind, uint64_t bytes) const {
  if (result != cudaErrorOutOfMemory)
    fail(result, std::string("cannot allocate ") + kind);
  size_t free = 0, total = 0;
  cuda.memoryInfo(&free, &total);
  std::string message =
      std::string("out of ") + kind + ": " + std::to_string(bytes) + " bytes were asked for";
  if (bytes > free) // else there is enough, in pieces
    message += ", " + std::to_string(free) + " of " + std::to_string(total) + " are free";
  throw Error(TL_OUT_OF_RESOURCES, message).onDevice(label).exceeding(bytes, free);
}

void *CudaDevice::allocate(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  Entered entered(*this);
  RelaxedCapture relaxed(cuda);
  CUdeviceptr pointer = 0;
  if (CUresult result = cuda.allocate(&pointer, bytes))
    failAllocation(result, "memory", bytes);
  noteReachable(pointer, bytes);
  return reinterpret_cast<void *>(pointer);
}

void CudaDevice::release(void *pointer) {
  if (!pointer)
    return;
  Entered entered(*this);
  RelaxedCapture relaxed(cuda);
  check(cuda.free(address(pointer)), "cannot free memory"); // waits for the GPU
}

void *CudaDevice::allocateInOrder(Stream &stream, uint64_t bytes) {
  if (bytes == 0 || !hasMemoryPools)
    return allocate(bytes);
  Entered entered(*this);
  CUdeviceptr pointer = 0;
  if (CUresult result = cuda.allocateAsync(&pointer, bytes, native(stream)))
    failAllocation(result, "memory", bytes);
  noteReachable(pointer, bytes);
  return reinterpret_cast<void *>(pointer);
}

void CudaDevice::releaseInOrder(Stream &stream, void *pointer) {
  if (!pointer || !hasMemoryPools)
    return release(pointer);
  Entered entered(*this);
  check(cuda.freeAsync(address(pointer), native(stream)), "cannot free memory");
}

void *CudaDevice::allocateHost(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  Entered entered(*this);
  RelaxedCapture relaxed(cuda);
  void *pointer = nullptr;
  if (CUresult result =
          cuda.allocateHost(&pointer, bytes, cuda::hostAllocPortable | cuda::hostAllocMapped))
    failAllocation(result, "page-locked memory of the host", bytes);
  return pointer;
}

void CudaDevice::releaseHost(void *pointer) {
  if (!pointer)
    return;
  Entered entered(*this);
  RelaxedCapture relaxed(cuda);
  check(cuda.freeHost(pointer), "cannot free page-locked memory of the host");
}

// ---- Copies

void CudaDevice::copyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  refuseCapture(static_cast<CudaStream &>(stream), "a copy to the GPU");
  CUstream queue = native(stream);
  check(cuda.copyToDevice(address(dst), src, bytes, queue), "cannot copy to the GPU");
  // Pageable host memory has been read when the driver returns, pinned memory only later.
  check(cuda.synchronizeStream(queue), "the copy to the GPU failed");
}

void CudaDevice::copyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  refuseCapture(static_cast<CudaStream &>(stream), "a copy from the GPU");
  check(cuda.copyFromDevice(dst, address(src), bytes, native(stream)), "cannot copy from the GPU");
  synchronize(stream);
}

void CudaDevice::queueCopyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(cuda.copyToDevice(address(dst), src, bytes, native(stream)), "cannot copy to the GPU");
}

void CudaDevice::queueCopyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(cuda.copyFromDevice(dst, address(src), bytes, native(stream)), "cannot copy from the GPU");
}

void CudaDevice::copyOnDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  Entered entered(*this);
  check(cuda.copyOnDevice(address(dst), address(src), bytes, native(stream)),
        "cannot copy on the GPU");
}

bool CudaDevice::copyFromPeer(Stream &stream, void *dst, Device &source, Stream &sourceStream,
                              const void *src, uint64_t bytes) {
  auto *peer = dynamic_cast<CudaDevice *>(&source);
  if (!peer)
    return false;
  // The copy waits for what was queued on the source, whose later work waits for the copy.
  CudaEvent ready(cuda, peer->context), done(cuda, context);
  {
    Entered entered(*peer);
    peer->check(cuda.createEvent(&ready.native, cuda::eventWithoutTiming), "cannot make an event");
    peer->check(cuda.recordEvent(ready.native, native(sourceStream)), "cannot record the event");
  }
  {
    Entered entered(*this);
    check(cuda.createEvent(&done.native, cuda::eventWithoutTiming), "cannot make an event");
    check(cuda.streamWait(native(stream), ready.native, 0), "cannot wait for the other GPU");
    check(cuda.copyFromPeer(address(dst), context, address(src), peer->context, bytes,
                            native(stream)),
          "cannot copy from the other GPU");
    check(cuda.recordEvent(done.native, native(stream)), "cannot record the event");
  }
  Entered entered(*peer);
  peer->check(cuda.streamWait(native(sourceStream), done.native, 0),
              "cannot wait for the other GPU");
  return true;
}

void CudaDevice::fill(Stream &stream, void *dst, uint8_t value, uint64_t bytes) {
  Entered entered(*this);
  check(cuda.fill(address(dst), value, bytes, native(stream)), "cannot fill memory of the GPU");
}

} // namespace tl::backend::nvidia
