// SPDX-License-Identifier: MIT
//
// Do failing kernels become small? A kernel "fails" here if it holds certain operations.
#include "language_kernel.hpp"
#include "shrink.hpp"

#include <doctest/doctest.h>

using namespace fuzz;

namespace {

const deadline late = std::chrono::steady_clock::now() + std::chrono::minutes(5);

std::string text_of(choices &chosen) {
  language_generator g(std::move(chosen), false);
  std::string text = g.kernel();
  chosen = g.chosen();
  return text;
}

bool holds(const std::string &text, const char *word) {
  return text.find(word) != std::string::npos;
}

auto lines(const std::string &text) { return std::count(text.begin(), text.end(), '\n'); }

} // namespace

TEST_CASE("choices make the same kernel again") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    choices first(seed);
    const std::string text = text_of(first);
    choices again(first.taken);
    CHECK(text_of(again) == text);
  }
}

TEST_CASE("a kernel keeps the operation that fails and loses most others") {
  int found = 0;
  for (std::uint64_t seed = 0; found < 5; ++seed) {
    choices chosen(seed);
    const std::string large = text_of(chosen);
    if (!holds(large, "tt.histogram") || lines(large) < 240)
      continue;
    ++found;
    std::string small;
    shrunk(
        std::move(chosen),
        [&](choices &c) {
          std::string text = text_of(c);
          if (!holds(text, "tt.histogram"))
            return false;
          small = std::move(text);
          return true;
        },
        late);
    INFO(small);
    CHECK(lines(small) * 2 < lines(large));
  }
}

TEST_CASE("lines and blocks that are not needed go") {
  const std::string text = "a {\n  b {\n    c\n  } else {\n    d\n  }\n  stays\n}\n";
  auto fails = [](const std::string &t) {
    const bool whole = std::count(t.begin(), t.end(), '{') == std::count(t.begin(), t.end(), '}');
    return whole && holds(t, "a {") && holds(t, "stays");
  };
  CHECK(shrunk(text, fails, late) == "a {\n  stays\n}\n");
}
