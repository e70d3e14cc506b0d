// SPDX-License-Identifier: MIT
//
// The devices "simt:sm_90a" and the like: a GPU that is emulated, in the memory of the host. What a
// GPU target's code generator would get runs here thread by thread (Translation.h, Block.h), so
// that any machine tests that code, and faults are found that no GPU shows. Next: Launch.h.
#pragma once

#include "targets/HostDevice.h"
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Memory.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tl::backend::simt {

class Block;

class SimtDevice final : public HostDevice {
public:
  /// `name` is "simt:" and that of the target.
  explicit SimtDevice(std::string name);
  ~SimtDevice() override;

  std::string_view name() const override { return label; }
  std::string_view description() const override { return text; }
  const Target &target() const override { return *compiler; }

  void *allocate(uint64_t bytes) override;
  void release(void *pointer) override;
  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override;
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override;

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

  /// Of the last launch, if they are counted (TL_BANK_CONFLICTS).
  const BankCounts &bankCounts() const { return lastBanks; }

private:
  void copy(void *dst, const void *src, uint64_t bytes) const;

  const std::string label;
  const std::unique_ptr<Target> compiler;
  Memory memory;
  BankCounts lastBanks;
  std::mutex launching; // one at a time
  std::vector<std::unique_ptr<Block>> spare;
  std::string text;
};

} // namespace tl::backend::simt
