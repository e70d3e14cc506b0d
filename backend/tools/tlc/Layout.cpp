// SPDX-License-Identifier: MIT
//
// tlc layout: a diagram of a layout, as SVG or as a table. The text of the layout is shown above an
// error in it, as a source line is.
#include "Commands.h"
#include "Failure.h"
#include "NpyFile.h"

#include <algorithm>

namespace tlc {
namespace {

/// "layout:1:14: error: ..." and the position in the text, of which long lines are cut.
[[noreturn]] void failAt(const std::string &text, const tl_diagnostic &diagnostic) {
  size_t line = 1, begin = 0;
  while (line < diagnostic.line && text.find('\n', begin) != std::string::npos) {
    begin = text.find('\n', begin) + 1;
    ++line;
  }
  std::string shown = text.substr(begin, text.find('\n', begin) - begin);
  size_t column = std::min<size_t>(diagnostic.column - 1, shown.size());
  size_t cut = column > 60 ? column - 60 : 0;
  shown = shown.substr(cut, 100);
  for (char &c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = c == '\t' ? ' ' : '?';
  failUsage(std::string(diagnostic.message) + "\n  " + shown + "\n  " +
                std::string(column - cut, ' ') + "^",
            diagnostic.help);
}

} // namespace

std::span<const Option> layoutOptions() {
  static const Option options[] = {
      {"--svg", "FILE", "write a diagram as SVG; '-' is the standard output"},
      {"--text", "", "print a table to the standard output: the default"},
      {"--bits", "N", "size of an element of shared memory, for its banks; 32 by default"},
  };
  return options;
}

void layout(const CommandLine &line) {
  if (line.positional().empty())
    failUsage("tlc layout needs a layout", "such as '#ttg.layout<mma [16, 8], warps = [1, 1]>'");
  if (line.positional().size() > 1)
    failUsage("tlc layout takes one layout, " + quoted(line.positional()[1]) + " is one more",
              "put the layout into quotes");
  const std::string &text = line.positional()[0];
  const std::optional<std::string> file = line.value("--svg");
  const auto bits = static_cast<uint32_t>(line.number("--bits", 1, 64).value_or(0));
  const char *diagram = nullptr;
  size_t size = 0;
  const tl_status status =
      tl_layout_picture(text.c_str(), file ? "svg" : "text", bits, &diagram, &size);
  if (status != TL_OK && tl_last_diagnostic()->line != 0)
    failAt(text, *tl_last_diagnostic());
  check(status);
  writeFile(file.value_or("-"), std::string(diagram, size));
}

} // namespace tlc
