// SPDX-License-Identifier: MIT
//
// Offsets that wrapped. An int32 that counts elements overflows at two thousand millions, and what
// it wraps to is another element of the buffer, or one far before it. Of the integers that become
// addresses (DecodeAddresses.cpp) the interpreter therefore knows the number that exact arithmetic
// would give:
//
//     %o = arith.muli %page, %size : i32     7700 * 282624: exactly 2176204800, here -2118762496
//     %p = tt.addptr %x, %o                  the pointer remembers the line of the multiplication
//     %v = tt.load %p                        the error names it
//
// What counts is the number that reaches the address: a difference of two that wrapped is right
// again. Nearly always nothing wraps; then nothing is kept but a flag. An exact number has the size
// of a pointer, so that what only moves elements moves it by the same handler, on values whose kind
// is said to be a pointer.
#pragma once

#include "interpreter/Program.h"

#include <cstdint>
#include <string>

namespace tl::backend::interpreter {

class Machine;

/// What an integer would be if no operation wrapped.
struct Exact {
  int64_t value = 0; // the nearest that fits
  uint32_t wrap = 0; // index of a Wrap plus 1; 0: it is what the integer is
  uint32_t unused = 0;
};
static_assert(sizeof(Exact) == sizeof(Pointer));

/// A place where an integer wrapped, and the first numbers there.
struct Wrap {
  const Instruction *instruction = nullptr;
  int64_t exact = 0, wrapped = 0;
  Kind kind = Kind::I32;
};

/// After an instruction whose results become addresses and have exact numbers by its Exactness. Of
/// loops and branches the assignments at their ends keep them.
void trackWraps(Machine &machine, const Instruction &instruction);

/// "its int32 offset wraps at k.cpp:12:14, where 2176204800 becomes -2118762496"
std::string describe(const Machine &machine, const Wrap &wrap);

} // namespace tl::backend::interpreter
