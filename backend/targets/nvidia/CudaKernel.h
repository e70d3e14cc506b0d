// SPDX-License-Identifier: MIT
//
// A kernel that is loaded on a GPU. Made by Launch.cpp.
#pragma once

#include "targets/nvidia/Driver.h"

namespace tl::backend::nvidia {

class CudaKernel final : public LoadedKernel {
public:
  CudaKernel(const CudaApi &cuda, CUcontext context, const NvidiaKernel &code)
      : code(code), cuda(cuda), context(context) {}
  ~CudaKernel() override {
    if (!module || CudaApi::isLostByFork())
      return;
    CurrentContext current(cuda, context);
    cuda.unloadModule(module);
  }

  const NvidiaKernel &code;          // the runtime keeps it as long as this
  const std::string *name = nullptr; // the device's copy, which outlives this
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  unsigned threads = 0, sharedBytes = 0;
  uint64_t residentBlocks = 0;    // of a cooperative kernel: how many fit on the GPU at once
  bool plain = true;              // no attributes, no hidden parameter but tensor maps
  bool mapped = false;            // has tensor maps
  std::vector<uint16_t> pointers; // the parameters whose targets are checked

private:
  const CudaApi &cuda;
  CUcontext context;
};

} // namespace tl::backend::nvidia
