// SPDX-License-Identifier: MIT
//
// A process that forks while its threads use a GPU of the fake driver: the child learns at
// once that the GPU is not for it, and the other devices work there.
#include "fake_cuda.hpp"

#include "tl/tl.hpp"

#include <atomic>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr auto halve = tl::kernel{"halve", [](tl::ptr<float> x) {
                                    auto p = x + tl::arange<64>();
                                    tl::store(p, tl::load(p) * 0.5f);
                                  }};

const char *const lost = "cuda:0 cannot be used in a process that was forked from one that used it";

template <class F> bool is_lost(F f) {
  try {
    f();
  } catch (const tl::runtime_error &e) {
    return e.message() == lost;
  }
  return false;
}

bool works(const char *device) {
  tl::buffer<float> x(tl::device(device), std::vector<float>(64, 3));
  halve[1](x);
  return x.to_vector() == std::vector<float>(64, 1.5f);
}

} // namespace

TEST_CASE("children of a process whose threads use a GPU learn that it is lost, and go on") {
  tl_test::fake().reset();
  const tl::device gpu("cuda:0");
  tl::buffer<float> inherited(gpu, 64);
  halve[1](inherited);
  tl::stream stream(gpu);
  tl::event mark(gpu);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&, thread] {
      while (!stop) {
        tl::buffer<float> x(gpu, 64 + thread);
        tl::stream own(gpu);
        halve[{.grid = {1}, .stream = own}](x);
        own.synchronize();
        works("cpu");
      }
    });
  for (int child = 0; child < 30; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(60); // a child that hangs is ended
      if (!works("cpu") || !works("interpreter"))
        _exit(1);
      if (!is_lost([&] { tl::buffer<float> x(gpu, 64); }))
        _exit(2);
      if (!is_lost([&] { halve[1](inherited); }))
        _exit(3);
      if (!is_lost([&] { inherited.to_vector(); }))
        _exit(4);
      if (!is_lost([&] { stream.synchronize(); }))
        _exit(5);
      if (!is_lost([&] { tl::stream another(gpu); }))
        _exit(6);
      { // gives back what it can
        tl::buffer<float> gone_memory = std::move(inherited);
        tl::stream gone = std::move(stream);
        tl::event gone_mark = std::move(mark);
      }
      _exit(7);
    }
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK_MESSAGE((WIFEXITED(status) && WEXITSTATUS(status) == 7),
                  "child " << child << ": " << status);
    std::this_thread::sleep_for(std::chrono::milliseconds(child % 5));
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
}
