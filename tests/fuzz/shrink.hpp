// SPDX-License-Identifier: MIT
//
// Makes a failing kernel small. First by its choices: operations are left out, the last ones first,
// and numbers halved, extents among them, and the generator writes the kernel anew; so it stays one
// that the generator could have written. Then by its text: lines and blocks that it can do without.
#pragma once

#include "choices.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace fuzz {

using deadline = std::chrono::steady_clock::time_point;

/// `fails` generates the kernel of the choices, and leaves in them what was taken and the spans, if
/// the kernel fails as the first one did.
inline choices shrunk(choices best, const std::function<bool(choices &)> &fails, deadline end) {
  auto over = [&] { return std::chrono::steady_clock::now() > end; };
  auto better = [&](std::vector<unsigned> taken) {
    choices candidate(std::move(taken));
    if (over() || !fails(candidate))
      return false;
    best = std::move(candidate);
    return true;
  };
  for (bool changed = true; changed && !over();) {
    changed = false;
    for (std::size_t size = std::max<std::size_t>(best.spans.size() / 2, 1);; size /= 2) {
      // Spans end before those that surround them; those of one list follow each other.
      for (std::size_t last = best.spans.size(); last-- > 0 && !over();) {
        if (last >= best.spans.size())
          continue;
        const choices::span to = best.spans[last];
        choices::span from = to;
        unsigned count = 0;
        for (std::size_t i = last + 1; i-- > 0 && count < size;)
          if (best.spans[i].count_at == to.count_at) {
            from = best.spans[i];
            ++count;
          }
        std::vector<unsigned> taken = best.taken;
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(from.begin),
                    taken.begin() + static_cast<std::ptrdiff_t>(to.end));
        taken[to.count_at] -= std::min(taken[to.count_at], count);
        changed |= better(std::move(taken));
      }
      if (size <= 1)
        break;
    }
    for (std::size_t i = 0; i < best.taken.size() && !over(); ++i)
      for (unsigned to : {0u, best.taken[i] / 2}) {
        if (i >= best.taken.size() || best.taken[i] <= to)
          break;
        std::vector<unsigned> taken = best.taken;
        taken[i] = to;
        if (better(std::move(taken))) {
          changed = true;
          break;
        }
      }
  }
  return best;
}

/// Without the lines and the blocks in braces that are not needed.
inline std::string shrunk(const std::string &text,
                          const std::function<bool(const std::string &)> &fails, deadline end) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, next - at));
    at = next + 1;
  }
  auto joined = [](const std::vector<std::string> &parts) {
    std::string all;
    for (const std::string &part : parts)
      all += part + "\n";
    return all;
  };
  auto depth = [](const std::string &part) {
    return std::count(part.begin(), part.end(), '{') - std::count(part.begin(), part.end(), '}');
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t last = lines.size(); last-- > 0;) {
      if (last >= lines.size())
        continue;
      // From the end of a block back to its beginning.
      std::size_t first = last;
      for (auto open = depth(lines[last]); open < 0 && first > 0;)
        open += depth(lines[--first]);
      if (depth(lines[first]) > 0 && first == last)
        continue;
      std::vector<std::string> fewer = lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                  fewer.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      if (std::chrono::steady_clock::now() > end)
        return joined(lines);
      if (fails(joined(fewer))) {
        lines = std::move(fewer);
        changed = true;
      }
    }
  }
  return joined(lines);
}

} // namespace fuzz
