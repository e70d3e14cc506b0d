// SPDX-License-Identifier: MIT
//
// Loading kernels onto a card and launching them. The common launch, one block a program and no
// assertions, is a comparison of the context and one call of the driver.
#include "targets/nvidia/CudaStream.h"

#include <algorithm>
#include <new>

namespace tl::backend::nvidia {

namespace {

class CudaKernel final : public LoadedKernel {
public:
  CudaKernel(const CudaApi &cuda, CUcontext context, const NvidiaKernel &code)
      : code(code), cuda(cuda), context(context) {}
  ~CudaKernel() override {
    cuda.setContext(context);
    if (module)
      cuda.unloadModule(module);
  }

  const NvidiaKernel &code; // the runtime keeps it as long as this
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  unsigned threads = 0, sharedBytes = 0;
  int residentBlocks = 0; // of a cooperative kernel: how many fit on the card at once
  bool plain = true;

private:
  const CudaApi &cuda;
  CUcontext context;
};

/// What kernels may use of shared memory without asking.
constexpr int64_t sharedWithoutAsking = 48 * 1024;

} // namespace

std::unique_ptr<LoadedKernel> CudaDevice::load(const CompiledKernel &compiled) {
  auto &code = dynamic_cast<const NvidiaKernel &>(compiled);
  auto tooMuch = [&](const std::string &what, int64_t required, int64_t limit) {
    Error error;
    error.status = TL_OUT_OF_RESOURCES;
    error.message = "the kernel needs " + std::to_string(required) + " " + what +
                    ", the card has " + std::to_string(limit);
    error.kernel = code.name;
    error.device = label;
    error.required = uint64_t(required);
    error.limit = uint64_t(limit);
    throw error;
  };
  if (code.sharedBytes > maxShared)
    tooMuch("bytes of shared memory a block", code.sharedBytes, maxShared);
  if (int64_t threads = int64_t(code.numWarps) * 32; threads > maxThreads)
    tooMuch("threads a block", threads, maxThreads);

  enter();
  auto kernel = std::make_unique<CudaKernel>(cuda, context, code);
  check(cuda.loadModule(&kernel->module, code.cubin.empty() ? code.ptx.c_str() : code.cubin.data()),
        "cannot load the kernel");
  check(cuda.moduleFunction(&kernel->function, kernel->module, code.symbol.c_str()),
        "cannot find the kernel in its module");
  kernel->threads = code.numWarps * 32;
  kernel->sharedBytes = unsigned(code.sharedBytes);
  if (code.sharedBytes > sharedWithoutAsking)
    check(cuda.setFunctionAttribute(kernel->function, cuda::maxDynamicSharedBytes,
                                    int(code.sharedBytes)),
          "cannot reserve shared memory");
  if (code.numCtas > 8)
    check(cuda.setFunctionAttribute(kernel->function, cuda::nonPortableClusterAllowed, 1),
          "cannot allow a cluster of this size");
  if (code.cooperative) {
    int blocks = 0;
    check(cuda.occupancy(&blocks, kernel->function, int(kernel->threads), kernel->sharedBytes),
          "cannot count the blocks that fit");
    kernel->residentBlocks = blocks * multiprocessors;
  }
  kernel->plain = code.numCtas == 1 && !code.cooperative && code.sites.empty();
  return kernel;
}

void CudaDevice::checkGrid(Grid grid) const {
  const uint32_t extents[3] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis)
    if (extents[axis] > maxGrid[axis]) {
      Error error;
      error.status = TL_OUT_OF_RESOURCES;
      error.message = "the grid's extent along " + std::string(1, "xyz"[axis]) + " is " +
                      std::to_string(extents[axis]) + ", the card takes at most " +
                      std::to_string(maxGrid[axis]);
      error.help = "use axis x for the largest extent, or compute two ids from one axis";
      error.device = label;
      error.required = extents[axis];
      error.limit = maxGrid[axis];
      throw error;
    }
}

void CudaDevice::launch(LoadedKernel &loaded, Stream &stream, Grid grid, void *const *arguments) {
  auto &kernel = static_cast<CudaKernel &>(loaded);
  auto &queue = static_cast<CudaStream &>(stream);
  enter();
  CUresult result;
  if (kernel.plain) {
    result = cuda.launch(kernel.function, grid.x, grid.y, grid.z, kernel.threads, 1, 1,
                         kernel.sharedBytes, queue.native, const_cast<void **>(arguments), nullptr);
    if (result == cudaSuccess)
      return;
    checkGrid(grid);

    fail(result, "cannot launch the kernel");
  }

  checkGrid(grid);
  const NvidiaKernel &code = kernel.code;
  if (uint64_t(grid.x) * code.numCtas > maxGrid[0])
    fail(1, "the grid times the blocks of a cluster is too large");
  if (uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
      code.cooperative && blocks > uint64_t(kernel.residentBlocks)) {
    Error error;
    error.status = TL_OUT_OF_RESOURCES;
    error.message = "a kernel with a grid-wide barrier needs all " + std::to_string(blocks) +
                    " programs on the card at once, " + std::to_string(kernel.residentBlocks) +
                    " fit";
    error.kernel = code.name;
    error.device = label;
    error.required = blocks;
    error.limit = uint64_t(kernel.residentBlocks);
    throw error;
  }

  std::vector<void *> all(arguments, arguments + code.parameters.size());
  void *record = nullptr;
  if (!code.sites.empty()) {
    record = queue.addRecord(code);
    all.push_back(&record);
  }
  cuda::LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (code.numCtas > 1) {
    attributes[count].id = cuda::attributeClusterDimension;
    attributes[count++].cluster = {code.numCtas, 1, 1};
  }
  if (code.cooperative) {
    attributes[count].id = cuda::attributeCooperative;
    attributes[count++].cooperative = 1;
  }
  cuda::LaunchConfig config = {
      grid.x * code.numCtas, grid.y,       grid.z,     kernel.threads, 1, 1,
      kernel.sharedBytes,    queue.native, attributes, count};
  if ((result = cuda.launchEx(&config, kernel.function, all.data(), nullptr)))
    fail(result, "cannot launch the kernel");
}

CudaStream::~CudaStream() {
  cuda.setContext(context);
  cuda.synchronizeStream(native);
  for (Pending &launch : pending)
    cuda.freeHost(launch.record);
  for (FailureRecord *record : spare)
    cuda.freeHost(record);
  if (owned)
    cuda.destroyStream(native);
}

FailureRecord *CudaStream::addRecord(const NvidiaKernel &kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  FailureRecord *record = nullptr;
  if (!spare.empty()) {
    record = spare.back();
    spare.pop_back();
  } else {
    void *memory = nullptr;
    if (cuda.allocateHost(&memory, sizeof(FailureRecord),
                          cuda::hostAllocMapped | cuda::hostAllocPortable))
      throw std::bad_alloc();
    record = static_cast<FailureRecord *>(memory);
  }
  *record = FailureRecord();
  pending.push_back({record, kernel.name, kernel.sites});
  return record;
}

/// "tl::device_assert failed: text, at lane (3, 0) in program (1, 0, 0)", as on every device.
static std::string messageOf(const FailureRecord &record, const AssertSite &site) {
  std::string message = site.message;
  if (!site.shape.empty()) {
    std::string lane;
    uint64_t element = record.element;
    for (size_t axis = site.shape.size(); axis-- > 0;) {
      uint64_t extent = uint64_t(site.shape[axis]);
      lane = std::to_string(element % extent) + (lane.empty() ? "" : ", ") + lane;
      element /= extent;
    }
    message += ", at lane (" + lane + ")";
  }
  return message + " in program (" + std::to_string(record.program[0]) + ", " +
         std::to_string(record.program[1]) + ", " + std::to_string(record.program[2]) + ")";
}

void CudaStream::throwFailedAssertion(const std::string &device) {
  std::lock_guard<std::mutex> lock(mutex);
  Error error;
  bool failed = false;
  for (Pending &launch : pending) {
    const FailureRecord record = *launch.record;
    spare.push_back(launch.record);
    if (failed || !record.taken || record.site >= launch.sites.size())
      continue;
    failed = true;
    const AssertSite &site = launch.sites[record.site];
    error.status = TL_RUNTIME_ERROR;
    error.message = messageOf(record, site);
    error.file = site.file;
    error.line = site.line;
    error.column = site.column;
    error.kernel = launch.kernel;
    error.device = device;
  }
  pending.clear();
  if (failed)
    throw error;
}

} // namespace tl::backend::nvidia
