// SPDX-License-Identifier: MIT
//
// Stacks of their own for the threads of a block, and the switch from one to another: the registers
// that the calling convention keeps, nothing else. A block of 1024 threads meets at thousands of
// shuffles and barriers, so a switch must cost nanoseconds: swapcontext makes two system calls, and
// Boost.Context is a library that must be built and linked for the twenty lines of assembly that
// are needed of it. Next: Block.h, which decides who runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::backend::simt {

/// Code that can be left in the middle. Owns its stack, which is used again by the next code; code
/// that is never returned to is forgotten: it must own nothing.
class Fiber {
public:
  using Code = void (*)(void *argument);

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// The next `resume` begins `code`, which never returns: it ends with `leave`.
  void prepare(Code code, void *argument);
  /// Runs it until it leaves.
  void resume();
  /// From within: back to where it was resumed.
  void leave();

private:
  void *stack = nullptr;   // the whole mapping
  void *own = nullptr;     // where the fiber stands, while it is left
  void *resumer = nullptr; // where its resumer stands, while it runs
};

} // namespace tl::backend::simt
