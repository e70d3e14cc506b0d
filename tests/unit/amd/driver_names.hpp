// SPDX-License-Identifier: MIT
#pragma once
// How HIP calls what the tests on real GPUs use of it: see ../gpu/driver.hpp.

namespace driver_names {

constexpr const char *device = "hip", *gpu0 = "hip:0", *gpu1 = "hip:1";
constexpr const char *variable = "TL_LIBHIP",
                     *files[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                 "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};
/// Machine code as tl keeps it: the first of these stages that there is.
constexpr const char *stages[] = {"hsaco"};
/// A kernel that reads memory that is not there may end the process.
constexpr bool survives_faults = false;
/// Programs along x and y that no GPU takes, and how the refusal begins.
constexpr unsigned too_many[] = {1 << 26, 1};
constexpr const char *too_many_said = "the grid's extent along x is 67108864, hip:0 takes at most ";

constexpr const char *allocate = "hipMalloc", *allocate_host = "hipHostMalloc",
                     *allocate_managed = "hipMallocManaged",
                     *begin_capture = "hipStreamBeginCapture",
                     *create_stream = "hipStreamCreateWithFlags",
                     *end_capture = "hipStreamEndCapture", *fill_words = "hipMemsetD32Async",
                     *find_function = "hipModuleGetFunction", *free = "hipFree",
                     *free_host = "hipHostFree", *instantiate = "hipGraphInstantiateWithFlags",
                     *launch = "hipModuleLaunchKernel", *launch_graph = "hipGraphLaunch",
                     *load_module = "hipModuleLoadData", *read = "hipMemcpyDtoH";

} // namespace driver_names
