// SPDX-License-Identifier: MIT
//
// A GPU whose driver has CUDA's model: memory, streams, events, graphs and launches, the same for
// all vendors. What a vendor adds is its table of calls, its words for messages, its GPU's
// limits, and how it loads and launches a kernel: see targets/nvidia/Driver.h. The context is the
// primary one, which the vendor's run-time library, PyTorch and others share, so pointers and
// streams of theirs can be used as they are. Next: GpuStream.h; Launch.cpp for the way of a launch;
// Failures.cpp for what the driver's results are turned into.
#pragma once

#include "lowering/HiddenParameters.h"
#include "support/Fork.h"
#include "targets/Target.h"
#include "targets/gpu/GpuApi.h"

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tl::backend::gpu {

class GpuKernel;
class GpuStream;
struct HiddenArguments;

/// What a target makes of a kernel and any GPU's device needs to load it. A vendor derives from it
/// to add the code.
struct GpuCode : CompiledKernel {
  unsigned numWarps = 4, producerWarps = 0; // which a block has beside those
  unsigned lanes = 32;                      // of a warp
  unsigned blockWarps() const { return numWarps + producerWarps; }
  unsigned blockThreads() const { return blockWarps() * lanes; }
  unsigned numCtas = 1; // blocks of a cluster; the grid counts clusters
  HiddenParameters hidden;

  const HiddenParameters *hiddenParameters() const override { return &hidden; }
};

/// How messages call what belongs to a vendor.
struct VendorWords {
  const char *device;           // "cuda": the GPUs are cuda:0, cuda:1, ...
  const char *memoryFunctions;  // of which a kernel takes pointers
  const char *hostPointer;      // the function that gives the GPU's address of the host's memory
  const char *streamFunction;   // that makes a stream
  const char *blockingVariable; // of the environment: each launch waits for its end
  const char *faultFinder;      // the program that finds the place of a fault
  const char *processors;       // what a GPU has many of: "multiprocessors"
  /// A context that is destroyed was the GPU's; else the driver says so of streams that are none.
  bool hasContexts;
};

/// What one GPU can do.
struct GpuLimits {
  int multiprocessors = 0;
  int maxShared = 0, maxThreads = 0, maxRegisters = 0; // of a block
  uint32_t maxGrid[3] = {};
  uint64_t maxThreadsAlong = UINT64_MAX; // an axis of the grid
  bool readsAllHostMemory = false, hasMemoryPools = false;
};

/// Makes a context the thread's own for the life of this object. A context of other code is put
/// back at the end, so that a program that works on another GPU is not moved to ours; a thread
/// that had none keeps ours, which makes its next calls cheaper.
class CurrentContext {
public:
  CurrentContext(const GpuApi &api, NativeContext wanted);
  ~CurrentContext() {
    if (foreign)
      api.setContext(foreign);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Of making the context the thread's own.
  Result result = success;
  /// Was another context there?
  bool changed = false;

private:
  const GpuApi &api;
  NativeContext foreign = nullptr;
};

/// Lets this thread call what the driver forbids while any stream is being captured into a graph:
/// to allocate and to load take no part in the capture.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const GpuApi &api) : api(api) { api.exchangeCaptureMode(&mode); }
  ~RelaxedCapture() { api.exchangeCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const GpuApi &api;
  int mode = captureRelaxed;
};

class GpuDevice : public Device {
public:
  ~GpuDevice() override;

  std::string_view name() const final { return label; }
  std::string_view description() const final { return text; }
  const Target &target() const final { return *compiler; }

  void *allocate(uint64_t bytes) final;
  void release(void *pointer) final;
  void *allocateInOrder(Stream &, uint64_t bytes) final;
  void releaseInOrder(Stream &, void *pointer) final;
  void *allocateHost(uint64_t bytes) final;
  void releaseHost(void *pointer) final;

  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) final;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) final;
  void queueCopyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) final;
  void queueCopyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) final;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) final;
  bool copyFromPeer(Stream &, void *dst, Device &source, Stream &sourceStream, const void *src,
                    uint64_t bytes) final;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) final;

  std::unique_ptr<Stream> createStream() final;
  std::unique_ptr<Stream> createDefaultStream() final;
  std::unique_ptr<Stream> wrapStream(void *native) final;
  void synchronize(Stream &) final;
  std::unique_ptr<Event> createEvent() final;
  void record(Event &, Stream &) final;
  void synchronize(Event &) final;
  void wait(Stream &, Event &) final;
  double elapsedMilliseconds(Event &start, Event &end) final;

protected:
  /// `target` compiles for this GPU; null where the vendor's knows no such GPU, and refuses it.
  GpuDevice(const GpuApi &api, const VendorWords &words, int ordinal,
            std::unique_ptr<Target> target);
  /// Makes the context and the description, which is the GPU's name until then. A driver that takes
  /// launches in the context of another GPU, where it should refuse them, has all its GPUs count as
  /// in use.
  void begin(const GpuLimits &found, int gpusThatCount);

  /// The GPU's context for one call of ours, and an Error where that is impossible. Forks pass
  /// meanwhile: the driver may wait for the GPU, and children cannot use it anyway.
  class Entered : ForkPause, public CurrentContext {
  public:
    explicit Entered(const GpuDevice &device);
  };

  void check(Result result, const char *what) const {
    if (result != success) [[unlikely]]
      fail(result, what);
  }
  /// Throws what the result means: see Failures.cpp.
  [[noreturn]] void fail(Result result, const std::string &what) const;
  /// So that other code that asks the driver for its last failure does not find ours.
  void forgetFailure() const {
    if (api.forgetFailure)
      api.forgetFailure();
  }

  // ---- Loading and launching, for the vendor's: see Launch.cpp

  /// Throws if a block of the GPU has not what the kernel needs.
  void checkBlock(const GpuCode &code) const;
  /// For GPUs that have no launches whose programs all run at once.
  [[noreturn]] void refuseGridBarrier() const;
  /// Fills in what is the same for all vendors. `sharedBytes` is what a launch has to ask for.
  void loadInto(GpuKernel &kernel, const void *image, unsigned sharedBytes);
  /// Of a kernel with a barrier of the grid, once the driver lets it have its shared memory.
  void countResidentBlocks(GpuKernel &kernel);
  /// Throws if an argument is memory of the host that the GPU cannot reach. See Pointers.cpp.
  void checkPointers(const GpuKernel &kernel, void *const *arguments);
  /// One call of the driver where all is well.
  Result launchPlain(const GpuKernel &, const GpuStream &, Grid, void *const *arguments);
  [[noreturn]] void failLaunch(Result, const GpuKernel &, Grid) const;
  /// Throws if the GPU takes no such grid.
  void checkGrid(const GpuKernel &kernel, Grid grid) const;
  /// ... or cannot run all its programs at once, where they meet.
  void checkResidence(const GpuKernel &kernel, Grid grid) const;

  const GpuApi &api;
  const VendorWords &words;
  std::unique_ptr<Target> compiler;
  const int ordinal;
  int gpu = 0;
  NativeContext context = nullptr;
  std::string label, text;
  GpuLimits limits;

private:
  friend class GpuStream; // enters itself in `streams`
  friend struct HiddenArguments;

  [[noreturn]] void failAllocation(Result result, const char *kind, uint64_t bytes) const;
  [[noreturn]] void failForGood(Result result, const std::string &what) const;
  /// The names of the kernels that were launched and not yet waited for; false if there were more.
  bool listUnfinishedKernels(std::set<std::string> &names) const;
  void forgetKernelsBut(const std::string *name) const;
  /// Throws if the stream is being captured: to wait for it would spoil the capture.
  void refuseCapture(GpuStream &stream, const char *what) const;
  void checkResources(const GpuKernel &kernel) const;

  void examinePointer(const GpuKernel &kernel, size_t index, uint64_t value);
  void noteReachable(Address pointer, uint64_t bytes);
  bool reachPeer(int other);
  /// Memory for the barriers of the launches in one stream, or of one launch in a graph. Each
  /// meeting leaves it as it was, so that it serves any number of launches, one after another.
  Address takeCounter();

  // Addresses that this GPU reaches, by pages of 2 MiB: what has been found out once is not asked
  // again. CUDA's driver hands out such pages; HIP's memory may share one with memory of the host,
  // which then passes. A slot holds the number of the page.
  static constexpr uint64_t pageBits = 21, pageSlots = 1024;
  static uint64_t page(uint64_t address) { return address >> pageBits; }
  static size_t pageSlot(uint64_t address) { return page(address) % pageSlots; }
  std::array<std::atomic<uint64_t>, pageSlots> reachable{};

  static std::atomic<int> gpusInUse; // by this process, through us
  int counted = 0;                   // of them for this one

  mutable std::mutex streamsMutex;
  std::set<GpuStream *> streams;
  mutable std::mutex lossMutex;
  mutable std::string loss; // why the context is lost, once it is
  std::mutex namesMutex;
  std::set<std::string> names; // of all kernels that were loaded, for reports: never removed
  std::mutex countersMutex;
  std::vector<Address> counters; // where programs can meet, zero and not in use
};

} // namespace tl::backend::gpu
