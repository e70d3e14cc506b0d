// SPDX-License-Identifier: MIT
//
// A process that forks while its threads are inside of libtl: the child compiles, launches and
// allocates. What hangs is ended by its parent and counts as a failure.
#include "tl/tl.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <initializer_list>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Stores `number` in the element of each program. Other numbers are other kernels.
std::string storing(int number) {
  return "tt.func public @storing(%p: !tt.ptr<i32>) {\n"
         "  %id = tt.get_program_id x : i32\n"
         "  %number = arith.constant " +
         std::to_string(number) +
         " : i32\n"
         "  %q = tt.addptr %p, %id : !tt.ptr<i32>, i32\n"
         "  tt.store %q, %number : !tt.ptr<i32>\n"
         "  tt.return\n"
         "}\n";
}

/// A kernel of `operations` operations, which takes its time to compile, and to interpret.
std::string slow(int number, int operations) {
  std::string text = "tt.func public @slow(%p: !tt.ptr<i32>) {\n"
                     "  %id = tt.get_program_id x : i32\n"
                     "  %x0 = arith.constant dense<" +
                     std::to_string(number) +
                     "> : tensor<64xi32>\n"
                     "  %m = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n";
  for (int i = 0; i < operations; ++i) {
    const std::string x = "%x" + std::to_string(i), y = "%x" + std::to_string(i + 1);
    text += "  " + y +
            (i % 3 == 0   ? " = arith.muli "
             : i % 3 == 1 ? " = arith.xori "
                          : " = arith.addi ") +
            x + ", " + (i % 2 ? "%m" : x) + " : tensor<64xi32>\n";
  }
  return text + "  %r = \"tt.reduce\"(%x" + std::to_string(operations) +
         ") <{axis = 0 : i32}> ({\n"
         "  ^bb0(%a: i32, %b: i32):\n"
         "    %c = arith.addi %a, %b : i32\n"
         "    tt.reduce.return %c : i32\n"
         "  }) : (tensor<64xi32>) -> i32\n"
         "  %q = tt.addptr %p, %id : !tt.ptr<i32>, i32\n"
         "  tt.store %q, %r : !tt.ptr<i32>\n"
         "  tt.return\n"
         "}\n";
}

/// The text of what failed, or "".
std::string compile(tl_device *device, const std::string &text, tl_kernel **kernel) {
  return tl_compile(device, text.data(), text.size(), nullptr, nullptr, kernel) == TL_OK
             ? ""
             : std::string("tl_compile: ") + tl_last_diagnostic()->message;
}

/// Allocates, compiles, launches, copies and frees.
std::string use(const char *name, const std::string &text, int programs, const int *expected) {
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *kernel = nullptr;
  void *memory = nullptr;
  std::vector<int> host(size_t(programs), -1);
  const uint64_t bytes = 4 * uint64_t(programs);
  if (tl_device_open(name, &device) || tl_stream_default(device, &stream) ||
      tl_allocate(device, bytes, &memory))
    return tl_last_diagnostic()->message;
  if (std::string why = compile(device, text, &kernel); !why.empty())
    return why;
  void *arguments[] = {&memory};
  if (tl_fill(stream, memory, 0, bytes) ||
      tl_launch(kernel, stream, uint32_t(programs), 1, 1, arguments, 1) ||
      tl_copy_from_device(stream, host.data(), memory, bytes) || tl_free(device, memory))
    return tl_last_diagnostic()->message;
  if (expected)
    for (int value : host)
      if (value != *expected)
        return "wrong value " + std::to_string(value);
  return "";
}

std::string useBoth(int number) {
  std::string why;
  for (const char *name : {"cpu", "interpreter"})
    for (int text : {number, number + 1})
      if (why.empty())
        why = use(name, storing(text), 3000, &text);
  return why;
}

/// What happened in a child: "", what it says, or that it hangs.
std::string inChild(const std::function<std::string()> &work, int seconds = 120) {
  int pipeEnds[2];
  REQUIRE(pipe(pipeEnds) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string said = work();
    const ssize_t written = write(pipeEnds[1], said.data(), said.size());
    _exit(written == ssize_t(said.size()) ? 0 : 3);
  }
  close(pipeEnds[1]);
  int status = 0;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      close(pipeEnds[0]);
      return "the child hangs";
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  char text[400];
  const ssize_t size = read(pipeEnds[0], text, sizeof text);
  close(pipeEnds[0]);
  std::string said(text, size > 0 ? size_t(size) : 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    said += " (the child ended by " +
            std::to_string(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)) + ")";
  return said;
}

/// Threads that do something over and over while this lives.
class Busy {
public:
  ~Busy() {
    stop = true;
    for (std::thread &thread : threads)
      thread.join();
  }
  template <class Work> void add(Work work) {
    threads.emplace_back([this, work] {
      for (int i = 0; !stop; ++i)
        work(i);
    });
  }

private:
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
};

std::atomic<int> serial{1000};

struct block {
  int size;
};
template <block B>
constexpr auto doubled = tl::kernel{[](tl::ptr<int> x) {
  auto at = x + tl::program_id(0) * B.size + tl::arange<B.size>();
  tl::store(at, tl::load(at) * 2);
}};
/// Tunes for so long that every fork finds it tuning.
auto tuned = tl::autotune<block{16}, block{32}, block{64}>([]<block B> { return doubled<B>; },
                                                           {.milliseconds = 300});

std::string tune() {
  tl::buffer<int> x(tl::device("cpu"), std::vector<int>(64, 3));
  tuned[tl::grid([](block b) { return 64 / b.size; })](x);
  const std::vector<int> result = x.to_vector();
  return result == std::vector<int>(64, 6) && tuned.trials().size() == 3 ? "" : "wrong result";
}

} // namespace

TEST_SUITE("forks") {

  TEST_CASE("a child launches the kernel that another thread was compiling, at every moment") {
    for (const char *name : {"cpu", "interpreter"})
      for (int delay : {0, 1, 3, 10, 20, 50, 100, 200, 400}) {
        const std::string text = slow(++serial, 1500);
        std::string parents = "did not run";
        std::thread compiling([&] { parents = use(name, text, 4, nullptr); });
        std::this_thread::sleep_for(milliseconds(delay));
        const std::string said = inChild([&] { return use(name, text, 4, nullptr); });
        compiling.join();
        CHECK_MESSAGE(said.empty(), std::string(name) << " after " << delay << " ms: " << said);
        CHECK_MESSAGE(parents.empty(), parents);
      }
  }

  TEST_CASE("children work while other threads allocate, launch and compile") {
    REQUIRE(useBoth(1).empty());
    Busy busy;
    for (const char *name : {"cpu", "interpreter"}) {
      busy.add([name](int) {
        tl_device *device = nullptr;
        void *memory = nullptr;
        tl_device_open(name, &device);
        for (uint64_t bytes : {64, 4000, 300000}) {
          tl_allocate(device, bytes, &memory);
          tl_free(device, memory);
        }
      });
      busy.add([name](int i) { use(name, storing(1 + i % 2), 100, nullptr); });
      busy.add([name](int) { use(name, storing(++serial), 10, nullptr); });
    }
    for (int child = 0; child < 60; ++child) {
      const std::string said = inChild([&] { return useBoth(child % 3 ? 1 : ++serial); });
      CHECK_MESSAGE(said.empty(), "child " << child << ": " << said);
      std::this_thread::sleep_for(milliseconds(child % 7));
    }
  }

  TEST_CASE("children work while others wait for one compilation, or for the interpreter") {
    tl_device *device = nullptr;
    REQUIRE(tl_device_open("interpreter", &device) == TL_OK);
    Busy busy;
    const std::string text = slow(++serial, 3000);
    for (int thread = 0; thread < 3; ++thread) {
      busy.add([&](int) { use("interpreter", text, 300, nullptr); });
      busy.add([device](int) {
        void *memory = nullptr;
        tl_allocate(device, 64, &memory);
        tl_free(device, memory);
      });
      // All ask for the same kernel, which is new each time.
      busy.add([](int i) { use("cpu", storing(5000000 + i), 1, nullptr); });
    }
    for (int child = 0; child < 20; ++child) {
      const std::string said = inChild([&] { return useBoth(1); });
      CHECK_MESSAGE(said.empty(), "child " << child << ": " << said);
    }
  }

  TEST_CASE("a child tunes what another thread was tuning") {
    std::string parents = "did not run";
    std::thread tuning([&] { parents = tune(); });
    std::this_thread::sleep_for(milliseconds(150));
    for (int child = 0; child < 3; ++child) {
      const std::string said = inChild(tune);
      CHECK_MESSAGE(said.empty(), said);
    }
    tuning.join();
    CHECK_MESSAGE(parents.empty(), parents);
  }

  TEST_CASE("a child of a child works, and the parent goes on") {
    Busy busy;
    busy.add([](int) { use("cpu", storing(++serial), 1000, nullptr); });
    for (int i = 0; i < 5; ++i) {
      const std::string said = inChild([] {
        const std::string own = useBoth(1);
        return own.empty() ? inChild([] { return useBoth(3); }) : own;
      });
      CHECK_MESSAGE(said.empty(), said);
      CHECK(useBoth(1).empty());
    }
  }
}
