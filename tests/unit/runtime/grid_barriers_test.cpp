// SPDX-License-Identifier: MIT
//
// Programs that do not all come to the barrier of the grid: an error, not a process that hangs.
#include "tl/c/tl.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

namespace {

/// The first programs that look find a zero and wait; the others end. What is loaded from one
/// address counts as the same for all programs, so the compiler lets it pass.
const std::string someWait = R"(module {
  tt.func public @some_wait(%flag: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %seen = tt.atomic_load relaxed, gpu, %flag : (!tt.ptr<i32>) -> i32
    tt.atomic_store relaxed, gpu, %flag, %c1 : !tt.ptr<i32>
    %first = arith.cmpi eq, %seen, %c0 : i32
    scf.if %first {
      tt.grid_barrier
    }
    tt.return
  }
}
)";

/// Writes through a null pointer in one program, while the others wait.
const std::string oneFaults = R"(module {
  tt.func public @one_faults(%p: !tt.ptr<i32>, %bad: i32) {
    %id = tt.get_program_id x : i32
    %is_bad = arith.cmpi eq, %id, %bad : i32
    scf.if %is_bad {
      tt.store %p, %id : !tt.ptr<i32>
    }
    tt.grid_barrier
    tt.return
  }
}
)";

struct Device {
  explicit Device(const char *name) {
    REQUIRE(tl_device_open(name, &device) == TL_OK);
    REQUIRE(tl_stream_default(device, &stream) == TL_OK);
    REQUIRE(tl_allocate(device, 64, &memory) == TL_OK);
  }
  ~Device() { tl_free(device, memory); }
  tl_kernel *compile(const std::string &text) const {
    tl_kernel *kernel = nullptr;
    if (tl_compile(device, text.data(), text.size(), nullptr, nullptr, &kernel) != TL_OK)
      FAIL(std::string(tl_last_diagnostic()->message));
    return kernel;
  }
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  void *memory = nullptr;
};

} // namespace

TEST_CASE("a program that ends before the barrier of the grid is an error, whoever waits") {
  for (const char *name : {"interpreter", "cpu"}) {
    Device on(name);
    tl_kernel *kernel = on.compile(someWait);
    void *arguments[] = {&on.memory};
    tl_status status = TL_OK;
    // Threads may all look before one of them writes: then all meet, and nothing is wrong.
    for (int run = 0; run < 50 && status == TL_OK; ++run) {
      REQUIRE(tl_fill(on.stream, on.memory, 0, 64) == TL_OK);
      status = tl_launch(kernel, on.stream, 40, 1, 1, arguments, 1);
    }
    CHECK(status == TL_RUNTIME_ERROR);
    const tl_diagnostic *last = tl_last_diagnostic();
    const std::string message = last->message;
    CHECK(message.starts_with(
        "other programs ended before they came to the tl::grid_barrier in program ("));
    CHECK(std::string(last->help) == "each program must come to it equally often");
    CHECK(last->line == 9);
    CHECK(std::string(last->kernel) == "some_wait");
  }
}

TEST_CASE("a fault frees the programs that wait at the barrier of the grid") {
  for (const char *name : {"interpreter", "cpu"}) {
    Device on(name);
    tl_kernel *kernel = on.compile(oneFaults);
    void *null = nullptr;
    for (int32_t bad : {0, 3}) {
      void *arguments[] = {&null, &bad};
      CHECK(tl_launch(kernel, on.stream, 5, 1, 1, arguments, 2) == TL_RUNTIME_ERROR);
      int32_t none = 9;
      void *fine[] = {&on.memory, &none};
      CHECK(tl_launch(kernel, on.stream, 5, 1, 1, fine, 2) == TL_OK);
    }
  }
}
