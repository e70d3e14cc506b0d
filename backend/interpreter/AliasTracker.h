// SPDX-License-Identifier: MIT
//
// Parameters of a kernel lead to memory of their own, as far as one of them is written, unless the
// text marks them `tt.may_alias`: compilers trust that and put no barrier between accesses through
// different ones. This finds the launches of which it is not true: a program reads an element
// through one parameter after it wrote it through another.
//
//     store(y + a, 1); load(x + a)        with x and y the same buffer and no mark: reported
//     load(x + a); store(y + a, 1)        each lane reads before it writes: nothing to report
//
// Off, and free of cost, unless two parameters of one launch lead to one allocation.
#pragma once

#include "interpreter/Program.h"

#include <optional>
#include <span>
#include <unordered_map>

namespace tl::backend::interpreter {

class AliasTracker {
public:
  void beginLaunch(const Program &program, std::span<const Pointer> arguments);
  /// Also what a barrier of the kernel does: it orders what lies before it.
  void forget() { writers.clear(); }

  /// `parameter`: index in the launch + 1 of the one that the pointer is computed from; 0: unknown.
  void wrote(uint64_t address, uint64_t bytes, uint32_t parameter) {
    if (enabled)
      for (uint64_t i = 0; i < bytes; ++i)
        writers[address + i] = parameter;
  }
  /// The parameter, from 1, through which the element was written, if that breaks the promise.
  std::optional<uint32_t> conflict(uint64_t address, uint64_t bytes, uint32_t parameter) const;

private:
  bool enabled = false;
  std::span<const uint32_t> groups;               // Program::memoryGroups
  std::unordered_map<uint64_t, uint32_t> writers; // of the bytes that this program has written
};

} // namespace tl::backend::interpreter
