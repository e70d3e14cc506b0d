// SPDX-License-Identifier: MIT
//
// Loading kernels onto a GPU and launching them. The common launch, one block a program and no
// hidden parameter but tensor maps, is one call of the driver (with maps, one more and one for
// each) and no lock, allocation or look-up by name.
#include "targets/nvidia/CudaKernel.h"
#include "targets/nvidia/CudaStream.h"
#include "targets/nvidia/TensorMaps.h"

#include <cstdlib>

namespace tl::backend::nvidia {

namespace {

/// What kernels may use of shared memory without asking.
constexpr int64_t sharedWithoutAsking = 48 * 1024;

[[noreturn]] void tooMuch(std::string message, uint64_t required, uint64_t limit,
                          std::string help = {}) {
  throw Error(TL_OUT_OF_RESOURCES, std::move(message))
      .withHelp(std::move(help))
      .exceeding(required, limit);
}

} // namespace

// ---- Loading

std::unique_ptr<LoadedKernel> CudaDevice::load(const CompiledKernel &compiled) {
  auto &code = dynamic_cast<const NvidiaKernel &>(compiled);
  if (code.sharedBytes > maxShared)
    tooMuch("kernel " + code.name + " needs " + std::to_string(code.sharedBytes) +
                " bytes of shared memory a block, " + label + " has " + std::to_string(maxShared),
            uint64_t(code.sharedBytes), uint64_t(maxShared), "use smaller tiles");
  if (int64_t threads = int64_t(code.blockWarps()) * 32; threads > maxThreads)
    tooMuch("kernel " + code.name + " needs " + std::to_string(threads) + " threads a block, " +
                label + " takes " + std::to_string(maxThreads),
            uint64_t(threads), uint64_t(maxThreads), "use a smaller num_warps");

  Entered entered(*this);
  RelaxedCapture relaxed(cuda);
  auto kernel = std::make_unique<CudaKernel>(cuda, context, code);
  check(cuda.loadModule(&kernel->module, code.cubin.empty() ? code.ptx.c_str() : code.cubin.data()),
        "cannot load the kernel");
  check(cuda.moduleFunction(&kernel->function, kernel->module, code.symbol.c_str()),
        "cannot find the kernel in its module");
  kernel->threads = code.blockWarps() * 32;
  kernel->sharedBytes = unsigned(code.sharedBytes);
  checkResources(*kernel);
  if (code.sharedBytes > sharedWithoutAsking)
    check(cuda.setFunctionAttribute(kernel->function, cuda::maxDynamicSharedBytes,
                                    int(code.sharedBytes)),
          "cannot reserve shared memory");
  if (code.numCtas > 8)
    check(cuda.setFunctionAttribute(kernel->function, cuda::nonPortableClusterAllowed, 1),
          "cannot allow a cluster of this size");
  if (code.hidden.gridBarrier) {
    int possible = 0;
    check(cuda.deviceAttribute(&possible, cuda::cooperativeLaunch, gpu),
          "cannot ask for cooperative launches");
    if (!possible) {
      throw Error(TL_UNSUPPORTED, label + " has no launches whose programs all run at once, which "
                                          "tl::grid_barrier needs");
    }
    int blocks = 0;
    check(cuda.occupancy(&blocks, kernel->function, int(kernel->threads), kernel->sharedBytes),
          "cannot count the blocks that fit");
    kernel->residentBlocks = uint64_t(blocks) * uint64_t(multiprocessors);
  }
  kernel->plain = code.numCtas == 1 && !code.waitsForLaunch && !code.hidden.gridBarrier &&
                  code.hidden.sites.empty() && code.hidden.globalBytes == 0;
  kernel->mapped = !code.hidden.tensorMaps.empty();
  if (kernel->mapped && !cuda.encodeTensorMap) {
    throw Error(TL_UNSUPPORTED, "kernel " + code.name +
                                    " needs cuTensorMapEncodeTiled, which the NVIDIA "
                                    "driver has from CUDA 12.0 on")
        .withHelp("install a newer driver, or set TL_TMA=0");
  }
  if (!readsAllHostMemory)
    for (size_t i = 0; i < code.parameters.size(); ++i)
      if (code.parameters[i].isPointer)
        kernel->pointers.push_back(uint16_t(i));
  std::lock_guard<std::mutex> lock(namesMutex);
  kernel->name = &*names.insert(code.name).first;
  return kernel;
}

void CudaDevice::checkResources(const CudaKernel &kernel) const {
  int registers = 0, fits = 0;
  check(cuda.functionAttribute(&registers, cuda::numRegs, kernel.function),
        "cannot ask for the kernel's registers");
  check(cuda.functionAttribute(&fits, cuda::functionMaxThreads, kernel.function),
        "cannot ask for the kernel's threads");
  if (unsigned(fits) >= kernel.threads)
    return;
  // Registers are handed out by eights.
  uint64_t needed = uint64_t(registers + 7) / 8 * 8 * kernel.threads;
  if (needed > uint64_t(maxRegisters))
    tooMuch("kernel " + kernel.code.name + " needs " + std::to_string(registers) +
                " registers for each of its " + std::to_string(kernel.threads) + " threads, " +
                std::to_string(needed) + " in all, " + label + " has " +
                std::to_string(maxRegisters) + " a block",
            needed, uint64_t(maxRegisters), "use a smaller num_warps, or limit max_registers");
  tooMuch("kernel " + kernel.code.name + " needs " + std::to_string(kernel.threads) +
              " threads a block, of this kernel " + label + " takes " + std::to_string(fits),
          kernel.threads, uint64_t(fits), "use a smaller num_warps");
}

// ---- Launching

void CudaDevice::launch(LoadedKernel &loaded, Stream &stream, Grid grid, void *const *arguments) {
  auto &kernel = static_cast<CudaKernel &>(loaded);
  auto &queue = static_cast<CudaStream &>(stream);
  checkPointers(kernel, arguments);
  if (!kernel.plain)
    return launchSpecial(kernel, queue, grid, arguments);
  CUresult result = kernel.mapped ? launchWithTensorMaps(kernel, queue, grid, arguments)
                                  : launchPlain(kernel, queue, grid, arguments);
  if (result != cudaSuccess) [[unlikely]]
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

CUresult CudaDevice::launchPlain(CudaKernel &kernel, CudaStream &queue, Grid grid,
                                 void *const *arguments) {
  auto call = [&] {
    return cuda.launch(kernel.function, grid.x, grid.y, grid.z, kernel.threads, 1, 1,
                       kernel.sharedBytes, queue.native, const_cast<void **>(arguments), nullptr);
  };
  if (CudaApi::isLostByFork()) [[unlikely]]
    return cudaErrorNotInitialized;
  // With one GPU in use the context is almost always ours already; the driver refuses the launch
  // where it is not. A stream without an address of its own is that of whatever context is there.
  const bool mayMislead = gpusInUse.load(std::memory_order_relaxed) > 1 ||
                          reinterpret_cast<uintptr_t>(queue.native) <= cuda::lastNamedStream;
  if (!mayMislead) [[likely]] {
    const CUresult result = call();
    if (result == cudaSuccess) [[likely]]
      return result;
    CurrentContext current(cuda, context);
    return !current.changed ? result : current.result ? current.result : call();
  }
  CurrentContext current(cuda, context);
  return current.result ? current.result : call();
}

CUresult CudaDevice::launchWithTensorMaps(CudaKernel &kernel, CudaStream &queue, Grid grid,
                                          void *const *arguments) {
  const NvidiaKernel &code = kernel.code;
  if (CudaApi::isLostByFork()) [[unlikely]]
    return cudaErrorNotInitialized;
  // Maps are made for the GPU whose context is current.
  CurrentContext current(cuda, context);
  if (current.result != cudaSuccess) [[unlikely]]
    return current.result;
  TensorMaps maps(cuda, code, arguments, label);
  static thread_local std::vector<void *> all; // keeps its memory from launch to launch
  all.assign(arguments, arguments + code.parameters.size());
  maps.appendTo(all);
  return launchPlain(kernel, queue, grid, all.data());
}

void CudaDevice::launchSpecial(CudaKernel &kernel, CudaStream &queue, Grid grid,
                               void *const *arguments) {
  const NvidiaKernel &code = kernel.code;
  checkGrid(code, grid);
  if (uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
      code.hidden.gridBarrier && blocks > kernel.residentBlocks)
    tooMuch(
        "a kernel with a grid-wide barrier needs all " + std::to_string(blocks) + " programs on " +
            label + " at once, " + std::to_string(kernel.residentBlocks) + " fit",
        blocks, kernel.residentBlocks, "launch fewer programs, each of which does more in a loop");

  Entered entered(*this);
  int state = cuda::captureNone;
  check(cuda.streamIsCapturing(queue.native, &state), "cannot ask for the state of the stream");
  const bool captured = state != cuda::captureNone;
  // What may be refused comes before what would have to be given back.
  uint64_t workspaceBytes = code.hidden.globalBytes;
  for (uint64_t extent : {grid.x, grid.y, grid.z})
    if (__builtin_mul_overflow(workspaceBytes, extent, &workspaceBytes))
      failAllocation(cudaErrorOutOfMemory, "memory", UINT64_MAX);
  TensorMaps maps(cuda, code, arguments, label);
  std::vector<void *> all(arguments, arguments + code.parameters.size());
  CUdeviceptr counter = 0;
  if (code.hidden.gridBarrier) {
    counter = queue.counter(captured);
    all.push_back(&counter);
  }
  void *record = nullptr;
  if (!code.hidden.sites.empty()) {
    record = queue.addRecord(code, counter, captured);
    all.push_back(&record);
  }
  // Memory for the programs to work in lives as long as the launch, in the order of the stream.
  CUdeviceptr workspace = 0;
  if (code.hidden.globalBytes) {
    check(cuda.allocateAsync(&workspace, workspaceBytes, queue.native),
          "cannot allocate memory for the programs to work in");
    all.push_back(&workspace);
  }
  maps.appendTo(all);
  cuda::LaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (code.numCtas > 1) {
    attributes[count].id = cuda::attributeClusterDimension;
    attributes[count++].cluster = {code.numCtas, 1, 1};
  }
  if (code.hidden.gridBarrier) {
    attributes[count].id = cuda::attributeCooperative;
    attributes[count++].cooperative = 1;
  }
  // A cooperative launch begins with all its programs. Graphs have such edges from CUDA 12.3 on.
  constexpr int edgesInGraphs = 12030;
  int version = 0;
  if (code.waitsForLaunch && !code.hidden.gridBarrier &&
      (!captured || (cuda.driverVersion(&version) == cudaSuccess && version >= edgesInGraphs))) {
    attributes[count].id = cuda::attributeProgrammaticSerialization;
    attributes[count++].programmaticSerialization = 1;
  }
  cuda::LaunchConfig config = {
      grid.x * code.numCtas, grid.y,       grid.z,     kernel.threads, 1, 1,
      kernel.sharedBytes,    queue.native, attributes, count};
  CUresult result = cuda.launchEx(&config, kernel.function, all.data(), nullptr);
  if (workspace)
    cuda.freeAsync(workspace, queue.native);
  if (result)
    failLaunch(result, kernel, grid);
  queue.noteLaunch(kernel.name);
}

CUdeviceptr CudaDevice::takeCounter() {
  std::lock_guard<std::mutex> lock(countersMutex);
  if (counters.empty()) {
    // Apart, so that streams do not slow each other down.
    constexpr uint64_t apart = 128, many = 256;
    RelaxedCapture relaxed(cuda);
    CUdeviceptr memory = 0;
    if (CUresult result = cuda.allocate(&memory, many * apart))
      failAllocation(result, "memory", many * apart);
    // In a stream of its own: the launch's may be part of a capture.
    CUstream stream = nullptr;
    check(cuda.createStream(&stream, cuda::streamNonBlocking), "cannot make a stream");
    CUresult result = cuda.fill(memory, 0, many * apart, stream);
    if (result == cudaSuccess)
      result = cuda.synchronizeStream(stream);
    cuda.destroyStream(stream);
    check(result, "cannot clear the counters of grid-wide barriers");
    for (uint64_t i = many; i-- > 0;)
      counters.push_back(memory + i * apart);
  }
  const CUdeviceptr counter = counters.back();
  counters.pop_back();
  return counter;
}

void CudaDevice::checkGrid(const NvidiaKernel &code, Grid grid) const {
  const uint64_t extents[3] = {uint64_t(grid.x) * code.numCtas, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis)
    if (extents[axis] > maxGrid[axis])
      tooMuch("the grid's extent along " + std::string(1, "xyz"[axis]) + " is " +
                  std::to_string(extents[axis]) + ", " + label + " takes at most " +
                  std::to_string(maxGrid[axis]),
              extents[axis], maxGrid[axis],
              "use axis x for the largest extent, or compute two ids from one axis");
}

void CudaDevice::failLaunch(CUresult result, const CudaKernel &kernel, Grid grid) const {
  if (result == cudaErrorInvalidValue)
    checkGrid(kernel.code, grid);
  if (result == cudaErrorLaunchOutOfResources)
    checkResources(kernel);
  // Only then the failure is that of this launch; else of one before it.
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking && std::string(blocking) == "1")
    forgetKernelsBut(kernel.name);
  fail(result, "cannot launch the kernel");
}

} // namespace tl::backend::nvidia
