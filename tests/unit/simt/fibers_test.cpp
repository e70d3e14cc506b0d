// SPDX-License-Identifier: MIT
//
// Stacks of the emulator's fibers: there are more of them than a process has mappings, and what
// overflows one is noticed.
#include "targets/simt/Fibers.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using tl::backend::simt::Fiber;
using tl::backend::simt::FiberStacks;

namespace {

/// A fiber that is left `depth` bytes below the top of its stack.
struct Deep {
  Fiber fiber;
  size_t depth = 0;

  static void run(void *argument) {
    auto &deep = *static_cast<Deep *>(argument);
    volatile char *frame = static_cast<char *>(__builtin_alloca(deep.depth));
    frame[0] = 1;
    deep.fiber.leave();
    frame[0] = 2; // never: or the call above would leave no frame
  }
};

bool overflowsAt(size_t depth, void *stack) {
  Deep deep;
  deep.depth = depth;
  deep.fiber.useStack(stack);
  deep.fiber.prepare(&Deep::run, &deep);
  deep.fiber.resume();
  return deep.fiber.hasOverflowed();
}

} // namespace

TEST_CASE("a fiber that overflows its stack is found where no closed page ends it") {
  // More than can be closed.
  std::vector<std::unique_ptr<FiberStacks>> all;
  do
    all.push_back(std::make_unique<FiberStacks>(1024));
  while (all.back()->areClosed() && all.size() < 64);
  REQUIRE_FALSE(all.back()->areClosed());
  CHECK(all.front()->areClosed());
  constexpr size_t room = FiberStacks::bytes - FiberStacks::closedBytes;
  void *const stack = (*all.back())[1];
  CHECK_FALSE(overflowsAt(1024, stack));
  CHECK_FALSE(overflowsAt(room - 1024, stack));
  CHECK(overflowsAt(room + 1024, stack));
}

TEST_CASE("stacks that are given back can be closed again") {
  for (int i = 0; i < 40; ++i)
    CHECK(FiberStacks(1024).areClosed());
}
