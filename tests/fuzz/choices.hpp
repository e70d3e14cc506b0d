// SPDX-License-Identifier: MIT
//
// The random numbers of a generator, remembered. A kernel is what its choices make it, so a smaller
// kernel is made by the same generator from fewer and smaller choices: shrink.hpp looks for one
// that still fails. Beyond their end all choices are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace fuzz {

class choices {
public:
  /// What one operation chose: [begin, end), and where the number of its neighbours was chosen.
  struct span {
    std::size_t begin, end, count_at;
  };

  explicit choices(std::uint64_t seed) : engine_(seed) {}
  explicit choices(std::vector<unsigned> again) : again_(std::move(again)) {}

  int below(int bound) {
    const auto limit = static_cast<unsigned>(bound);
    unsigned choice;
    if (!again_)
      choice = static_cast<unsigned>(engine_() % limit);
    else
      choice = taken.size() < again_->size() ? (*again_)[taken.size()] % limit : 0;
    taken.push_back(choice);
    return static_cast<int>(choice);
  }

  std::vector<unsigned> taken;
  std::vector<span> spans;

private:
  std::mt19937_64 engine_;
  std::optional<std::vector<unsigned>> again_;
};

} // namespace fuzz
