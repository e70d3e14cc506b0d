// SPDX-License-Identifier: MIT
//
// A fake libcuda.so.1: see fake_cuda.hpp. Two GPUs of compute capability 9.0 with 1 GiB each,
// or as many as the environment variable FAKE_CUDA_GPUS says.
#include "fake_cuda.hpp"

#include "../gpu/fake_world.hpp"
#include "targets/nvidia/CudaApi.h"

using namespace fake;
namespace cuda = tl::backend::nvidia::cuda;

const Vendor &fake::vendor() {
  static const Vendor made = {"FAKE_CUDA_GPUS",
                              "Fake H100",
                              {{cuda::maxThreadsPerBlock, 1024},
                               {cuda::maxGridX, 0x7fffffff},
                               {cuda::maxGridY, 65535},
                               {cuda::maxGridZ, 65535},
                               {cuda::maxRegistersPerBlock, 65536},
                               {cuda::multiprocessorCount, 132},
                               {cuda::computeMajor, 9},
                               {cuda::computeMinor, 0},
                               {cuda::pageableMemoryAccess, 0},
                               {cuda::cooperativeLaunch, 1},
                               {cuda::maxSharedPerBlockOptin, 232448},
                               {cuda::memoryPoolsSupported, 1}},
                              {{1, "CUDA_ERROR_INVALID_VALUE"},
                               {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                               {3, "CUDA_ERROR_NOT_INITIALIZED"},
                               {100, "CUDA_ERROR_NO_DEVICE"},
                               {201, "CUDA_ERROR_INVALID_CONTEXT"},
                               {218, "CUDA_ERROR_INVALID_PTX"},
                               {400, "CUDA_ERROR_INVALID_HANDLE"},
                               {600, "CUDA_ERROR_NOT_READY"},
                               {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                               {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                               {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                               {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}}};
  return made;
}

namespace {

FakeTensorMap lastTensorMap = {};

Result launchMapped(NativeFunction function, const Launch &asked, NativeStream stream,
                    void **arguments, void **extra) {
  const Result result = launch(function, asked, stream, arguments, extra);
  if (result == success && function->name == "mapped") // a cooperative one has two more hidden
    std::memcpy(&lastTensorMap, arguments[asked.cooperative ? 4 : 2], sizeof lastTensorMap);
  return result;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

// ---- GPUs and contexts

Result cuInit(unsigned flags) { return init(__func__, flags); }
Result cuDriverGetVersion(int *version) { return *version = 13000, success; }
Result cuGetErrorName(Result result, const char **text) {
  return *text = errorName(result), success;
}
Result cuGetErrorString(Result result, const char **text) {
  return *text = errorText(result), success;
}
Result cuDeviceGetCount(int *count) { return *count = world.gpus, success; }
Result cuDeviceGet(int *gpu, int ordinal) { return deviceGet(__func__, gpu, ordinal); }
Result cuDeviceGetName(char *name, int size, int gpu) { return deviceName(name, size, gpu); }
Result cuDeviceGetAttribute(int *value, int which, int gpu) {
  return deviceAttribute(value, which, gpu);
}
Result cuDeviceTotalMem_v2(size_t *bytes, int gpu) { return deviceMemoryBytes(bytes, gpu); }
Result cuDevicePrimaryCtxRetain(NativeContext *context, int gpu) {
  Lock lock(world.mutex);
  if (Result result = checkGpu(gpu))
    return result;
  *context = &world.primary[gpu];
  return enter(__func__);
}
Result cuCtxGetCurrent(NativeContext *context) {
  Lock lock(world.mutex);
  *context = current;
  return enter(__func__);
}
Result cuCtxSetCurrent(NativeContext context) {
  Lock lock(world.mutex);
  if (Result result = enter(__func__))
    return result;
  current = context;
  return success;
}
Result cuDeviceCanAccessPeer(int *possible, int gpu, int peer) {
  return canAccessPeer(__func__, possible, gpu, peer);
}
Result cuCtxEnablePeerAccess(NativeContext peer, unsigned flags) {
  return enablePeerAccess(__func__, peer->gpu, flags);
}
Result cuThreadExchangeStreamCaptureMode(int *mode) { return exchangeCaptureMode(mode); }

// ---- Modules and launches

Result cuModuleLoadData(NativeModule *module, const void *image) {
  return loadModule(__func__, module, image);
}
Result cuModuleUnload(NativeModule module) { return unloadModule(__func__, module); }
Result cuModuleGetFunction(NativeFunction *function, NativeModule module, const char *symbol) {
  return moduleFunction(__func__, function, module, symbol);
}
Result cuFuncGetAttribute(int *value, int which, NativeFunction function) {
  return functionAttribute(__func__, value, which, function);
}
Result cuFuncSetAttribute(NativeFunction function, int which, int value) {
  Lock lock(world.mutex);
  if (Result result = enter(__func__))
    return result;
  if (!world.functions.count(function))
    return errorInvalidHandle;
  if (which == cuda::maxDynamicSharedBytes)
    function->dynamicShared = value;
  else if (which != cuda::nonPortableClusterAllowed)
    return errorInvalidValue;
  return success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, NativeFunction function,
                                                   int threads, size_t sharedBytes) {
  return occupancy(__func__, blocks, function, threads, sharedBytes);
}
Result cuLaunchKernel(NativeFunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      NativeStream stream, void **arguments, void **extra) {
  Lock lock(world.mutex);
  if (Result result = enterContext(__func__))
    return result;
  return launchMapped(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
                      stream, arguments, extra);
}
Result cuLaunchKernelEx(const cuda::LaunchConfig *config, NativeFunction function, void **arguments,
                        void **extra) {
  Lock lock(world.mutex);
  if (Result result = enterContext(__func__))
    return result;
  Launch asked = {{config->gridX, config->gridY, config->gridZ},
                  {config->blockX, config->blockY, config->blockZ},
                  config->sharedBytes};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const cuda::LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == cuda::attributeCooperative)
      asked.cooperative = attribute.cooperative != 0;
    if (attribute.id == cuda::attributeClusterDimension)
      asked.cluster = attribute.cluster.x;
    if (attribute.id == cuda::attributeProgrammaticSerialization)
      asked.overlaps = attribute.programmaticSerialization != 0;
  }
  return launchMapped(function, asked, config->stream, arguments, extra);
}

Result cuTensorMapEncodeTiled(void *map, int element, unsigned rank, void *base,
                              const uint64_t *extents, const uint64_t *strides, const unsigned *box,
                              const unsigned *elementStrides, int interleaving, int swizzle,
                              int promotion, int fill) {
  Lock lock(world.mutex);
  if (Result result = enterContext(__func__))
    return result;
  FakeTensorMap made = {};
  made.base = base;
  made.element = static_cast<unsigned char>(element);
  made.rank = static_cast<unsigned char>(rank);
  made.fill = static_cast<unsigned char>(fill);
  // u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16
  constexpr unsigned elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  constexpr int firstFloat = 6;
  bool valid = reinterpret_cast<uintptr_t>(map) % 64 == 0 && rank >= 1 && rank <= 5 && base &&
               reinterpret_cast<uintptr_t>(base) % 16 == 0 && interleaving == 0 && swizzle >= 0 &&
               swizzle <= 3 && promotion >= 0 && promotion <= 3 && element >= 0 && element <= 9 &&
               box[0] * elementBytes[element] % 16 == 0 &&
               (swizzle == 0 || box[0] * elementBytes[element] <= 16u << swizzle) &&
               (fill == 0 || (fill == 1 && element >= firstFloat));
  for (unsigned i = 0; i < rank && valid; ++i) {
    valid = extents[i] >= 1 && extents[i] <= uint64_t(1) << 32 && box[i] >= 1 && box[i] <= 256 &&
            elementStrides[i] == 1;
    made.extents[i] = long(extents[i]);
    made.box[i] = box[i];
    if (i + 1 < rank) {
      valid = valid && strides[i] % 16 == 0 && strides[i] < uint64_t(1) << 40;
      made.strides[i] = long(strides[i]);
    }
  }
  if (!valid)
    return errorInvalidValue;
  std::memcpy(map, &made, sizeof made);
  return success;
}

// ---- Memory

Result cuMemAlloc_v2(Address *pointer, size_t bytes) { return allocate(__func__, pointer, bytes); }
Result cuMemFree_v2(Address pointer) { return fake::free(__func__, pointer); }
Result cuMemAllocAsync(Address *pointer, size_t bytes, NativeStream stream) {
  return allocateAsync(__func__, pointer, bytes, stream);
}
Result cuMemFreeAsync(Address pointer, NativeStream stream) {
  return freeAsync(__func__, pointer, stream);
}
Result cuMemGetInfo_v2(size_t *free, size_t *total) { return memoryInfo(__func__, free, total); }
Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return allocateHost(__func__, pointer, bytes, flags);
}
Result cuMemFreeHost(void *pointer) { return freeHost(__func__, pointer); }
Result cuMemcpyHtoDAsync_v2(Address dst, const void *src, size_t bytes, NativeStream stream) {
  return copyToDevice(__func__, dst, src, bytes, stream);
}
Result cuMemcpyDtoHAsync_v2(void *dst, Address src, size_t bytes, NativeStream stream) {
  return copyFromDevice(__func__, dst, src, bytes, stream);
}
Result cuMemcpyAsync(Address dst, Address src, size_t bytes, NativeStream stream) {
  return copyOnDevice(__func__, dst, src, bytes, stream);
}
Result cuMemcpyPeerAsync(Address dst, NativeContext to, Address src, NativeContext from,
                         size_t bytes, NativeStream stream) {
  return copyFromPeer(__func__, dst, to->gpu, src, from->gpu, bytes, stream);
}
Result cuMemsetD8Async(Address dst, unsigned char value, size_t bytes, NativeStream stream) {
  return fill(__func__, dst, value, bytes, stream);
}
Result cuPointerGetAttribute(void *value, int which, Address pointer) {
  return pointerAttribute(__func__, value, which, pointer);
}

// ---- Streams and events

Result cuStreamCreate(NativeStream *stream, unsigned flags) {
  return createStream(__func__, stream, flags);
}
Result cuStreamGetCtx(NativeStream stream, NativeContext *context) {
  return streamContext(__func__, stream, context);
}
Result cuStreamDestroy_v2(NativeStream stream) { return destroyStream(__func__, stream); }
Result cuStreamSynchronize(NativeStream stream) { return synchronizeStream(__func__, stream); }
Result cuStreamWaitEvent(NativeStream stream, NativeEvent event, unsigned flags) {
  return streamWait(__func__, stream, event, flags);
}
Result cuStreamIsCapturing(NativeStream stream, int *state) {
  return streamIsCapturing(__func__, stream, state);
}
Result cuEventCreate(NativeEvent *event, unsigned flags) {
  return createEvent(__func__, event, flags);
}
Result cuEventDestroy_v2(NativeEvent event) { return destroyEvent(event); }
Result cuEventRecord(NativeEvent event, NativeStream stream) {
  return recordEvent(__func__, event, stream);
}
Result cuEventSynchronize(NativeEvent event) { return synchronizeEvent(__func__, event); }
Result cuEventElapsedTime(float *milliseconds, NativeEvent start, NativeEvent end) {
  return elapsed(__func__, milliseconds, start, end);
}

// ---- For the tests

extern const FakeCuda tl_fake_cuda;
const FakeCuda tl_fake_cuda = {control(), [] {
                                 Lock lock(world.mutex);
                                 return lastTensorMap;
                               }};

#pragma GCC visibility pop
}
