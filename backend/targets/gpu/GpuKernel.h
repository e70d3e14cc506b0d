// SPDX-License-Identifier: MIT
//
// A kernel that is loaded on a GPU, and its launch as long as nothing special is asked: what a
// vendor's device needs to launch. Made by Launch.cpp.
#pragma once

#include "targets/gpu/GpuStream.h"

namespace tl::backend::gpu {

class GpuKernel : public LoadedKernel {
public:
  GpuKernel(const GpuApi &api, NativeContext context, const GpuCode &code)
      : code(code), api(api), context(context) {}
  ~GpuKernel() override {
    if (!module || GpuApi::isLostByFork())
      return;
    CurrentContext current(api, context);
    api.unloadModule(module);
  }

  const GpuCode &code;               // the runtime keeps it as long as this
  const std::string *name = nullptr; // the device's copy, which outlives this
  NativeModule module = nullptr;
  NativeFunction function = nullptr;
  unsigned threads = 0, sharedBytes = 0;
  uint64_t residentBlocks = 0; // of a kernel with a barrier of the grid: how many fit at once
  bool plain = true;           // no hidden parameter but tensor maps, no way of its own to launch
  std::vector<uint16_t> pointers; // the parameters whose targets are checked

private:
  const GpuApi &api;
  NativeContext context;
};

inline void GpuDevice::checkPointers(const GpuKernel &kernel, void *const *arguments) {
  for (uint16_t index : kernel.pointers) {
    uint64_t value = *static_cast<const uint64_t *>(arguments[index]);
    if (value && reachable[pageSlot(value)].load(std::memory_order_relaxed) != page(value))
        [[unlikely]]
      examinePointer(kernel, index, value);
  }
}

inline Result GpuDevice::launchPlain(const GpuKernel &kernel, const GpuStream &queue, Grid grid,
                                     void *const *arguments) {
  auto call = [&] {
    return api.launch(kernel.function, grid.x, grid.y, grid.z, kernel.threads, 1, 1,
                      kernel.sharedBytes, queue.native, const_cast<void **>(arguments), nullptr);
  };
  if (GpuApi::isLostByFork()) [[unlikely]]
    return errorNotInitialized;
  // With one GPU in use the context is almost always ours already; the driver refuses the launch
  // where it is not. A stream without an address of its own is that of whatever context is there.
  const bool mayMislead = gpusInUse.load(std::memory_order_relaxed) > 1 ||
                          reinterpret_cast<uintptr_t>(queue.native) <= lastNamedStream;
  if (!mayMislead) [[likely]] {
    const Result result = call();
    if (result == success) [[likely]]
      return result;
    CurrentContext current(api, context);
    return !current.changed ? result : current.result ? current.result : call();
  }
  CurrentContext current(api, context);
  return current.result ? current.result : call();
}

/// The arguments of one launch with those that the kernel takes after the user's, up to tensor
/// maps. Memory that the programs work in lives as long as the launch, in the order of the stream.
struct HiddenArguments {
  /// What may be refused comes before what would have to be given back.
  HiddenArguments(GpuDevice &device, const GpuKernel &kernel, GpuStream &stream, Grid grid,
                  void *const *arguments);
  ~HiddenArguments();
  HiddenArguments(const HiddenArguments &) = delete;
  HiddenArguments &operator=(const HiddenArguments &) = delete;

  bool captured = false; // into a graph
  std::vector<void *> all;

private:
  const GpuApi &api;
  GpuStream &stream;
  Address counter = 0, workspace = 0;
  void *record = nullptr;
};

} // namespace tl::backend::gpu
