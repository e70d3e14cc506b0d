// SPDX-License-Identifier: MIT
#pragma once
// How CUDA's driver calls what the tests on real GPUs use of it: see ../gpu/driver.hpp.

namespace driver_names {

constexpr const char *device = "cuda", *gpu0 = "cuda:0", *gpu1 = "cuda:1";
constexpr const char *variable = "TL_LIBCUDA", *files[] = {"libcuda.so.1"};
/// Machine code as tl keeps it: the first of these stages that there is.
constexpr const char *stages[] = {"cubin", "ptx"};
/// A kernel that reads memory that is not there costs the context, not the process.
constexpr bool survives_faults = true;
/// Programs along x and y that no GPU takes, and how the refusal begins.
constexpr unsigned too_many[] = {1, 70000};
constexpr const char *too_many_said =
    "the grid's extent along y is 70000, cuda:0 takes at most 65535";

constexpr const char *allocate = "cuMemAlloc_v2", *allocate_host = "cuMemHostAlloc",
                     *allocate_managed = "cuMemAllocManaged",
                     *begin_capture = "cuStreamBeginCapture_v2", *create_stream = "cuStreamCreate",
                     *end_capture = "cuStreamEndCapture", *fill_words = "cuMemsetD32Async",
                     *find_function = "cuModuleGetFunction", *free = "cuMemFree_v2",
                     *free_host = "cuMemFreeHost", *instantiate = "cuGraphInstantiateWithFlags",
                     *launch = "cuLaunchKernel", *launch_graph = "cuGraphLaunch",
                     *load_module = "cuModuleLoadData", *read = "cuMemcpyDtoH_v2";

} // namespace driver_names
