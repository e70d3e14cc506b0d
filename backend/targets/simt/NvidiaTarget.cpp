// SPDX-License-Identifier: MIT
#include "targets/nvidia/Pipeline.h"
#include "targets/nvidia/Target.h"
#include "targets/simt/Emulated.h"
#include "targets/simt/Target.h"

namespace tl::backend::simt {

std::unique_ptr<Target> openNvidiaTarget(std::string_view name) {
  auto architecture = nvidia::Architecture::parse(name);
  if (!architecture)
    return nullptr;
  return emulate(std::string(name),
                 {modulesFor(*architecture), &translateNvidia, nvidia::followedOptions, {}});
}

} // namespace tl::backend::simt
