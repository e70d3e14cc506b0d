// SPDX-License-Identifier: MIT
//
// GPUs of a fake driver and kernels for them, without a compiler: tests of the device alone. The
// same tests are built for each vendor, whose folder's vendor.hpp says what is its own: the device,
// the names of the driver's functions, the words of messages. Next: fake_gpu.hpp.
#pragma once

#include "vendor.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>

namespace gpus {

using namespace tl::backend;
using namespace tl::backend::gpu;

struct Code final : VendorCode {
  std::vector<std::string> stageNames() const override { return {}; }
  std::string stage(std::string_view) const override { return {}; }
};

/// A kernel of one pointer and one number.
inline Code code(const std::string &name) {
  Code made;
  made.name = made.symbol = name;
  made.*image = "any bytes";
  made.parameters = {{"!tt.ptr<f32>", 8, true}, {"i32", 4, false}};
  return made;
}

/// A kernel whose programs meet at a barrier of the grid.
inline Code meetingCode() {
  Code made = code("meeting");
  made.hidden.gridBarrier = true;
  return made;
}

/// A kernel with an assertion, at no line unless one is given.
inline Code assertingCode(const std::string &condition = "x", SourceLocation where = {}) {
  Code made = code("asserting");
  made.hidden.sites = {AssertSite{.message = condition, .location = where, .shape = {}}};
  return made;
}

class NoTarget final : public Target {
public:
  std::string_view name() const override { return "fake"; }
  std::unique_ptr<CompiledKernel> compile(KernelSource, std::string_view,
                                          const CompileOptions &) const override {
    return nullptr;
  }
  CompileOptionSet followedOptions() const override { return {}; }
};

inline std::unique_ptr<VendorDevice> open(int ordinal = 0) {
  return std::make_unique<VendorDevice>(ordinal, std::make_unique<NoTarget>());
}

/// A GPU with a stream and a kernel, and the means to launch it.
struct Bench {
  explicit Bench(const std::string &kernelName = "add", int ordinal = 0)
      : made(code(kernelName)), device(open(ordinal)), stream(device->createStream()),
        memory(device->allocate(1024)), kernel(device->load(made)) {}
  ~Bench() { device->release(memory); }

  void launch(Grid grid = {1, 1, 1}) { launch(*kernel, *stream, memory, grid); }
  void launch(LoadedKernel &which, Stream &where, void *pointer, Grid grid = {1, 1, 1}) {
    int n = 7;
    void *arguments[] = {&pointer, &n};
    device->launch(which, where, grid, arguments);
  }

  Code made;
  std::unique_ptr<VendorDevice> device;
  std::unique_ptr<Stream> stream;
  void *memory;
  std::unique_ptr<LoadedKernel> kernel;
};

/// The Error that the call throws; an empty one if it throws none.
inline Error errorOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error;
  }
  return Error(TL_OK, "nothing was thrown");
}

/// Forgets what an earlier test did to the driver.
struct Fresh {
  Fresh() {
    tl_test::fake().heal();
    tl_test::fake().reset();
    tl_test::fake().switchContext(-1, true);
  }
  ~Fresh() {
    tl_test::fake().heal();
    tl_test::fake().reset();
  }
};

} // namespace gpus
