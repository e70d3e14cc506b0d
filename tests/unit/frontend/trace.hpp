// SPDX-License-Identifier: MIT
#pragma once
// What the tests of traces share: TTIR without locations, counting, and expecting an error.

#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace traces {

/// The text without its locations, which makes it short enough to look at.
inline std::string plain(std::string text) {
  for (std::size_t at; (at = text.find(" loc(")) != text.npos;) {
    std::size_t end = at + 5;
    for (bool quoted = false; text[end] != ')' || quoted; ++end)
      quoted ^= text[end] == '"';
    text.erase(at, end + 1 - at);
  }
  return text;
}

template <class K> std::string of(const K &kernel) { return plain(kernel.trace()); }

inline int count(std::string_view text, std::string_view word) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size())
    ++found;
  return found;
}

inline bool has(std::string_view text, std::string_view word) {
  return text.find(word) != text.npos;
}

/// The error that tracing the kernel throws; its kind and line are checked by the caller.
struct failure {
  std::string message, help, file;
  unsigned line = 0;
};
template <class K> failure fails(const K &kernel) {
  try {
    kernel.trace();
  } catch (const tl::compile_error &e) {
    return {e.message(), e.help(), e.file(), e.line()};
  }
  return {"no error", {}, {}, 0};
}

} // namespace traces
