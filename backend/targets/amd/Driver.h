// SPDX-License-Identifier: MIT
//
// The devices "hip:0", "hip:1", ... through HIP: what AMD adds to the device of any GPU
// (targets/gpu/GpuDevice.h), which is next to nothing. LDS is static in the code, so a launch asks
// for none, and a program is a block of waves. Next: HipApi.h for HIP's functions, AmdKernel.h for
// the contract with the compiler.
#pragma once

#include "targets/amd/HipApi.h"
#include "targets/gpu/GpuKernel.h"

namespace tl::backend::amd {

class HipDevice final : public gpu::GpuDevice {
public:
  /// How many GPUs there are; 0 without ROCm.
  static int count();
  /// Why there is no GPU, a sentence; empty if there is one.
  static std::string missing();
  /// "gfx942:sramecc+:xnack-" for a GPU, by number; empty for one that does not say.
  static std::string architecture(int ordinal);

  /// `target` compiles for this GPU. Null, for one that we do not know, is refused.
  HipDevice(int ordinal, std::unique_ptr<Target> target);

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

private:
  void launchSpecial(gpu::GpuKernel &, gpu::GpuStream &, Grid, void *const *arguments);
  /// Are there launches whose programs all run at once?
  bool runsWholeGrids() const;

  const HipApi &hip;
};

} // namespace tl::backend::amd
