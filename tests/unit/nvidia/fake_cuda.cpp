// SPDX-License-Identifier: MIT
//
// A fake libcuda.so.1: see fake_cuda.hpp. Two GPUs of compute capability 9.0 with 1 GiB each,
// or as many as the environment variable FAKE_CUDA_GPUS says.
#include "fake_cuda.hpp"

#include "targets/nvidia/CudaApi.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace tl::backend::gpu;
using namespace tl::backend::nvidia;

namespace tl::backend::gpu {

struct OpaqueContext {
  int gpu;
  int lost; // the result of everything from now on
};
struct OpaqueModule {
  NativeContext context;
  std::vector<std::unique_ptr<struct OpaqueFunction>> functions;
};
struct OpaqueFunction {
  NativeModule module;
  std::string name;
  int registers, maxThreads, dynamicShared;
};
struct OpaqueStream {
  NativeContext context;
  bool capturing;
};
struct OpaqueEvent {
  NativeContext context;
  bool recorded;
};

} // namespace tl::backend::gpu

namespace {

constexpr size_t gpuBytes = size_t(1) << 30;
constexpr int maxGpus = 8;

struct Memory {
  size_t bytes;
  unsigned type; // cuda::MemoryType
  bool managed;
  int gpu;
};

/// Plans and counts of one function.
struct Plan {
  int calls = 0, failIn = 0, result = 0;
};

struct World {
  std::mutex mutex;
  pid_t process = 0;
  int gpus = 2;
  OpaqueContext primary[maxGpus] = {};
  std::vector<std::unique_ptr<OpaqueContext>> others;
  char *arena[maxGpus + 1] = {};      // the last one: managed and pinned memory
  size_t arenaUsed[maxGpus + 1] = {}; // never used twice
  uint64_t allocated[maxGpus] = {};
  std::map<uintptr_t, Memory> memory;
  std::map<std::string, Plan, std::less<>> plans;
  std::map<int, int> attributes;
  std::set<NativeStream> streams;
  std::set<NativeModule> modules;
  OpaqueStream named[maxGpus] = {}; // the default streams
  FakeLaunch last = {};
  uint64_t lastHidden = 0;
  FakeTensorMap lastTensorMap = {};
  std::vector<unsigned> parameterBytes;
  std::vector<unsigned char> lastParameters;
  int pendingFault = 0;
  int registers = 32, maxThreads = 1024;
  bool peers = true;
  std::set<std::pair<int, int>> peerAccess;
};
World world;

thread_local NativeContext current = nullptr;
thread_local int captureMode = 0;

using Lock = std::lock_guard<std::mutex>;

/// Counts the call and says whether it is to fail: what every function does first.
Result enter(const char *function) {
  if (world.process && world.process != getpid())
    return errorNotInitialized;
  auto found = world.plans.find(function); // without an allocation: tests count those
  Plan &plan = found != world.plans.end() ? found->second : world.plans[function];
  ++plan.calls;
  if (plan.failIn > 0 && --plan.failIn == 0)
    return plan.result;
  return success;
}

Result enterContext(const char *function) {
  if (Result result = enter(function))
    return result;
  return !current ? errorInvalidContext : current->lost;
}

bool anyCapture() {
  return std::any_of(world.streams.begin(), world.streams.end(),
                     [](NativeStream stream) { return stream->capturing; });
}
/// What may not be called while a stream is captured, unless the thread has asked for it.
Result enterUnsafe(const char *function) {
  if (Result result = enterContext(function))
    return result;
  return anyCapture() && captureMode != captureRelaxed ? errorCaptureUnsupported : success;
}

Result checkStream(NativeStream &stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= lastNamedStream) {
    stream = &world.named[current->gpu];
    stream->context = current;
  } else if (!world.streams.count(stream)) {
    return errorInvalidHandle;
  }
  return stream->context->lost;
}

uintptr_t take(int arena, size_t bytes, Memory memory) {
  if (!world.arena[arena])
    world.arena[arena] =
        static_cast<char *>(mmap(nullptr, 8 * gpuBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  uintptr_t start = reinterpret_cast<uintptr_t>(world.arena[arena]);
  uintptr_t aligned = (start + (2u << 20) - 1) & ~uintptr_t((2u << 20) - 1);
  uintptr_t address = aligned + world.arenaUsed[arena];
  world.arenaUsed[arena] += (bytes + 511) / 512 * 512;
  world.memory[address] = memory;
  return address;
}

const std::pair<const uintptr_t, Memory> *find(uintptr_t address) {
  auto next = world.memory.upper_bound(address);
  if (next == world.memory.begin())
    return nullptr;
  auto found = std::prev(next);
  return address < found->first + found->second.bytes ? &*found : nullptr;
}

Result allocateOn(int gpu, Address *pointer, size_t bytes) {
  if (world.allocated[gpu] + bytes > gpuBytes)
    return errorOutOfMemory;
  world.allocated[gpu] += bytes;
  *pointer = take(gpu, bytes, {bytes, deviceMemory, false, gpu});
  return success;
}

Result release(Address pointer) {
  auto found = world.memory.find(pointer);
  if (found == world.memory.end())
    return errorInvalidValue;
  if (found->second.type == deviceMemory)
    world.allocated[found->second.gpu] -= found->second.bytes;
  world.memory.erase(found);
  return success;
}

Result copy(void *dst, const void *src, size_t bytes, NativeStream stream) {
  if (Result result = checkStream(stream))
    return result;
  std::memmove(dst, src, bytes);
  return success;
}

void *host(Address pointer) { return reinterpret_cast<void *>(pointer); }

Result launch(NativeFunction function, const unsigned *grid, const unsigned *block, unsigned shared,
              NativeStream stream, void **arguments, bool cooperative, unsigned cluster) {
  if (function->module->context != current)
    return errorInvalidHandle;
  void *given = stream;
  if (Result result = checkStream(stream))
    return result;
  if (stream->context != current)
    return errorInvalidHandle;
  if (grid[0] == 0 || grid[0] > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535 ||
      shared > unsigned(function->dynamicShared))
    return errorInvalidValue;
  if (block[0] > unsigned(function->maxThreads))
    return errorLaunchOutOfResources;
  FakeLaunch &last = world.last;
  std::strncpy(last.function, function->name.c_str(), sizeof last.function - 1);
  std::copy_n(grid, 3, last.grid);
  std::copy_n(block, 3, last.block);
  last.sharedBytes = shared;
  last.stream = given;
  last.arguments = arguments;
  last.cooperative = cooperative;
  last.overlaps = false;
  last.cluster = cluster;
  const std::string &name = function->name;
  if (name == "asserting" || name == "meeting")
    std::memcpy(&world.lastHidden, arguments[2], sizeof world.lastHidden);
  if (name == "asserting_and_meeting")
    std::memcpy(&world.lastHidden, arguments[3], sizeof world.lastHidden);
  if (name == "mapped") // two of the user's; a cooperative one has two more
    std::memcpy(&world.lastTensorMap, arguments[cooperative ? 4 : 2], sizeof world.lastTensorMap);
  world.lastParameters.clear();
  for (size_t i = 0; i < world.parameterBytes.size(); ++i) {
    auto *bytes = static_cast<const unsigned char *>(arguments[i]);
    world.lastParameters.insert(world.lastParameters.end(), bytes, bytes + world.parameterBytes[i]);
  }
  if (world.pendingFault) {
    current->lost = world.pendingFault;
    world.pendingFault = 0;
  }
  return success;
}

const std::map<int, const char *> names = {
    {1, "CUDA_ERROR_INVALID_VALUE"},          {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},        {100, "CUDA_ERROR_NO_DEVICE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},      {218, "CUDA_ERROR_INVALID_PTX"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},       {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"}, {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};

} // namespace

extern "C" {
#pragma GCC visibility push(default)

// ---- GPUs and contexts

Result cuInit(unsigned) {
  Lock lock(world.mutex);
  if (Result result = enter("cuInit"))
    return result;
  const char *gpus = std::getenv("FAKE_CUDA_GPUS");
  world.gpus = gpus ? std::clamp(std::atoi(gpus), 0, maxGpus) : 2;
  world.process = getpid();
  for (int gpu = 0; gpu < maxGpus; ++gpu)
    world.primary[gpu].gpu = gpu;
  return world.gpus ? success : 100;
}
Result cuDriverGetVersion(int *version) { return *version = 13000, success; }
Result cuGetErrorName(Result result, const char **text) {
  auto found = names.find(result);
  *text = found == names.end() ? nullptr : found->second;
  return success;
}
Result cuGetErrorString(Result result, const char **text) {
  *text = result == 700 ? "an illegal memory access was encountered"
          : result == 2 ? "out of memory"
                        : "a fake failure";
  return success;
}
Result cuDeviceGetCount(int *count) { return *count = world.gpus, success; }
Result cuDeviceGet(int *gpu, int ordinal) {
  Lock lock(world.mutex);
  return *gpu = ordinal, enter("cuDeviceGet");
}
Result cuDeviceGetName(char *name, int size, int) {
  std::strncpy(name, "Fake H100", size_t(size));
  return success;
}
Result cuDeviceGetAttribute(int *value, int which, int) {
  Lock lock(world.mutex);
  static const std::map<int, int> defaults = {{cuda::maxThreadsPerBlock, 1024},
                                              {cuda::maxGridX, 0x7fffffff},
                                              {cuda::maxGridY, 65535},
                                              {cuda::maxGridZ, 65535},
                                              {cuda::maxRegistersPerBlock, 65536},
                                              {cuda::multiprocessorCount, 132},
                                              {cuda::computeMajor, 9},
                                              {cuda::computeMinor, 0},
                                              {cuda::cooperativeLaunch, 1},
                                              {cuda::maxSharedPerBlockOptin, 232448},
                                              {cuda::memoryPoolsSupported, 1}};
  auto own = world.attributes.find(which);
  auto found = defaults.find(which);
  *value = own != world.attributes.end() ? own->second
           : found != defaults.end()     ? found->second
                                         : 0;
  return success;
}
Result cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = gpuBytes, success; }
Result cuDevicePrimaryCtxRetain(NativeContext *context, int gpu) {
  Lock lock(world.mutex);
  *context = &world.primary[gpu];
  return enter("cuDevicePrimaryCtxRetain");
}
Result cuCtxGetCurrent(NativeContext *context) {
  Lock lock(world.mutex);
  *context = current;
  return enter("cuCtxGetCurrent");
}
Result cuCtxSetCurrent(NativeContext context) {
  Lock lock(world.mutex);
  if (Result result = enter("cuCtxSetCurrent"))
    return result;
  current = context;
  return success;
}
Result cuDeviceCanAccessPeer(int *possible, int, int) {
  Lock lock(world.mutex);
  *possible = world.peers;
  return enter("cuDeviceCanAccessPeer");
}
Result cuCtxEnablePeerAccess(NativeContext peer, unsigned) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuCtxEnablePeerAccess"))
    return result;
  return world.peerAccess.insert({current->gpu, peer->gpu}).second ? success
                                                                   : errorPeerAccessAlreadyEnabled;
}
Result cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(*mode, captureMode);
  return success;
}

// ---- Modules and launches

Result cuModuleLoadData(NativeModule *module, const void *) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe("cuModuleLoadData"))
    return result;
  *module = new OpaqueModule{current, {}};
  world.modules.insert(*module);
  return success;
}
Result cuModuleUnload(NativeModule module) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuModuleUnload"))
    return result;
  world.modules.erase(module);
  delete module;
  return success;
}
Result cuModuleGetFunction(NativeFunction *function, NativeModule module, const char *name) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuModuleGetFunction"))
    return result;
  module->functions.push_back(std::make_unique<OpaqueFunction>(
      OpaqueFunction{module, name, world.registers, world.maxThreads, 48 * 1024}));
  *function = module->functions.back().get();
  return success;
}
Result cuFuncGetAttribute(int *value, int which, NativeFunction function) {
  Lock lock(world.mutex);
  if (Result result = enter("cuFuncGetAttribute"))
    return result;
  *value = which == functionRegisters    ? function->registers
           : which == functionMaxThreads ? function->maxThreads
                                         : 0;
  return success;
}
Result cuFuncSetAttribute(NativeFunction function, int which, int value) {
  Lock lock(world.mutex);
  if (Result result = enter("cuFuncSetAttribute"))
    return result;
  if (which == cuda::maxDynamicSharedBytes)
    function->dynamicShared = value;
  return success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, NativeFunction, int, size_t) {
  Lock lock(world.mutex);
  *blocks = 2;
  return enterContext("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
Result cuLaunchKernel(NativeFunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                      NativeStream stream, void **arguments, void **) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuLaunchKernel"))
    return result;
  const unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  return launch(function, grid, block, shared, stream, arguments, false, 1);
}
Result cuLaunchKernelEx(const cuda::LaunchConfig *config, NativeFunction function, void **arguments,
                        void **) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuLaunchKernelEx"))
    return result;
  bool cooperative = false, overlaps = false;
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const cuda::LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == cuda::attributeCooperative)
      cooperative = attribute.cooperative != 0;
    if (attribute.id == cuda::attributeClusterDimension)
      cluster = attribute.cluster.x;
    if (attribute.id == cuda::attributeProgrammaticSerialization)
      overlaps = attribute.programmaticSerialization != 0;
  }
  const unsigned grid[] = {config->gridX, config->gridY, config->gridZ};
  const unsigned block[] = {config->blockX, config->blockY, config->blockZ};
  Result result = launch(function, grid, block, config->sharedBytes, config->stream, arguments,
                         cooperative, cluster);
  world.last.overlaps = overlaps;
  return result;
}

Result cuTensorMapEncodeTiled(void *map, int element, unsigned rank, void *base,
                              const uint64_t *extents, const uint64_t *strides, const unsigned *box,
                              const unsigned *elementStrides, int interleaving, int swizzle,
                              int promotion, int fill) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuTensorMapEncodeTiled"))
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
               reinterpret_cast<uintptr_t>(base) % 16 == 0 && interleaving == 0 && swizzle == 0 &&
               promotion >= 0 && promotion <= 3 && element >= 0 && element <= 9 &&
               box[0] * elementBytes[element] % 16 == 0 &&
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

Result cuMemAlloc_v2(Address *pointer, size_t bytes) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe("cuMemAlloc_v2"))
    return result;
  return allocateOn(current->gpu, pointer, bytes);
}
Result cuMemFree_v2(Address pointer) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe("cuMemFree_v2"))
    return result;
  return release(pointer);
}
Result cuMemAllocAsync(Address *pointer, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuMemAllocAsync"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return allocateOn(current->gpu, pointer, bytes);
}
Result cuMemFreeAsync(Address pointer, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuMemFreeAsync"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return release(pointer);
}
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuMemGetInfo_v2"))
    return result;
  *total = gpuBytes;
  *free = gpuBytes - world.allocated[current->gpu];
  return success;
}
Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe("cuMemHostAlloc"))
    return result;
  *pointer = host(take(maxGpus, bytes, {bytes, hostMemory, false, 0}));
  return success;
}
Result cuMemFreeHost(void *pointer) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe("cuMemFreeHost"))
    return result;
  return release(reinterpret_cast<Address>(pointer));
}
Result cuMemcpyHtoDAsync_v2(Address dst, const void *src, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  Result result = enterContext("cuMemcpyHtoDAsync_v2");
  return result ? result : copy(host(dst), src, bytes, stream);
}
Result cuMemcpyDtoHAsync_v2(void *dst, Address src, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  Result result = enterContext("cuMemcpyDtoHAsync_v2");
  return result ? result : copy(dst, host(src), bytes, stream);
}
Result cuMemcpyAsync(Address dst, Address src, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  Result result = enterContext("cuMemcpyAsync");
  return result ? result : copy(host(dst), host(src), bytes, stream);
}
Result cuMemcpyPeerAsync(Address dst, NativeContext to, Address src, NativeContext from,
                         size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuMemcpyPeerAsync"))
    return result;
  const auto *target = find(dst), *source = find(src);
  if (!target || !source || target->second.gpu != to->gpu || source->second.gpu != from->gpu)
    return errorInvalidValue;
  return copy(host(dst), host(src), bytes, stream);
}
Result cuMemsetD8Async(Address dst, unsigned char value, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuMemsetD8Async"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  std::memset(host(dst), value, bytes);
  return success;
}
Result cuPointerGetAttribute(void *value, int which, Address pointer) {
  Lock lock(world.mutex);
  if (Result result = enter("cuPointerGetAttribute"))
    return result;
  const auto *found = find(pointer);
  if (!found)
    return errorInvalidValue;
  const Memory &memory = found->second;
  unsigned number = 0;
  switch (which) {
  case memoryType:
    number = memory.type;
    break;
  case devicePointer:
    std::memcpy(value, &pointer, 8);
    return success;
  case isManaged:
    number = memory.managed;
    break;
  case deviceOrdinal:
    number = unsigned(memory.gpu);
    break;
  default:
    return errorInvalidValue;
  }
  std::memcpy(value, &number, sizeof number);
  return success;
}

// ---- Streams and events

Result cuStreamCreate(NativeStream *stream, unsigned) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuStreamCreate"))
    return result;
  *stream = new OpaqueStream{current, false};
  world.streams.insert(*stream);
  return success;
}
Result cuStreamGetCtx(NativeStream stream, NativeContext *context) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuStreamGetCtx"))
    return result;
  if (!world.streams.count(stream))
    return errorInvalidHandle;
  *context = stream->context;
  return success;
}
Result cuStreamDestroy_v2(NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enter("cuStreamDestroy_v2"))
    return result;
  if (!world.streams.erase(stream))
    return errorInvalidHandle;
  delete stream;
  return success;
}
Result cuStreamSynchronize(NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuStreamSynchronize"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return stream->capturing ? errorCaptureUnsupported : success;
}
Result cuStreamWaitEvent(NativeStream stream, NativeEvent, unsigned) {
  Lock lock(world.mutex);
  Result result = enterContext("cuStreamWaitEvent");
  return result ? result : checkStream(stream);
}
Result cuStreamIsCapturing(NativeStream stream, int *state) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuStreamIsCapturing"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  *state = stream->capturing;
  return success;
}
Result cuEventCreate(NativeEvent *event, unsigned) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuEventCreate"))
    return result;
  *event = new OpaqueEvent{current, false};
  return success;
}
Result cuEventDestroy_v2(NativeEvent event) {
  delete event;
  return success;
}
Result cuEventRecord(NativeEvent event, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuEventRecord"))
    return result;
  if (Result result = checkStream(stream))
    return result;
  if (event->context != stream->context)
    return errorInvalidHandle;
  event->recorded = true;
  return success;
}
Result cuEventSynchronize(NativeEvent) {
  Lock lock(world.mutex);
  return enterContext("cuEventSynchronize");
}
Result cuEventElapsedTime(float *milliseconds, NativeEvent start, NativeEvent end) {
  Lock lock(world.mutex);
  if (Result result = enterContext("cuEventElapsedTime"))
    return result;
  if (!start->recorded || !end->recorded)
    return errorNotReady;
  *milliseconds = 1;
  return success;
}

// ---- For the tests

extern const FakeCuda tl_fake_cuda;
const FakeCuda tl_fake_cuda = {
    .reset =
        [] {
          Lock lock(world.mutex);
          for (auto &[name, plan] : world.plans)
            plan = Plan();
          world.attributes.clear();
          world.peerAccess.clear();
          world.pendingFault = 0;
          world.registers = 32;
          world.maxThreads = 1024;
          world.peers = true;
          for (NativeStream stream : world.streams)
            stream->capturing = false;
        },
    .calls =
        [](const char *function) {
          Lock lock(world.mutex);
          int calls = 0;
          for (auto &[name, plan] : world.plans)
            if (!function || name == function)
              calls += plan.calls;
          return calls;
        },
    .fail =
        [](const char *function, int number, int result) {
          Lock lock(world.mutex);
          Plan &plan = world.plans[function];
          plan.failIn = number;
          plan.result = result;
        },
    .fault =
        [](int result) {
          Lock lock(world.mutex);
          world.pendingFault = result;
        },
    .heal =
        [] {
          Lock lock(world.mutex);
          for (OpaqueContext &context : world.primary)
            context.lost = 0;
        },
    .capture =
        [](void *stream, bool on) {
          Lock lock(world.mutex);
          static_cast<NativeStream>(stream)->capturing = on;
        },
    .lastLaunch =
        [] {
          Lock lock(world.mutex);
          return world.last;
        },
    .lastHidden =
        [] {
          Lock lock(world.mutex);
          return world.lastHidden;
        },
    .lastTensorMap =
        [] {
          Lock lock(world.mutex);
          return world.lastTensorMap;
        },
    .expectParameters =
        [](const unsigned *bytes, size_t count) {
          Lock lock(world.mutex);
          world.parameterBytes.assign(bytes, bytes + count);
        },
    .lastParameters =
        [](size_t *bytes) {
          Lock lock(world.mutex);
          *bytes = world.lastParameters.size();
          return static_cast<const unsigned char *>(world.lastParameters.data());
        },
    .foreignMemory = [](const char *kind, int gpu, size_t bytes) -> void * {
      Lock lock(world.mutex);
      const std::string name = kind;
      if (name == "device") {
        Address pointer = 0;
        allocateOn(gpu, &pointer, bytes);
        return host(pointer);
      }
      // Far from all else, so that no page is shared.
      world.arenaUsed[maxGpus] = (world.arenaUsed[maxGpus] + (2u << 20)) & ~size_t((2u << 20) - 1);
      return host(take(maxGpus, bytes,
                       {bytes, unsigned(name == "managed" ? deviceMemory : hostMemory),
                        name == "managed", gpu}));
    },
    .foreignStream = [](int gpu, bool primary) -> void * {
      Lock lock(world.mutex);
      NativeContext context = &world.primary[gpu];
      if (!primary) {
        world.others.push_back(std::make_unique<OpaqueContext>(OpaqueContext{gpu, 0}));
        context = world.others.back().get();
      }
      auto *stream = new OpaqueStream{context, false};
      world.streams.insert(stream);
      return stream;
    },
    .switchContext = [](int gpu, bool primary) -> void * {
      Lock lock(world.mutex);
      if (gpu < 0)
        return current = nullptr;
      if (primary)
        return current = &world.primary[gpu];
      world.others.push_back(std::make_unique<OpaqueContext>(OpaqueContext{gpu, 0}));
      return current = world.others.back().get();
    },
    .currentContext = []() -> void * { return current; },
    .nextFunction =
        [](int registers, int maxThreads) {
          Lock lock(world.mutex);
          world.registers = registers;
          world.maxThreads = maxThreads;
        },
    .setAttribute =
        [](int attribute, int value) {
          Lock lock(world.mutex);
          world.attributes[attribute] = value;
        },
    .allocated =
        [](int gpu) {
          Lock lock(world.mutex);
          return world.allocated[gpu];
        },
    .liveStreams =
        [] {
          Lock lock(world.mutex);
          return int(world.streams.size());
        },
    .liveModules =
        [] {
          Lock lock(world.mutex);
          return int(world.modules.size());
        },
    .setPeers =
        [](bool reachable) {
          Lock lock(world.mutex);
          world.peers = reachable;
        },
};

#pragma GCC visibility pop
}
