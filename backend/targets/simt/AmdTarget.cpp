// SPDX-License-Identifier: MIT
#include "targets/amd/Pipeline.h"
#include "targets/amd/Target.h"
#include "targets/simt/Emulated.h"
#include "targets/simt/Target.h"

namespace tl::backend::simt {

namespace {

/// As AMD documents them for ds_read_b128: on CDNA lanes 0 to 3 go with 20 to 23, 4 to 7 with 16 to
/// 19 and so on; with twice the banks lanes 0 to 3 with 12 to 15 and 20 to 27. Waves of RDNA have a
/// half of the banks that two compute units share.
BankRules banksOf(amd::Generation generation) {
  switch (generation) {
  case amd::Generation::cdna2:
  case amd::Generation::cdna3:
    return {32, {0b010100, 0b001000, 0b100000}};
  case amd::Generation::cdna4:
    return {64, {0b011100, 0b100000}};
  case amd::Generation::rdna3:
  case amd::Generation::rdna4:
    break;
  }
  return {};
}

} // namespace

std::unique_ptr<Target> openAmdTarget(std::string_view name) {
  auto architecture = amd::Architecture::parse(name);
  if (!architecture)
    return nullptr;
  const bool isFnuz = architecture->generation == amd::Generation::cdna3;
  return emulate(std::string(name),
                 {modulesFor(*architecture), isFnuz ? &translateAmdFnuz : &translateAmd,
                  amd::followedOptions, banksOf(architecture->generation)});
}

} // namespace tl::backend::simt
