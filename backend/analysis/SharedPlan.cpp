// SPDX-License-Identifier: MIT
//
// Three steps. (1) Liveness says which buffers may not overlap. (2) With all buffers apart, the
// barriers that any placing needs are found; they show which further pairs would need a barrier if
// they overlapped. (3) Buffers are placed, apart as (1) demands and, as far as space is free, as
// (2) would like; then barriers are found again for the real addresses.
#include "analysis/SharedPlan.h"

#include "analysis/BarrierSearch.h"

#include <numeric>
#include <optional>

namespace tl::backend {

using namespace shared_plan;

namespace {

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

struct Placing {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
  uint64_t regret = 0; // of the pairs that should have been kept apart
};

/// First fit in the given order: apart where `apart` says so, at the offset that costs the least
/// regret without passing `limit`.
Placing place(const SharedProgram &program, const std::vector<unsigned> &order,
              const std::vector<std::vector<bool>> &apart,
              const std::vector<std::vector<unsigned>> &wishes, uint64_t limit) {
  Placing result;
  result.offsets.assign(program.buffers.size(), 0);
  std::vector<unsigned> placed;
  for (unsigned buffer : order) {
    const SharedBuffer &own = program.buffers[buffer];
    std::vector<uint64_t> candidates = {0};
    for (unsigned other : placed)
      candidates.push_back(
          aligned(result.offsets[other] + program.buffers[other].bytes, own.alignment));
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    bool found = false;
    uint64_t best = 0, least = 0;
    for (uint64_t begin : candidates) {
      uint64_t regret = 0;
      bool fits = true;
      for (unsigned other : placed) {
        uint64_t from = result.offsets[other], to = from + program.buffers[other].bytes;
        if (begin >= to || from >= begin + own.bytes)
          continue;
        fits = !apart[buffer][other];
        regret += wishes[buffer][other] + wishes[other][buffer];
        if (!fits || (found && regret >= least))
          break;
      }
      if (!fits || (found && (regret >= least || begin + own.bytes > limit)))
        continue;
      found = true;
      best = begin;
      least = regret;
    }
    result.offsets[buffer] = best;
    result.bytes = std::max(result.bytes, best + own.bytes);
    result.regret += least;
    placed.push_back(buffer);
  }
  return result;
}

std::vector<uint64_t> layOut(const SharedProgram &program, const Graph &graph) {
  size_t count = program.buffers.size();
  auto apart = interference(graph);
  // Side by side, to see what would need barriers if it overlapped.
  std::vector<uint64_t> sideBySide;
  uint64_t end = 0;
  for (const SharedBuffer &buffer : program.buffers) {
    sideBySide.push_back(end);
    end += aligned(std::max<uint64_t>(buffer.bytes, 1), 16);
  }
  std::vector<std::vector<unsigned>> none(count, std::vector<unsigned>(count)), wishes = none;
  if (count > 1) {
    BarrierSearch search(graph, sideBySide);
    search.find(false);
    search.forEachUnordered([&](unsigned buffer, unsigned event) {
      wishes[buffer][graph.event(event).buffer] += 1u << 3 * std::min(graph.depthOf(event), 3u);
    });
  }
  std::vector<unsigned> byText(count);
  std::iota(byText.begin(), byText.end(), 0);
  std::vector<unsigned> backwards(byText.rbegin(), byText.rend());
  // Largest first; the first in the text where all else is equal.
  auto sorted = [&](auto key) {
    std::vector<unsigned> order = byText;
    std::sort(order.begin(), order.end(),
              [&](unsigned a, unsigned b) { return std::pair(key(a), b) > std::pair(key(b), a); });
    return order;
  };
  auto bytesOf = [&](unsigned buffer) { return program.buffers[buffer].bytes; };
  std::vector<unsigned> bySize = sorted(bytesOf);
  std::vector<unsigned> byDegree = sorted([&](unsigned buffer) {
    return std::pair(std::count(apart[buffer].begin(), apart[buffer].end(), true), bytesOf(buffer));
  });
  std::vector<std::vector<unsigned>> orders = {bySize, byText, backwards, byDegree};
  std::optional<Placing> best;
  for (const auto &order : orders) {
    Placing one = place(program, order, apart, none, ~uint64_t(0));
    if (!best || one.bytes < best->bytes)
      best = std::move(one);
  }
  uint64_t limit = std::max(best->bytes, program.freeBytes);
  std::optional<Placing> spread;
  for (const auto &order : orders) {
    Placing one = place(program, order, apart, wishes, limit);
    if (one.bytes <= limit &&
        (!spread || std::pair(one.regret, one.bytes) < std::pair(spread->regret, spread->bytes)))
      spread = std::move(one);
  }
  return spread ? spread->offsets : best->offsets;
}

} // namespace

std::vector<std::vector<bool>> sharedInterference(const SharedProgram &program) {
  return interference(Graph(program));
}

bool isSharedPlanValid(const SharedProgram &program, const SharedPlan &plan) {
  Graph graph(program);
  auto apart = interference(graph);
  for (unsigned a = 0; a < program.buffers.size(); ++a)
    for (unsigned b = 0; b < a; ++b)
      if (apart[a][b] && plan.offsets[a] < plan.offsets[b] + program.buffers[b].bytes &&
          plan.offsets[b] < plan.offsets[a] + program.buffers[a].bytes)
        return false;
  BarrierSearch search(graph, plan.offsets);
  search.setBarriers(plan.barriers);
  return search.isValid();
}

SharedPlan planShared(const SharedProgram &program) {
  Graph graph(program);
  SharedPlan plan;
  plan.offsets = layOut(program, graph);
  for (unsigned buffer = 0; buffer < program.buffers.size(); ++buffer)
    plan.bytes = std::max(plan.bytes, plan.offsets[buffer] + program.buffers[buffer].bytes);
  BarrierSearch search(graph, plan.offsets);
  search.find(true);
  plan.barriers = search.barriers();
  return plan;
}

} // namespace tl::backend
