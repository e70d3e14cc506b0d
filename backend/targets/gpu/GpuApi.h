// SPDX-License-Identifier: MIT
//
// The calls of a GPU's driver as a table. Those of CUDA's driver and of HIP are the same but for
// their names: the same parameters, and the same numbers for results, flags and most attributes. A
// vendor fills the table with what it finds in its library, and puts a function of its own where
// the two differ. So all that follows from the calls is written once. Next: GpuDevice.h, the device
// made of them; targets/nvidia/CudaApi.h, a vendor's table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::backend::gpu {

using Result = int;
using Address = uint64_t; // in the memory of a GPU
/// The driver's, which it alone looks into. The context of a GPU is what a thread has made current
/// to work on it.
using NativeContext = struct OpaqueContext *;
using NativeModule = struct OpaqueModule *;
using NativeFunction = struct OpaqueFunction *;
using NativeStream = struct OpaqueStream *;
using NativeEvent = struct OpaqueEvent *;

/// Results that are distinguished here. GpuDevice.h's failures.
inline constexpr Result success = 0, errorInvalidValue = 1, errorOutOfMemory = 2,
                        errorNotInitialized = 3, errorInvalidConfiguration = 9, errorNoDevice = 100,
                        errorInvalidDevice = 101, errorInvalidContext = 201,
                        errorUncorrectableMemory = 214, errorUncorrectableLink = 220,
                        errorInvalidHandle = 400, errorNotReady = 600, errorIllegalAddress = 700,
                        errorLaunchOutOfResources = 701, errorLaunchTimeout = 702,
                        errorPeerAccessAlreadyEnabled = 704, errorContextIsDestroyed = 709,
                        errorAssert = 710, errorHardwareStack = 714, errorLaunchFailed = 719,
                        errorCooperativeLaunchTooLarge = 720, errorCaptureUnsupported = 900,
                        errorCaptureWrongThread = 908;

/// Numbers of the drivers' enumerations.
enum FunctionAttribute : int { functionMaxThreads = 0, functionRegisters = 4 };
enum PointerAttribute : int { memoryType = 2, devicePointer = 3, isManaged = 8, deviceOrdinal = 9 };
enum MemoryType : unsigned { hostMemory = 1, deviceMemory = 2, unifiedMemory = 4 };
inline constexpr int captureNone = 0;    // the state of a stream
inline constexpr int captureRelaxed = 2; // the mode of a thread
inline constexpr unsigned streamBlocking = 0, streamNonBlocking = 1;
inline constexpr unsigned eventDefault = 0, eventWithoutTiming = 2;
inline constexpr unsigned hostAllocPortable = 1, hostAllocMapped = 2;
/// Streams up to this number are names ("the thread's default stream"), not addresses.
inline constexpr uintptr_t lastNamedStream = 2;

/// Every function once: X(member, parameter types).
#define TL_GPU_FUNCTIONS(X)                                                                        \
  X(init, (unsigned))                                                                              \
  X(errorName, (Result, const char **))                                                            \
  X(errorString, (Result, const char **))                                                          \
  X(deviceCount, (int *))                                                                          \
  X(deviceGet, (int *device, int ordinal))                                                         \
  X(deviceName, (char *, int size, int device))                                                    \
  X(deviceAttribute, (int *, int attribute, int device))                                           \
  X(deviceMemory, (size_t *, int device))                                                          \
  X(retainContext, (NativeContext *, int device))                                                  \
  X(getContext, (NativeContext *))                                                                 \
  X(setContext, (NativeContext))                                                                   \
  X(canAccessPeer, (int *, int device, int peer))                                                  \
  X(enablePeerAccess, (NativeContext peer, unsigned))                                              \
  X(exchangeCaptureMode, (int *))                                                                  \
  X(loadModule, (NativeModule *, const void *))                                                    \
  X(unloadModule, (NativeModule))                                                                  \
  X(moduleFunction, (NativeFunction *, NativeModule, const char *))                                \
  X(functionAttribute, (int *, int attribute, NativeFunction))                                     \
  X(occupancy, (int *, NativeFunction, int threads, size_t sharedBytes))                           \
  X(launch, (NativeFunction, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,      \
             unsigned blockY, unsigned blockZ, unsigned sharedBytes, NativeStream,                 \
             void **arguments, void **extra))                                                      \
  X(allocate, (Address *, size_t))                                                                 \
  X(free, (Address))                                                                               \
  X(allocateAsync, (Address *, size_t, NativeStream))                                              \
  X(freeAsync, (Address, NativeStream))                                                            \
  X(memoryInfo, (size_t *free, size_t *total))                                                     \
  X(allocateHost, (void **, size_t, unsigned))                                                     \
  X(freeHost, (void *))                                                                            \
  X(copyToDevice, (Address, const void *, size_t, NativeStream))                                   \
  X(copyFromDevice, (void *, Address, size_t, NativeStream))                                       \
  X(copyOnDevice, (Address, Address, size_t, NativeStream))                                        \
  X(copyFromPeer, (Address, NativeContext, Address, NativeContext source, size_t, NativeStream))   \
  X(fill, (Address, unsigned char, size_t, NativeStream))                                          \
  X(pointerAttribute, (void *, int attribute, Address))                                            \
  X(createStream, (NativeStream *, unsigned))                                                      \
  X(streamContext, (NativeStream, NativeContext *))                                                \
  X(destroyStream, (NativeStream))                                                                 \
  X(synchronizeStream, (NativeStream))                                                             \
  X(streamWait, (NativeStream, NativeEvent, unsigned))                                             \
  X(streamIsCapturing, (NativeStream, int *))                                                      \
  X(createEvent, (NativeEvent *, unsigned))                                                        \
  X(destroyEvent, (NativeEvent))                                                                   \
  X(recordEvent, (NativeEvent, NativeStream))                                                      \
  X(synchronizeEvent, (NativeEvent))                                                               \
  X(elapsed, (float *, NativeEvent, NativeEvent))

struct GpuApi {
#define TL_MEMBER(member, parameters) Result(*member) parameters = nullptr;
  TL_GPU_FUNCTIONS(TL_MEMBER)
#undef TL_MEMBER
  /// Forgets the result that a driver keeps of a call that failed, for those who ask it for the
  /// last one; null where the driver keeps none.
  void (*forgetFailure)() = nullptr;

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(Result result) const;
  /// Makes `why` one sentence if the driver does not start. From then on children of this process
  /// cannot use it.
  Result start(std::string &why, const char *driver);
  /// Was this process forked from one that had started a driver? Then no call of it works here.
  static bool isLostByFork() { return lostByFork.load(std::memory_order_relaxed); }

private:
  static std::atomic<bool> lostByFork;
};

/// The library of a driver, which an environment variable may name.
struct DriverLibrary {
  const char *variable;           // "TL_LIBCUDA"
  std::vector<std::string> files; // else the first of these that there is
  const char *symbol;             // a function that it has for certain: "cuInit"
  const char *kind;               // "the library of a CUDA driver"
  const char *missing;            // the sentence where there is none

  /// Null if it cannot be opened; then `why` is one sentence. One that the process has loaded
  /// already is taken before others, so that pointers and streams can be shared with its users.
  void *open(std::string &why) const;
};

/// A function of a library; null if it has none of that name.
void *findSymbol(void *library, const char *name);

} // namespace tl::backend::gpu
