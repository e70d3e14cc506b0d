// SPDX-License-Identifier: MIT
#include "interpreter/AliasTracker.h"

#include "interpreter/Memory.h"

namespace tl::backend::interpreter {

void AliasTracker::beginLaunch(const Program &program, std::span<const Pointer> arguments) {
  groups = program.memoryGroups;
  enabled = false;
  for (size_t i = 0; i < arguments.size(); ++i)
    for (size_t j = i + 1; j < arguments.size(); ++j)
      enabled |= groups[i] != 0 && groups[j] != 0 && groups[i] != groups[j] &&
                 arguments[i].origin == arguments[j].origin && arguments[i].origin != nullOrigin;
}

std::optional<uint32_t> AliasTracker::conflict(uint64_t address, uint64_t bytes,
                                               uint32_t parameter) const {
  if (!enabled || parameter == 0)
    return std::nullopt;
  for (uint64_t i = 0; i < bytes; ++i)
    if (auto it = writers.find(address + i);
        it != writers.end() && it->second != 0 && groups[it->second - 1] != groups[parameter - 1])
      return it->second;
  return std::nullopt;
}

} // namespace tl::backend::interpreter
