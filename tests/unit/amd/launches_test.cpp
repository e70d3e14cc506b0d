// SPDX-License-Identifier: MIT
//
// What is AMD's own in launches and failures: waves of 64 and 32 lanes, static LDS, a limit of
// threads along an axis, the names of architectures, and the last failure that HIP keeps for
// others.
#include "../gpu/gpus.hpp"

#include <vector>

using namespace gpus;
using namespace tl::backend::amd;
using tl_test::fake;

TEST_CASE("a block has a thread for each lane of its waves") {
  Fresh fresh;
  Bench bench;
  CHECK(bench.made.lanes == 64);
  for (unsigned lanes : {64u, 32u})
    for (unsigned waves : {1u, 4u, 16u}) {
      Code made = code("waves");
      made.numWarps = waves;
      made.lanes = lanes;
      auto kernel = bench.device->load(made);
      bench.launch(*kernel, *bench.stream, bench.memory);
      const FakeLaunch last = fake().lastLaunch();
      CHECK(last.block[0] == waves * lanes);
      CHECK(last.block[1] == 1);
      CHECK(last.block[2] == 1);
    }
  Code wide = code("wide");
  wide.numWarps = 32;
  CHECK(errorOf([&] { bench.device->load(wide); }).message ==
        "kernel wide needs 2048 threads a block, hip:0 takes 1024");
  wide.lanes = 32;
  CHECK_NOTHROW(bench.device->load(wide));
}

TEST_CASE("LDS is static: a launch asks for none") {
  Fresh fresh;
  Bench bench;
  Code big = code("big");
  big.sharedBytes = 65536;
  auto kernel = bench.device->load(big);
  bench.launch(*kernel, *bench.stream, bench.memory);
  CHECK(fake().lastLaunch().sharedBytes == 0);
}

TEST_CASE("more threads along an axis than 32 bits count are refused before HIP sees them") {
  Fresh fresh;
  Bench bench;
  CHECK_NOTHROW(bench.launch({16777215, 1, 1}));
  fake().reset();
  for (bool special : {false, true}) {
    const Code made = special ? assertingCode() : code("plain");
    auto kernel = bench.device->load(made);
    const Error error =
        errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory, {16777216, 1, 1}); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "the grid's extent along x is 16777216, hip:0 takes at most 16777215");
    CHECK(error.limit == 16777215);
  }
  CHECK(fake().calls("hipModuleLaunchKernel") == 0);
}

TEST_CASE("a launch that HIP refuses for its grid says so") {
  Fresh fresh;
  Bench bench;
  fake().fail("hipModuleLaunchKernel", 1, errorInvalidConfiguration);
  CHECK(errorOf([&] { bench.launch({1, 70000, 1}); }).message ==
        "the grid's extent along y is 70000, hip:0 takes at most 65535");
  fake().fail("hipModuleLaunchKernel", 1, errorInvalidConfiguration);
  CHECK(errorOf([&] { bench.launch(); }).message ==
        "cannot launch the kernel: a fake failure (hipErrorInvalidConfiguration)");
}

TEST_CASE("no failure of ours is the last one that other code finds") {
  Fresh fresh;
  Bench bench;
  auto event = bench.device->createEvent();
  std::vector<float> host(10);
  void *other = fake().foreignMemory("device", 1, 4096);
  const std::function<void()> failing[] = {
      [&] { bench.launch(*bench.kernel, *bench.stream, host.data()); },
      [&] { bench.launch({1, 70000, 1}); },
      [&] { bench.device->allocate(uint64_t(2) << 30); },
      [&] { bench.device->elapsedMilliseconds(*event, *event); },
      [&] {
        fake().fail("hipStreamCreateWithFlags", 1, failure);
        bench.device->createStream();
      },
      [&] {
        fake().fault(errorIllegalAddress);
        bench.launch();
        bench.device->synchronize(*bench.stream);
      },
  };
  for (const auto &action : failing) {
    CHECK(errorOf(action).status != TL_OK);
    CHECK(fake().lastError() == success);
  }
  fake().heal();
  // Nor what only answers a question.
  bench.launch(*bench.kernel, *bench.stream, reinterpret_cast<void *>(uintptr_t(64)));
  CHECK(fake().lastError() == success);
  Bench again;
  again.launch(*again.kernel, *again.stream, other);
  Bench third;
  third.launch(*third.kernel, *third.stream, other);
  CHECK(fake().calls("hipDeviceEnablePeerAccess") == 2);
  CHECK(fake().lastError() == success);
}

TEST_CASE("a GPU's architecture is what HIP calls it") {
  Fresh fresh;
  CHECK(HipDevice::count() == 2);
  CHECK(HipDevice::missing().empty());
  CHECK(HipDevice::architecture(0) == "gfx942:sramecc+:xnack-");
  CHECK(HipDevice::architecture(7).empty());
  CHECK(fake().lastError() == success);
}

TEST_CASE("a GPU of an architecture that is not known is refused") {
  Fresh fresh;
  fake().setArchitecture("gfx906:sramecc+:xnack-");
  const Error error = errorOf([] { HipDevice(0, nullptr); });
  fake().setArchitecture("gfx942:sramecc+:xnack-");
  CHECK(error.status == TL_UNSUPPORTED);
  CHECK(error.message == "hip:0 is a Fake MI300X of architecture gfx906:sramecc+:xnack-, which "
                         "libtl does not know");
  CHECK(error.help == "those that it knows are among the targets that tlc devices lists");
}
