// SPDX-License-Identifier: MIT
//
// tl on real GPUs: memory and streams of other code, capture into graphs, several GPUs and
// threads, limits, and a GPU that is lost. Skipped where there is no GPU.
#include "driver.hpp"
#include "launch_cost.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using driver_names::gpu0, driver_names::gpu1;

/// Is there a GPU of this number? Says [SKIP] if not.
bool has_gpu(int number) {
  for (tl::device dev : tl::devices())
    if (dev.name() == (number ? gpu1 : gpu0))
      return true;
  std::printf("[SKIP] there is no GPU %s\n", number ? gpu1 : gpu0);
  return false;
}

constexpr auto add_one = tl::kernel{"add_one", [](tl::ptr<float> x, tl::i32 n) {
                                      auto at = tl::program_id(0) * 256 + tl::arange<256>();
                                      auto mask = at < n;
                                      tl::store(x + at, tl::load(x + at, mask) + 1.0f, mask);
                                    }};
constexpr auto add_two = tl::kernel{"add_two", [](tl::ptr<float> x, tl::i32 n) {
                                      auto at = tl::program_id(0) * 256 + tl::arange<256>();
                                      auto mask = at < n;
                                      tl::store(x + at, tl::load(x + at, mask) + 2.0f, mask);
                                    }};

/// Turned around through shared memory, four bytes an element.
template <int Size>
constexpr auto reverse =
    tl::kernel{"reverse", [](tl::ptr<const float> x, tl::ptr<float> y) {
                 auto at = tl::arange<Size>();
                 tl::store(y + at, tl::gather<0>(tl::load(x + at), Size - 1 - at));
               }};

constexpr auto reads_anywhere = tl::kernel{"reads_anywhere", [](tl::ptr<float> x, tl::i64 offset) {
                                             tl::store(x, tl::load(x + offset) + 1.0f);
                                           }};

constexpr auto meets = tl::kernel{"meets", [](tl::ptr<std::int32_t> x, tl::i32 iterations) {
                                    auto id = tl::program_id(0), count = tl::num_programs(0);
                                    for ([[maybe_unused]] auto r : tl::range(0, iterations)) {
                                      auto seen = tl::load(x + (id + 1) % count);
                                      tl::grid_barrier();
                                      tl::store(x + id, seen + 1);
                                      tl::grid_barrier();
                                    }
                                  }};

std::vector<float> all(std::size_t n, float value) { return std::vector<float>(n, value); }

} // namespace

TEST_CASE("streams and memory of other code are used as they are") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  tl::buffer<float> unused(dev, 1); // makes the GPU's context current in this thread
  void *native = driver().create_stream();
  const tl::stream s = tl::stream::wrap(dev, native);
  for (const char *kind : {"device", "managed", "pinned"}) {
    INFO(kind);
    auto *x = static_cast<float *>(driver().allocate(kind, 1000 * sizeof(float)));
    driver().fill_words(x, 0, 1000, native);
    for (int i = 0; i < 3; ++i)
      add_one[{.grid = {4}, .stream = s}](x, 1000);
    s.synchronize();
    CHECK(driver().read(x, 1000) == all(1000, 3));
    driver().release(kind, x);
  }
}

TEST_CASE("work of the driver's default stream and of tl's wait for each other") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  constexpr int n = 1 << 24;
  tl::buffer<float> x(dev, n);
  for (int iteration = 0; iteration < 20; ++iteration) {
    driver().fill_words(x.data(), 0, n, nullptr);
    add_one[tl::grid(n / 256)](x, n);
    driver().fill_words(x.data(), 0x40A00000, n / 2, nullptr); // 5
    add_two[tl::grid(n / 256)](x, n);
    const std::vector<float> got = x.to_vector();
    CHECK(got[0] == 7);
    CHECK(got[n / 2 - 1] == 7);
    CHECK(got[n / 2] == 3);
    CHECK(got[n - 1] == 3);
  }
}

TEST_CASE("a pointer of the host is refused, and the GPU lives on") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  std::vector<float> host(1000);
  try {
    add_one[{.grid = {4}, .device = dev}](host.data(), 1000);
    tl::stream::default_of(dev).synchronize();
    std::printf("[SKIP] this GPU reads all memory of the host\n");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message().find("memory of the host that " + std::string(gpu0) + " cannot reach") !=
          std::string::npos);
  }
  tl::buffer<float> x(dev, all(1000, 1));
  add_one[tl::grid(4)](x, 1000);
  CHECK(x.to_vector() == all(1000, 2));
}

TEST_CASE("launches are captured into a graph and run again and again") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  tl::buffer<float> x(dev, all(1000, 0));
  add_one.compile(dev, x, 1000);
  void *native = driver().create_stream();
  const tl::stream s = tl::stream::wrap(dev, native);
  // [capture]
  driver().begin_capture(native); // cuStreamBeginCapture, hipStreamBeginCapture
  add_one[{.grid = {4}, .stream = s}](x, 1000);
  add_one[{.grid = {4}, .stream = s}](x, 1000);
  // [capture]
  try {
    s.synchronize();
    FAIL_CHECK("the wait was not refused");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message() == "synchronize waits for the stream, which is being captured into a graph");
  }
  void *graph = driver().end_capture(native);
  CHECK(x.to_vector() == all(1000, 0)); // captured, not run
  for (int i = 0; i < 5; ++i)
    driver().launch_graph(graph, native);
  s.synchronize();
  CHECK(x.to_vector() == all(1000, 10));
}

TEST_CASE("a kernel that is not compiled yet can be captured, or the error says what to do") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  tl::buffer<float> x(dev, all(1000, 0));
  void *native = driver().create_stream();
  const tl::stream s = tl::stream::wrap(dev, native);
  driver().begin_capture(native);
  bool captured = true;
  try {
    add_two[{.grid = {4}, .num_warps = 2, .stream = s}](x, 1000);
  } catch (const tl::error &e) {
    captured = false;
    MESSAGE(e.what());
    CHECK(e.help().find("compile kernels and allocate memory before the capture") == 0);
  }
  void *graph = driver().end_capture(native);
  std::printf("compiling during a capture %s\n", captured ? "works" : "is refused");
  if (captured) {
    driver().launch_graph(graph, native);
    s.synchronize();
    CHECK(x.to_vector() == all(1000, 2));
  }
}

TEST_CASE("a barrier of the grid works in a graph, too") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>(32, 0));
  meets[tl::grid(32)](x, 3);
  CHECK(x.to_vector() == std::vector<std::int32_t>(32, 3));
  void *native = driver().create_stream();
  const tl::stream s = tl::stream::wrap(dev, native);
  driver().begin_capture(native);
  meets[{.grid = {32}, .stream = s}](x, 5);
  void *graph = driver().end_capture(native);
  for (int i = 0; i < 3; ++i)
    driver().launch_graph(graph, native);
  s.synchronize();
  CHECK(x.to_vector() == std::vector<std::int32_t>(32, 18));
}

TEST_CASE("barriers of grids in several streams do not disturb each other") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  std::vector<tl::stream> streams;
  std::vector<tl::buffer<std::int32_t>> data;
  for (int i = 0; i < 4; ++i) {
    streams.emplace_back(dev);
    data.emplace_back(dev, std::vector<std::int32_t>(16, 0));
  }
  for (int iteration = 0; iteration < 50; ++iteration)
    for (std::size_t i = 0; i < 4; ++i)
      meets[{.grid = {16}, .stream = streams[i]}](data[i], 10);
  for (std::size_t i = 0; i < 4; ++i) {
    streams[i].synchronize();
    CHECK(data[i].to_vector() == std::vector<std::int32_t>(16, 500));
  }
}

TEST_CASE("eight threads launch into streams of their own") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  std::vector<std::thread> threads;
  std::vector<int> right(8, 0);
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const tl::stream s(dev);
      tl::buffer<float> x(dev, all(5000, float(t)));
      for (int i = 0; i < 500; ++i) {
        add_one[{.grid = {20}, .stream = s}](x, 5000);
        if (i % 2)
          add_two[{.grid = {20}, .stream = s}](x, 5000);
      }
      right[t] = x.to_vector(s) == all(5000, float(t) + 1000);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(right == std::vector<int>(8, 1));
}

TEST_CASE("copies are queued between kernels, and memory comes in the order of a stream") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  const tl::stream s(dev);
  tl::host_buffer<float> in(dev, 100000), out(dev, 100000);
  for (float &value : in)
    value = 1;
  for (int iteration = 0; iteration < 20; ++iteration) {
    // [queued]
    tl::buffer<float> x(s, 100000); // of the stream: freed in its order, too
    x.copy_from(in, s);
    add_one[{.grid = {391}, .stream = s}](x, 100000);
    x.copy_to(out, s);
    // [queued]
  }
  s.synchronize();
  CHECK(std::vector<float>(out.begin(), out.end()) == all(100000, 2));
  // A kernel reads page-locked memory by itself.
  add_one[{.grid = {391}, .stream = s}](out.data(), 100000);
  s.synchronize();
  CHECK(out[99999] == 3);
}

TEST_CASE("events measure and order streams") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  const tl::stream first(dev), second(dev);
  tl::event start(dev), end(dev);
  constexpr int n = 1 << 24;
  tl::buffer<float> x(dev, n);
  x.fill(0);
  tl::stream::default_of(dev).synchronize();
  start.record(first);
  for (int i = 0; i < 20; ++i)
    add_one[{.grid = {n / 256}, .stream = first}](x, n);
  end.record(first);
  second.wait(end);
  add_two[{.grid = {n / 256}, .stream = second}](x, n);
  CHECK(end.milliseconds_since(start) > 0);
  CHECK(x.to_vector(second)[n - 1] == 22);
}

TEST_CASE("more than 48 KB of shared memory, and more than there is") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  constexpr int size = 16384;
  std::vector<float> host(size), want(size);
  for (int i = 0; i < size; ++i)
    want[std::size_t(size - 1 - i)] = host[std::size_t(i)] = float(i);
  tl::buffer<float> x(dev, host), y(dev, size);
  auto kernel = reverse<size>[{.grid = {1}, .num_warps = 8}](x, y);
  CHECK(tl_kernel_get(kernel.handle(), TL_KERNEL_SHARED_BYTES) > 48 * 1024);
  CHECK(y.to_vector() == want);
  tl::buffer<float> longer(dev, 131072), other(dev, 131072);
  try {
    reverse<131072>[{.grid = {1}, .num_warps = 8}](longer, other);
    FAIL_CHECK("nothing was thrown");
  } catch (const tl::out_of_resources &e) {
    CHECK(e.required() >= 131072 * 4);
    CHECK(e.limit() < 300 * 1024);
    CHECK(e.message().find("shared memory") != std::string::npos);
  }
}

TEST_CASE("memory and grids beyond the GPU's are out of resources") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  try {
    tl::buffer<float> x(dev, std::size_t(1) << 42);
    FAIL_CHECK("nothing was thrown");
  } catch (const tl::out_of_resources &e) {
    CHECK(e.required() == std::uint64_t(1) << 44);
    CHECK(e.limit() > 0);
    CHECK(e.limit() < e.required());
  }
  tl::buffer<float> x(dev, all(256, 0));
  try {
    add_one[tl::grid(driver_names::too_many[0], driver_names::too_many[1])](x, 0);
    FAIL_CHECK("nothing was thrown");
  } catch (const tl::out_of_resources &e) {
    CHECK(e.message().starts_with(driver_names::too_many_said));
  }
  CHECK(x.to_vector() == all(256, 0));
}

TEST_CASE("two GPUs work in one process and copy to each other") {
  if (!has_gpu(0) || !has_gpu(1))
    return;
  const tl::device first(gpu0), second(gpu1);
  constexpr int n = 1 << 20;
  tl::buffer<float> a(first, all(n, 1)), b(second, n);
  for (int iteration = 0; iteration < 10; ++iteration) {
    add_one[tl::grid(n / 256)](a, n);
    b.copy_from(a);
    add_two[tl::grid(n / 256)](b, n);
    a.copy_from(b);
  }
  CHECK(a.to_vector() == all(n, 31));
  // From any thread to any GPU.
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      tl::buffer<float> x(first, all(1000, 0)), y(second, all(1000, 0));
      for (int i = 0; i < 100; ++i) {
        add_one[tl::grid(4)](x, 1000);
        add_two[tl::grid(4)](y, 1000);
      }
      right[t] = x.to_vector() == all(1000, 100) && y.to_vector() == all(1000, 200);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(right == std::vector<int>(4, 1));
}

TEST_CASE("a kernel that faults is named, and later calls say that the GPU is lost") {
  if (!has_gpu(0))
    return;
  if (!driver_names::survives_faults) {
    std::printf("[SKIP] a fault may end the process\n");
    return;
  }
  if (!std::getenv("TL_TEST_LOSES_GPU")) { // in a process of its own
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      setenv("TL_TEST_LOSES_GPU", "1", 1);
      execl("/proc/self/exe", "gpu", "--test-case=a kernel that faults*", nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    return;
  }
  const tl::device dev(gpu0);
  tl::buffer<float> x(dev, all(16, 0));
  reads_anywhere[tl::grid(1)](x, 1);
  tl::stream::default_of(dev).synchronize();
  std::string first;
  try {
    reads_anywhere[tl::grid(1)](x, std::int64_t(1) << 44);
    tl::stream::default_of(dev).synchronize();
    FAIL_CHECK("nothing was thrown");
  } catch (const tl::runtime_error &e) {
    first = e.message();
    CHECK(e.kernel() == "reads_anywhere");
    CHECK(first.starts_with("kernel reads_anywhere failed on " + std::string(gpu0) + ": "));
  }
  for (int i = 0; i < 3; ++i)
    try {
      add_one[tl::grid(1)](x, 16);
      tl::stream::default_of(dev).synchronize();
      FAIL_CHECK("nothing was thrown");
    } catch (const tl::runtime_error &e) {
      CHECK(e.message() == gpu0 + (" can no longer be used: " + first));
    }
}

TEST_CASE("a forked process learns that it cannot use the GPU") {
  if (!has_gpu(0))
    return;
  const tl::device dev(gpu0);
  tl::buffer<float> x(dev, all(16, 0));
  add_one[tl::grid(1)](x, 16);
  const pid_t child = fork();
  if (child == 0) {
    try {
      add_one[tl::grid(1)](x, 16);
    } catch (const tl::runtime_error &e) {
      _exit(e.message() == std::string(gpu0) +
                               " cannot be used in a process that was forked from one that used it"
                ? 0
                : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(x.to_vector() == all(16, 1));
}

TEST_CASE("a launch costs little more than the driver's call") {
  if (!has_gpu(0))
    return;
  const launch_cost::costs c = launch_cost::measure(tl::device(gpu0));
  std::printf("launch of 5 arguments: %s %.0f ns, tl_launch %.0f more, kernel[grid] %.0f more\n",
              driver_names::launch, c.raw, c.c_api - c.raw, c.tl - c.raw);
  // With several GPUs open a launch also asks which one is current.
  CHECK(c.tl - c.raw < (has_gpu(1) ? 400 : 300));
}
