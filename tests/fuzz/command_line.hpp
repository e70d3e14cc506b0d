// SPDX-License-Identifier: MIT
//
// What a fuzz test is given: options, each with a value, and files.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// What all of them are given: --seed N, --kernels N or --seconds N, --keep FOLDER, and files.
struct command_line {
  using clock = std::chrono::steady_clock;

  /// Hands other options and their values to `take`, which says whether there is such an option;
  /// the process ends if there is none.
  command_line(int argc, char **argv,
               const std::function<bool(std::string_view, const char *)> &take) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view option = argv[i];
      if (!option.starts_with("--")) {
        files.emplace_back(option);
        continue;
      }
      const char *value = ++i < argc ? argv[i] : "";
      if (option == "--seed")
        seed = std::strtoull(value, nullptr, 10);
      else if (option == "--kernels")
        kernels = std::strtoull(value, nullptr, 10);
      else if (option == "--seconds")
        seconds = std::atof(value);
      else if (option == "--keep")
        keep = value;
      else if (!take(option, value)) {
        std::fprintf(stderr, "no option is called %s\n", argv[i - 1]);
        std::exit(2);
      }
    }
  }

  /// Whether kernel number `k`, from 0, is one too many, or comes too late.
  bool is_over(std::uint64_t k) const {
    return kernels ? k >= kernels : clock::now() > start + std::chrono::duration<double>(seconds);
  }

  std::string kept_file(const std::string &name) const {
    return (keep.empty() ? "" : keep + "/") + name;
  }

  std::uint64_t seed = std::random_device{}();
  std::uint64_t kernels = 0; ///< 0: as many as there is time for
  double seconds = 10;
  std::string keep; ///< a folder
  std::vector<std::string> files;
  clock::time_point start = clock::now();
};

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
