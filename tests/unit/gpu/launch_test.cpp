// SPDX-License-Identifier: MIT
//
// What a launch asks of the driver, in which context, and what its failures say.
#include "gpus.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <vector>

using namespace gpus;
using tl_test::fake;

namespace {

/// Allocations of this thread through operator new.
thread_local long allocations = 0;

} // namespace

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ALLOCATES_ITSELF // the sanitizer has an operator new of its own; nothing is counted then
#endif
#endif
#ifndef ALLOCATES_ITSELF
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

TEST_SUITE("launch") {

  TEST_CASE("a launch is a call of the driver and no allocation") {
    Fresh fresh;
    Bench bench;
    bench.launch();
    fake().reset();
    void *pointer = bench.memory;
    int n = 7;
    void *arguments[] = {&pointer, &n};
    const long before = allocations;
    bench.device->launch(*bench.kernel, *bench.stream, {3, 4, 5}, arguments);
    CHECK(allocations == before);
    CHECK(fake().calls(nullptr) == callsOfLaunch);
    CHECK(fake().calls(calls::launch) == 1);
    const FakeLaunch last = fake().lastLaunch();
    CHECK(std::string(last.function) == "add");
    CHECK(last.grid[0] == 3);
    CHECK(last.grid[1] == 4);
    CHECK(last.grid[2] == 5);
    CHECK(last.block[0] == 4 * bench.made.lanes);
    CHECK(last.arguments == arguments); // passed on, not copied
  }

  TEST_CASE("arguments reach the kernel as they are, those of ours after the user's") {
    Fresh fresh;
    Bench bench;
    constexpr unsigned sizes[] = {8, 4};
    fake().expectParameters(sizes, 2);
    bench.launch();
    size_t bytes = 0;
    const unsigned char *got = fake().lastParameters(&bytes);
    REQUIRE(bytes == 12);
    const int n = 7;
    CHECK(std::memcmp(got, &bench.memory, 8) == 0);
    CHECK(std::memcmp(got + 8, &n, 4) == 0);

    Code asserting = assertingCode();
    asserting.hidden.globalBytes = 64; // the record, then what the programs work in
    auto kernel = bench.device->load(asserting);
    constexpr unsigned more[] = {8, 4, 8, 8};
    fake().expectParameters(more, 4);
    const uint64_t before = fake().allocated(0);
    bench.launch(*kernel, *bench.stream, bench.memory, {3, 1, 1});
    got = fake().lastParameters(&bytes);
    REQUIRE(bytes == 28);
    uint64_t record = 0, workspace = 0;
    std::memcpy(&record, got + 12, 8);
    std::memcpy(&workspace, got + 20, 8);
    CHECK(record == fake().lastHidden());
    CHECK(workspace != 0);
    CHECK(fake().allocated(0) == before); // given back after the launch
    fake().expectParameters(nullptr, 0);
  }

  TEST_CASE("kernels that take turns cost no more calls") {
    Fresh fresh;
    Bench bench;
    const Code other = code("mul");
    auto second = bench.device->load(other);
    bench.launch();
    bench.launch(*second, *bench.stream, bench.memory);
    fake().reset();
    const long before = allocations;
    for (int i = 0; i < 10; ++i) {
      bench.launch();
      bench.launch(*second, *bench.stream, bench.memory);
    }
    CHECK(allocations == before);
    CHECK(fake().calls(nullptr) == 20 * callsOfLaunch);
  }

  TEST_CASE("a thread that has no context yet gets the GPU's") {
    Fresh fresh;
    Bench bench;
    std::thread([&] {
      bench.launch();
      CHECK(fake().currentContext() != nullptr);
      fake().reset();
      bench.launch();
      CHECK(fake().calls(nullptr) == callsOfLaunch);
    }).join();
  }

  TEST_CASE("a context of other code is put back after each call") {
    Fresh fresh;
    Bench bench;
    for (bool primary : {true, false}) {
      if (!primary && !hasOwnContexts)
        continue;
      void *foreign = fake().switchContext(1, primary);
      bench.launch();
      CHECK(fake().currentContext() == foreign);
      bench.device->synchronize(*bench.stream);
      CHECK(fake().currentContext() == foreign);
      bench.device->release(bench.device->allocate(64));
      CHECK(fake().currentContext() == foreign);
      bench.device->createStream().reset();
      bench.device->createEvent().reset();
      bench.device->load(bench.made).reset();
      CHECK(fake().currentContext() == foreign);
    }
  }

  TEST_CASE("two GPUs take launches from one thread") {
    Fresh fresh;
    Bench first("add", 0), second("mul", 1);
    for (int i = 0; i < 3; ++i) {
      first.launch();
      CHECK(std::string(fake().lastLaunch().function) == "add");
      second.launch();
      CHECK(std::string(fake().lastLaunch().function) == "mul");
    }
    CHECK(fake().allocated(0) > 0);
    CHECK(fake().allocated(1) > 0);
  }

  TEST_CASE("the driver's default stream is that of the GPU, whatever context is current") {
    Fresh fresh;
    Bench bench;
    auto legacy = bench.device->wrapStream(nullptr);
    void *foreign = fake().switchContext(1, true);
    bench.launch(*bench.kernel, *legacy, bench.memory);
    CHECK(fake().lastLaunch().stream == nullptr);
    CHECK(fake().currentContext() == foreign);
    CHECK(fake().calls(calls::launch) == 1);
  }

  TEST_CASE("streams of others are used as they are and left alive") {
    Fresh fresh;
    Bench bench;
    void *native = fake().foreignStream(0, true);
    {
      auto wrapped = bench.device->wrapStream(native);
      bench.launch(*bench.kernel, *wrapped, bench.memory);
      CHECK(fake().lastLaunch().stream == native);
      bench.device->synchronize(*wrapped);
    }
    CHECK(fake().calls(calls::destroyStream) == 0);
    CHECK_NOTHROW(bench.device->wrapStream(native));
    std::vector<void *> others = {fake().foreignStream(1, true)};
    if (hasOwnContexts)
      others.push_back(fake().foreignStream(0, false));
    for (void *other : others) {
      const Error error = errorOf([&] { bench.device->wrapStream(other); });
      CHECK(error.status == TL_INVALID_ARGUMENT);
      CHECK(error.message == "the stream to be wrapped is not of the primary context of " + gpu0);
    }
  }

  TEST_CASE("threads launch into streams of their own at the same time") {
    Fresh fresh;
    Bench bench;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        auto stream = bench.device->createStream();
        const Code mine = code("kernel" + std::to_string(t));
        auto kernel = bench.device->load(mine);
        for (int i = 0; i < 200; ++i) {
          bench.launch(*kernel, *stream, bench.memory);
          bench.launch(*bench.kernel, *stream, bench.memory);
          bench.launch();
          if (i % 50 == 0)
            bench.device->synchronize(*stream);
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(fake().calls(calls::launch) >= 8 * 600);
    bench.device->synchronize(*bench.stream);
  }

  TEST_CASE("a grid that the GPU does not take is out of resources") {
    Fresh fresh;
    Bench bench;
    const Error error = errorOf([&] { bench.launch({1, 70000, 1}); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "the grid's extent along y is 70000, " + gpu0 + " takes at most 65535");
    CHECK(error.help == "use axis x for the largest extent, or compute two ids from one axis");
    CHECK(error.required == 70000);
    CHECK(error.limit == 65535);
    CHECK_NOTHROW(bench.launch());
  }

  TEST_CASE("a launch that fails says what the driver says, and the next one works") {
    Fresh fresh;
    Bench bench;
    fake().fail(calls::launch, 1, failure);
    const Error error = errorOf([&] { bench.launch(); });
    CHECK(error.status == TL_RUNTIME_ERROR);
    CHECK(error.message == "cannot launch the kernel: " + failed);
    CHECK_NOTHROW(bench.launch());
  }

  TEST_CASE("a kernel with a barrier of the grid is launched so that all programs run at once") {
    Fresh fresh;
    Bench bench;
    const Code meeting = meetingCode();
    auto kernel = bench.device->load(meeting);
    bench.launch(*kernel, *bench.stream, bench.memory, {8, 33, 1}); // 2 blocks on 132 processors
    CHECK(fake().lastLaunch().cooperative);
    const uint64_t counter = fake().lastHidden();
    CHECK(counter % 128 == 0);
    CHECK(*reinterpret_cast<const uint32_t *>(counter) == 0);
    // One counter a stream, whatever is launched there.
    bench.launch(*kernel, *bench.stream, bench.memory);
    CHECK(fake().lastHidden() == counter);
    uint64_t other = 0;
    {
      auto stream = bench.device->createStream();
      bench.launch(*kernel, *stream, bench.memory);
      other = fake().lastHidden();
      CHECK(other != counter);
    }
    // It goes back with the stream. Each launch in a graph has its own for ever.
    void *native = fake().foreignStream(0, true);
    auto captured = bench.device->wrapStream(native);
    fake().capture(native, true);
    bench.launch(*kernel, *captured, bench.memory);
    CHECK(fake().lastHidden() == other);
    bench.launch(*kernel, *captured, bench.memory);
    CHECK(fake().lastHidden() != other);
    CHECK(fake().lastHidden() != counter);
    fake().capture(native, false);

    const Error error =
        errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory, {265, 1, 1}); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "a kernel with a grid-wide barrier needs all 265 programs on " + gpu0 +
                               " at once, 264 fit");
    CHECK(error.help == "launch fewer programs, each of which does more in a loop");
    CHECK(error.required == 265);
    CHECK(error.limit == 264);

    fake().setAttribute(numbers::cooperativeLaunch, 0);
    CHECK(errorOf([&] { bench.device->load(meeting); }).message ==
          gpu0 + " has no launches whose programs all run at once, which tl::grid_barrier needs");
  }

  TEST_CASE("counters of grid-wide barriers do not run out") {
    Fresh fresh;
    Bench bench;
    const Code meeting = meetingCode();
    auto kernel = bench.device->load(meeting);
    std::set<uint64_t> counters;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < 600; ++i) {
      streams.push_back(bench.device->createStream());
      bench.launch(*kernel, *streams.back(), bench.memory);
      counters.insert(fake().lastHidden());
    }
    CHECK(counters.size() == 600);
  }

} // TEST_SUITE

TEST_SUITE("events") {

  TEST_CASE("events order streams and take the time between them") {
    Fresh fresh;
    Bench bench;
    auto start = bench.device->createEvent(), end = bench.device->createEvent();
    auto other = bench.device->createStream();
    bench.device->record(*start, *bench.stream);
    bench.launch();
    CHECK(errorOf([&] {
            bench.device->elapsedMilliseconds(*start, *end);
          }).message.starts_with("the events have not been reached: "));
    bench.device->record(*end, *bench.stream);
    bench.device->wait(*other, *end);
    CHECK(fake().calls(calls::streamWait) == 1);
    bench.device->synchronize(*end);
    CHECK(bench.device->elapsedMilliseconds(*start, *end) == 1);
  }

  TEST_CASE("an event is of its GPU") {
    Fresh fresh;
    Bench first("a", 0), second("b", 1);
    auto event = first.device->createEvent();
    CHECK(errorOf([&] {
            first.device->record(*event, *second.stream);
          }).message.starts_with("cannot record the event: "));
    first.device->record(*event, *first.stream);
    CHECK_NOTHROW(second.device->wait(*second.stream, *event));
  }

} // TEST_SUITE

TEST_SUITE("resources") {

  TEST_CASE("more shared memory than a block has is refused with both numbers") {
    Fresh fresh;
    Bench bench;
    Code big = code("big");
    big.sharedBytes = 300000;
    const Error error = errorOf([&] { bench.device->load(big); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "kernel big needs 300000 bytes of shared memory a block, " + gpu0 +
                               " has " + std::to_string(sharedLimit));
    CHECK(error.help == "use smaller tiles");
    CHECK(error.required == 300000);
    CHECK(error.limit == sharedLimit);
  }

  TEST_CASE("more threads than a block takes are refused with both numbers") {
    Fresh fresh;
    Bench bench;
    Code wide = code("wide");
    wide.numWarps = 2048 / wide.lanes;
    const Error error = errorOf([&] { bench.device->load(wide); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "kernel wide needs 2048 threads a block, " + gpu0 + " takes 1024");
    CHECK(error.required == 2048);
    CHECK(error.limit == 1024);
  }

  TEST_CASE("more registers than a block has are refused with both numbers") {
    Fresh fresh;
    Bench bench;
    fake().nextFunction(126, 512);
    Code wide = code("wide");
    wide.numWarps = 1024 / wide.lanes;
    const Error error = errorOf([&] { bench.device->load(wide); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message == "kernel wide needs 126 registers for each of its 1024 threads, 131072 "
                           "in all, " +
                               gpu0 + " has 65536 a block");
    CHECK(error.help == "use a smaller num_warps, or limit max_registers");
    CHECK(error.required == 131072);
    CHECK(error.limit == 65536);
    // A GPU that does not say how many there are.
    fake().setAttribute(numbers::maxRegistersPerBlock, 0);
    fake().nextFunction(126, 512);
    const auto silent = open();
    CHECK(errorOf([&] { silent->load(wide); }).message ==
          "kernel wide needs 1024 threads a block, of this kernel " + gpu0 + " takes 512");
    // A limit that is not one of registers.
    fake().nextFunction(32, 256);
    CHECK(errorOf([&] { bench.device->load(wide); }).message ==
          "kernel wide needs 1024 threads a block, of this kernel " + gpu0 + " takes 256");
  }

  TEST_CASE("memory that the GPU does not have is refused with both numbers") {
    Fresh fresh;
    Bench bench;
    const uint64_t free = (uint64_t(1) << 30) - fake().allocated(0);
    const uint64_t asked = uint64_t(2) << 30;
    for (int kind = 0; kind < 2; ++kind) {
      const Error error = errorOf([&] {
        kind ? bench.device->allocateInOrder(*bench.stream, asked) : bench.device->allocate(asked);
      });
      CHECK(error.status == TL_OUT_OF_RESOURCES);
      CHECK(error.message == "out of memory: 2147483648 bytes were asked for, " +
                                 std::to_string(free) + " of 1073741824 are free");
      CHECK(error.required == asked);
      CHECK(error.limit == free);
    }
    fake().fail(calls::allocate, 1, 2);
    CHECK(errorOf([&] { bench.device->allocate(64); }).message ==
          "out of memory: 64 bytes were asked for");
    fake().fail(calls::allocateHost, 1, 2);
    CHECK(errorOf([&] { bench.device->allocateHost(64); }).message ==
          "out of page-locked memory of the host: 64 bytes were asked for");
    fake().fail(calls::allocate, 1, failure);
    CHECK(errorOf([&] { bench.device->allocate(64); }).message ==
          "cannot allocate memory: " + failed);
  }

  TEST_CASE("a kernel that cannot be loaded is no leak") {
    Fresh fresh;
    Bench bench;
    const int modules = fake().liveModules();
    fake().fail(calls::moduleFunction, 1, failure);
    CHECK(errorOf([&] {
            bench.device->load(bench.made);
          }).message.starts_with("cannot find the kernel in its module: "));
    fake().fail(calls::loadModule, 1, 2);
    const Error error = errorOf([&] { bench.device->load(bench.made); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(error.message.starts_with("cannot load the kernel: out of memory"));
    CHECK(error.message.ends_with(" of 1073741824 bytes are free"));
    CHECK(fake().liveModules() == modules);
  }

} // TEST_SUITE
