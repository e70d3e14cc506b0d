// SPDX-License-Identifier: MIT
//
// What NVIDIA has of its own for the tests of all GPUs (../gpu/gpus.hpp).
#pragma once

#include "fake_cuda.hpp"

#include "targets/nvidia/Driver.h"

namespace gpus {

using VendorApi = tl::backend::nvidia::CudaApi;
using VendorDevice = tl::backend::nvidia::CudaDevice;
using VendorCode = tl::backend::nvidia::NvidiaKernel;
constexpr auto image = &VendorCode::ptx;
namespace numbers = tl::backend::nvidia::cuda;

const std::string gpu0 = "cuda:0", gpu1 = "cuda:1";
const std::string memoryFunctions = "cudaMalloc, cudaMallocManaged or cudaHostAlloc";
const std::string faultFinder = "compute-sanitizer";
constexpr const char *blockingVariable = "CUDA_LAUNCH_BLOCKING";

/// A result that means nothing in particular, and what is said of it and of others.
constexpr int failure = 218;
const std::string failed = "a fake failure (CUDA_ERROR_INVALID_PTX)";
const std::string illegalAddress = "CUDA_ERROR_ILLEGAL_ADDRESS";
const std::string nameOf719 = "719"; // for which the fake has none
const std::string captureUnsupported = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";

constexpr int callsOfLaunch = 1;
constexpr bool hasOwnContexts = true; // beside those of the GPUs
constexpr uint64_t sharedLimit = 232448;

namespace calls {
constexpr const char *allocate = "cuMemAlloc_v2", *allocateAsync = "cuMemAllocAsync",
                     *allocateHost = "cuMemHostAlloc", *copyFromDevice = "cuMemcpyDtoHAsync_v2",
                     *copyFromPeer = "cuMemcpyPeerAsync", *copyOnDevice = "cuMemcpyAsync",
                     *copyToDevice = "cuMemcpyHtoDAsync_v2", *createEvent = "cuEventCreate",
                     *createStream = "cuStreamCreate", *destroyStream = "cuStreamDestroy_v2",
                     *deviceGet = "cuDeviceGet", *elapsed = "cuEventElapsedTime",
                     *enablePeerAccess = "cuCtxEnablePeerAccess", *fill = "cuMemsetD8Async",
                     *free = "cuMemFree_v2", *freeAsync = "cuMemFreeAsync",
                     *freeHost = "cuMemFreeHost", *functionAttribute = "cuFuncGetAttribute",
                     *launch = "cuLaunchKernel", *launchWholeGrid = "cuLaunchKernelEx",
                     *loadModule = "cuModuleLoadData", *moduleFunction = "cuModuleGetFunction",
                     *occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                     *pointerAttribute = "cuPointerGetAttribute", *recordEvent = "cuEventRecord",
                     *setContext = "cuCtxSetCurrent", *streamContext = "cuStreamGetCtx",
                     *streamIsCapturing = "cuStreamIsCapturing", *streamWait = "cuStreamWaitEvent",
                     *synchronizeEvent = "cuEventSynchronize",
                     *synchronizeStream = "cuStreamSynchronize";
} // namespace calls

} // namespace gpus
