// SPDX-License-Identifier: MIT
//
// Finds where threads must wait for each other, for given offsets of the buffers.
//
// The state at a point is the set of events after which no barrier came, on any path. It is the
// least fixed point of "what flows in from the predecessors"; an access that conflicts with a
// member gets a barrier before it, and the states are computed again. First without the edges that
// close loops (so that a barrier that the body needs anyhow serves the next iteration too), then
// with them; at last each barrier is taken out on trial. An event that comes from an earlier
// iteration of its loop is another member than the same event of this iteration, since its pointer
// may have moved on.
#pragma once

#include "analysis/SharedGraph.h"

namespace tl::backend::shared_plan {

enum class Need { None, Warp, Block };

class BarrierSearch {
public:
  BarrierSearch(const Graph &graph, const std::vector<uint64_t> &offsets)
      : graph(graph), offsets(offsets), at(graph.count(), Need::None) {}

  void setBarriers(const std::vector<SharedPlan::Barrier> &barriers) {
    for (const auto &barrier : barriers)
      at[graph.first(barrier.block) + barrier.event] = barrier.warp ? Need::Warp : Need::Block;
  }

  /// `thoroughly`: without barriers that later ones have made needless.
  void find(bool thoroughly) {
    for (bool loops : {false, true}) {
      withLoops = loops;
      do
        flow();
      while (repair());
    }
    if (thoroughly)
      prune();
  }

  bool isValid() {
    withLoops = true;
    flow();
    for (unsigned block : graph.order) {
      State now = ins[block];
      for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
        if (needOf(i, now) != Need::None)
          return false;
        pass(i, now);
      }
    }
    return true;
  }

  std::vector<SharedPlan::Barrier> barriers() const {
    std::vector<SharedPlan::Barrier> result;
    for (unsigned i = 0; i < at.size(); ++i)
      if (at[i] != Need::None)
        result.push_back({graph.events[i].first, graph.events[i].second, at[i] == Need::Warp});
    return result;
  }

  /// Calls f(earlier buffer, event) for accesses of different buffers between which no barrier is.
  template <class F> void forEachUnordered(F f) {
    withLoops = true;
    flow();
    for (unsigned block : graph.order) {
      State state = ins[block];
      for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
        const SharedEvent &now = graph.event(i);
        if (accessesShared(now.kind) && at[i] != Need::Block)
          state.sinceBarrier.forEach([&](size_t member) {
            const SharedEvent &earlier = graph.event(unsigned(member % graph.count()));
            if (accessesShared(earlier.kind) && earlier.buffer != now.buffer &&
                (earlier.kind != SharedEventKind::Read || now.kind != SharedEventKind::Read))
              f(earlier.buffer, i);
          });
        pass(i, state);
      }
    }
  }

private:
  /// Members are events of this iteration of the loops, and, after them, those of earlier
  /// iterations.
  struct State {
    Bits sinceBarrier, sinceWarpBarrier;
    bool add(const State &other) {
      bool a = sinceBarrier.add(other.sinceBarrier);
      return sinceWarpBarrier.add(other.sinceWarpBarrier) || a;
    }
  };

  State empty() const { return {Bits(2 * graph.count()), Bits(2 * graph.count())}; }

  Need conflict(size_t member, const SharedEvent &now) const {
    bool earlierIteration = member >= graph.count();
    const SharedEvent &earlier = graph.event(unsigned(member % graph.count()));
    if (accessesShared(now.kind)) {
      bool landed = earlier.kind == SharedEventKind::Wait;
      if (!landed && !accessesShared(earlier.kind))
        return Need::None;
      if (earlier.kind == SharedEventKind::Read && now.kind == SharedEventKind::Read)
        return Need::None;
      if (landed)
        return graph.copied[now.buffer] && now.kind != SharedEventKind::Start ? Need::Block
                                                                              : Need::None;
      uint64_t a = offsets[earlier.buffer], b = offsets[now.buffer];
      // What is in flight is the program's own to keep apart, until it is waited for.
      if (earlier.kind == SharedEventKind::Start && earlier.buffer == now.buffer)
        return Need::None;
      if (a + earlier.end <= b + now.begin || b + now.end <= a + earlier.begin)
        return Need::None;
      bool own = earlier.buffer == now.buffer && earlier.withinWarp && now.withinWarp;
      return own ? Need::Warp : Need::Block;
    }
    if (now.kind == SharedEventKind::Release)
      return accessesGlobal(earlier.kind) ? Need::Block : Need::None;
    if (accessesGlobal(now.kind)) {
      if (earlier.kind == SharedEventKind::Acquire)
        return Need::Block;
      if (!accessesGlobal(earlier.kind) ||
          (earlier.kind == SharedEventKind::GlobalRead && now.kind == SharedEventKind::GlobalRead))
        return Need::None;
      if (earlier.bases && now.bases && !(earlier.bases & now.bases))
        return Need::None;
      if (!earlierIteration && earlier.pointer && earlier.pointer == now.pointer)
        return Need::None;
      if (!earlierIteration && earlier.origin && earlier.origin == now.origin &&
          (earlier.to <= now.from || now.to <= earlier.from))
        return Need::None;
      return Need::Block;
    }
    return Need::None;
  }

  /// What the event needs before it beyond the barrier that is there, in the state before that.
  Need needOf(unsigned number, const State &state) const {
    if (at[number] == Need::Block)
      return Need::None;
    const SharedEvent &now = graph.event(number);
    if (!accessesShared(now.kind) && !accessesGlobal(now.kind) &&
        now.kind != SharedEventKind::Release)
      return Need::None;
    Need need = Need::None;
    state.sinceBarrier.forEach([&](size_t member) {
      if (need != Need::Block && conflict(member, now) == Need::Block)
        need = Need::Block;
    });
    if (need == Need::None && at[number] == Need::None)
      state.sinceWarpBarrier.forEach([&](size_t member) {
        if (conflict(member, now) == Need::Warp)
          need = Need::Warp;
      });
    return need;
  }

  void pass(unsigned number, State &state) const {
    if (at[number] == Need::Block || graph.event(number).kind == SharedEventKind::Barrier) {
      state.sinceBarrier.clear();
      state.sinceWarpBarrier.clear();
    } else if (at[number] == Need::Warp) {
      state.sinceWarpBarrier.clear();
    }
    SharedEventKind kind = graph.event(number).kind;
    if (accessesShared(kind) || accessesGlobal(kind) || kind == SharedEventKind::Acquire ||
        kind == SharedEventKind::Wait) {
      state.sinceBarrier.set(number);
      state.sinceWarpBarrier.set(number);
    }
  }

  void flow() {
    ins.assign(graph.program.blocks.size(), empty());
    std::vector<State> outs(graph.program.blocks.size(), empty());
    for (bool again = true; again;) {
      again = false;
      for (unsigned block : graph.order) {
        for (unsigned from : graph.predecessors[block]) {
          if (!graph.closesLoop(from, block))
            ins[block].add(outs[from]);
          else if (withLoops)
            ins[block].add(aged(outs[from], block));
        }
        State now = ins[block];
        for (unsigned i = graph.first(block); i < graph.last(block); ++i)
          pass(i, now);
        again |= outs[block].add(now);
      }
      if (!withLoops)
        break;
    }
  }

  /// The state of an iteration in the next one of the loop that begins with `head`. What came
  /// before the loop is as near as it was.
  State aged(const State &state, unsigned head) const {
    State result = empty();
    auto age = [&](size_t member) {
      bool isOlder = member < graph.count() && graph.isInLoop(unsigned(member), head);
      return isOlder ? member + graph.count() : member;
    };
    state.sinceBarrier.forEach([&](size_t i) { result.sinceBarrier.set(age(i)); });
    state.sinceWarpBarrier.forEach([&](size_t i) { result.sinceWarpBarrier.set(age(i)); });
    return result;
  }

  /// Puts barriers before the accesses of the first block that lacks some; true if one does. A
  /// barrier before the loop is better, if it is enough.
  bool repair() {
    for (unsigned block : graph.order) {
      bool lacked = false;
      State now = ins[block];
      for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
        Need need = needOf(i, now);
        if (need != Need::None) {
          if (graph.depthOf(i) && comesFromOutside(i, now) && repairBeforeLoop(i, need))
            return true;
          at[i] = need;
          lacked = true;
        }
        pass(i, now);
      }
      if (lacked)
        return true;
    }
    return false;
  }

  /// Whether all that the event conflicts with lies outside of its innermost loop.
  bool comesFromOutside(unsigned number, const State &state) const {
    bool outside = true;
    state.sinceWarpBarrier.forEach([&](size_t member) {
      unsigned earlier = unsigned(member % graph.count());
      if (outside && graph.inSameLoop(earlier, number))
        outside = conflict(member, graph.event(number)) == Need::None;
    });
    state.sinceBarrier.forEach([&](size_t member) {
      unsigned earlier = unsigned(member % graph.count());
      if (outside && graph.inSameLoop(earlier, number))
        outside = conflict(member, graph.event(number)) != Need::Block;
    });
    return outside;
  }

  bool repairBeforeLoop(unsigned wrong, Need need) {
    for (unsigned point : graph.insertionPoints) {
      if (at[point] == Need::Block || graph.depthOf(point) >= graph.depthOf(wrong))
        continue;
      Need before = at[point];
      at[point] = need;
      flow();
      State now = ins[graph.events[wrong].first];
      for (unsigned i = graph.first(graph.events[wrong].first); i < wrong; ++i)
        pass(i, now);
      if (needOf(wrong, now) == Need::None)
        return true;
      at[point] = before;
    }
    return false;
  }

  /// Takes out what is not needed, from the depth of loops outwards.
  void prune() {
    std::vector<unsigned> placed;
    for (unsigned i = 0; i < at.size(); ++i)
      if (at[i] != Need::None)
        placed.push_back(i);
    if (placed.size() * graph.count() > 60000)
      return; // each trial costs time in proportion to the program
    std::sort(placed.begin(), placed.end(), [&](unsigned a, unsigned b) {
      return graph.depthOf(a) != graph.depthOf(b) ? graph.depthOf(a) > graph.depthOf(b) : a < b;
    });
    for (unsigned i : placed) {
      Need before = at[i];
      at[i] = Need::None;
      if (!isValid())
        at[i] = before;
    }
  }

  const Graph &graph;
  const std::vector<uint64_t> &offsets;
  std::vector<Need> at; // before each event
  std::vector<State> ins;
  bool withLoops = true;
};

} // namespace tl::backend::shared_plan
