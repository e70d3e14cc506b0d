// SPDX-License-Identifier: MIT
//
// GPUs of two vendors in one process, each with its fake driver: neither is taken for the
// other's.
#include "targets/amd/AmdKernel.h"
#include "targets/amd/Driver.h"
#include "targets/nvidia/Driver.h"

#include <doctest/doctest.h>

using namespace tl::backend;

namespace {

class NoTarget final : public Target {
public:
  std::string_view name() const override { return "fake"; }
  std::unique_ptr<CompiledKernel> compile(KernelSource, std::string_view,
                                          const CompileOptions &) const override {
    return nullptr;
  }
  CompileOptionSet followedOptions() const override { return {}; }
};

template <class Base> struct Code final : Base {
  std::vector<std::string> stageNames() const override { return {}; }
  std::string stage(std::string_view) const override { return {}; }
};

template <class Kernel> Code<Kernel> code() {
  Code<Kernel> made;
  made.name = made.symbol = "add";
  made.parameters = {{"!tt.ptr<f32>", 8, true}, {"i32", 4, false}};
  return made;
}

} // namespace

TEST_CASE("a copy between vendors is not a copy of either's driver") {
  nvidia::CudaDevice cuda(0, std::make_unique<NoTarget>());
  amd::HipDevice hip(0, std::make_unique<NoTarget>());
  auto ofCuda = cuda.createStream(), ofHip = hip.createStream();
  void *x = cuda.allocate(64), *y = hip.allocate(64);
  CHECK(!hip.copyFromPeer(*ofHip, y, cuda, *ofCuda, x, 64));
  CHECK(!cuda.copyFromPeer(*ofCuda, x, hip, *ofHip, y, 64));
  cuda.release(x);
  hip.release(y);
}

TEST_CASE("launches in turns go to the GPU of each") {
  nvidia::CudaDevice cuda(1, std::make_unique<NoTarget>());
  amd::HipDevice hip(1, std::make_unique<NoTarget>());
  const auto codeOfCuda = code<nvidia::NvidiaKernel>();
  const auto codeOfHip = code<amd::AmdKernel>();
  auto ofCuda = cuda.load(codeOfCuda);
  auto ofHip = hip.load(codeOfHip);
  auto cudaStream = cuda.createStream(), hipStream = hip.createStream();
  void *x = cuda.allocate(64), *y = hip.allocate(64);
  int n = 7;
  void *withX[] = {&x, &n}, *withY[] = {&y, &n};
  for (int i = 0; i < 3; ++i) {
    CHECK_NOTHROW(cuda.launch(*ofCuda, *cudaStream, {1, 1, 1}, withX));
    CHECK_NOTHROW(hip.launch(*ofHip, *hipStream, {1, 1, 1}, withY));
  }
  CHECK_NOTHROW(cuda.synchronize(*cudaStream));
  CHECK_NOTHROW(hip.synchronize(*hipStream));
  cuda.release(x);
  hip.release(y);
}
