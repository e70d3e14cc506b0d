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

/// The stacks of a block's fibers, one after another in a single mapping. Each has room below it
/// that its code must leave alone:
///
///     | closed | stack of fiber 0 | closed | stack of fiber 1 | ...
///
/// A closed page ends what overflows, but it splits the mapping, and a process has some 65000
/// mappings (vm.max_map_count), where 1024 programs of 128 threads would need four times as many.
/// So the first stacks of a process are closed, as far as a share of the mappings goes. All threads
/// of a kernel run the same code, so those of its first block tell what the others need; and
/// wherever a fiber without closed pages is left, it says whether it stood there.
class FiberStacks {
public:
  /// Throws std::bad_alloc if there is no room.
  explicit FiberStacks(unsigned count);
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;

  /// Addresses, not memory: pages are there when they are touched. Code of huge kernels, generated
  /// without optimisation, keeps every value on the stack.
  static constexpr size_t bytes = size_t(1) << 20, closedBytes = size_t(64) << 10;

  void *operator[](unsigned fiber) const { return static_cast<char *>(begin) + fiber * bytes; }
  /// Whether the room below every stack is closed, not the first one's alone.
  bool areClosed() const { return closed; }

private:
  void *begin;
  const unsigned count;
  bool closed;
};

/// Code that can be left in the middle. Its stack is used again by the next code; code that is
/// never returned to is forgotten: it must own nothing.
class Fiber {
public:
  using Code = void (*)(void *argument);

  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// On one of FiberStacks, from now on.
  void useStack(void *begin) { stack = static_cast<char *>(begin); }
  /// The next `resume` begins `code`, which never returns: it ends with `leave`.
  void prepare(Code code, void *argument);
  /// Runs it until it leaves.
  void resume();
  /// From within: back to where it was resumed.
  void leave();
  /// Whether it was left at a place below its stack.
  bool hasOverflowed() const { return own < stack + FiberStacks::closedBytes; }

private:
  char *stack = nullptr;   // its lowest byte, and the closed ones
  void *own = nullptr;     // where the fiber stands, while it is left
  void *resumer = nullptr; // where its resumer stands, while it runs
};

} // namespace tl::backend::simt
