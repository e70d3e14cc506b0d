// SPDX-License-Identifier: MIT
//
// The C API of the real library: its devices from many threads at once, and what the cache does
// with TTIR. What the devices compute is tested elsewhere.
#include "tl/c/tl.h"

#include <atomic>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Adds 1 to a counter, atomically, in each program. The constant makes the text unique.
std::string count(int constant, const std::string &location = "") {
  const std::string at = location.empty() ? "" : " loc(\"" + location + "\":7:9)";
  return "module {\n"
         "  tt.func public @count(%p: !tt.ptr<i32>, %n: i32) {\n"
         "    %one = arith.constant 1 : i32\n"
         "    %true = arith.constant true\n"
         "    %unique = arith.constant " +
         std::to_string(constant) +
         " : i32\n"
         "    %old = tt.atomic_rmw add, relaxed, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> "
         "i32" +
         at +
         "\n"
         "    %q = tt.addptr %p, %one : !tt.ptr<i32>, i32\n"
         "    %was = tt.atomic_rmw exch, relaxed, gpu, %q, %unique, %true : (!tt.ptr<i32>, i32, "
         "i1) "
         "-> i32\n"
         "    tt.return\n"
         "  }\n"
         "}\n";
}

struct Device {
  explicit Device(const char *name) {
    REQUIRE(tl_device_open(name, &device) == TL_OK);
    REQUIRE(tl_stream_default(device, &stream) == TL_OK);
    REQUIRE(tl_allocate(device, 8, &memory) == TL_OK);
    REQUIRE(tl_fill(stream, memory, 0, 8) == TL_OK);
  }
  ~Device() { tl_free(device, memory); }

  tl_kernel *compile(const std::string &text) const {
    tl_kernel *kernel = nullptr;
    const tl_status status =
        tl_compile(device, text.data(), text.size(), nullptr, nullptr, &kernel);
    if (status != TL_OK)
      MESSAGE(std::string(tl_last_diagnostic()->message));
    return kernel;
  }
  bool launch(tl_kernel *kernel, uint32_t programs) {
    int32_t n = 0;
    void *arguments[] = {&memory, &n};
    return tl_launch(kernel, stream, programs, 1, 1, arguments, 2) == TL_OK;
  }
  int counter() {
    int32_t value = -1;
    REQUIRE(tl_copy_from_device(stream, &value, memory, 4) == TL_OK);
    return value;
  }

  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  void *memory = nullptr;
};

template <class Body> void onThreads(int threads, Body body) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] { body(t); });
  for (std::thread &thread : running)
    thread.join();
}

} // namespace

TEST_SUITE("real devices") {

  TEST_CASE("the first devices are cpu and interpreter") {
    REQUIRE(tl_device_count() >= 2);
    for (auto [index, name] : {std::pair(size_t(0), "cpu"), std::pair(size_t(1), "interpreter")}) {
      tl_device *device = nullptr;
      REQUIRE(tl_device_at(index, &device) == TL_OK);
      CHECK(std::string(tl_device_name(device)) == name);
      CHECK(std::string(tl_device_target(device)) == name);
      CHECK(*tl_device_description(device) != '\0');
    }
    for (size_t i = 0; const char *line = tl_missing(i); ++i)
      CHECK(std::string(line).find(": ") != std::string::npos);
  }

  TEST_CASE("a kernel of one thread is launched by others that never touched the device") {
    for (const char *name : {"cpu", "interpreter"}) {
      Device device(name);
      tl_kernel *kernel = device.compile(count(1));
      REQUIRE(kernel);
      CHECK(device.launch(kernel, 1));
      std::atomic<int> failed{0};
      onThreads(16, [&](int) {
        for (int i = 0; i < 100; ++i)
          failed += !device.launch(kernel, 10);
      });
      CHECK(failed == 0);
      CHECK(device.counter() == 16001);
    }
  }

  TEST_CASE("threads compile and launch the same and different kernels at once") {
    for (const char *name : {"cpu", "interpreter"}) {
      Device device(name);
      tl_cache_statistics before{}, after{};
      tl_cache_get_statistics(&before);
      std::atomic<int> failed{0};
      onThreads(8, [&](int t) {
        for (int i = 0; i < 8; ++i) {
          tl_kernel *kernel = device.compile(count(100 + (t + i) % 4));
          failed += !kernel || !device.launch(kernel, 5);
        }
      });
      CHECK(failed == 0);
      CHECK(device.counter() == 8 * 8 * 5);
      tl_cache_get_statistics(&after);
      CHECK(after.misses - before.misses == 4);
      CHECK(after.hits - before.hits == 60);
    }
  }

  TEST_CASE("locations do not make another kernel on the CPU, but do in the interpreter") {
    Device cpu("cpu"), interpreter("interpreter");
    CHECK(cpu.compile(count(2, "here.cpp")) == cpu.compile(count(2, "there.cpp")));
    CHECK(interpreter.compile(count(2, "here.cpp")) != interpreter.compile(count(2, "there.cpp")));
  }

  TEST_CASE("the spelling of the text does not make another kernel") {
    Device cpu("cpu");
    std::string renamed = count(3);
    for (size_t at; (at = renamed.find("%old")) != std::string::npos;)
      renamed.replace(at, 4, "%before");
    CHECK(cpu.compile(count(3)) == cpu.compile(renamed));
    CHECK(cpu.compile(count(3)) != cpu.compile(count(4)));
  }

  TEST_CASE("threads that compile wrong text get their own lines") {
    Device cpu("cpu");
    std::atomic<int> wrong{0};
    onThreads(6, [&](int t) {
      std::string text = std::string(t, '\n') + "module {\n  tt.func public @k() {\n    tt.fly\n";
      for (int i = 0; i < 10; ++i) {
        tl_kernel *kernel = nullptr;
        wrong += tl_compile(cpu.device, text.data(), text.size(), nullptr, nullptr, &kernel) !=
                 TL_COMPILE_ERROR;
        wrong += tl_last_diagnostic()->line != uint32_t(t + 3);
      }
    });
    CHECK(wrong == 0);
  }

  TEST_CASE("every stage can be read while other threads launch") {
    Device cpu("cpu");
    tl_kernel *kernel = cpu.compile(count(5));
    REQUIRE(kernel);
    std::atomic<int> wrong{0};
    onThreads(4, [&](int t) {
      for (int i = 0; i < 20; ++i)
        if (t % 2)
          wrong += !cpu.launch(kernel, 3);
        else
          for (size_t s = 0; const char *stage = tl_kernel_stage_name(kernel, s); ++s) {
            const char *data = nullptr;
            size_t size = 0;
            wrong += tl_kernel_stage(kernel, stage, &data, &size) != TL_OK || size == 0;
          }
    });
    CHECK(wrong == 0);
    CHECK(cpu.counter() == 2 * 20 * 3);
  }

} // TEST_SUITE

TEST_CASE("a diagram of a layout is drawn, and what is no layout is refused with its location") {
  const char *diagram = nullptr;
  size_t size = 0;
  const char *layout = "#ttg.layout<mma [16, 8], warps = [1, 1]>";
  REQUIRE(tl_layout_picture(layout, "svg", 0, &diagram, &size) == TL_OK);
  CHECK(std::string(diagram).size() == size);
  CHECK(std::string(diagram).substr(0, 4) == "<svg");
  REQUIRE(tl_layout_picture(layout, "text", 0, &diagram, nullptr) == TL_OK);
  CHECK(std::string(diagram).find(layout) == 0);

  auto refused = [&](const char *text, const char *format, uint32_t bits) {
    CHECK(tl_layout_picture(text, format, bits, &diagram, &size) == TL_INVALID_ARGUMENT);
    CHECK(diagram == nullptr);
    CHECK(size == 0);
    return std::string(tl_last_diagnostic()->message);
  };
  CHECK(refused("#ttg.layout<mma [16, 9], warps = [1, 1]>", "svg", 0) ==
        "a layout covers extents that are powers of two, at most 2^20, found 9");
  CHECK(tl_last_diagnostic()->line == 1);
  CHECK(tl_last_diagnostic()->column == 17);
  CHECK(refused(layout, "png", 0) == "tl_layout_picture got a format that is neither svg nor text");
  CHECK(refused(layout, "svg", 3) == "elements of 3 bits, expected a power of two up to 64");
  CHECK(refused(nullptr, "svg", 0) == "tl_layout_picture got null for 'layout'");
  CHECK(refused(layout, nullptr, 0) == "tl_layout_picture got null for 'format'");
  CHECK(tl_layout_picture(layout, "svg", 0, nullptr, &size) == TL_INVALID_ARGUMENT);
}

TEST_CASE("what only some targets have is unsupported by the others, not wrong") {
  const std::string text = "tt.func public @wrap(%d: !tt.tensordesc<64xi32>, %n: i32, %s: i64) {\n"
                           "  %i = arith.constant 0 : i32\n"
                           "  %v = arith.constant dense<7> : tensor<64xi32>\n"
                           "  tt.descriptor_reduce inc, %d[%i], %v : !tt.tensordesc<64xi32>, "
                           "tensor<64xi32>\n"
                           "  tt.return\n"
                           "}\n";
  tl_kernel *kernel = nullptr;
  CHECK(tl_compile_for("cpu", text.data(), text.size(), nullptr, nullptr, &kernel) ==
        TL_UNSUPPORTED);
  CHECK(std::string(tl_last_diagnostic()->message) ==
        "tt.descriptor_reduce: inc needs a target with hardware for tensor descriptors, and a "
        "block whose extents are powers of two");
  CHECK(tl_last_diagnostic()->line == 4);
}
