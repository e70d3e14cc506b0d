// SPDX-License-Identifier: MIT
//
// The devices "cuda:0", "cuda:1", ...: memory, streams, events and launches through the CUDA
// driver, and the contract between compiled kernels and the launch. The device's context is the
// primary one, which the CUDA run-time library, PyTorch and others share, so pointers and streams
// of theirs can be used as they are. Next: CudaApi.h for the driver's functions, Launch.cpp.
#pragma once

#include "targets/Target.h"
#include "targets/nvidia/CudaApi.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tl::backend::nvidia {

/// A place in the user's source where a kernel may find that an assertion does not hold. Code names
/// it by its index in NvidiaKernel::sites.
struct AssertSite {
  std::string message;
  std::string file;
  uint32_t line = 0, column = 0;
  std::vector<int64_t> shape; // of the condition; empty for a scalar
};

/// What a failed assertion leaves for the host: the first one of a launch wins `taken` and writes
/// the rest. It lies in host memory that the card can write. A kernel with assertions gets its
/// address as a last, hidden parameter.
struct FailureRecord {
  uint32_t taken = 0;
  uint32_t site = 0;
  uint32_t program[3] = {};
  uint32_t element = 0; // of the tensor, row by row; all ones for a scalar
};

/// What the NVIDIA target makes of a kernel and this device needs to load it. The target derives
/// from it and knows the other stages.
struct NvidiaKernel : CompiledKernel {
  std::string cubin;             // machine code, or empty where no assembler was found
  std::string ptx;               // then the driver assembles this
  std::string symbol;            // of the entry
  unsigned numWarps = 4;         //
  unsigned numCtas = 1;          // blocks of a cluster; the grid counts clusters
  bool cooperative = false;      // waits for all blocks of the grid
  std::vector<AssertSite> sites; // not empty: the hidden parameter is there
};

class CudaDevice final : public Device {
public:
  /// How many cards there are; 0 without a driver.
  static int count();
  /// "sm_90a" for a card, by number.
  static std::string architecture(int ordinal);

  /// `target` compiles for this card.
  CudaDevice(int ordinal, std::unique_ptr<Target> target);
  ~CudaDevice() override;

  std::string_view name() const override { return label; }
  std::string_view description() const override { return text; }
  const Target &target() const override { return *compiler; }

  void *allocate(uint64_t bytes) override;
  void release(void *pointer) override;
  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override;

  std::unique_ptr<Stream> createStream() override;
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
  /// Makes the card's context the thread's own where it is not.
  void enter() const {
    CUcontext current = nullptr;
    cuda.getContext(&current);
    if (current != context)
      cuda.setContext(context);
  }
  void check(CUresult result, const char *what) const;
  [[noreturn]] void fail(CUresult result, const std::string &what) const;
  /// Throws if the card takes no such grid.
  void checkGrid(Grid grid) const;

  const CudaApi &cuda;
  std::unique_ptr<Target> compiler;
  CUdevice card = 0;
  CUcontext context = nullptr;
  std::string label, text;
  int maxShared = 0, maxThreads = 0, multiprocessors = 0;
  uint32_t maxGrid[3] = {};
};

} // namespace tl::backend::nvidia
