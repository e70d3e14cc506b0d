// SPDX-License-Identifier: MIT
//
// All of libtl on the fake driver: that a GPU is found and described, what a launch through
// the headers asks of the driver, copies among devices, and how a driver that is not there is
// reported.
#include "../gpu/launch_cost.hpp"
#include "fake_cuda.hpp"

#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

using tl_test::fake;

namespace {

template <int Block>
constexpr auto twice = tl::kernel{"twice", [](tl::ptr<float> x) {
                                    auto p = x + tl::arange<Block>();
                                    tl::store(p, tl::load(p) * 2.0f);
                                  }};

/// A product of rows that lie `pitch` elements apart.
constexpr auto product = tl::kernel{
    "product", [](tl::ptr<const tl::float16> a, tl::ptr<const tl::float16> b, tl::ptr<float> out,
                  tl::i32 depth, tl::i32 pitch) {
      constexpr int tile = 64;
      auto rows = tl::arange<tile>()(tl::all, tl::newaxis);
      auto columns = tl::arange<tile>()(tl::newaxis, tl::all);
      tl::tensor acc = tl::zeros<float, tile, tile>();
      for (auto k : tl::range(0, depth, tile))
        acc = tl::dot(tl::load(a + (rows * pitch + (k + columns)), k + columns < depth, 0.0f),
                      tl::load(b + ((k + rows) * tile + columns), k + rows < depth, 0.0f), acc);
      tl::store(out + (rows * tile + columns), acc);
    }};

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const tl::error &e) {
    return e.message();
  }
  return "nothing was thrown";
}

} // namespace

TEST_CASE("a cached launch is one call of the driver") {
  fake().reset();
  const tl::device dev("cuda:0");
  const tl::stream stream(dev);
  tl::buffer<float> x(dev, 128), y(dev, 128), out(dev, 128);
  launch_cost::scaled_add[1](x, y, out, 100, 0.5f);
  fake().reset();
  for (int i = 0; i < 10; ++i)
    launch_cost::scaled_add[1](x, y, out, 100, 0.5f);
  CHECK(fake().calls(nullptr) == 10);
  CHECK(fake().calls("cuLaunchKernel") == 10);
  launch_cost::scaled_add[{.grid = {1}, .stream = stream}](x.data(), y.data(), out.data(), 100,
                                                           0.5f);
  CHECK(fake().calls(nullptr) == 11);
}

TEST_CASE(
    "arguments that tensor maps do not describe get code of their own, once for all threads") {
  const tl::device dev("cuda:1");
  tl::buffer<tl::float16> a(dev, 2 * 64 * 64), b(dev, 64 * 64);
  tl::buffer<float> out(dev, 64 * 64);
  const auto launch = [&](int first, int pitch) {
    product[1](a.data() + first, b.data(), out.data(), 64, pitch);
  };
  fake().reset();
  launch(0, 64);
  CHECK(fake().calls("cuTensorMapEncodeTiled") == 2);
  CHECK(fake().calls("cuModuleLoadData") == 1);
  CHECK(fake().calls("cuLaunchKernel") == 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { launch(63 * 64, -64); });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(fake().calls("cuModuleLoadData") == 2);
  CHECK(fake().calls("cuLaunchKernel") == 5);
  // What they do describe goes on by them.
  fake().reset();
  launch(0, 64);
  CHECK(fake().calls("cuTensorMapEncodeTiled") == 2);
  CHECK(fake().calls("cuModuleLoadData") == 0);
}

TEST_CASE("GPUs are devices") {
  REQUIRE(tl::devices().size() == 4);
  const tl::device gpu("cuda:1");
  CHECK(gpu.target() == "sm_90a");
  CHECK(gpu.description() == "Fake H100, 132 multiprocessors, 1 GiB, sm_90a");
  CHECK(tl::device::best().name() == "cuda:0");
}

TEST_CASE("with two GPUs in use a launch asks for the context, too") {
  const tl::device dev("cuda:1");
  tl::buffer<float> x(dev, 128), y(dev, 128), out(dev, 128);
  launch_cost::scaled_add[1](x, y, out, 100, 0.5f);
  fake().reset();
  launch_cost::scaled_add[1](x, y, out, 100, 0.5f);
  CHECK(fake().calls("cuLaunchKernel") == 1);
  CHECK(fake().calls("cuCtxGetCurrent") == 1);
  CHECK(fake().calls(nullptr) == 2);
}

TEST_CASE("a host pointer is refused at the launch, with the user's line") {
  const tl::device dev("cuda:0");
  tl::buffer<float> x(dev, 128), out(dev, 128);
  std::vector<float> host(128);
  try {
    launch_cost::scaled_add[1](x, host.data(), out, 100, 0.5f);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message().find("memory of the host that cuda:0 cannot reach") != std::string::npos);
    CHECK(e.message().starts_with("argument 1 of kernel " + e.kernel() + " (!tt.ptr<f32>) is 0x"));
    CHECK(e.file().ends_with("c_api_test.cpp"));
  }
}

TEST_CASE("no call of the driver is left out of a launch that is measured") {
  const launch_cost::costs c = launch_cost::measure(tl::device("cuda:0"), 3, 10);
  CHECK(c.raw > 0);
  CHECK(c.tl > 0);
}

TEST_CASE("buffers are copied among all kinds of devices") {
  const std::vector<float> host{1, 2, 3, 4};
  std::vector<tl::device> all;
  for (const char *name : {"cpu", "interpreter", "cuda:0", "cuda:1"})
    all.push_back(tl::device(name));
  for (tl::device from : all)
    for (tl::device to : all) {
      tl::buffer<float> source(from, host), target(to, 4);
      fake().reset();
      target.copy_from(source);
      CHECK(fake().calls("cuMemcpyPeerAsync") ==
            (from != to && from.name().starts_with("cuda") && to.name().starts_with("cuda")));
      CHECK(target.to_vector() == host);
    }
}

TEST_CASE("copies are queued from page-locked memory, and memory comes in the order of a stream") {
  const tl::device dev("cuda:0");
  const tl::stream s(dev);
  tl::host_buffer<float> staging(dev, 4);
  for (float &value : staging)
    value = 5;
  fake().reset();
  {
    tl::buffer<float> x(s, 4);
    x.copy_from(staging, s);
    x.copy_to(staging, s);
  }
  CHECK(fake().calls("cuMemAllocAsync") == 1);
  CHECK(fake().calls("cuMemFreeAsync") == 1);
  CHECK(fake().calls("cuMemcpyHtoDAsync_v2") == 1);
  CHECK(fake().calls("cuMemcpyDtoHAsync_v2") == 1);
  CHECK(fake().calls("cuStreamSynchronize") == 0);
  s.synchronize();
  CHECK(staging[3] == 5);
}

TEST_CASE("a tuner that has not chosen yet records nothing in a capture, one that has a launch") {
  static auto tuned =
      tl::autotune<16, 32>([]<int Block> { return twice<Block>; }, {.milliseconds = 0});
  const tl::device dev("cuda:0");
  tl::buffer<float> x(dev, 32);
  void *native = fake().foreignStream(0, true);
  const tl::stream s = tl::stream::wrap(dev, native);
  fake().reset();
  fake().capture(native, true);
  CHECK(message_of([&] { tuned[{.grid = {1}, .stream = s}](x); }) ==
        "tl::autotune cannot try the candidates of kernel twice: synchronize waits for the stream, "
        "which is being captured into a graph");
  for (const char *recorded : {"cuLaunchKernel", "cuMemAllocAsync", "cuMemFreeAsync",
                               "cuMemcpyAsync", "cuEventRecord", "cuStreamSynchronize"})
    CHECK(fake().calls(recorded) == 0);
  fake().capture(native, false);
  tuned[{.grid = {1}, .stream = s}](x);
  fake().reset();
  fake().capture(native, true);
  tuned[{.grid = {1}, .stream = s}](x);
  fake().capture(native, false);
  CHECK(fake().calls("cuLaunchKernel") == 1);
  CHECK(fake().calls("cuMemcpyAsync") == 0);
}
