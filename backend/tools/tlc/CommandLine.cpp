// SPDX-License-Identifier: MIT
#include "CommandLine.h"

#include "Failure.h"

#include <algorithm>
#include <charconv>

namespace tlc {
namespace {

template <class Integer> std::optional<Integer> parse(std::string_view text) {
  Integer value{};
  if (text.size() > 1 && text.front() == '+' && text[1] != '-')
    text.remove_prefix(1);
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string seeHelp(std::string_view command) {
  return "'tlc help " + std::string(command) + "' lists the options";
}

} // namespace

std::optional<int64_t> parseInteger(std::string_view text) { return parse<int64_t>(text); }
std::optional<uint64_t> parseUnsigned(std::string_view text) { return parse<uint64_t>(text); }

CommandLine::CommandLine(std::string_view command, std::span<const Option> options,
                         std::span<const std::string> arguments)
    : name(command) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (word.size() < 2 || word[0] != '-') { // "-" alone is a file: the standard input
      words.push_back(word);
      continue;
    }
    size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    std::string_view option = std::string_view(word).substr(0, equals);
    auto known = std::find_if(options.begin(), options.end(),
                              [&](const Option &candidate) { return candidate.name == option; });
    if (known == options.end())
      failUsage("tlc " + name + " has no option " + quoted(std::string(option)), seeHelp(name));
    if (!known->repeatable && has(known->name))
      failUsage("option " + std::string(option) + " is given twice", seeHelp(name));
    if (known->placeholder.empty()) {
      if (equals != std::string::npos)
        failUsage("option " + std::string(option) + " takes no value", seeHelp(name));
      given.emplace_back(known->name, "");
    } else if (equals != std::string::npos) {
      given.emplace_back(known->name, word.substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      given.emplace_back(known->name, arguments[++i]);
    } else {
      given.emplace_back(known->name, "");
    }
    if (!known->placeholder.empty() && given.back().second.empty())
      failUsage("option " + std::string(option) + " needs a value, " +
                    std::string(known->placeholder),
                seeHelp(name));
  }
}

std::vector<std::string> CommandLine::all(std::string_view option) const {
  std::vector<std::string> values;
  for (const auto &[name, value] : given)
    if (name == option)
      values.push_back(value);
  return values;
}

std::optional<std::string> CommandLine::value(std::string_view option) const {
  std::vector<std::string> values = all(option);
  if (values.empty())
    return std::nullopt;
  return values.front();
}

std::optional<int64_t> CommandLine::number(std::string_view option, int64_t least,
                                           int64_t most) const {
  std::optional<std::string> text = value(option);
  if (!text)
    return std::nullopt;
  std::optional<int64_t> result = parseInteger(*text);
  if (!result || *result < least || *result > most)
    failUsage("option " + std::string(option) + " is " + quoted(*text) +
              ", expected a whole number from " + std::to_string(least) + " to " +
              std::to_string(most));
  return result;
}

const std::string &CommandLine::file() const {
  if (words.empty())
    failUsage("tlc " + name + " needs a TTIR file", seeHelp(name));
  if (words.size() > 1)
    failUsage("tlc " + name + " takes one TTIR file, " + quoted(words[1]) + " is one more",
              seeHelp(name));
  return words[0];
}

} // namespace tlc
