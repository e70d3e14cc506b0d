// SPDX-License-Identifier: MIT
//
// The device "cpu": host memory, streams that run at once, and launches on the thread pool. Also
// the contract between compiled kernels and the process: the kernel's signature and the hooks that
// it may call. No LLVM header is needed here. Next: Jit.h for loading, ThreadPool.h for running.
#pragma once

#include "targets/HostDevice.h"

#include <cstdint>
#include <vector>

namespace tl::backend::cpu {

class Buffers;
class Overruns;

/// A compiled kernel: runs the programs begin … end-1 of the grid, numbered with x fastest.
/// args[i] points to the value of parameter i; scratch is 64-byte aligned and belongs to this call.
using KernelEntry = void (*)(const void *const *args, const uint32_t grid[3], uint64_t begin,
                             uint64_t end, void *scratch);

/// A line of the user's source where a kernel may fail or print. Code refers to it by its index in
/// CpuKernel::sites.
struct Site {
  tl_status status = TL_RUNTIME_ERROR;
  std::string message; // of the failure, or the prefix that is printed
  std::string help;
  SourceLocation location;

  std::vector<int64_t> shape; // of the tensor that a check looks at, for the place of the element

  /// Only for printing: one for each printed value.
  struct Operand {
    std::string type;             // TTIR element type: "f32", "i8", "f8E5M2", "!tt.ptr<f32>"
    std::vector<int64_t> shape;   // empty for a scalar
    std::vector<int64_t> printed; // of that
    bool isSigned = true;
  };
  std::vector<Operand> operands;
  bool hex = false;
};

/// What the CPU target makes of a kernel and this device needs to load it. The target derives from
/// it and knows the stages.
struct CpuKernel : CompiledKernel {
  std::string object; // relocatable object file of this host
  std::string entry;  // symbol of the KernelEntry in it
  uint64_t scratchBytes = 0;
  std::vector<Site> sites;
  bool gridBarrier = false; // all programs must run at the same time
};

/// The hooks that compiled code may call, by the name they have there.
inline constexpr const char *reportHook = "tl_cpu_report";
inline constexpr const char *printHook = "tl_cpu_print";
/// `uint64_t tl_cpu_clock()`: nanoseconds of a clock that only goes forward.
inline constexpr const char *clockHook = "tl_cpu_clock";
/// `void tl_cpu_yield()`: lets another thread run.
inline constexpr const char *yieldHook = "tl_cpu_yield";
inline constexpr const char *gridBarrierHook = "tl_cpu_grid_barrier";

/// The check at the site failed in this program, at this element of its tensor in row-major order
/// (all ones: no element). The first report of a launch becomes its error and programs not yet
/// begun are dropped; the code goes on after the call and must stay memory-safe until it returns.
extern "C" void tl_cpu_report(uint32_t site, uint64_t program, uint64_t element);

/// Waits for all programs of the grid. Does not return if one of them has ended without coming
/// here: then the site's message becomes the launch's error and the program is left.
extern "C" void tl_cpu_grid_barrier(uint32_t site, uint64_t program);

/// Prints the operands of a printing site, each a pointer to row-major values: one line an element,
/// lines of different programs never mixed.
extern "C" void tl_cpu_print(uint32_t site, uint64_t program, const uint32_t *grid,
                             const void *const *operands);

/// The host processor as a device.
class CpuDevice final : public HostDevice {
public:
  /// `target` compiles for this device and outlives it.
  explicit CpuDevice(const Target &target);
  ~CpuDevice() override;

  std::string_view name() const override { return "cpu"; }
  std::string_view description() const override;
  const Target &target() const override { return compiler; }

  void *allocate(uint64_t bytes) override;
  void release(void *pointer) override;
  void *allocateHost(uint64_t bytes) override { return allocate(bytes); }
  void releaseHost(void *pointer) override { release(pointer); }
  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override;

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

private:
  void copy(void *dst, const void *src, uint64_t bytes) const;
  void launchPrograms(LoadedKernel &, Grid, void *const *arguments);

  const Target &compiler;
  const std::unique_ptr<Buffers> buffers;
  const std::unique_ptr<Overruns> overruns;
  std::string text;
};

} // namespace tl::backend::cpu
