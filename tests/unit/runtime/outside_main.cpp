// SPDX-License-Identifier: MIT
//
// Kernels that are compiled and launched before main, after it, by destructors of statics and of
// thread_locals, by handlers of exit and of threads' ends. The argument names the device. The end
// of the process is the last check: what fails prints its name and leaves with code 1.
#include "tl/tl.hpp"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

template <int Number>
inline constexpr auto add_number = tl::kernel{[](tl::ptr<int> x, tl::i32 n) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  tl::store(x + at, tl::load(x + at, at < n) + Number, at < n);
}};

const char *device_name = "cpu";

int checks = 0;

/// Compiles kernel `Number` or finds it compiled, launches it, and looks at every element.
template <int Number> void check(const char *when) try {
  const int n = 1000;
  const tl::device dev(device_name);
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = i;
  tl::buffer<int> x(dev, host);
  add_number<Number>[tl::grid(tl::cdiv(n, 64))](x, n);
  const std::vector<int> result = x.to_vector();
  for (int i = 0; i < n; ++i)
    if (result[i] != i + Number) {
      std::fprintf(stderr, "%s on %s: element %d is %d\n", when, device_name, i, result[i]);
      _exit(1);
    }
  ++checks;
} catch (const tl::error &e) {
  std::fprintf(stderr, "%s on %s: %s\n", when, device_name, e.what());
  _exit(1);
}

/// Those with even numbers are known from main, the others are compiled where they are launched.
template <int Number> struct on_destruction {
  const char *when;
  ~on_destruction() {
    check<Number>(when);
    check<Number + 1>(when);
  }
};

struct on_construction {
  on_construction() { check<100>("constructor of a static"); }
};

struct last_word {
  ~last_word() {
    if (checks != 26) {
      std::fprintf(stderr, "%d checks of 26 were made\n", checks);
      _exit(1);
    }
    std::printf("%d checks passed on %s\n", checks, device_name);
  }
};

last_word printed_last;
on_destruction<0> before_the_library{"destructor of a static made before the first use"};

on_destruction<2> &made_late() {
  static on_destruction<2> object{"destructor of a static made after the first use"};
  return object;
}

thread_local on_destruction<4> of_thread{"destructor of a thread_local"};

/// Its place among other keys does not matter: libtl's own are ended last.
void check_at_key(void *) {
  check<4>("destructor of a pthread key");
  check<6>("destructor of a pthread key");
}

// The device is chosen before any constructor of this file that uses it.
[[gnu::constructor(101)]] void choose(int argc, char **argv, char **) {
  if (argc > 1)
    device_name = argv[1];
}
on_construction before_main;

} // namespace

int main() {
  std::atexit([] { check<8>("handler of exit"); });
  check<0>("main");
  check<2>("main");
  check<4>("main");
  std::atexit([] { check<10>("handler of exit that was registered late"); });
  made_late();
  (void)of_thread.when;
  for (int thread = 0; thread < 2; ++thread)
    std::thread([] {
      static pthread_key_t first, second;
      pthread_key_create(&first, check_at_key);
      (void)of_thread.when;
      check<12>("thread");
      pthread_key_create(&second, check_at_key);
      pthread_setspecific(first, &first);
      pthread_setspecific(second, &second);
    }).join();
  return 0;
}
