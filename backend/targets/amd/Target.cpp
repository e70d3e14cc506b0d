// SPDX-License-Identifier: MIT
#include "targets/amd/Target.h"

#include "targets/amd/AmdKernel.h"
#include "targets/amd/Architecture.h"
#include "targets/amd/Link.h"

namespace tl::backend::amd {

namespace {

class AmdTarget final : public Target {
public:
  explicit AmdTarget(Architecture architecture) : architecture(std::move(architecture)) {}

  std::string_view name() const override { return architecture.name; }
  std::unique_ptr<CompiledKernel> compile(KernelSource, std::string_view,
                                          const CompileOptions &) const override {
    throw Error(TL_UNSUPPORTED, "the " + architecture.name + " target lowers nothing yet");
  }
  CompileOptionSet followedOptions() const override { return amd::followedOptions; }

private:
  Architecture architecture;
};

} // namespace

std::unique_ptr<Target> openTarget(std::string_view name) {
  auto architecture = Architecture::parse(name);
  return architecture ? std::make_unique<AmdTarget>(*architecture) : nullptr;
}

} // namespace tl::backend::amd
