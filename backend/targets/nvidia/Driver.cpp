// SPDX-License-Identifier: MIT
//
// Memory, streams and events of a CUDA card. Loading and launching are in Launch.cpp.
#include "targets/nvidia/Driver.h"

#include "targets/nvidia/CudaStream.h"

namespace tl::backend::nvidia {

namespace {

const CudaApi &driver() {
  std::string why;
  if (const CudaApi *api = CudaApi::find(&why))
    return *api;
  Error error;
  error.status = TL_RUNTIME_ERROR;
  error.message = why;
  error.device = "cuda";
  throw error;
}

int attribute(const CudaApi &api, int which, CUdevice card) {
  int value = 0;
  api.deviceAttribute(&value, which, card);
  return value;
}

CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

} // namespace

int CudaDevice::count() {
  int count = 0;
  if (const CudaApi *api = CudaApi::find())
    api->deviceCount(&count);
  return count;
}

std::string CudaDevice::architecture(int ordinal) {
  const CudaApi &api = driver();
  CUdevice card = 0;
  api.deviceGet(&card, ordinal);
  int major = attribute(api, cuda::computeMajor, card);
  int minor = attribute(api, cuda::computeMinor, card);
  // From 9.0 on the feature set of the very architecture has instructions that no other has.
  return "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : "");
}

CudaDevice::CudaDevice(int ordinal, std::unique_ptr<Target> target)
    : cuda(driver()), compiler(std::move(target)), label("cuda:" + std::to_string(ordinal)) {
  check(cuda.deviceGet(&card, ordinal), "cannot open the card");
  check(cuda.retainContext(&context, card), "cannot make a context on the card");
  char name[128] = {};
  cuda.deviceName(name, sizeof name, card);
  size_t bytes = 0;
  cuda.deviceMemory(&bytes, card);
  multiprocessors = attribute(cuda, cuda::multiprocessorCount, card);
  maxShared = attribute(cuda, cuda::maxSharedPerBlockOptin, card);
  maxThreads = attribute(cuda, cuda::maxThreadsPerBlock, card);
  maxGrid[0] = uint32_t(attribute(cuda, cuda::maxGridX, card));
  maxGrid[1] = uint32_t(attribute(cuda, cuda::maxGridY, card));
  maxGrid[2] = uint32_t(attribute(cuda, cuda::maxGridZ, card));
  text = std::string(name) + ", " + std::to_string(multiprocessors) + " multiprocessors, " +
         std::to_string(bytes >> 30) + " GiB, " + std::string(compiler->name());
}

CudaDevice::~CudaDevice() = default; // the primary context lives as long as the process

void CudaDevice::fail(CUresult result, const std::string &what) const {
  Error error;
  error.status = result == cudaErrorOutOfMemory ? TL_OUT_OF_RESOURCES : TL_RUNTIME_ERROR;
  error.message = what + ": " + cuda.describe(result);
  error.device = label;
  throw error;
}

void CudaDevice::check(CUresult result, const char *what) const {
  if (result != cudaSuccess)
    fail(result, what);
}

void *CudaDevice::allocate(uint64_t bytes) {
  if (bytes == 0)
    return nullptr;
  enter();
  CUdeviceptr pointer = 0;
  if (CUresult result = cuda.allocate(&pointer, bytes)) {
    size_t free = 0, total = 0;
    cuda.memoryInfo(&free, &total);
    Error error;
    error.status = result == cudaErrorOutOfMemory ? TL_OUT_OF_RESOURCES : TL_RUNTIME_ERROR;
    error.message = result == cudaErrorOutOfMemory
                        ? "out of memory: " + std::to_string(bytes) + " bytes were asked for, " +
                              std::to_string(free) + " are free"
                        : "cannot allocate memory: " + cuda.describe(result);
    error.device = label;
    error.required = bytes;
    error.limit = free;
    throw error;
  }
  return reinterpret_cast<void *>(pointer);
}

void CudaDevice::release(void *pointer) {
  if (!pointer)
    return;
  enter();
  check(cuda.free(address(pointer)), "cannot free memory"); // waits for the card
}

void CudaDevice::copyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  enter();
  CUstream queue = native(stream);
  check(cuda.copyToDevice(address(dst), src, bytes, queue), "cannot copy to the card");
  // Pageable host memory has been read when the driver returns, pinned memory only later.
  check(cuda.synchronizeStream(queue), "the copy to the card failed");
}

void CudaDevice::copyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  enter();
  CUstream queue = native(stream);
  check(cuda.copyFromDevice(dst, address(src), bytes, queue), "cannot copy from the card");
  synchronize(stream);
}

void CudaDevice::copyOnDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
  enter();
  check(cuda.copyOnDevice(address(dst), address(src), bytes, native(stream)),
        "cannot copy on the card");
}

void CudaDevice::fill(Stream &stream, void *dst, uint8_t value, uint64_t bytes) {
  enter();
  check(cuda.fill(address(dst), value, bytes, native(stream)), "cannot fill memory of the card");
}

std::unique_ptr<Stream> CudaDevice::createStream() {
  enter();
  CUstream queue = nullptr;
  check(cuda.createStream(&queue, cuda::streamNonBlocking), "cannot make a stream");
  return std::make_unique<CudaStream>(cuda, context, queue, /*owned=*/true);
}

std::unique_ptr<Stream> CudaDevice::wrapStream(void *native) {
  return std::make_unique<CudaStream>(cuda, context, static_cast<CUstream>(native),
                                      /*owned=*/false);
}

void CudaDevice::synchronize(Stream &stream) {
  enter();
  auto &own = static_cast<CudaStream &>(stream);
  check(cuda.synchronizeStream(own.native), "the work of the stream failed");
  own.throwFailedAssertion(label);
}

std::unique_ptr<Event> CudaDevice::createEvent() {
  enter();
  auto event = std::make_unique<CudaEvent>(cuda, context);
  check(cuda.createEvent(&event->native, 0), "cannot make an event");
  return event;
}

void CudaDevice::record(Event &event, Stream &stream) {
  enter();
  check(cuda.recordEvent(native(event), native(stream)), "cannot record the event");
}

void CudaDevice::synchronize(Event &event) {
  enter();
  check(cuda.synchronizeEvent(native(event)), "the work before the event failed");
}

void CudaDevice::wait(Stream &stream, Event &event) {
  enter();
  check(cuda.streamWait(native(stream), native(event), 0), "cannot wait for the event");
}

double CudaDevice::elapsedMilliseconds(Event &start, Event &end) {
  enter();
  float milliseconds = 0;
  CUresult result = cuda.elapsed(&milliseconds, native(start), native(end));
  if (result == cudaErrorNotReady)
    fail(result, "the events have not been reached");
  check(result, "cannot read the time between the events");
  return milliseconds;
}

} // namespace tl::backend::nvidia
