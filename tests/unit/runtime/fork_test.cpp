// SPDX-License-Identifier: MIT
//
// What fork waits for, and what a child gets to know that cannot use the library. With real
// devices: real_forks_test.cpp.
#include "support/Fork.h"

#include "c_api.hpp"

#include <chrono>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// A child of a process with threads cannot be watched by ThreadSanitizer.
#if !defined(__SANITIZE_THREAD__) && !(defined(__has_feature) && __has_feature(thread_sanitizer))

using namespace tl::backend;

namespace {

/// The exit code of a child that runs the function.
int inChild(const std::function<int()> &work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A thread that is inside until this dies, or for a while.
class Inside {
public:
  explicit Inside(std::chrono::milliseconds atMost) {
    thread = std::thread([this, atMost] {
      ForkGuard guard;
      entered = true;
      const auto end = std::chrono::steady_clock::now() + atMost;
      while (!leave && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      left = true;
    });
    while (!entered)
      std::this_thread::yield();
  }
  ~Inside() {
    leave = true;
    thread.join();
  }
  std::atomic<bool> entered{false}, leave{false}, left{false};

private:
  std::thread thread;
};

} // namespace

TEST_SUITE("fork") {

  TEST_CASE("fork waits for threads that are inside") {
    Inside other(std::chrono::milliseconds(100));
    CHECK(inChild([&] { return other.left ? 7 : 1; }) == 7);
  }

  TEST_CASE(
      "fork does not wait for a thread that pauses, nor at a point where nothing is half done") {
    std::atomic<int> where{0};
    std::atomic<bool> stop{false};
    std::thread pausing([&] {
      ForkGuard guard;
      ForkPause pause;
      where = 1;
      while (!stop)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    while (where == 0)
      std::this_thread::yield();
    std::thread working([&] {
      ForkGuard outer, inner;
      ForkPoints points;
      where = 2;
      while (!stop)
        letForkPass();
    });
    while (where != 2)
      std::this_thread::yield();
    CHECK(inChild([] {
            ForkGuard guard;
            return 7;
          }) == 7);
    stop = true;
    pausing.join();
    working.join();
  }

  TEST_CASE("a child that was made within the library is refused at once, and its parent is not") {
    tl_device *device = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    tl_kernel *kernel = c_api::compile(fake::kernel("before_the_fork"));
    int code = 0;
    {
      ForkGuard guard;
      code = inChild([&] {
        void *memory = nullptr;
        if (tl_allocate(device, 64, &memory) != TL_RUNTIME_ERROR || memory)
          return 1;
        if (c_api::lastMessage() !=
            "libtl cannot be used in this process, which was forked while a function of libtl was "
            "at work that did not end within 10 seconds")
          return 2;
        if (std::string(tl_last_diagnostic()->help) !=
            "fork while no thread compiles, or start the child with exec")
          return 3;
        // What needs no lock works.
        void *null = nullptr;
        int value = 1;
        void *arguments[] = {&null, &value};
        return tl_launch(kernel, stream, 1, 1, 1, arguments, 2) == TL_OK ? 7 : 4;
      });
    }
    CHECK(code == 7);
    void *memory = nullptr;
    CHECK(tl_allocate(device, 64, &memory) == TL_OK);
    CHECK(tl_free(device, memory) == TL_OK);
  }

  TEST_CASE("the child's resets run once the process is its own") {
    static int resets;
    resets = 0;
    onFork([](void *object) { ++*static_cast<int *>(object); }, &resets);
    CHECK(inChild([] { return resets == 1 ? 7 : 1; }) == 7);
    CHECK(resets == 0);
  }
}

#endif
