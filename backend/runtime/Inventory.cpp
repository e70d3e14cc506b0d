// SPDX-License-Identifier: MIT
//
// The explicit list of what libtl consists of. To add a target, add its device and its code
// generation here; nothing registers itself.
#include "runtime/CanonicalText.h"
#include "runtime/Registry.h"

namespace tl::backend {

Inventory inventory() {
  Inventory list;
  list.missing = {"cuda: the NVIDIA target is not built into this libtl",
                  "hip: the AMD target is not built into this libtl"};
  list.canonicalText = canonicalText;
  return list;
}

} // namespace tl::backend
