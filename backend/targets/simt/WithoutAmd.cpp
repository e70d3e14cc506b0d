// SPDX-License-Identifier: MIT
//
// Stands for AmdIntrinsics.cpp where the AMD target is not built.
#include "targets/simt/Emulated.h"

namespace tl::backend::simt {

std::optional<Emulated> emulatedAmd(std::string_view) { return std::nullopt; }
std::vector<std::string> amdDeviceNames() { return {}; }

} // namespace tl::backend::simt
