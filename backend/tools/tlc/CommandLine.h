// SPDX-License-Identifier: MIT
//
// The words after `tlc COMMAND`: options with a value (`--grid 4,2` or `--grid=4,2`), switches
// (`--time`) and positional words. Whatever is not in the command's list is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tlc {

struct Option {
  std::string name;             // "--grid", "-o"
  std::string_view placeholder; // "X[,Y[,Z]]"; empty for a switch
  std::string help;
  bool repeatable = false;
};

class CommandLine {
public:
  CommandLine(std::string_view command, std::span<const Option> options,
              std::span<const std::string> words);

  const std::string &command() const { return name; }
  const std::vector<std::string> &positional() const { return words; }
  bool has(std::string_view option) const { return !all(option).empty(); }
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> all(std::string_view option) const;
  /// A whole number in [least, most], or nothing if the option is absent.
  std::optional<int64_t> number(std::string_view option, int64_t least, int64_t most) const;

  /// The only positional word; an error if there is none or a second.
  const std::string &file() const;

private:
  std::string name;
  std::vector<std::string> words;
  std::vector<std::pair<std::string_view, std::string>> given;
};

/// Reads all of `text` as a whole number; nothing if it is not one or does not fit.
std::optional<int64_t> parseInteger(std::string_view text);
std::optional<uint64_t> parseUnsigned(std::string_view text);

} // namespace tlc
