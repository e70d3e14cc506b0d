// SPDX-License-Identifier: MIT
//
// How elements lie in memory where that differs from a register: a bool is a byte that is zero or
// not, a pointer its address alone. (The first bytes of a Pointer are its address, so storing needs
// nothing special.)
#pragma once

#include "interpreter/Memory.h"

#include <cstring>
#include <type_traits>

namespace tl::backend::interpreter {

template <class T> T fromMemory(Kind kind, const std::byte *address) {
  T value = {};
  if constexpr (std::is_same_v<T, Pointer>) {
    std::memcpy(&value.address, address, sizeof value.address);
    value.origin = value.address == 0 ? nullOrigin : unknownOrigin;
  } else {
    std::memcpy(&value, address, sizeof value);
    if constexpr (sizeof(T) == 1)
      if (kind <= Kind::I4)
        value = kind == Kind::I1 ? value != 0 : value & 15;
  }
  return value;
}

} // namespace tl::backend::interpreter
