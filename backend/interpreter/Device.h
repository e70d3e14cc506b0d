// SPDX-License-Identifier: MIT
//
// The device "interpreter": host memory that remembers what was done to it (Memory.h), launches
// that run at once, one at a time, on the calling thread (Interpreter.h).
#pragma once

#include "interpreter/Memory.h"
#include "interpreter/Target.h"
#include "targets/HostDevice.h"

#include <mutex>

namespace tl::backend::interpreter {

class InterpreterDevice final : public HostDevice {
public:
  /// Lives as long as the process.
  InterpreterDevice();

  std::string_view name() const override { return "interpreter"; }
  std::string_view description() const override {
    return "reference interpreter that checks every access, one program at a time";
  }
  const Target &target() const override { return compiler; }

  void *allocate(uint64_t bytes) override;
  void release(void *pointer) override;
  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override;

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

private:
  InterpreterTarget compiler;
  std::mutex mutex; // of the memory, and so of launches, which let forks pass
  Memory memory;
};

/// The device, for the registry.
std::unique_ptr<Device> openInterpreter();

} // namespace tl::backend::interpreter
