// SPDX-License-Identifier: MIT
#pragma once
// How does a number look as text? Always as in C's own locale, whatever the program has chosen: a
// compiler reads these texts, people compare them, and 1,5 is two numbers to both. printf, strtod
// and streams follow the program's locale and are not used for fractions in the product.

#include "tl/impl/compiler.hpp"

#include <charconv>
#include <string>

namespace tl::impl {

/// The text that printf gives for %g, %e or %f with this precision.
inline std::string number_text(const double &value, int precision = 6,
                               std::chars_format format = std::chars_format::general) {
  char text[400]; // the largest double has 309 digits before its point
  const auto end = std::to_chars(text, text + sizeof text, value, format, precision);
  return std::string(text, end.ptr);
}

} // namespace tl::impl
