// SPDX-License-Identifier: MIT
#pragma once
// Draws the source line and the caret of an error report. Reading the file is a courtesy: whatever
// goes wrong (no such file, a folder, a pipe, fewer lines, a line of a megabyte) there is no line.

#include "tl/impl/compiler.hpp"
#include "tl/impl/unoptimized.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/stat.h>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// Reads line `number` (from 1) of a regular file into `line`, without its end. Longer lines are
/// cut.
inline bool read_line(const std::string &file, std::uint32_t number, std::string &line) {
  constexpr std::size_t longest = 400;
  struct stat status{};
  if (file.empty() || number == 0 || ::stat(file.c_str(), &status) != 0 ||
      !S_ISREG(status.st_mode) || status.st_size > (std::int64_t(1) << 26))
    return false;
  std::FILE *stream = std::fopen(file.c_str(), "rb");
  if (!stream)
    return false;
  std::uint32_t at = 1;
  bool found = false;
  for (int c = std::fgetc(stream); c != EOF && at <= number; c = std::fgetc(stream)) {
    found = found || at == number;
    if (c == '\n')
      ++at;
    else if (at == number && line.size() < longest && c != '\r')
      line += static_cast<char>(static_cast<unsigned char>(c) < ' ' && c != '\t' ? ' ' : c);
  }
  std::fclose(stream);
  return found;
}

/// "\n   31 |   auto c = …\n      |        ^", or "" where there is nothing to show.
inline std::string source_line(const std::string &file, std::uint32_t number,
                               std::uint32_t column) {
  std::string line;
  if (!read_line(file, number, line))
    return {};
  std::string gutter = std::to_string(number);
  if (gutter.size() < 5)
    gutter.insert(0, 5 - gutter.size(), ' ');
  std::string text = '\n' + gutter + " | " + line;
  if (column == 0 || column > line.size() + 1)
    return text;
  text += '\n' + std::string(gutter.size(), ' ') + " | ";
  for (std::size_t i = 0; i + 1 < column; ++i)
    if ((line[i] & 0xC0) != 0x80) // one column per character, whatever its length in UTF-8
      text += line[i] == '\t' ? '\t' : ' ';
  return text + '^';
}

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
