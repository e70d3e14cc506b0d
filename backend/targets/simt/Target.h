// SPDX-License-Identifier: MIT
//
// The targets "simt:sm_90a" and the like: the code of a GPU target, made for the emulator. Next:
// Translation.h, how; Driver.h, what runs it.
#pragma once

#include "targets/Target.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tl::backend::simt {

/// The target of that name; null if it is not "simt:" and a GPU target that we know.
std::unique_ptr<Target> openTarget(std::string_view name);

/// The emulator's target of a vendor's name, without the prefix; null if it has no such.
std::unique_ptr<Target> openNvidiaTarget(std::string_view name);
std::unique_ptr<Target> openAmdTarget(std::string_view name);

/// Of the devices that exist: one for each kind of hardware that code is made for.
const std::vector<std::string> &deviceNames();

} // namespace tl::backend::simt
