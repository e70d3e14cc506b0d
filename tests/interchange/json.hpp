// SPDX-License-Identifier: MIT
#pragma once
// Just enough JSON to read case.json: objects, arrays, strings without escapes, numbers. A number
// keeps its text, since a 64-bit integer is no double.

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace interchange {

struct json {
  std::string text; // of a string or a number
  std::vector<json> items;
  std::map<std::string, json, std::less<>> members;

  const json &operator[](std::string_view name) const {
    const auto found = members.find(name);
    if (found == members.end())
      throw std::runtime_error("there is no \"" + std::string(name) + "\"");
    return found->second;
  }
  bool has(std::string_view name) const { return members.find(name) != members.end(); }
  double number() const { return std::stod(text); }
  int integer() const { return std::stoi(text); }
};

/// Parses a whole text; throws std::runtime_error.
class json_parser {
public:
  explicit json_parser(std::string_view text) : rest_(text) {}

  json parse() {
    json value = parse_value();
    if (next() != '\0')
      throw std::runtime_error("something follows the value");
    return value;
  }

private:
  char next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool take(char c) {
    if (next() != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c))
      throw std::runtime_error(std::string("expected '") + c + "' before \"" +
                               std::string(rest_.substr(0, 20)) + "\"");
  }

  std::string parse_string() {
    expect('"');
    const std::size_t end = rest_.find('"');
    if (end == rest_.npos || rest_.substr(0, end).find('\\') != rest_.npos)
      throw std::runtime_error("a string has no end, or an escape");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  json parse_value() {
    json value;
    if (take('{')) {
      while (next() != '}') {
        std::string name = parse_string();
        expect(':');
        value.members.emplace(std::move(name), parse_value());
        if (!take(','))
          break;
      }
      expect('}');
    } else if (take('[')) {
      while (next() != ']') {
        value.items.push_back(parse_value());
        if (!take(','))
          break;
      }
      expect(']');
    } else if (next() == '"') {
      value.text = parse_string();
    } else {
      const std::size_t end = rest_.find_first_not_of("+-.0123456789eEaflnrstuINy");
      value.text = rest_.substr(0, end);
      rest_.remove_prefix(value.text.size());
      if (value.text.empty())
        expect('"');
    }
    return value;
  }

  std::string_view rest_;
};

} // namespace interchange
