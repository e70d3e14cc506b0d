// SPDX-License-Identifier: MIT
//
// The HIP of ROCm 5.2, which has other numbers and another layout for what it tells, and lacks
// functions that came later.
#include "../gpu/gpus.hpp"

#include <vector>

using namespace gpus;
using namespace tl::backend::amd;
using tl_test::fake;

TEST_CASE("the name of the architecture is found in the first layout of the properties") {
  Fresh fresh;
  REQUIRE(HipApi::find());
  CHECK(HipApi::find()->version < hip::version6);
  CHECK(HipDevice::architecture(1) == "gfx942:sramecc+:xnack-");
}

TEST_CASE("memory of the host and of the GPU differ by the numbers before version 6") {
  Fresh fresh;
  Bench bench;
  for (const char *kind : {"device", "managed", "pinned"})
    CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, fake().foreignMemory(kind, 0, 4096)));
  fake().setPeers(false);
  CHECK(errorOf([&] {
          bench.launch(*bench.kernel, *bench.stream, fake().foreignMemory("device", 1, 4096));
        }).message.ends_with(", memory of hip:1 that hip:0 cannot reach"));
  std::vector<float> host(10);
  CHECK(errorOf([&] {
          bench.launch(*bench.kernel, *bench.stream, host.data());
        }).message.ends_with(", memory of the host that hip:0 cannot reach"));
}

TEST_CASE("streams of others are taken, since HIP cannot tell of which GPU they are") {
  Fresh fresh;
  Bench bench;
  void *native = fake().foreignStream(0, true);
  auto wrapped = bench.device->wrapStream(native);
  bench.launch(*bench.kernel, *wrapped, bench.memory);
  CHECK(fake().lastLaunch().stream == native);
}

TEST_CASE("kernels with a grid-wide barrier are refused, others run") {
  Fresh fresh;
  Bench bench;
  const Code meeting = meetingCode();
  const Error error = errorOf([&] { bench.device->load(meeting); });
  CHECK(error.status == TL_UNSUPPORTED);
  CHECK(error.message ==
        "hip:0 has no launches whose programs all run at once, which tl::grid_barrier needs");
  CHECK_NOTHROW(bench.launch());
}

TEST_CASE("a failure is named once where HIP has no more words for it") {
  Fresh fresh;
  Bench bench;
  fake().fail("hipStreamCreateWithFlags", 1, failure);
  CHECK(errorOf([&] { bench.device->createStream(); }).message ==
        "cannot make a stream: hipErrorInvalidKernelFile");
}

// By itself, since HIP is looked for once in a process.
TEST_CASE("a machine without a GPU has a HIP that finds none" * doctest::skip()) {
  CHECK(HipApi::find() == nullptr);
  CHECK(HipDevice::count() == 0);
  CHECK(HipDevice::missing() == "hip: HIP finds no GPU");
  CHECK(errorOf([] { open(); }).message == "HIP finds no GPU");
}
