// SPDX-License-Identifier: MIT
//
// What the fuzz tests are given: options, each with a value, and files.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Hands each option and its value to `take`, and gives back the files.
inline std::vector<std::string>
files_of(int argc, char **argv, const std::function<void(std::string_view, const char *)> &take) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option.starts_with("--"))
      take(option, ++i < argc ? argv[i] : "");
    else
      files.emplace_back(option);
  }
  return files;
}

/// Names that stand with commas between them.
inline std::vector<std::string> listed(std::string_view names) {
  std::vector<std::string> all;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    all.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return all;
}

} // namespace fuzz
