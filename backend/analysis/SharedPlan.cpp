// SPDX-License-Identifier: MIT
//
// Three steps. (1) Liveness says which buffers may not overlap. (2) With all buffers apart, the
// barriers that any placing needs are found; they show which further pairs would need a barrier if
// they overlapped. (3) Buffers are placed, apart as (1) demands and, as far as space is free, as
// (2) would like; then barriers are found again for the real addresses.
//
// Finding barriers: the state at a point is the set of events behind which no barrier came, on any
// path. It is the least fixed point of "what flows in from the predecessors"; an access that
// conflicts with a member gets a barrier before it, and the states are computed again. First
// without the edges that close loops (so that a barrier that the body needs anyhow serves the next
// round too), then with them; at last each barrier is taken out on trial. An event that comes from
// an earlier round of a loop is another member than the same event of this round, since its pointer
// may have moved on.
#include "analysis/SharedPlan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace tl::backend {

namespace {

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
    bool news = false;
    for (size_t i = 0; i < words.size(); ++i) {
      news |= (other.words[i] & ~words[i]) != 0;
      words[i] |= other.words[i];
    }
    return news;
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
    findLoops();
    for (unsigned block = 0; block < count; ++block) {
      firstEvent.push_back(unsigned(events.size()));
      for (unsigned i = 0; i < program.blocks[block].events.size(); ++i) {
        const SharedEvent &event = program.blocks[block].events[i];
        if (event.kind == SharedEventKind::Start)
          copied[event.buffer] = true;
        if (event.kind == SharedEventKind::Place)
          places.push_back(unsigned(events.size()));
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

  const SharedProgram &program;
  std::vector<unsigned> order; // blocks, each before its successors where no loop closes
  std::vector<std::vector<unsigned>> predecessors;
  std::vector<std::pair<unsigned, unsigned>> events; // block, index
  std::vector<unsigned> places;                      // events of this kind
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
    std::map<unsigned, std::set<unsigned>> loops; // by head
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
    for (const auto &[head, body] : loops)
      for (unsigned block : body)
        ++depth[block];
  }

  std::vector<unsigned> position, depth, firstEvent;
};

bool accessesShared(SharedEventKind kind) {
  return kind == SharedEventKind::Read || kind == SharedEventKind::Write ||
         kind == SharedEventKind::Start;
}
bool accessesGlobal(SharedEventKind kind) {
  return kind == SharedEventKind::GlobalRead || kind == SharedEventKind::GlobalWrite;
}

// ---- Liveness ----------------------------------------------------------------------------------

/// For each block and event, what is in flight or alive there.
class Liveness {
public:
  explicit Liveness(const Graph &graph) : graph(graph) {
    findInFlight();
    findOpen();
    findAlive();
  }

  /// Calls f with the set of buffers alive after each event and at the entry of each block.
  template <class F> void forEachPoint(F f) const {
    for (unsigned block : graph.order) {
      Bits alive = aliveOut[block];
      const auto &events = graph.program.blocks[block].events;
      // Open buffers, from the front.
      std::vector<Bits> open;
      Bits now = openIn[block];
      open.push_back(now);
      for (const SharedEvent &event : events) {
        if (event.kind == SharedEventKind::Open)
          now.set(event.buffer);
        open.push_back(now);
      }
      for (size_t i = events.size() + 1; i-- > 0;) {
        Bits both = empty();
        alive.forEach([&](size_t buffer) {
          if (open[i].test(buffer))
            both.set(buffer);
        });
        f(both);
        if (i > 0)
          before(events[i - 1], graph.first(block) + unsigned(i) - 1, alive);
      }
    }
  }

private:
  Bits empty() const { return Bits(graph.program.buffers.size()); }

  /// Buffers into which copies go on, before each Wait.
  void findInFlight() {
    std::vector<Bits> in(graph.program.blocks.size(), empty());
    outFlight.assign(graph.program.blocks.size(), empty());
    for (bool again = true; again;) {
      again = false;
      for (unsigned block : graph.order) {
        for (unsigned from : graph.predecessors[block])
          in[block].add(outFlight[from]);
        Bits now = in[block];
        for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
          const SharedEvent &event = graph.event(i);
          if (event.kind == SharedEventKind::Start)
            now.set(event.buffer);
          if (event.kind == SharedEventKind::Wait) {
            flightAt.insert_or_assign(i, now);
            if (event.remaining == 0)
              now.clear();
          }
          if (event.kind == SharedEventKind::Arrive)
            now.reset(event.buffer);
        }
        again |= outFlight[block].add(now);
      }
    }
  }

  void findOpen() {
    openIn.assign(graph.program.blocks.size(), empty());
    std::vector<Bits> out = openIn;
    for (bool again = true; again;) {
      again = false;
      for (unsigned block : graph.order) {
        for (unsigned from : graph.predecessors[block])
          openIn[block].add(out[from]);
        Bits now = openIn[block];
        for (const SharedEvent &event : graph.program.blocks[block].events)
          if (event.kind == SharedEventKind::Open)
            now.set(event.buffer);
        again |= out[block].add(now);
      }
    }
  }

  /// From what is alive after an event to what is before it. A copy that goes on is a use at each
  /// wait.
  void before(const SharedEvent &event, unsigned number, Bits &alive) const {
    if (event.kind == SharedEventKind::Open)
      alive.reset(event.buffer);
    if (accessesShared(event.kind) || event.kind == SharedEventKind::Arrive)
      alive.set(event.buffer);
    if (event.kind == SharedEventKind::Wait)
      alive.add(flightAt.at(number));
  }

  void findAlive() {
    aliveOut.assign(graph.program.blocks.size(), empty());
    std::vector<Bits> in = aliveOut;
    for (bool again = true; again;) {
      again = false;
      for (size_t at = graph.order.size(); at-- > 0;) {
        unsigned block = graph.order[at];
        const auto &successors = graph.program.blocks[block].successors;
        for (unsigned to : successors)
          aliveOut[block].add(in[to]);
        if (successors.empty())
          aliveOut[block].add(outFlight[block]);
        Bits now = aliveOut[block];
        for (unsigned i = graph.last(block); i-- > graph.first(block);)
          before(graph.event(i), i, now);
        again |= in[block].add(now);
      }
    }
  }

  const Graph &graph;
  std::map<unsigned, Bits> flightAt;
  std::vector<Bits> outFlight, openIn, aliveOut;
};

std::vector<std::vector<bool>> interference(const Graph &graph) {
  size_t count = graph.program.buffers.size();
  std::vector<std::vector<bool>> pairs(count, std::vector<bool>(count));
  std::vector<Bits> rows(count, Bits(count));
  Liveness(graph).forEachPoint(
      [&](const Bits &alive) { alive.forEach([&](size_t buffer) { rows[buffer].add(alive); }); });
  for (size_t a = 0; a < count; ++a)
    rows[a].forEach([&](size_t b) { pairs[a][b] = pairs[b][a] = a != b; });
  return pairs;
}

// ---- Barriers ----------------------------------------------------------------------------------

enum class Need { None, Warp, Block };

class BarrierSearch {
public:
  BarrierSearch(const Graph &graph, const std::vector<uint64_t> &offsets)
      : graph(graph), offsets(offsets), at(graph.count(), Need::None) {}

  void setBarriers(const std::vector<SharedPlan::Barrier> &barriers) {
    for (const auto &barrier : barriers)
      at[graph.first(barrier.block) + barrier.event] = barrier.warp ? Need::Warp : Need::Block;
  }

  void find() {
    for (bool loops : {false, true}) {
      withLoops = loops;
      do
        flow();
      while (repair());
    }
    prune();
  }

  bool isValid() {
    withLoops = true;
    flow();
    for (unsigned block : graph.order) {
      State now = ins[block];
      for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
        if (needOf(graph.event(i), stateBefore(i, now)) != Need::None)
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
        if (accessesShared(now.kind))
          stateBefore(i, state).sinceBarrier.forEach([&](size_t member) {
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
  /// Members are events of this round of the loops, and, behind them, those of earlier rounds.
  struct State {
    Bits sinceBarrier, sinceWarpBarrier;
    bool add(const State &other) {
      bool a = sinceBarrier.add(other.sinceBarrier);
      return sinceWarpBarrier.add(other.sinceWarpBarrier) || a;
    }
  };

  State empty() const { return {Bits(2 * graph.count()), Bits(2 * graph.count())}; }

  Need conflict(size_t member, const SharedEvent &now) const {
    bool earlierRound = member >= graph.count();
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
      if (earlier.base && now.base && earlier.base != now.base)
        return Need::None;
      if (!earlierRound && earlier.pointer && earlier.pointer == now.pointer)
        return Need::None;
      return Need::Block;
    }
    return Need::None;
  }

  /// What the event needs before it, in the state before it.
  Need needOf(const SharedEvent &now, const State &state) const {
    Need need = Need::None;
    state.sinceBarrier.forEach([&](size_t member) {
      if (need != Need::Block && conflict(member, now) == Need::Block)
        need = Need::Block;
    });
    if (need == Need::None)
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
            ins[block].add(aged(outs[from]));
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

  State aged(const State &state) const {
    State result = empty();
    state.sinceBarrier.forEach(
        [&](size_t i) { result.sinceBarrier.set(i % graph.count() + graph.count()); });
    state.sinceWarpBarrier.forEach(
        [&](size_t i) { result.sinceWarpBarrier.set(i % graph.count() + graph.count()); });
    return result;
  }

  /// The state behind the barrier that is before an event, if one is.
  State stateBefore(unsigned number, const State &state) const {
    State before = state;
    if (at[number] == Need::Block)
      before.sinceBarrier.clear();
    if (at[number] != Need::None)
      before.sinceWarpBarrier.clear();
    return before;
  }

  /// Puts barriers before the accesses of the first block that lacks some; true if one does. A
  /// barrier before the loop is better, if it is enough.
  bool repair() {
    for (unsigned block : graph.order) {
      bool lacked = false;
      State now = ins[block];
      for (unsigned i = graph.first(block); i < graph.last(block); ++i) {
        State before = stateBefore(i, now);
        Need need = needOf(graph.event(i), before);
        if (need != Need::None) {
          if (repairBeforeLoop(i, need))
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

  bool repairBeforeLoop(unsigned wrong, Need need) {
    for (unsigned place : graph.places) {
      if (at[place] == Need::Block || graph.depthOf(place) >= graph.depthOf(wrong))
        continue;
      Need before = at[place];
      at[place] = need;
      flow();
      State now = ins[graph.events[wrong].first];
      for (unsigned i = graph.first(graph.events[wrong].first); i < wrong; ++i)
        pass(i, now);
      if (needOf(graph.event(wrong), stateBefore(wrong, now)) == Need::None)
        return true;
      at[place] = before;
    }
    return false;
  }

  /// Takes out what is not needed, from the depth of loops outwards.
  void prune() {
    std::vector<unsigned> placed;
    for (unsigned i = 0; i < at.size(); ++i)
      if (at[i] != Need::None)
        placed.push_back(i);
    if (placed.size() * graph.count() > 200000)
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

// ---- Placing -----------------------------------------------------------------------------------

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

struct Placing {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
  uint64_t regret = 0; // of the pairs that should have been kept apart
};

/// First fit in the given order: apart where `apart` says so, at the place that costs the least
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
    bool found = false;
    uint64_t best = 0, least = 0;
    for (uint64_t begin : candidates) {
      uint64_t regret = 0;
      bool fits = true;
      for (unsigned other : placed) {
        uint64_t from = result.offsets[other], to = from + program.buffers[other].bytes;
        if (begin >= to || from >= begin + own.bytes)
          continue;
        fits &= !apart[buffer][other];
        regret += wishes[buffer][other] + wishes[other][buffer];
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
    search.find();
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
  search.find();
  plan.barriers = search.barriers();
  return plan;
}

} // namespace tl::backend
