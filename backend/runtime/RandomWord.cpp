// SPDX-License-Identifier: MIT
//
// LLVM draws random numbers (for the names of temporary files) with a function that the C library
// has from glibc 2.36 on. Ours takes its place inside of libtl, which then runs on older systems.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random(void) noexcept {
  uint32_t word = 0;
  while (getrandom(&word, sizeof word, 0) < 0)
    if (errno != EINTR) // a kernel or a sandbox without the call: names need not be secret
      return uint32_t(std::chrono::steady_clock::now().time_since_epoch().count());
  return word;
}
