// SPDX-License-Identifier: MIT
//
// The devices "cuda:0", "cuda:1", ... through the CUDA driver, and the contract between compiled
// kernels and the launch: what CUDA adds to the device of any GPU (targets/gpu/GpuDevice.h), which
// are tensor maps and the attributes of launches. Next: CudaApi.h for the driver's functions,
// Launch.cpp for the way of a launch.
#pragma once

#include "targets/gpu/GpuKernel.h"
#include "targets/nvidia/CudaApi.h"

namespace tl::backend::nvidia {

class CudaKernel;

/// What the NVIDIA target makes of a kernel and this device needs to load it. The target derives
/// from it and knows the other stages.
struct NvidiaKernel : gpu::GpuCode {
  std::string cubin; // machine code, or empty where no assembler was found
  std::string ptx;   // then the driver assembles this
  /// Waits for what the launch ahead of it has written, and so may begin before that has ended.
  bool waitsForLaunch = false;
};

class CudaDevice final : public gpu::GpuDevice {
public:
  /// How many GPUs there are; 0 without a driver.
  static int count();
  /// "sm_90a" for a GPU, by number.
  static std::string architecture(int ordinal);

  /// `target` compiles for this GPU. Null, for a GPU older than all that we know, is refused.
  CudaDevice(int ordinal, std::unique_ptr<Target> target);

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &) override;
  void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) override;

private:
  gpu::Result launchWithTensorMaps(CudaKernel &, gpu::GpuStream &, Grid, void *const *arguments);
  void launchSpecial(CudaKernel &, gpu::GpuStream &, Grid, void *const *arguments);
  /// Are there launches whose programs all run at once?
  bool runsWholeGrids() const;

  const CudaApi &cuda;
};

} // namespace tl::backend::nvidia
