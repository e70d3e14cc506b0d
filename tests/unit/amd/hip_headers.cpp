// SPDX-License-Identifier: MIT
//
// Our declarations of HIP (HipApi.h, GpuApi.h) against HIP's own headers, of any version from 5.2
// on: compiled, never run. Parameters agree if a caller passes them in the same way: a pointer may
// stand for the number of its address, and an enumeration for an int.
#include "targets/amd/HipApi.h"

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <type_traits>

using namespace tl::backend::amd;
using namespace tl::backend::gpu;

template <class T> constexpr bool isComplete = requires { sizeof(T); };

template <class Ours, class Theirs> constexpr bool agree() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using Their = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_class_v<Our> || std::is_class_v<Their> || !isComplete<Our> ||
                  !isComplete<Their>)
      return true; // what only HIP looks into
    else
      return agree<Our, Their>();
  } else if constexpr (std::is_pointer_v<Theirs>) {
    return std::is_same_v<Ours, Address> && sizeof(Ours) == sizeof(Theirs);
  } else {
    return sizeof(Ours) == sizeof(Theirs) &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <class R, class... P, class TheirR, class... TheirP>
constexpr bool matches(R (*)(P...), TheirR (*)(TheirP...)) {
  if constexpr (sizeof...(P) != sizeof...(TheirP))
    return false;
  else
    return agree<R, TheirR>() && (agree<P, TheirP>() && ...);
}

// hipMallocAsync has an overload for C++.
template <class T> constexpr auto only(T *function) { return function; }
constexpr auto mallocAsync =
    static_cast<hipError_t (*)(void **, size_t, hipStream_t)>(&hipMallocAsync);
#define hipMallocAsync mallocAsync

#define CHECK_FUNCTION(member, symbol, ...)                                                        \
  static_assert(matches(decltype(HipApi::member){}, only(symbol)), "declaration of " #symbol);
TL_HIP_NAMES(CHECK_FUNCTION)
TL_HIP_FUNCTIONS(CHECK_FUNCTION)
#if HIP_VERSION_MAJOR >= 6
TL_HIP_LATER_FUNCTIONS(CHECK_FUNCTION)
#else
CHECK_FUNCTION(properties, hipGetDeviceProperties)
#endif

#define CHECK_NUMBER(ours, theirs)                                                                 \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs), "number of " #theirs);
CHECK_NUMBER(success, hipSuccess)
CHECK_NUMBER(errorInvalidValue, hipErrorInvalidValue)
CHECK_NUMBER(errorOutOfMemory, hipErrorOutOfMemory)
CHECK_NUMBER(errorNotInitialized, hipErrorNotInitialized)
CHECK_NUMBER(errorInvalidConfiguration, hipErrorInvalidConfiguration)
CHECK_NUMBER(errorNoDevice, hipErrorNoDevice)
CHECK_NUMBER(errorInvalidDevice, hipErrorInvalidDevice)
CHECK_NUMBER(errorInvalidContext, hipErrorInvalidContext)
CHECK_NUMBER(errorUncorrectableMemory, hipErrorECCNotCorrectable)
CHECK_NUMBER(errorInvalidHandle, hipErrorInvalidHandle)
CHECK_NUMBER(errorNotReady, hipErrorNotReady)
CHECK_NUMBER(errorIllegalAddress, hipErrorIllegalAddress)
CHECK_NUMBER(errorLaunchOutOfResources, hipErrorLaunchOutOfResources)
CHECK_NUMBER(errorLaunchTimeout, hipErrorLaunchTimeOut)
CHECK_NUMBER(errorPeerAccessAlreadyEnabled, hipErrorPeerAccessAlreadyEnabled)
CHECK_NUMBER(errorContextIsDestroyed, hipErrorContextIsDestroyed)
CHECK_NUMBER(errorAssert, hipErrorAssert)
CHECK_NUMBER(errorLaunchFailed, hipErrorLaunchFailure)
CHECK_NUMBER(errorCooperativeLaunchTooLarge, hipErrorCooperativeLaunchTooLarge)
CHECK_NUMBER(errorCaptureUnsupported, hipErrorStreamCaptureUnsupported)
CHECK_NUMBER(errorCaptureWrongThread, hipErrorStreamCaptureWrongThread)
CHECK_NUMBER(functionMaxThreads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CHECK_NUMBER(functionRegisters, HIP_FUNC_ATTRIBUTE_NUM_REGS)
CHECK_NUMBER(memoryType, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
CHECK_NUMBER(devicePointer, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER)
CHECK_NUMBER(isManaged, HIP_POINTER_ATTRIBUTE_IS_MANAGED)
CHECK_NUMBER(deviceOrdinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
CHECK_NUMBER(captureNone, hipStreamCaptureStatusNone)
CHECK_NUMBER(captureRelaxed, hipStreamCaptureModeRelaxed)
CHECK_NUMBER(streamBlocking, hipStreamDefault)
CHECK_NUMBER(streamNonBlocking, hipStreamNonBlocking)
CHECK_NUMBER(eventDefault, hipEventDefault)
CHECK_NUMBER(eventWithoutTiming, hipEventDisableTiming)
CHECK_NUMBER(hostAllocPortable, hipHostMallocPortable)
CHECK_NUMBER(hostAllocMapped, hipHostMallocMapped)
CHECK_NUMBER(hip::cooperativeLaunch, hipDeviceAttributeCooperativeLaunch)
CHECK_NUMBER(hip::maxGridX, hipDeviceAttributeMaxGridDimX)
CHECK_NUMBER(hip::maxGridY, hipDeviceAttributeMaxGridDimY)
CHECK_NUMBER(hip::maxGridZ, hipDeviceAttributeMaxGridDimZ)
CHECK_NUMBER(hip::maxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock)
CHECK_NUMBER(hip::multiprocessorCount, hipDeviceAttributeMultiprocessorCount)
CHECK_NUMBER(hip::pageableMemoryAccess, hipDeviceAttributePageableMemoryAccess)
CHECK_NUMBER(hip::maxRegistersPerBlock, hipDeviceAttributeMaxRegistersPerBlock)
CHECK_NUMBER(hip::maxSharedPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock)
CHECK_NUMBER(hip::memoryPoolsSupported, hipDeviceAttributeMemoryPoolsSupported)
#if HIP_VERSION_MAJOR >= 6
CHECK_NUMBER(hip::unregistered, hipMemoryTypeUnregistered)
CHECK_NUMBER(hip::host, hipMemoryTypeHost)
CHECK_NUMBER(hip::device, hipMemoryTypeDevice)
CHECK_NUMBER(hip::architectureAtR0600, offsetof(hipDeviceProp_tR0600, gcnArchName))
static_assert(sizeof(hipDeviceProp_tR0600) <= hip::propertiesBytes, "room for the properties");
static_assert(HIP_VERSION >= hip::version6, "number of version 6");
#else
CHECK_NUMBER(hip::hostBefore6, hipMemoryTypeHost)
CHECK_NUMBER(hip::deviceBefore6, hipMemoryTypeDevice)
CHECK_NUMBER(hip::architectureAt, offsetof(hipDeviceProp_t, gcnArchName))
static_assert(sizeof(hipDeviceProp_t) <= hip::propertiesBytes, "room for the properties");
static_assert(HIP_VERSION < hip::version6, "number of version 6");
#endif
