// SPDX-License-Identifier: MIT
//
// A GPU target as the emulator sees it: who makes its modules, and who knows its intrinsics. AMD's
// is a file of its own, so that the emulator can be built without.
#pragma once

#include "lowering/GpuModule.h"
#include "support/CompileOptions.h"
#include "support/KernelSource.h"
#include "targets/simt/Translation.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace tl::backend::simt {

struct Emulated {
  std::function<GpuModule(KernelSource, std::string_view entry, const CompileOptions &, bool texts)>
      module;
  CallTranslator translator = nullptr;
  CompileOptionSet followedOptions;
};

/// The target of that name of AMD's, "gfx942"; nothing if there is none.
std::optional<Emulated> emulatedAmd(std::string_view name);
/// Of devices that emulate AMD's GPUs: "simt:gfx942".
std::vector<std::string> amdDeviceNames();

} // namespace tl::backend::simt
