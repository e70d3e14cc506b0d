// SPDX-License-Identifier: MIT
//
// What AMD has of its own for the tests of all GPUs (../gpu/gpus.hpp).
#pragma once

#include "fake_hip.hpp"

#include "targets/amd/AmdKernel.h"
#include "targets/amd/Driver.h"

namespace gpus {

using VendorApi = tl::backend::amd::HipApi;
using VendorDevice = tl::backend::amd::HipDevice;
using VendorCode = tl::backend::amd::AmdKernel;
constexpr auto image = &VendorCode::hsaco;
namespace numbers = tl::backend::amd::hip;

const std::string gpu0 = "hip:0", gpu1 = "hip:1";
const std::string memoryFunctions = "hipMalloc, hipMallocManaged or hipHostMalloc";
const std::string faultFinder = "rocgdb";
constexpr const char *blockingVariable = "HIP_LAUNCH_BLOCKING";

/// A result that means nothing in particular, and what is said of it and of others.
constexpr int failure = 218;
const std::string failed = "a fake failure (hipErrorInvalidKernelFile)";
const std::string illegalAddress = "hipErrorIllegalAddress";
const std::string nameOf719 = "hipErrorUnknown"; // for which the fake has none
const std::string captureUnsupported = "hipErrorStreamCaptureUnsupported";

constexpr int callsOfLaunch = 2;       // with several GPUs the right one is made current
constexpr bool hasOwnContexts = false; // beside those of the GPUs
constexpr uint64_t sharedLimit = 65536;

namespace calls {
constexpr const char *allocate = "hipMalloc", *allocateAsync = "hipMallocAsync",
                     *allocateHost = "hipHostMalloc", *copyFromDevice = "hipMemcpyDtoHAsync",
                     *copyFromPeer = "hipMemcpyPeerAsync", *copyOnDevice = "hipMemcpyDtoDAsync",
                     *copyToDevice = "hipMemcpyHtoDAsync", *createEvent = "hipEventCreateWithFlags",
                     *createStream = "hipStreamCreateWithFlags",
                     *destroyStream = "hipStreamDestroy", *deviceGet = "hipDeviceGet",
                     *elapsed = "hipEventElapsedTime",
                     *enablePeerAccess = "hipDeviceEnablePeerAccess", *fill = "hipMemsetD8Async",
                     *free = "hipFree", *freeAsync = "hipFreeAsync", *freeHost = "hipHostFree",
                     *functionAttribute = "hipFuncGetAttribute", *launch = "hipModuleLaunchKernel",
                     *launchWholeGrid = "hipModuleLaunchCooperativeKernel",
                     *loadModule = "hipModuleLoadData", *moduleFunction = "hipModuleGetFunction",
                     *occupancy = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
                     *pointerAttribute = "hipPointerGetAttribute", *recordEvent = "hipEventRecord",
                     *setContext = "hipSetDevice", *streamContext = "hipStreamGetDevice",
                     *streamIsCapturing = "hipStreamIsCapturing",
                     *streamWait = "hipStreamWaitEvent", *synchronizeEvent = "hipEventSynchronize",
                     *synchronizeStream = "hipStreamSynchronize";
} // namespace calls

} // namespace gpus
