// SPDX-License-Identifier: MIT
//
// A GPU target as the emulator sees it: how to get its code as a module, and who knows the
// intrinsics in it. Next: Target.cpp for NVIDIA's, AmdTarget.cpp for AMD's.
#pragma once

#include "targets/Target.h"
#include "targets/simt/Translation.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tl::backend::simt {

struct Emulated {
  std::function<GpuModule(KernelSource, std::string_view entry, const CompileOptions &, bool texts)>
      module;
  CallTranslator translator = nullptr;
  CompileOptionSet followedOptions;
};

/// The target "simt:" and this name.
std::unique_ptr<Target> emulate(const std::string &name, Emulated emulated);

} // namespace tl::backend::simt
