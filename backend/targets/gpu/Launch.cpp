// SPDX-License-Identifier: MIT
//
// Loading kernels onto a GPU, what launches them with hidden parameters, and why a GPU refuses
// them. The common launch is GpuKernel.h's: one call of the driver and no lock, allocation or
// look-up by name.
#include "targets/gpu/GpuKernel.h"

#include <cstdlib>

namespace tl::backend::gpu {

namespace {

[[noreturn]] void tooMuch(std::string message, uint64_t required, uint64_t limit,
                          std::string help = {}) {
  throw Error(TL_OUT_OF_RESOURCES, std::move(message))
      .withHelp(std::move(help))
      .exceeding(required, limit);
}

} // namespace

// ---- Loading

void GpuDevice::checkBlock(const GpuCode &code) const {
  if (code.sharedBytes > limits.maxShared)
    tooMuch("kernel " + code.name + " needs " + std::to_string(code.sharedBytes) +
                " bytes of shared memory a block, " + label + " has " +
                std::to_string(limits.maxShared),
            uint64_t(code.sharedBytes), uint64_t(limits.maxShared), "use smaller tiles");
  if (int64_t threads = code.blockThreads(); threads > limits.maxThreads)
    tooMuch("kernel " + code.name + " needs " + std::to_string(threads) + " threads a block, " +
                label + " takes " + std::to_string(limits.maxThreads),
            uint64_t(threads), uint64_t(limits.maxThreads), "use a smaller num_warps");
}

void GpuDevice::refuseGridBarrier() const {
  throw Error(TL_UNSUPPORTED, label + " has no launches whose programs all run at once, which "
                                      "tl::grid_barrier needs");
}

void GpuDevice::countResidentBlocks(GpuKernel &kernel) {
  if (!kernel.code.hidden.gridBarrier)
    return;
  int blocks = 0;
  check(api.occupancy(&blocks, kernel.function, int(kernel.threads), kernel.sharedBytes),
        "cannot count the blocks that fit");
  kernel.residentBlocks = uint64_t(blocks) * uint64_t(limits.multiprocessors);
}

void GpuDevice::loadInto(GpuKernel &kernel, const void *image, unsigned sharedBytes) {
  const GpuCode &code = kernel.code;
  check(api.loadModule(&kernel.module, image), "cannot load the kernel");
  check(api.moduleFunction(&kernel.function, kernel.module, code.symbol.c_str()),
        "cannot find the kernel in its module");
  kernel.threads = code.blockThreads();
  kernel.sharedBytes = sharedBytes;
  checkResources(kernel);
  kernel.plain = code.numCtas == 1 && !code.hidden.gridBarrier && code.hidden.sites.empty() &&
                 code.hidden.globalBytes == 0;
  if (!limits.readsAllHostMemory)
    for (size_t i = 0; i < code.parameters.size(); ++i)
      if (code.parameters[i].isPointer)
        kernel.pointers.push_back(uint16_t(i));
  std::lock_guard<std::mutex> lock(namesMutex);
  kernel.name = &*names.insert(code.name).first;
}

void GpuDevice::checkResources(const GpuKernel &kernel) const {
  int registers = 0, fits = 0;
  check(api.functionAttribute(&registers, functionRegisters, kernel.function),
        "cannot ask for the kernel's registers");
  check(api.functionAttribute(&fits, functionMaxThreads, kernel.function),
        "cannot ask for the kernel's threads");
  if (unsigned(fits) >= kernel.threads)
    return;
  const uint64_t limit = uint64_t(limits.maxRegisters);
  // Registers are handed out by eights.
  uint64_t needed = uint64_t(registers + 7) / 8 * 8 * kernel.threads;
  if (limit && needed > limit) // not all drivers say how many there are
    tooMuch("kernel " + kernel.code.name + " needs " + std::to_string(registers) +
                " registers for each of its " + std::to_string(kernel.threads) + " threads, " +
                std::to_string(needed) + " in all, " + label + " has " + std::to_string(limit) +
                " a block",
            needed, limit, "use a smaller num_warps, or limit max_registers");
  tooMuch("kernel " + kernel.code.name + " needs " + std::to_string(kernel.threads) +
              " threads a block, of this kernel " + label + " takes " + std::to_string(fits),
          kernel.threads, uint64_t(fits), "use a smaller num_warps");
}

// ---- Launching

void GpuDevice::checkGrid(const GpuKernel &kernel, Grid grid) const {
  const uint64_t extents[3] = {uint64_t(grid.x) * kernel.code.numCtas, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t threads = axis == 0 ? kernel.threads : 1;
    const uint64_t limit =
        std::min<uint64_t>(limits.maxGrid[axis], limits.maxThreadsAlong / threads);
    if (extents[axis] > limit)
      tooMuch("the grid's extent along " + std::string(1, "xyz"[axis]) + " is " +
                  std::to_string(extents[axis]) + ", " + label + " takes at most " +
                  std::to_string(limit),
              extents[axis], limit,
              "use axis x for the largest extent, or compute two ids from one axis");
  }
}

void GpuDevice::checkResidence(const GpuKernel &kernel, Grid grid) const {
  if (uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
      kernel.code.hidden.gridBarrier && blocks > kernel.residentBlocks)
    tooMuch(
        "a kernel with a grid-wide barrier needs all " + std::to_string(blocks) + " programs on " +
            label + " at once, " + std::to_string(kernel.residentBlocks) + " fit",
        blocks, kernel.residentBlocks, "launch fewer programs, each of which does more in a loop");
}

HiddenArguments::HiddenArguments(GpuDevice &device, const GpuKernel &kernel, GpuStream &stream,
                                 Grid grid, void *const *arguments)
    : api(device.api), stream(stream) {
  const GpuCode &code = kernel.code;
  int state = captureNone;
  device.check(api.streamIsCapturing(stream.native, &state),
               "cannot ask for the state of the stream");
  captured = state != captureNone;
  uint64_t workspaceBytes = code.hidden.globalBytes * code.numCtas;
  for (uint64_t extent : {grid.x, grid.y, grid.z})
    if (__builtin_mul_overflow(workspaceBytes, extent, &workspaceBytes))
      device.failAllocation(errorOutOfMemory, "memory", UINT64_MAX);
  all.assign(arguments, arguments + code.parameters.size());
  if (code.hidden.gridBarrier) {
    counter = stream.counter(captured);
    all.push_back(&counter);
  }
  if (!code.hidden.sites.empty()) {
    record = stream.addRecord(code, counter, captured);
    all.push_back(&record);
  }
  if (code.hidden.globalBytes) {
    device.check(api.allocateAsync(&workspace, workspaceBytes, stream.native),
                 "cannot allocate memory for the programs to work in");
    all.push_back(&workspace);
  }
}

HiddenArguments::~HiddenArguments() {
  if (workspace)
    api.freeAsync(workspace, stream.native);
}

Address GpuDevice::takeCounter() {
  std::lock_guard<std::mutex> lock(countersMutex);
  if (counters.empty()) {
    // Apart, so that streams do not slow each other down.
    constexpr uint64_t apart = 128, many = 256;
    RelaxedCapture relaxed(api);
    Address memory = 0;
    if (Result result = api.allocate(&memory, many * apart))
      failAllocation(result, "memory", many * apart);
    // In a stream of its own: the launch's may be part of a capture.
    NativeStream stream = nullptr;
    check(api.createStream(&stream, streamNonBlocking), "cannot make a stream");
    Result result = api.fill(memory, 0, many * apart, stream);
    if (result == success)
      result = api.synchronizeStream(stream);
    api.destroyStream(stream);
    check(result, "cannot clear the counters of grid-wide barriers");
    for (uint64_t i = many; i-- > 0;)
      counters.push_back(memory + i * apart);
  }
  const Address counter = counters.back();
  counters.pop_back();
  return counter;
}

void GpuDevice::failLaunch(Result result, const GpuKernel &kernel, Grid grid) const {
  if (!GpuApi::isLostByFork())
    forgetFailure();
  if (result == errorInvalidValue || result == errorInvalidConfiguration)
    checkGrid(kernel, grid);
  if (result == errorLaunchOutOfResources)
    checkResources(kernel);
  // Only then the failure is that of this launch; else of one before it.
  const char *blocking = std::getenv(words.blockingVariable);
  if (blocking && std::string(blocking) == "1")
    forgetKernelsBut(kernel.name);
  fail(result, "cannot launch the kernel");
}

} // namespace tl::backend::gpu
