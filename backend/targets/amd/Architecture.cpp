// SPDX-License-Identifier: MIT
#include "targets/amd/Architecture.h"

namespace tl::backend::amd {

std::optional<Architecture> Architecture::parse(std::string_view name) {
  constexpr std::pair<std::string_view, Generation> known[] = {
      {"gfx90a", Generation::cdna2},  {"gfx942", Generation::cdna3},  {"gfx950", Generation::cdna4},
      {"gfx1100", Generation::rdna3}, {"gfx1201", Generation::rdna4},
  };
  std::string_view processor = name.substr(0, name.find(':'));
  for (const auto &[each, generation] : known)
    if (processor == each)
      return Architecture{std::string(each), generation};
  return std::nullopt;
}

} // namespace tl::backend::amd
