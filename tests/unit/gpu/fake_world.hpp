// SPDX-License-Identifier: MIT
//
// What a fake driver consists of, the same for all vendors: GPUs that are memory of the host with
// 1 GiB each, and a function for each of GpuApi.h's that checks its arguments as a driver does. A
// fake library includes it in its one file and gives the functions the vendor's names, under which
// calls are counted and made to fail. Next: fake_gpu.hpp, what tests see of it.
#pragma once

#include "fake_gpu.hpp"

#include "targets/gpu/GpuApi.h"

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
#include <utility>
#include <vector>

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
  bool timed, recorded;
};

} // namespace tl::backend::gpu

namespace fake {

using namespace tl::backend::gpu;

inline constexpr Result errorNotFound = 500;
inline constexpr size_t gpuBytes = size_t(1) << 30;
inline constexpr int maxGpus = 8;

struct Memory {
  size_t bytes;
  unsigned type; // MemoryType
  bool managed;
  int gpu;
};

/// Plans and counts of one function.
struct Plan {
  int calls = 0, failIn = 0, result = 0;
};

/// What tells the vendors apart.
struct Vendor {
  const char *gpusVariable; // of the environment: how many GPUs there are instead of two
  const char *gpuName;
  std::map<int, int> attributes;
  std::map<int, const char *> errorNames;
  bool threadsBeginOnGpu0 = false; // else without a context
};
const Vendor &vendor();

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
  std::set<NativeEvent> events;
  std::set<NativeModule> modules;
  std::set<NativeFunction> functions;
  OpaqueStream named[maxGpus] = {}; // the default streams
  FakeLaunch last = {};
  uint64_t lastHidden = 0;
  std::vector<unsigned> parameterBytes;
  std::vector<unsigned char> lastParameters;
  int pendingFault = 0;
  int registers = 32, maxThreads = 1024;
  bool peers = true;
  std::set<std::pair<int, int>> peerAccess;
};
inline World world;

inline thread_local NativeContext current = nullptr;
inline thread_local int captureMode = 0;

using Lock = std::lock_guard<std::mutex>;

/// Counts the call and says whether it is to fail: what every function does first.
inline Result enter(const char *function) {
  if (world.process && world.process != getpid())
    return errorNotInitialized;
  auto found = world.plans.find(function); // without an allocation: tests count those
  Plan &plan = found != world.plans.end() ? found->second : world.plans[function];
  ++plan.calls;
  if (plan.failIn > 0 && --plan.failIn == 0)
    return plan.result;
  return success;
}

inline Result enterContext(const char *function) {
  if (Result result = enter(function))
    return result;
  if (!current && vendor().threadsBeginOnGpu0)
    current = &world.primary[0];
  return !current ? errorInvalidContext : current->lost;
}

/// What may not be called while a stream is captured, unless the thread has asked for it.
inline Result enterUnsafe(const char *function) {
  if (Result result = enterContext(function))
    return result;
  const bool capturing = std::any_of(world.streams.begin(), world.streams.end(),
                                     [](NativeStream stream) { return stream->capturing; });
  return capturing && captureMode != captureRelaxed ? errorCaptureUnsupported : success;
}

inline Result checkGpu(int gpu) {
  return gpu >= 0 && gpu < world.gpus ? success : errorInvalidDevice;
}

inline Result checkStream(NativeStream &stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= lastNamedStream) {
    stream = &world.named[current->gpu];
    stream->context = current;
  } else if (!world.streams.count(stream)) {
    return errorInvalidHandle;
  }
  return stream->context->lost;
}

inline uintptr_t take(int arena, size_t bytes, Memory memory) {
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

inline const std::pair<const uintptr_t, Memory> *find(uintptr_t address) {
  auto next = world.memory.upper_bound(address);
  if (next == world.memory.begin())
    return nullptr;
  auto found = std::prev(next);
  return address < found->first + found->second.bytes ? &*found : nullptr;
}

/// Is all of it memory that a GPU reaches?
inline bool isKnown(Address address, size_t bytes) {
  const auto *found = find(address);
  return found && bytes <= found->first + found->second.bytes - address;
}

inline void *host(Address pointer) { return reinterpret_cast<void *>(pointer); }

inline Result allocateOn(int gpu, Address *pointer, size_t bytes) {
  if (!pointer || bytes == 0)
    return errorInvalidValue;
  if (world.allocated[gpu] + bytes > gpuBytes)
    return errorOutOfMemory;
  world.allocated[gpu] += bytes;
  *pointer = take(gpu, bytes, {bytes, deviceMemory, false, gpu});
  return success;
}

inline Result releaseOf(MemoryType type, Address pointer) {
  auto found = world.memory.find(pointer);
  if (found == world.memory.end() || found->second.type != type)
    return errorInvalidValue;
  if (type == deviceMemory)
    world.allocated[found->second.gpu] -= found->second.bytes;
  world.memory.erase(found);
  return success;
}

inline Result copy(void *dst, const void *src, size_t bytes, NativeStream stream) {
  if (Result result = checkStream(stream))
    return result;
  if (!dst || !src)
    return errorInvalidValue;
  std::memmove(dst, src, bytes);
  return success;
}

// ---- GPUs and contexts

inline Result init(const char *name, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enter(name))
    return result;
  const char *gpus = std::getenv(vendor().gpusVariable);
  world.gpus = gpus ? std::clamp(std::atoi(gpus), 0, maxGpus) : 2;
  world.process = getpid();
  for (int gpu = 0; gpu < maxGpus; ++gpu)
    world.primary[gpu].gpu = gpu;
  return flags ? errorInvalidValue : world.gpus ? success : errorNoDevice;
}
inline const char *errorName(Result result) {
  auto found = vendor().errorNames.find(result);
  return found == vendor().errorNames.end() ? nullptr : found->second;
}
inline const char *errorText(Result result) {
  return result == errorIllegalAddress ? "an illegal memory access was encountered"
         : result == errorOutOfMemory  ? "out of memory"
                                       : "a fake failure";
}
inline Result deviceGet(const char *name, int *gpu, int ordinal) {
  Lock lock(world.mutex);
  if (Result result = enter(name))
    return result;
  return *gpu = ordinal, checkGpu(ordinal);
}
inline Result deviceName(char *text, int size, int gpu) {
  if (!text || size <= 0)
    return errorInvalidValue;
  std::strncpy(text, vendor().gpuName, size_t(size));
  return checkGpu(gpu);
}
inline Result deviceAttribute(int *value, int which, int gpu) {
  Lock lock(world.mutex);
  auto own = world.attributes.find(which);
  auto found = vendor().attributes.find(which);
  *value = own != world.attributes.end()        ? own->second
           : found != vendor().attributes.end() ? found->second
                                                : 0;
  return found == vendor().attributes.end() ? errorInvalidValue : checkGpu(gpu);
}
inline Result deviceMemoryBytes(size_t *bytes, int gpu) { return *bytes = gpuBytes, checkGpu(gpu); }
inline Result canAccessPeer(const char *name, int *possible, int gpu, int peer) {
  Lock lock(world.mutex);
  *possible = world.peers;
  if (Result result = enter(name))
    return result;
  return checkGpu(gpu) ? checkGpu(gpu) : checkGpu(peer);
}
inline Result enablePeerAccess(const char *name, int peer, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (flags || peer == current->gpu)
    return errorInvalidValue;
  if (Result result = checkGpu(peer))
    return result;
  return world.peerAccess.insert({current->gpu, peer}).second ? success
                                                              : errorPeerAccessAlreadyEnabled;
}
inline Result exchangeCaptureMode(int *mode) {
  if (*mode < 0 || *mode > captureRelaxed)
    return errorInvalidValue;
  std::swap(*mode, captureMode);
  return success;
}

// ---- Modules and launches

inline Result loadModule(const char *name, NativeModule *module, const void *image) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe(name))
    return result;
  if (!module || !image)
    return errorInvalidValue;
  *module = new OpaqueModule{current, {}};
  world.modules.insert(*module);
  return success;
}
inline Result unloadModule(const char *name, NativeModule module) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!world.modules.erase(module) || module->context != current)
    return errorInvalidHandle;
  for (auto &function : module->functions)
    world.functions.erase(function.get());
  delete module;
  return success;
}
inline Result moduleFunction(const char *name, NativeFunction *function, NativeModule module,
                             const char *symbol) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!world.modules.count(module) || module->context != current)
    return errorInvalidHandle;
  if (!symbol || !*symbol)
    return errorNotFound;
  module->functions.push_back(std::make_unique<OpaqueFunction>(
      OpaqueFunction{module, symbol, world.registers, world.maxThreads, 48 * 1024}));
  *function = module->functions.back().get();
  world.functions.insert(*function);
  return success;
}
inline Result functionAttribute(const char *name, int *value, int which, NativeFunction function) {
  Lock lock(world.mutex);
  if (Result result = enter(name))
    return result;
  if (!world.functions.count(function))
    return errorInvalidHandle;
  *value = which == functionRegisters ? function->registers : function->maxThreads;
  return which == functionRegisters || which == functionMaxThreads ? success : errorInvalidValue;
}
inline Result occupancy(const char *name, int *blocks, NativeFunction function, int threads,
                        size_t sharedBytes) {
  Lock lock(world.mutex);
  *blocks = 2;
  if (Result result = enterContext(name))
    return result;
  if (!world.functions.count(function))
    return errorInvalidHandle;
  if (sharedBytes > unsigned(function->dynamicShared))
    *blocks = 0; // as drivers say before they are asked for so much
  return threads < 1 || threads > 1024 || sharedBytes > gpuBytes ? errorInvalidValue : success;
}

struct Launch {
  const unsigned grid[3], block[3], sharedBytes;
  bool cooperative = false, overlaps = false;
  unsigned cluster = 1;
};

/// For who has entered and holds the lock.
inline Result launch(NativeFunction function, const Launch &asked, NativeStream stream,
                     void **arguments, void **extra) {
  if (!world.functions.count(function) || function->module->context != current)
    return errorInvalidHandle;
  void *given = stream;
  if (Result result = checkStream(stream))
    return result;
  if (stream->context != current)
    return errorInvalidHandle;
  const auto [gridX, gridY, gridZ] = asked.grid;
  const auto [blockX, blockY, blockZ] = asked.block;
  if (!arguments || extra || gridX == 0 || gridY == 0 || gridZ == 0 || gridX > 0x7fffffff ||
      gridY > 65535 || gridZ > 65535 || blockX == 0 || blockY != 1 || blockZ != 1 ||
      asked.sharedBytes > unsigned(function->dynamicShared))
    return errorInvalidValue;
  if (blockX > unsigned(function->maxThreads))
    return errorLaunchOutOfResources;
  FakeLaunch &last = world.last;
  std::strncpy(last.function, function->name.c_str(), sizeof last.function - 1);
  std::copy_n(asked.grid, 3, last.grid);
  std::copy_n(asked.block, 3, last.block);
  last.sharedBytes = asked.sharedBytes;
  last.stream = given;
  last.arguments = arguments;
  last.cooperative = asked.cooperative;
  last.overlaps = asked.overlaps;
  last.cluster = asked.cluster;
  const std::string &name = function->name;
  if (name == "asserting" || name == "meeting")
    std::memcpy(&world.lastHidden, arguments[2], sizeof world.lastHidden);
  if (name == "asserting_and_meeting")
    std::memcpy(&world.lastHidden, arguments[3], sizeof world.lastHidden);
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

// ---- Memory

inline Result allocate(const char *name, Address *pointer, size_t bytes) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe(name))
    return result;
  return allocateOn(current->gpu, pointer, bytes);
}
inline Result free(const char *name, Address pointer) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe(name))
    return result;
  return releaseOf(deviceMemory, pointer);
}
inline Result allocateAsync(const char *name, Address *pointer, size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return allocateOn(current->gpu, pointer, bytes);
}
inline Result freeAsync(const char *name, Address pointer, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return releaseOf(deviceMemory, pointer);
}
inline Result memoryInfo(const char *name, size_t *free, size_t *total) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  *total = gpuBytes;
  *free = gpuBytes - world.allocated[current->gpu];
  return success;
}
inline Result allocateHost(const char *name, void **pointer, size_t bytes, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe(name))
    return result;
  if (!pointer || bytes == 0 || flags & ~(hostAllocPortable | hostAllocMapped))
    return errorInvalidValue;
  *pointer = host(take(maxGpus, bytes, {bytes, hostMemory, false, 0}));
  return success;
}
inline Result freeHost(const char *name, void *pointer) {
  Lock lock(world.mutex);
  if (Result result = enterUnsafe(name))
    return result;
  return releaseOf(hostMemory, reinterpret_cast<Address>(pointer));
}
inline Result copyToDevice(const char *name, Address dst, const void *src, size_t bytes,
                           NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  return isKnown(dst, bytes) ? copy(host(dst), src, bytes, stream) : errorInvalidValue;
}
inline Result copyFromDevice(const char *name, void *dst, Address src, size_t bytes,
                             NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  return isKnown(src, bytes) ? copy(dst, host(src), bytes, stream) : errorInvalidValue;
}
inline Result copyOnDevice(const char *name, Address dst, Address src, size_t bytes,
                           NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  return isKnown(src, bytes) && isKnown(dst, bytes) ? copy(host(dst), host(src), bytes, stream)
                                                    : errorInvalidValue;
}
inline Result copyFromPeer(const char *name, Address dst, int to, Address src, int from,
                           size_t bytes, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!isKnown(src, bytes) || !isKnown(dst, bytes) || find(dst)->second.gpu != to ||
      find(src)->second.gpu != from)
    return errorInvalidValue;
  return copy(host(dst), host(src), bytes, stream);
}
inline Result fill(const char *name, Address dst, unsigned char value, size_t bytes,
                   NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  if (!isKnown(dst, bytes))
    return errorInvalidValue;
  std::memset(host(dst), value, bytes);
  return success;
}
inline Result pointerAttribute(const char *name, void *value, int which, Address pointer) {
  Lock lock(world.mutex);
  if (Result result = enter(name))
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

inline Result createStream(const char *name, NativeStream *stream, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!stream || flags > streamNonBlocking)
    return errorInvalidValue;
  *stream = new OpaqueStream{current, false};
  world.streams.insert(*stream);
  return success;
}
inline Result streamContext(const char *name, NativeStream stream, NativeContext *context) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!world.streams.count(stream))
    return errorInvalidHandle;
  *context = stream->context;
  return success;
}
inline Result destroyStream(const char *name, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enter(name))
    return result;
  if (!world.streams.erase(stream))
    return errorInvalidHandle;
  delete stream;
  return success;
}
inline Result synchronizeStream(const char *name, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  return stream->capturing ? errorCaptureUnsupported : success;
}
inline Result streamWait(const char *name, NativeStream stream, NativeEvent event, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!world.events.count(event))
    return errorInvalidHandle;
  return flags ? errorInvalidValue : checkStream(stream);
}
inline Result streamIsCapturing(const char *name, NativeStream stream, int *state) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  *state = stream->capturing;
  return success;
}
inline Result createEvent(const char *name, NativeEvent *event, unsigned flags) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!event || flags & ~eventWithoutTiming)
    return errorInvalidValue;
  *event = new OpaqueEvent{current, flags == eventDefault, false};
  world.events.insert(*event);
  return success;
}
inline Result destroyEvent(NativeEvent event) {
  Lock lock(world.mutex);
  if (!world.events.erase(event))
    return errorInvalidHandle;
  delete event;
  return success;
}
inline Result recordEvent(const char *name, NativeEvent event, NativeStream stream) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (Result result = checkStream(stream))
    return result;
  if (!world.events.count(event) || event->context != stream->context)
    return errorInvalidHandle;
  event->recorded = true;
  return success;
}
inline Result synchronizeEvent(const char *name, NativeEvent event) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  return world.events.count(event) ? success : errorInvalidHandle;
}
inline Result elapsed(const char *name, float *milliseconds, NativeEvent start, NativeEvent end) {
  Lock lock(world.mutex);
  if (Result result = enterContext(name))
    return result;
  if (!world.events.count(start) || !world.events.count(end) || !start->timed || !end->timed)
    return errorInvalidHandle;
  if (!start->recorded || !end->recorded)
    return errorNotReady;
  *milliseconds = 1;
  return success;
}

// ---- For the tests

/// What a library hands to tests, but for what its vendor adds.
inline FakeGpu control() {
  return {
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
        world.arenaUsed[maxGpus] =
            (world.arenaUsed[maxGpus] + (2u << 20)) & ~size_t((2u << 20) - 1);
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
}

} // namespace fake
