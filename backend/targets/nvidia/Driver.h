// SPDX-License-Identifier: MIT
//
// The devices "cuda:0", "cuda:1", ...: memory, streams, events and launches through the CUDA
// driver, and the contract between compiled kernels and the launch. The device's context is the
// primary one, which the CUDA run-time library, PyTorch and others share, so pointers and streams
// of theirs can be used as they are. Next: CudaApi.h for the driver's functions, Launch.cpp for
// the way of a launch, Failures.cpp for what the driver's results are turned into.
#pragma once

#include "lowering/HiddenParameters.h"
#include "support/Fork.h"
#include "targets/Target.h"
#include "targets/nvidia/CudaApi.h"

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tl::backend::nvidia {

class CudaKernel;
class CudaStream;

/// What the NVIDIA target makes of a kernel and this device needs to load it. The target derives
/// from it and knows the other stages.
struct NvidiaKernel : CompiledKernel {
  std::string cubin;                        // machine code, or empty where no assembler was found
  std::string ptx;                          // then the driver assembles this
  unsigned numWarps = 4, producerWarps = 0; // which a block has beside those
  unsigned blockWarps() const { return numWarps + producerWarps; }
  unsigned numCtas = 1; // blocks of a cluster; the grid counts clusters
  /// Waits for what the launch ahead of it has written, and so may begin before that has ended.
  bool waitsForLaunch = false;
  HiddenParameters hidden;

  const HiddenParameters *hiddenParameters() const override { return &hidden; }
};

/// Makes a context the thread's own for the life of this object. A context of other code is put
/// back at the end, so that a program that works on another GPU is not moved to ours; a thread
/// that had none keeps ours, which makes its next calls cheaper.
class CurrentContext {
public:
  CurrentContext(const CudaApi &cuda, CUcontext wanted);
  ~CurrentContext() {
    if (foreign)
      cuda.setContext(foreign);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Of making the context the thread's own.
  CUresult result = cudaSuccess;
  /// Was another context there?
  bool changed = false;

private:
  const CudaApi &cuda;
  CUcontext foreign = nullptr;
};

/// Lets this thread call what the driver forbids while any stream is being captured into a graph:
/// to allocate and to load take no part in the capture.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaApi &cuda) : cuda(cuda) { cuda.exchangeCaptureMode(&mode); }
  ~RelaxedCapture() { cuda.exchangeCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const CudaApi &cuda;
  int mode = cuda::captureRelaxed;
};

class CudaDevice final : public Device {
public:
  /// How many GPUs there are; 0 without a driver.
  static int count();
  /// "sm_90a" for a GPU, by number.
  static std::string architecture(int ordinal);

  /// `target` compiles for this GPU. Null, for a GPU older than all that we know, is refused.
  CudaDevice(int ordinal, std::unique_ptr<Target> target);
  ~CudaDevice() override;

  std::string_view name() const override { return label; }
  std::string_view description() const override { return text; }
  const Target &target() const override { return *compiler; }

  void *allocate(uint64_t bytes) override;
  void release(void *pointer) override;
  void *allocateInOrder(Stream &, uint64_t bytes) override;
  void releaseInOrder(Stream &, void *pointer) override;
  void *allocateHost(uint64_t bytes) override;
  void releaseHost(void *pointer) override;

  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void queueCopyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void queueCopyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  bool copyFromPeer(Stream &, void *dst, Device &source, Stream &sourceStream, const void *src,
                    uint64_t bytes) override;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override;

  std::unique_ptr<Stream> createStream() override;
  std::unique_ptr<Stream> createDefaultStream() override;
  std::unique_ptr<Stream> wrapStream(void *native) override;
  void synchronize(Stream &) override;
  std::unique_ptr<Event> createEvent() override;
  void record(Event &, Stream &) override;
  void synchronize(Event &) override;
  void wait(Stream &, Event &) override;
  double elapsedMilliseconds(Event &start, Event &end) override;

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

private:
  friend class CudaStream; // enters itself in `streams`

  /// The GPU's context for one call of ours, and an Error where that is impossible. Forks pass
  /// meanwhile: the driver may wait for the GPU, and children cannot use it anyway.
  class Entered : ForkPause, public CurrentContext {
  public:
    explicit Entered(const CudaDevice &device);
  };

  void check(CUresult result, const char *what) const {
    if (result != cudaSuccess) [[unlikely]]
      fail(result, what);
  }
  /// Throws what the result means: see Failures.cpp.
  [[noreturn]] void fail(CUresult result, const std::string &what) const;
  [[noreturn]] void failAllocation(CUresult result, const char *kind, uint64_t bytes) const;
  [[noreturn]] void failForGood(CUresult result, const std::string &what) const;
  /// The names of the kernels that were launched and not yet waited for; false if there were more.
  bool listUnfinishedKernels(std::set<std::string> &names) const;
  void forgetKernelsBut(const std::string *name) const;
  /// Throws if the stream is being captured: to wait for it would spoil the capture.
  void refuseCapture(CudaStream &stream, const char *what) const;

  /// Throws if an argument is memory of the host that the GPU cannot reach. See Pointers.cpp.
  void checkPointers(const CudaKernel &kernel, void *const *arguments) {
    for (uint16_t index : pointersOf(kernel)) {
      uint64_t value = *static_cast<const uint64_t *>(arguments[index]);
      if (value && reachable[pageSlot(value)].load(std::memory_order_relaxed) != page(value))
          [[unlikely]]
        examinePointer(kernel, index, value);
    }
  }
  static const std::vector<uint16_t> &pointersOf(const CudaKernel &kernel);
  void examinePointer(const CudaKernel &kernel, size_t index, uint64_t value);
  void noteReachable(CUdeviceptr pointer, uint64_t bytes);
  bool reachPeer(int other);

  CUresult launchPlain(CudaKernel &, CudaStream &, Grid, void *const *arguments);
  CUresult launchWithTensorMaps(CudaKernel &, CudaStream &, Grid, void *const *arguments);
  /// Memory for the barriers of the launches in one stream, or of one launch in a graph. Each
  /// meeting leaves it as it was, so that it serves any number of launches, one after another.
  CUdeviceptr takeCounter();
  void launchSpecial(CudaKernel &, CudaStream &, Grid, void *const *arguments);
  [[noreturn]] void failLaunch(CUresult, const CudaKernel &, Grid) const;
  /// Throws if the GPU takes no such grid.
  void checkGrid(const NvidiaKernel &code, Grid grid) const;
  void checkResources(const CudaKernel &kernel) const;

  // Addresses that this GPU reaches, by pages of 2 MiB in which the driver hands out memory: what
  // has been found out once is not asked again. A slot holds the number of the page.
  static constexpr uint64_t pageBits = 21, pageSlots = 1024;
  static uint64_t page(uint64_t address) { return address >> pageBits; }
  static size_t pageSlot(uint64_t address) { return page(address) % pageSlots; }
  std::array<std::atomic<uint64_t>, pageSlots> reachable{};

  static std::atomic<int> gpusInUse; // by this process, through us
  const CudaApi &cuda;
  std::unique_ptr<Target> compiler;
  int ordinal;
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  std::string label, text;
  int maxShared = 0, maxThreads = 0, maxRegisters = 0, multiprocessors = 0;
  bool readsAllHostMemory = false, hasMemoryPools = false;
  uint32_t maxGrid[3] = {};

  mutable std::mutex streamsMutex;
  std::set<CudaStream *> streams;
  mutable std::mutex lossMutex;
  mutable std::string loss; // why the context is lost, once it is
  std::mutex namesMutex;
  std::set<std::string> names; // of all kernels that were loaded, for reports: never removed
  std::mutex countersMutex;
  std::vector<CUdeviceptr> counters; // where programs can meet, zero and not in use
};

} // namespace tl::backend::nvidia
