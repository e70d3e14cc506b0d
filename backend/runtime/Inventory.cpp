// SPDX-License-Identifier: MIT
//
// The explicit list of what libtl consists of. To add a target, add its device and its code
// generation here; nothing registers itself.
#include "interpreter/Device.h"
#include "runtime/CanonicalText.h"
#include "runtime/Registry.h"

namespace tl::backend {

Inventory inventory() {
  Inventory list;
  list.devices.push_back({"interpreter", interpreter::openInterpreter});
  list.targets.push_back({"interpreter", [](std::string_view name) -> std::unique_ptr<Target> {
                            if (name != "interpreter")
                              return nullptr;
                            return std::make_unique<interpreter::InterpreterTarget>();
                          }});
  list.missing = {"cuda: the NVIDIA target is not built into this libtl",
                  "hip: the AMD target is not built into this libtl"};
  list.canonicalText = canonicalText;
  return list;
}

} // namespace tl::backend
