// SPDX-License-Identifier: MIT
#include "targets/simt/Target.h"

namespace tl::backend::simt {

std::unique_ptr<Target> openTarget(std::string_view name) {
  constexpr std::string_view prefix = "simt:";
  if (!name.starts_with(prefix))
    return nullptr;
  name.remove_prefix(prefix.size());
  std::unique_ptr<Target> found = openNvidiaTarget(name);
#ifdef TL_HAVE_AMD
  if (!found)
    found = openAmdTarget(name);
#endif
  return found;
}

const std::vector<std::string> &deviceNames() {
  static const std::vector<std::string> &names = *new std::vector<std::string>{
      "simt:sm_80",  "simt:sm_89",  "simt:sm_90a", "simt:sm_100a", "simt:sm_120a",
#ifdef TL_HAVE_AMD
      "simt:gfx90a", "simt:gfx942", "simt:gfx950", "simt:gfx1100", "simt:gfx1201",
#endif
  };
  return names;
}

} // namespace tl::backend::simt
