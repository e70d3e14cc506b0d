// SPDX-License-Identifier: MIT
#pragma once
// How much of the thread's stack is left? Tracing runs the user's functions, and one that calls
// itself on a tensor never ends: it is stopped with its line while there is room for an exception.

#include "tl/impl/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace tl::impl {

/// The stack of a thread. One that is not the system's, such as a fiber's, has room for ever.
class stack_room {
public:
  static stack_room of_this_thread() {
    // For the first thread the system reads a file to tell.
    static thread_local const stack_room known = find();
    return here() - known.begin_ < known.size_ ? known : stack_room();
  }

  /// Whether less is left than an exception and its report take.
  bool is_nearly_used() const { return here() - begin_ < reserve_; }

private:
  static std::uintptr_t here() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }
  static stack_room find() {
    stack_room room;
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      return room;
    void *begin = nullptr;
    if (pthread_attr_getstack(&attributes, &begin, &room.size_) == 0) {
      constexpr std::size_t enough = std::size_t(256) << 10;
      room.begin_ = reinterpret_cast<std::uintptr_t>(begin);
      room.reserve_ = room.size_ / 4 < enough ? room.size_ / 4 : enough;
    }
    pthread_attr_destroy(&attributes);
#endif
    return room;
  }

  std::uintptr_t begin_ = 0;
  std::size_t size_ = 0, reserve_ = 0;
};

} // namespace tl::impl
