// SPDX-License-Identifier: MIT
#pragma once
// Is the kernel that runs the one that the caller sees? Two files may give kernels of one type one
// name. Where the linker takes them for one entity it keeps one of them, for both files and without
// a word. Clang tells the line of a lambda in the name of its type, which stays with each file; GCC
// does not, and keeps kernels of two files apart unless they are declared inline.

#include "tl/error.hpp"
#include "tl/impl/unoptimized.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace tl::impl {

/// The name of a type as this file's compiler spells it, with the line of a lambda; "" where it
/// does not tell.
template <class F> consteval const char *source_of() {
#if defined(__clang__)
  return __PRETTY_FUNCTION__;
#else
  return "";
#endif
}

TL_IMPL_UNOPTIMIZED_BEGIN

/// The line of a lambda, taken out of what source_of gave.
class lambda_location {
public:
  explicit lambda_location(std::string_view type) {
    constexpr std::string_view before = "(lambda at ";
    if (const auto at = type.find(before); at != type.npos) {
      text_ = type.substr(at + before.size());
      text_ = text_.substr(0, text_.find(')'));
    }
  }

  bool is_known() const { return !text_.empty(); }
  /// file:line:column
  std::string_view text() const { return text_; }
  /// A header may be found in several ways: its folder does not count. So two files of one name
  /// with kernels at one line and column are taken for the same.
  bool is_same(const lambda_location &other) const { return name() == other.name(); }

  /// The facts of an error here.
  diagnostic refused(std::string message, std::string help) const {
    diagnostic d;
    d.message = std::move(message);
    d.help = std::move(help);
    std::string_view rest = text_;
    d.column = number_after_colon(rest);
    d.line = number_after_colon(rest);
    d.file = rest;
    return d;
  }

private:
  std::string_view name() const {
    const auto slash = text_.find_last_of("/\\");
    return slash == text_.npos ? text_ : text_.substr(slash + 1);
  }
  /// Takes the last :number off the text.
  static std::uint32_t number_after_colon(std::string_view &text) {
    std::uint32_t number = 0;
    const auto colon = text.rfind(':');
    if (colon == text.npos)
      return 0;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
    text = text.substr(0, colon);
    return number;
  }

  std::string_view text_;
};

TL_IMPL_UNOPTIMIZED_END

} // namespace tl::impl
