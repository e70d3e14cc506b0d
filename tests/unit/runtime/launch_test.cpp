// SPDX-License-Identifier: MIT
//
// Launching through the C API.
#include "c_api.hpp"

#include <cstdio>
#include <ctime>
#include <limits>
#include <vector>

using c_api::refused;

namespace {

struct Arguments {
  void *pointer = nullptr;
  int n = 5;
  void *addresses[2] = {&pointer, &n};
};

tl_status launch(tl_kernel *kernel, uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) {
  Arguments arguments;
  return tl_launch(kernel, c_api::stream("cpu"), x, y, z, arguments.addresses, 2);
}

/// Of this thread: what other programs take does not count.
double cpuNanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

} // namespace

TEST_SUITE("launch") {

  TEST_CASE("the device gets the grid and the arguments") {
    tl_kernel *kernel = c_api::compile(fake::kernel("recorder", "records\n"));
    CHECK(launch(kernel, 7, 8, 9) == TL_OK);
    CHECK(fake::lastLaunch.grid.x == 7);
    CHECK(fake::lastLaunch.grid.y == 8);
    CHECK(fake::lastLaunch.grid.z == 9);
    CHECK(fake::lastLaunch.firstInteger == 5);
  }

  TEST_CASE("an empty grid succeeds and runs nothing, before and after others") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    fake::counters.reset();
    CHECK(launch(kernel, 0, 1, 1) == TL_OK);
    CHECK(launch(kernel, 1) == TL_OK);
    CHECK(launch(kernel, 0, 5, 1) == TL_OK);
    CHECK(launch(kernel, 5, 1, 0) == TL_OK);
    CHECK(launch(kernel, 0, 0xffffffff, 0xffffffff) == TL_OK);
    CHECK(launch(kernel, 1) == TL_OK);
    CHECK(fake::counters.launches == 2);
  }

  TEST_CASE("long axes are fine, grids that would never end are not") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    CHECK(launch(kernel, 1, 65536) == TL_OK);
    CHECK(launch(kernel, 1, 1, 65536) == TL_OK);
    CHECK(launch(kernel, 1u << 31) == TL_OK);
    CHECK(launch(kernel, 0xffffffff) == TL_OK);
    CHECK(launch(kernel, 1 << 20, 1 << 20) == TL_OK);
    CHECK(refused(launch(kernel, 0xffffffff, 0xffffffff, 0xffffffff)) ==
          "a grid of 4294967295x4294967295x4294967295 programs for kernel a exceeds the limit of "
          "1099511627776 programs a launch");
    CHECK(refused(launch(kernel, (1 << 20) + 1, 1 << 20))
              .starts_with("a grid of 1048577x1048576x1 programs"));
    CHECK(launch(kernel) == TL_OK);
  }

  TEST_CASE("a wrong number of arguments is refused with both numbers") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    tl_stream *stream = c_api::stream("cpu");
    Arguments arguments;
    CHECK(refused(tl_launch(kernel, stream, 1, 1, 1, arguments.addresses, 1)) ==
          "kernel a takes 2 arguments, but 1 was given");
    CHECK(refused(tl_launch(kernel, stream, 1, 1, 1, arguments.addresses, 3)) ==
          "kernel a takes 2 arguments, but 3 were given");
    CHECK(refused(tl_launch(kernel, stream, 1, 1, 1, nullptr, 0)) ==
          "kernel a takes 2 arguments, but 0 were given");
    CHECK(std::string(tl_last_diagnostic()->kernel) == "a");
    CHECK(std::string(tl_last_diagnostic()->device) == "cpu");
    // Also where nothing would run: the error is the same.
    CHECK(refused(tl_launch(kernel, stream, 0, 1, 1, arguments.addresses, 1)) ==
          "kernel a takes 2 arguments, but 1 was given");
  }

  TEST_CASE("a kernel without parameters needs no array of arguments") {
    tl_kernel *kernel = c_api::compile("kernel empty\n");
    CHECK(tl_launch(kernel, c_api::stream("cpu"), 1, 1, 1, nullptr, 0) == TL_OK);
  }

  TEST_CASE("null addresses of arguments are refused, null pointers are passed on") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    tl_stream *stream = c_api::stream("cpu");
    Arguments arguments;
    CHECK(refused(tl_launch(kernel, stream, 1, 1, 1, nullptr, 2)) ==
          "the arguments of kernel a are null");
    arguments.addresses[1] = nullptr;
    CHECK(refused(tl_launch(kernel, stream, 1, 1, 1, arguments.addresses, 2)) ==
          "the address of argument 1 of kernel a (i32) is null");
    CHECK(launch(kernel) == TL_OK);
  }

  TEST_CASE("a stream of another device is refused") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    Arguments arguments;
    CHECK(
        refused(tl_launch(kernel, c_api::stream("interpreter"), 1, 1, 1, arguments.addresses, 2)) ==
        "kernel a was compiled for cpu, the stream belongs to interpreter");
  }

  TEST_CASE("a kernel that was compiled for a target alone cannot be launched") {
    const std::string text = fake::kernel("a");
    tl_kernel *kernel = nullptr;
    REQUIRE(tl_compile_for("cpu", text.data(), text.size(), nullptr, nullptr, &kernel) == TL_OK);
    CHECK(refused(launch(kernel)) ==
          "kernel a was compiled for the target cpu alone and cannot be launched");
    tl_kernel_destroy(kernel);
    CHECK(refused(launch(kernel)) == "tl_launch got a stale or foreign handle for the kernel");
  }

  TEST_CASE("a failed run names kernel and device, and the next launch works") {
    tl_kernel *bad = c_api::compile(fake::kernel("bad", "fails when run\n"));
    CHECK(refused(launch(bad), TL_RUNTIME_ERROR) == "the assertion 'x > 0' failed");
    CHECK(std::string(tl_last_diagnostic()->kernel) == "bad");
    CHECK(std::string(tl_last_diagnostic()->device) == "cpu");
    CHECK(launch(c_api::compile(fake::kernel("a"))) == TL_OK);
  }

  TEST_CASE("after tl_cache_clear the handles of kernels are refused") {
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    tl_cache_clear();
    CHECK(refused(launch(kernel)) == "tl_launch got a stale or foreign handle for the kernel");
    CHECK(std::string(tl_kernel_name(kernel)).empty());
    CHECK(launch(c_api::compile(fake::kernel("a"))) == TL_OK);
  }

  TEST_CASE("a launch costs in proportion to its arguments, if at all") {
    // Of the fastest of some runs; bench/run has the nanoseconds.
    const auto cost = [](int count) {
      std::string text = "kernel of_" + std::to_string(count);
      for (int i = 0; i < count; ++i)
        text += i % 2 ? " i32" : " !tt.ptr<f32>";
      tl_kernel *kernel = c_api::compile(text + "\n");
      tl_stream *stream = c_api::stream("cpu");
      int64_t value = 0;
      std::vector<void *> arguments(static_cast<std::size_t>(count), &value);
      constexpr int launches = 5000;
      double best = std::numeric_limits<double>::infinity();
      for (int run = 0; run < 5; ++run) {
        const double start = cpuNanoseconds();
        for (int i = 0; i < launches; ++i)
          tl_launch(kernel, stream, 1, 1, 1, arguments.data(), arguments.size());
        best = std::min(best, (cpuNanoseconds() - start) / launches);
      }
      return best;
    };
    const double one = cost(1), twenty = cost(20);
    std::printf("a launch of 1 and of 20 arguments spends %.0f and %.0f ns in the C API\n", one,
                twenty);
    CHECK(twenty < 2 * 20 * one);
  }

} // TEST_SUITE
