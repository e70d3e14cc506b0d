// SPDX-License-Identifier: MIT
//
// What the steps of planning shared memory share: sets of numbers, and the flow graph with its
// order, its loops and numbered events. Only for the files that make a SharedPlan.
#pragma once

#include "analysis/SharedPlan.h"

#include <algorithm>
#include <map>
#include <set>

namespace tl::backend::shared_plan {

/// Sets of small numbers.
class Bits {
public:
  explicit Bits(size_t count = 0) : words((count + 63) / 64, 0) {}
  bool test(size_t i) const { return words[i / 64] >> (i % 64) & 1; }
  void set(size_t i) { words[i / 64] |= uint64_t(1) << (i % 64); }
  void reset(size_t i) { words[i / 64] &= ~(uint64_t(1) << (i % 64)); }
  void clear() { std::fill(words.begin(), words.end(), 0); }
  /// True if this is larger than before.
  bool add(const Bits &other) {
    bool changed = false;
    for (size_t i = 0; i < words.size(); ++i) {
      changed |= (other.words[i] & ~words[i]) != 0;
      words[i] |= other.words[i];
    }
    return changed;
  }
  template <class F> void forEach(F f) const {
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t rest = words[i]; rest; rest &= rest - 1)
        f(i * 64 + size_t(__builtin_ctzll(rest)));
  }

private:
  std::vector<uint64_t> words;
};

/// The graph with its order, its loops and numbered events.
class Graph {
public:
  explicit Graph(const SharedProgram &program) : program(program), copied(program.buffers.size()) {
    size_t count = program.blocks.size();
    position.assign(count, ~0u);
    if (count)
      visit();
    predecessors.resize(count);
    for (unsigned block : order)
      for (unsigned to : program.blocks[block].successors)
        predecessors[to].push_back(block);
    depth.assign(count, 0);
    innermost.assign(count, ~0u);
    findLoops();
    for (unsigned block = 0; block < count; ++block) {
      firstEvent.push_back(unsigned(events.size()));
      for (unsigned i = 0; i < program.blocks[block].events.size(); ++i) {
        const SharedEvent &event = program.blocks[block].events[i];
        if (event.kind == SharedEventKind::Start)
          copied[event.buffer] = true;
        if (event.kind == SharedEventKind::InsertionPoint)
          insertionPoints.push_back(unsigned(events.size()));
        events.push_back({block, i});
      }
    }
  }

  const SharedEvent &event(unsigned number) const {
    return program.blocks[events[number].first].events[events[number].second];
  }
  unsigned count() const { return unsigned(events.size()); }
  unsigned first(unsigned block) const { return firstEvent[block]; }
  unsigned last(unsigned block) const {
    return firstEvent[block] + unsigned(program.blocks[block].events.size());
  }
  bool closesLoop(unsigned from, unsigned to) const { return position[to] <= position[from]; }
  unsigned depthOf(unsigned number) const { return depth[events[number].first]; }
  bool inSameLoop(unsigned a, unsigned b) const {
    return innermost[events[a].first] == innermost[events[b].first];
  }
  /// Whether the event is in the loop that begins with the block.
  bool isInLoop(unsigned number, unsigned head) const {
    auto loop = loops.find(head);
    return loop != loops.end() && loop->second.count(events[number].first);
  }

  const SharedProgram &program;
  std::vector<unsigned> order; // blocks, each before its successors where no loop closes
  std::vector<std::vector<unsigned>> predecessors;
  std::vector<std::pair<unsigned, unsigned>> events; // block, index
  std::vector<unsigned> insertionPoints;             // events of this kind
  std::vector<bool> copied;                          // buffers into which copies start somewhere

private:
  void visit() {
    std::vector<std::pair<unsigned, unsigned>> stack = {{0, 0}};
    std::vector<bool> seen(program.blocks.size());
    seen[0] = true;
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      const auto &successors = program.blocks[block].successors;
      if (next < successors.size()) {
        unsigned to = successors[next++];
        if (!seen[to]) {
          seen[to] = true;
          stack.push_back({to, 0});
        }
      } else {
        order.push_back(block);
        stack.pop_back();
      }
    }
    std::reverse(order.begin(), order.end());
    for (unsigned i = 0; i < order.size(); ++i)
      position[order[i]] = i;
  }

  void findLoops() {
    for (unsigned block : order)
      for (unsigned head : program.blocks[block].successors)
        if (closesLoop(block, head)) {
          std::set<unsigned> &body = loops[head];
          body.insert(head);
          std::vector<unsigned> left = {block};
          while (!left.empty()) {
            unsigned at = left.back();
            left.pop_back();
            if (body.insert(at).second)
              left.insert(left.end(), predecessors[at].begin(), predecessors[at].end());
          }
        }
    std::vector<size_t> size(depth.size(), ~size_t(0));
    for (const auto &[head, body] : loops)
      for (unsigned block : body) {
        ++depth[block];
        if (body.size() < size[block]) {
          size[block] = body.size();
          innermost[block] = head;
        }
      }
  }

  std::vector<unsigned> position, depth, innermost, firstEvent;
  std::map<unsigned, std::set<unsigned>> loops; // their blocks, by head
};

inline bool accessesShared(SharedEventKind kind) {
  return kind == SharedEventKind::Read || kind == SharedEventKind::Write ||
         kind == SharedEventKind::Start;
}
inline bool accessesGlobal(SharedEventKind kind) {
  return kind == SharedEventKind::GlobalRead || kind == SharedEventKind::GlobalWrite;
}

/// Pairs of buffers that are alive at the same time (SharedLiveness.cpp).
std::vector<std::vector<bool>> interference(const Graph &graph);

} // namespace tl::backend::shared_plan
