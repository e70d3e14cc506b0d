// SPDX-License-Identifier: MIT
//
// Which buffers are alive together: open on some path to a point, and accessed on some path from
// it. Copies that go on in the background are an access at each wait for them.
#include "analysis/SharedGraph.h"

namespace tl::backend::shared_plan {

namespace {

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

} // namespace

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

} // namespace tl::backend::shared_plan
