// SPDX-License-Identifier: MIT
//
// A GPU target as the emulator sees it: how to get its code as a module, and who knows the
// intrinsics in it. Next: NvidiaTarget.cpp and AmdTarget.cpp.
#pragma once

#include "targets/Target.h"
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Translation.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tl::backend::simt {

/// Makes a kernel's module with the options of one compilation.
using ModuleMaker = std::function<GpuModule(KernelSource, std::string_view entry,
                                            const CompileOptions &, GpuModuleRequest)>;

/// That of a vendor's architecture, in whose namespace `optimizedModule` is.
template <class Architecture> ModuleMaker modulesFor(const Architecture &architecture) {
  return [architecture](KernelSource source, std::string_view entry, const CompileOptions &options,
                        GpuModuleRequest request) {
    return optimizedModule(std::move(source), entry, options, architecture, request);
  };
}

struct Emulated {
  ModuleMaker module;
  CallTranslator translator = nullptr;
  CompileOptionSet followedOptions;
  BankRules banks;
};

/// The target "simt:" and this name.
std::unique_ptr<Target> emulate(const std::string &name, Emulated emulated);

} // namespace tl::backend::simt
