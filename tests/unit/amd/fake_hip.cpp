// SPDX-License-Identifier: MIT
//
// A fake libamdhip64.so: see fake_hip.hpp. Two MI300X with 1 GiB each, or as many as the
// environment variable FAKE_HIP_GPUS says. With FAKE_ROCM_5 it is that of ROCm 5.2, which lacks
// what came later and has other numbers for the types of memory.
#include "fake_hip.hpp"

#include "../gpu/fake_world.hpp"
#include "targets/amd/HipApi.h"

using namespace fake;
namespace hip = tl::backend::amd::hip;

const Vendor &fake::vendor() {
  static const Vendor made = {"FAKE_HIP_GPUS",
                              "Fake MI300X",
                              {{hip::cooperativeLaunch, 1},
                               {hip::maxGridX, 0x7fffffff},
                               {hip::maxGridY, 65535},
                               {hip::maxGridZ, 65535},
                               {hip::maxThreadsPerBlock, 1024},
                               {hip::multiprocessorCount, 132},
                               {hip::pageableMemoryAccess, 0},
                               {hip::maxRegistersPerBlock, 65536},
                               {hip::maxSharedPerBlock, 65536},
                               {hip::memoryPoolsSupported, 1}},
                              {{1, "hipErrorInvalidValue"},
                               {2, "hipErrorOutOfMemory"},
                               {3, "hipErrorNotInitialized"},
                               {9, "hipErrorInvalidConfiguration"},
                               {100, "hipErrorNoDevice"},
                               {201, "hipErrorInvalidContext"},
                               {218, "hipErrorInvalidKernelFile"},
                               {400, "hipErrorInvalidHandle"},
                               {600, "hipErrorNotReady"},
                               {700, "hipErrorIllegalAddress"},
                               {701, "hipErrorLaunchOutOfResources"},
                               {709, "hipErrorContextIsDestroyed"},
                               {900, "hipErrorStreamCaptureUnsupported"}},
                              /*threadsBeginOnGpu0=*/true};
  return made;
}

namespace {

thread_local Result lastError = success;
std::string architecture = "gfx942:sramecc+:xnack-";

/// HIP remembers the last failure in a thread.
Result note(Result result) {
  if (result != success)
    lastError = result;
  return result;
}

Result launchInGrid(NativeFunction function, const Launch &asked, NativeStream stream,
                    void **arguments, void **extra) {
  for (int axis = 0; axis < 3; ++axis) // the packet of a launch has 32 bits for its threads
    if (uint64_t(asked.grid[axis]) * asked.block[axis] > UINT32_MAX)
      return errorInvalidConfiguration;
  return launch(function, asked, stream, arguments, extra);
}

Result fillProperties(const char *function, void *filled, int gpu, size_t bytes, size_t at) {
  Lock lock(world.mutex);
  if (Result result = enter(function))
    return result;
  if (Result result = checkGpu(gpu))
    return result;
  std::memset(filled, 0x5a, bytes);
  std::strcpy(static_cast<char *>(filled), vendor().gpuName);
  std::strcpy(static_cast<char *>(filled) + at, architecture.c_str());
  return success;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

// ---- Failures

const char *hipGetErrorName(Result result) {
  const char *known = errorName(result);
  return known ? known : "hipErrorUnknown";
}
const char *hipGetErrorString(Result result) {
#ifdef FAKE_ROCM_5
  return hipGetErrorName(result); // it has no other words
#else
  return errorText(result);
#endif
}
Result hipGetLastError() { return std::exchange(lastError, success); }

// ---- GPUs

Result hipInit(unsigned flags) { return note(init(__func__, flags)); }
Result hipGetDeviceCount(int *count) {
  return *count = world.gpus, note(world.gpus ? success : errorNoDevice);
}
Result hipDeviceGet(int *gpu, int ordinal) { return note(deviceGet(__func__, gpu, ordinal)); }
Result hipDeviceGetName(char *name, int size, int gpu) { return note(deviceName(name, size, gpu)); }
Result hipDeviceGetAttribute(int *value, int which, int gpu) {
  return note(deviceAttribute(value, which, gpu));
}
Result hipDeviceTotalMem(size_t *bytes, int gpu) { return note(deviceMemoryBytes(bytes, gpu)); }
Result hipGetDevice(int *gpu) {
  Lock lock(world.mutex);
  *gpu = current ? current->gpu : 0;
  return note(enter(__func__));
}
Result hipSetDevice(int gpu) {
  Lock lock(world.mutex);
  if (Result result = enter(__func__))
    return note(result);
  if (Result result = checkGpu(gpu))
    return note(result);
  current = &world.primary[gpu];
  return success;
}
Result hipDeviceCanAccessPeer(int *possible, int gpu, int peer) {
  return note(canAccessPeer(__func__, possible, gpu, peer));
}
Result hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return note(enablePeerAccess(__func__, peer, flags));
}
Result hipThreadExchangeStreamCaptureMode(int *mode) { return note(exchangeCaptureMode(mode)); }

#ifdef FAKE_ROCM_5
Result hipRuntimeGetVersion(int *version) { return *version = 50221153, success; }
Result hipGetDeviceProperties(void *filled, int gpu) {
  return note(fillProperties(__func__, filled, gpu, 792, hip::architectureAt));
}
#else
Result hipRuntimeGetVersion(int *version) { return *version = 70051831, success; }
Result hipGetDevicePropertiesR0600(void *filled, int gpu) {
  return note(fillProperties(__func__, filled, gpu, 1472, hip::architectureAtR0600));
}
Result hipStreamGetDevice(NativeStream stream, int *gpu) {
  NativeContext context = nullptr;
  const Result result = streamContext(__func__, stream, &context);
  *gpu = context ? context->gpu : -1;
  return note(result);
}
Result hipModuleLaunchCooperativeKernel(NativeFunction function, unsigned gridX, unsigned gridY,
                                        unsigned gridZ, unsigned blockX, unsigned blockY,
                                        unsigned blockZ, unsigned sharedBytes, NativeStream stream,
                                        void **arguments) {
  Lock lock(world.mutex);
  if (Result result = enterContext(__func__))
    return note(result);
  Launch asked = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
  asked.cooperative = true;
  return note(launchInGrid(function, asked, stream, arguments, nullptr));
}
#endif

// ---- Modules and launches

Result hipModuleLoadData(NativeModule *module, const void *image) {
  return note(loadModule(__func__, module, image));
}
Result hipModuleUnload(NativeModule module) { return note(unloadModule(__func__, module)); }
Result hipModuleGetFunction(NativeFunction *function, NativeModule module, const char *symbol) {
  return note(moduleFunction(__func__, function, module, symbol));
}
Result hipFuncGetAttribute(int *value, int which, NativeFunction function) {
  return note(functionAttribute(__func__, value, which, function));
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, NativeFunction function,
                                                          int threads, size_t sharedBytes) {
  return note(occupancy(__func__, blocks, function, threads, sharedBytes));
}
Result hipModuleLaunchKernel(NativeFunction function, unsigned gridX, unsigned gridY,
                             unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                             unsigned sharedBytes, NativeStream stream, void **arguments,
                             void **extra) {
  Lock lock(world.mutex);
  if (Result result = enterContext(__func__))
    return note(result);
  return note(launchInGrid(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
                           stream, arguments, extra));
}

// ---- Memory

Result hipMalloc(void **pointer, size_t bytes) {
  return note(allocate(__func__, reinterpret_cast<Address *>(pointer), bytes));
}
Result hipFree(void *pointer) {
  return note(fake::free(__func__, reinterpret_cast<Address>(pointer)));
}
Result hipMallocAsync(void **pointer, size_t bytes, NativeStream stream) {
  return note(allocateAsync(__func__, reinterpret_cast<Address *>(pointer), bytes, stream));
}
Result hipFreeAsync(void *pointer, NativeStream stream) {
  return note(freeAsync(__func__, reinterpret_cast<Address>(pointer), stream));
}
Result hipMemGetInfo(size_t *free, size_t *total) {
  return note(memoryInfo(__func__, free, total));
}
Result hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  return note(allocateHost(__func__, pointer, bytes, flags));
}
Result hipHostFree(void *pointer) { return note(freeHost(__func__, pointer)); }
Result hipMemcpyHtoDAsync(void *dst, void *src, size_t bytes, NativeStream stream) {
  return note(copyToDevice(__func__, reinterpret_cast<Address>(dst), src, bytes, stream));
}
Result hipMemcpyDtoHAsync(void *dst, void *src, size_t bytes, NativeStream stream) {
  return note(copyFromDevice(__func__, dst, reinterpret_cast<Address>(src), bytes, stream));
}
Result hipMemcpyDtoDAsync(void *dst, void *src, size_t bytes, NativeStream stream) {
  return note(copyOnDevice(__func__, reinterpret_cast<Address>(dst), reinterpret_cast<Address>(src),
                           bytes, stream));
}
Result hipMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes,
                          NativeStream stream) {
  return note(copyFromPeer(__func__, reinterpret_cast<Address>(dst), to,
                           reinterpret_cast<Address>(src), from, bytes, stream));
}
Result hipMemsetD8Async(void *dst, unsigned char value, size_t bytes, NativeStream stream) {
  return note(fill(__func__, reinterpret_cast<Address>(dst), value, bytes, stream));
}
Result hipPointerGetAttribute(void *value, int which, void *pointer) {
  const Result result =
      pointerAttribute(__func__, value, which, reinterpret_cast<Address>(pointer));
  if (result == success && which == memoryType) {
    unsigned type = 0;
    std::memcpy(&type, value, sizeof type);
#ifdef FAKE_ROCM_5
    type = type == hostMemory ? hip::hostBefore6 : hip::deviceBefore6;
#else
    type = type == hostMemory ? hip::host : hip::device;
#endif
    std::memcpy(value, &type, sizeof type);
  }
  return note(result);
}

// ---- Streams and events

Result hipStreamCreateWithFlags(NativeStream *stream, unsigned flags) {
  return note(createStream(__func__, stream, flags));
}
Result hipStreamDestroy(NativeStream stream) { return note(destroyStream(__func__, stream)); }
Result hipStreamSynchronize(NativeStream stream) {
  return note(synchronizeStream(__func__, stream));
}
Result hipStreamWaitEvent(NativeStream stream, NativeEvent event, unsigned flags) {
  return note(streamWait(__func__, stream, event, flags));
}
Result hipStreamIsCapturing(NativeStream stream, int *state) {
  return note(streamIsCapturing(__func__, stream, state));
}
Result hipEventCreateWithFlags(NativeEvent *event, unsigned flags) {
  return note(createEvent(__func__, event, flags));
}
Result hipEventDestroy(NativeEvent event) { return note(destroyEvent(event)); }
Result hipEventRecord(NativeEvent event, NativeStream stream) {
  return note(recordEvent(__func__, event, stream));
}
Result hipEventSynchronize(NativeEvent event) { return note(synchronizeEvent(__func__, event)); }
Result hipEventElapsedTime(float *milliseconds, NativeEvent start, NativeEvent end) {
  return note(elapsed(__func__, milliseconds, start, end));
}

// ---- For the tests

extern const FakeHip tl_fake_hip;
const FakeHip tl_fake_hip = {control(), [] { return lastError; },
                             [](const char *name) { architecture = name; }};

#pragma GCC visibility pop
}
