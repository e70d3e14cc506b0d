// SPDX-License-Identifier: MIT
#include "targets/amd/Pipeline.h"
#include "targets/amd/Target.h"
#include "targets/simt/Emulated.h"
#include "targets/simt/Target.h"

namespace tl::backend::simt {

std::unique_ptr<Target> openAmdTarget(std::string_view name) {
  auto architecture = amd::Architecture::parse(name);
  if (!architecture)
    return nullptr;
  const bool isFnuz = architecture->generation == amd::Generation::cdna3;
  return emulate(std::string(name),
                 {modulesFor(*architecture), isFnuz ? &translateAmdFnuz : &translateAmd,
                  amd::followedOptions});
}

} // namespace tl::backend::simt
