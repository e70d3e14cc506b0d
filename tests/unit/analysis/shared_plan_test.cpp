// SPDX-License-Identifier: MIT
//
// Plans of shared memory are checked by running the programs: random paths through random
// programs, byte by byte, against a plan's addresses and barriers. Then counted: small programs by
// trying every set of barriers, and cases whose minimum is known.
#include "analysis/SharedPlan.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace tl::backend;
using Kind = SharedEventKind;

namespace {

/// Builds flow graphs as the lowering would: one block is open at a time.
class Text {
public:
  Text() { program.blocks.emplace_back(); }

  unsigned buffer(uint64_t bytes, uint64_t alignment = 16) {
    program.buffers.push_back({bytes, alignment});
    return unsigned(program.buffers.size()) - 1;
  }
  void add(SharedEvent event) { program.blocks[at].events.push_back(event); }
  void open(unsigned b) { add(access(Kind::Open, b)); }
  void write(unsigned b, bool withinWarp = false) { add(access(Kind::Write, b, withinWarp)); }
  void read(unsigned b, bool withinWarp = false) { add(access(Kind::Read, b, withinWarp)); }
  /// A scratch as a conversion has it.
  void scratch(unsigned b, bool withinWarp = false) {
    open(b);
    write(b, withinWarp);
    read(b, withinWarp);
  }
  void global(Kind kind, uint64_t bases, unsigned pointer = 0, unsigned origin = 0,
              int64_t from = 0) {
    SharedEvent event{kind};
    event.bases = bases;
    event.pointer = pointer;
    event.origin = origin;
    event.from = from;
    event.to = from + 16;
    add(event);
  }
  template <class F> void loop(F body) {
    add(SharedEvent{Kind::InsertionPoint});
    unsigned before = at, head = newBlock(), first = newBlock();
    link(before, head);
    link(head, first);
    at = first;
    body();
    link(at, head);
    unsigned done = newBlock();
    link(head, done);
    at = done;
  }
  template <class F, class G> void branch(F yes, G no) {
    unsigned before = at, first = newBlock();
    link(before, first);
    at = first;
    yes();
    unsigned endYes = at, second = newBlock();
    link(before, second);
    at = second;
    no();
    unsigned endNo = at, join = newBlock();
    link(endYes, join);
    link(endNo, join);
    at = join;
  }

  SharedProgram program;

private:
  SharedEvent access(Kind kind, unsigned b, bool withinWarp = false) {
    SharedEvent event{kind};
    event.buffer = b;
    event.end = program.buffers[b].bytes;
    event.withinWarp = withinWarp;
    return event;
  }
  unsigned newBlock() {
    program.blocks.emplace_back();
    return unsigned(program.blocks.size()) - 1;
  }
  void link(unsigned from, unsigned to) { program.blocks[from].successors.push_back(to); }

  unsigned at = 0;
};

unsigned count(const SharedPlan &plan, bool warp) {
  return unsigned(std::count_if(plan.barriers.begin(), plan.barriers.end(),
                                [&](const auto &b) { return b.warp == warp; }));
}

// ---- Random programs

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  SharedProgram make(unsigned size, bool flow) {
    Text text;
    left = size;
    statements(text, {}, flow ? 3 : 0);
    text.program.freeBytes = pick(2) ? 0 : 256 * pick(4);
    return text.program;
  }

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }

  void statements(Text &text, std::vector<unsigned> visible, unsigned depth) {
    while (left > 0) {
      --left;
      switch (pick(depth ? 10 : 7)) {
      case 0:
      case 1: { // a new buffer, all of it written
        unsigned b = text.buffer(16 * (1 + pick(16)), pick(4) ? 16 : 128);
        text.open(b);
        text.write(b);
        visible.push_back(b);
        break;
      }
      case 2: // a conversion within warps, maybe
        text.scratch(text.buffer(16 * (1 + pick(16))), pick(2));
        break;
      case 3:
        if (!visible.empty())
          text.write(visible[pick(unsigned(visible.size()))]);
        break;
      case 4:
      case 5:
        if (!visible.empty())
          text.read(visible[pick(unsigned(visible.size()))]);
        break;
      case 6:
        text.global(pick(2) ? Kind::GlobalRead : Kind::GlobalWrite, pick(4), pick(3), pick(3),
                    8 * pick(4));
        break;
      case 7:
        text.loop([&] { statements(text, visible, depth - 1); });
        break;
      case 8:
        text.branch([&] { statements(text, visible, depth - 1); },
                    [&] { statements(text, visible, depth - 1); });
        break;
      case 9:
        if (pick(2))
          return;
      }
    }
  }

  std::mt19937 random;
  unsigned left = 0;
};

// ---- Running

/// Runs one random path. Empty if all promises were kept.
std::string run(const SharedProgram &program, const SharedPlan &plan, std::mt19937 &random) {
  struct Access {
    uint64_t begin, end;
    SharedEvent event;
    unsigned block;
    bool isOld = false; // of an earlier iteration, in which pointers were other ones
  };
  std::vector<Access> sinceBarrier, sinceWarpBarrier;
  std::map<uint64_t, unsigned> owner; // of each 16 bytes
  std::map<std::pair<unsigned, unsigned>, bool> barriers;
  for (const auto &barrier : plan.barriers)
    barriers[{barrier.block, barrier.event}] = barrier.warp;
  unsigned block = 0;
  for (unsigned steps = 0; steps < 60; ++steps) {
    const auto &events = program.blocks[block].events;
    for (unsigned i = 0; i < events.size(); ++i) {
      if (auto found = barriers.find({block, i}); found != barriers.end()) {
        sinceWarpBarrier.clear();
        if (!found->second)
          sinceBarrier.clear();
      }
      const SharedEvent &event = events[i];
      std::string where = "block " + std::to_string(block) + " event " + std::to_string(i);
      bool global = event.kind == Kind::GlobalRead || event.kind == Kind::GlobalWrite;
      bool shared = event.kind == Kind::Read || event.kind == Kind::Write;
      if (global)
        for (const Access &earlier : sinceBarrier) {
          bool earlierGlobal =
              earlier.event.kind == Kind::GlobalRead || earlier.event.kind == Kind::GlobalWrite;
          bool same = event.pointer && earlier.event.pointer == event.pointer && !earlier.isOld;
          bool differ = event.bases && earlier.event.bases && !(event.bases & earlier.event.bases);
          bool apart = event.origin && earlier.event.origin == event.origin && !earlier.isOld &&
                       (event.to <= earlier.event.from || earlier.event.to <= event.from);
          if (earlierGlobal && !same && !differ && !apart &&
              (event.kind == Kind::GlobalWrite || earlier.event.kind == Kind::GlobalWrite))
            return where + ": global accesses meet";
        }
      Access access{0, 0, event, block};
      if (shared) {
        access.begin = plan.offsets[event.buffer] + event.begin;
        access.end = plan.offsets[event.buffer] + event.end;
        auto meets = [&](const Access &earlier, bool warp) {
          bool own =
              earlier.event.buffer == event.buffer && earlier.event.withinWarp && event.withinWarp;
          return earlier.end > access.begin && access.end > earlier.begin && own == warp &&
                 (event.kind == Kind::Write || earlier.event.kind == Kind::Write);
        };
        for (const Access &earlier : sinceBarrier)
          if (meets(earlier, false))
            return where + ": threads meet in shared memory";
        for (const Access &earlier : sinceWarpBarrier)
          if (meets(earlier, true))
            return where + ": lanes meet in shared memory";
        for (uint64_t unit = access.begin / 16; unit < (access.end + 15) / 16; ++unit) {
          if (event.kind == Kind::Write)
            owner[unit] = event.buffer;
          else if (!owner.count(unit) || owner[unit] != event.buffer)
            return where + ": another buffer has overwritten this one";
        }
        sinceWarpBarrier.push_back(access);
      }
      if (shared || global)
        sinceBarrier.push_back(access);
    }
    const auto &successors = program.blocks[block].successors;
    if (successors.empty())
      return "";
    unsigned next = successors[random() % successors.size()];
    if (next <= block) // the blocks of a loop follow each other
      for (Access &earlier : sinceBarrier)
        earlier.isOld |= earlier.block >= next;
    block = next;
  }
  return "";
}

std::string describe(const SharedProgram &program) {
  static const char *names[] = {"open",  "read",   "write",   "start",   "wait",    "arrive",
                                "gread", "gwrite", "release", "acquire", "barrier", "point"};
  std::string text;
  for (unsigned block = 0; block < program.blocks.size(); ++block) {
    text += "\nblock " + std::to_string(block) + ":";
    for (const SharedEvent &event : program.blocks[block].events)
      text += " " + std::string(names[int(event.kind)]) + std::to_string(event.buffer);
    for (unsigned to : program.blocks[block].successors)
      text += " ->" + std::to_string(to);
  }
  return text;
}

} // namespace

TEST_CASE("every path of random programs finds its barriers and its memory") {
  unsigned first = std::random_device()();
  MESSAGE("seed ", first);
  unsigned barriers = 0, accesses = 0;
  for (unsigned iteration = 0; iteration < 3000; ++iteration) {
    std::mt19937 random(first + iteration);
    SharedProgram program = Generator(first + iteration).make(4 + iteration % 30, true);
    SharedPlan plan = planShared(program);
    barriers += unsigned(plan.barriers.size());
    CHECK(isSharedPlanValid(program, plan));
    for (unsigned path = 0; path < 20; ++path) {
      std::string problem = run(program, plan, random);
      accesses += problem.empty();
      if (!problem.empty()) {
        INFO("seed ", first + iteration, describe(program));
        FAIL(problem);
      }
    }
    for (unsigned buffer = 0; buffer < program.buffers.size(); ++buffer)
      CHECK(plan.offsets[buffer] % program.buffers[buffer].alignment == 0);
  }
  MESSAGE(barriers, " barriers, ", accesses, " paths");
}

TEST_CASE("no barrier of a plan can be left out") {
  unsigned first = std::random_device()();
  MESSAGE("seed ", first);
  for (unsigned iteration = 0; iteration < 300; ++iteration) {
    SharedProgram program = Generator(first + iteration).make(4 + iteration % 20, true);
    SharedPlan plan = planShared(program);
    for (unsigned i = 0; i < plan.barriers.size(); ++i) {
      SharedPlan less = plan;
      less.barriers.erase(less.barriers.begin() + i);
      CHECK_FALSE(isSharedPlanValid(program, less));
    }
  }
}

TEST_CASE("straight programs have as few barriers as any choice of points has") {
  unsigned first = std::random_device()();
  MESSAGE("seed ", first);
  for (unsigned iteration = 0; iteration < 200; ++iteration) {
    SharedProgram program = Generator(first + iteration).make(8, false);
    SharedPlan plan = planShared(program);
    size_t events = program.blocks[0].events.size();
    if (events > 14)
      continue;
    unsigned least = ~0u;
    for (unsigned set = 0; set < 1u << events; ++set) {
      SharedPlan other = plan;
      other.barriers.clear();
      for (unsigned i = 0; i < events; ++i)
        if (set >> i & 1)
          other.barriers.push_back({0, i, false});
      if (other.barriers.size() < least && isSharedPlanValid(program, other))
        least = unsigned(other.barriers.size());
    }
    INFO("seed ", first + iteration, describe(program));
    CHECK(count(plan, false) <= least);
  }
}

TEST_CASE("the arena is close to what lives at once") {
  unsigned first = std::random_device()();
  MESSAGE("seed ", first);
  uint64_t arenas = 0, bounds = 0;
  for (unsigned iteration = 0; iteration < 500; ++iteration) {
    SharedProgram program = Generator(first + iteration).make(30, true);
    program.freeBytes = 0;
    for (auto &buffer : program.buffers)
      buffer.alignment = 16;
    // A set of buffers that all interfere is a lower bound; greedily, from each buffer.
    auto apart = sharedInterference(program);
    uint64_t bound = 0;
    for (unsigned start = 0; start < program.buffers.size(); ++start) {
      std::vector<unsigned> clique = {start};
      uint64_t bytes = program.buffers[start].bytes;
      for (unsigned other = 0; other < program.buffers.size(); ++other)
        if (std::all_of(clique.begin(), clique.end(),
                        [&](unsigned b) { return apart[other][b]; })) {
          clique.push_back(other);
          bytes += program.buffers[other].bytes;
        }
      bound = std::max(bound, bytes);
    }
    SharedPlan plan = planShared(program);
    CHECK(plan.bytes >= bound);
    arenas += plan.bytes;
    bounds += bound;
  }
  MESSAGE("arenas ", arenas, " bytes, at least ", bounds);
  CHECK(double(arenas) <= 1.1 * double(bounds));
}

// ---- Cases whose minimum is known

TEST_CASE("one conversion has one barrier, between writing and reading") {
  Text text;
  text.scratch(text.buffer(1024));
  SharedPlan plan = planShared(text.program);
  REQUIRE(plan.barriers.size() == 1);
  CHECK(plan.barriers[0].event == 2);
  CHECK(plan.bytes == 1024);
}

TEST_CASE("two conversions in a row have two barriers if they lie apart, three if not") {
  Text text;
  text.scratch(text.buffer(1024));
  text.scratch(text.buffer(1024));
  CHECK(planShared(text.program).barriers.size() == 3);
  CHECK(planShared(text.program).bytes == 1024);
  text.program.freeBytes = 2048;
  CHECK(planShared(text.program).barriers.size() == 2);
  CHECK(planShared(text.program).bytes == 2048);
}

TEST_CASE("three conversions in a row alternate between two offsets") {
  Text text;
  for (int i = 0; i < 3; ++i)
    text.scratch(text.buffer(1024));
  text.program.freeBytes = 2048;
  SharedPlan plan = planShared(text.program);
  CHECK(plan.barriers.size() == 3);
  CHECK(plan.bytes == 2048);
  CHECK(plan.offsets[0] == plan.offsets[2]);
}

TEST_CASE("a conversion in a loop waits for the readers of the last iteration") {
  Text text;
  text.loop([&] { text.scratch(text.buffer(1024)); });
  CHECK(planShared(text.program).barriers.size() == 2);
}

TEST_CASE("two conversions in a loop need no third barrier if they lie apart") {
  Text text;
  text.loop([&] {
    text.scratch(text.buffer(1024));
    text.scratch(text.buffer(1024));
  });
  text.program.freeBytes = 2048;
  CHECK(planShared(text.program).barriers.size() == 2);
}

TEST_CASE("what a loop only reads is waited for before the loop") {
  Text text;
  unsigned b = text.buffer(1024);
  text.open(b);
  text.write(b);
  text.loop([&] { text.read(b); });
  SharedPlan plan = planShared(text.program);
  REQUIRE(plan.barriers.size() == 1);
  CHECK(plan.barriers[0].block == 0);
}

TEST_CASE("a branch that touches nothing costs nothing") {
  Text text;
  unsigned b = text.buffer(1024);
  text.open(b);
  text.write(b);
  text.branch([&] { text.read(b); }, [] {});
  SharedPlan plan = planShared(text.program);
  REQUIRE(plan.barriers.size() == 1);
  CHECK(plan.barriers[0].block == 1);
}

TEST_CASE("scratch of the two sides of a branch shares its memory") {
  Text text;
  text.branch([&] { text.scratch(text.buffer(1024)); }, [&] { text.scratch(text.buffer(512)); });
  SharedPlan plan = planShared(text.program);
  CHECK(plan.bytes == 1024);
  CHECK(plan.barriers.size() == 2);
}

TEST_CASE("a buffer that lives through a loop keeps its offset") {
  Text text;
  unsigned b = text.buffer(1024);
  text.open(b);
  text.write(b);
  text.loop([&] {
    text.scratch(text.buffer(512));
    text.read(b);
  });
  SharedPlan plan = planShared(text.program);
  CHECK(plan.bytes == 1536);
}

TEST_CASE("traffic within warps needs warps to meet, not the program") {
  Text text;
  text.loop([&] { text.scratch(text.buffer(1024), true); });
  SharedPlan plan = planShared(text.program);
  CHECK(count(plan, false) == 0);
  CHECK(count(plan, true) == 2);
}

TEST_CASE("another buffer over the memory of traffic within warps waits for the program") {
  Text text;
  text.scratch(text.buffer(1024), true);
  text.scratch(text.buffer(1024), true);
  SharedPlan plan = planShared(text.program);
  CHECK(count(plan, false) == 1);
  CHECK(count(plan, true) == 2);
}

TEST_CASE("a barrier that is there already serves") {
  Text text;
  unsigned b = text.buffer(1024);
  text.open(b);
  text.write(b);
  text.add({});
  text.read(b);
  CHECK(planShared(text.program).barriers.empty());
}

TEST_CASE("copies in a pipeline need one barrier an iteration") {
  // Two copies ahead of the loads; slots are the program's own business.
  Text text;
  unsigned b = text.buffer(3 * 1024);
  auto event = [&](Kind kind, unsigned remaining = 0) {
    SharedEvent e{kind};
    e.buffer = b;
    e.end = 3 * 1024;
    e.remaining = remaining;
    text.add(e);
  };
  text.open(b);
  event(Kind::Start);
  event(Kind::Start);
  text.loop([&] {
    event(Kind::Wait, 1);
    event(Kind::Start);
    text.read(b);
  });
  event(Kind::Wait);
  text.scratch(text.buffer(2048));
  SharedPlan plan = planShared(text.program);
  CHECK(isSharedPlanValid(text.program, plan));
  CHECK(plan.bytes == 3 * 1024); // the scratch lies over the buffer, after the last wait
  unsigned inLoop = 0;
  for (const auto &barrier : plan.barriers)
    inLoop += barrier.block == 2;
  CHECK(inLoop == 1);
}

TEST_CASE("accesses of one buffer of global memory through other pointers are kept in order") {
  Text text;
  text.global(Kind::GlobalWrite, 1, 1);
  text.global(Kind::GlobalRead, 2, 2); // another buffer
  text.global(Kind::GlobalRead, 1, 1); // the same threads
  CHECK(planShared(text.program).barriers.empty());
  text.global(Kind::GlobalRead, 1, 3);
  CHECK(planShared(text.program).barriers.size() == 1);
}

TEST_CASE("a pointer that a loop computes is another one in the next iteration") {
  Text text;
  text.loop([&] {
    text.global(Kind::GlobalRead, 1, 1);
    text.global(Kind::GlobalWrite, 1, 1);
  });
  CHECK(planShared(text.program).barriers.size() == 1);
}

TEST_CASE("accesses at known distances from one origin do not meet in one iteration") {
  Text text;
  text.global(Kind::GlobalWrite, 1, 1, 1, 0);
  text.global(Kind::GlobalWrite, 1, 2, 1, 16);
  CHECK(planShared(text.program).barriers.empty());
  text.global(Kind::GlobalWrite, 1, 3, 1, 8);
  CHECK(planShared(text.program).barriers.size() == 1);
  text.global(Kind::GlobalWrite, 1, 4, 2, 64); // from elsewhere
  CHECK(planShared(text.program).barriers.size() == 2);

  Text moving;
  moving.loop([&] {
    moving.global(Kind::GlobalWrite, 1, 1, 1, 0);
    moving.global(Kind::GlobalWrite, 1, 2, 1, 16);
  });
  CHECK(planShared(moving.program).barriers.size() == 1);
}

TEST_CASE("what may be one of several buffers meets each of them") {
  Text text;
  text.global(Kind::GlobalRead, 3, 1);
  text.global(Kind::GlobalWrite, 4, 2);
  CHECK(planShared(text.program).barriers.empty());
  text.global(Kind::GlobalWrite, 2, 3);
  CHECK(planShared(text.program).barriers.size() == 1);
}

TEST_CASE("a loop does not change the pointers of what came before it") {
  Text text;
  text.global(Kind::GlobalRead, 1, 1);
  text.loop([&] { text.global(Kind::GlobalRead, 2, 2); });
  text.global(Kind::GlobalWrite, 1, 1);
  CHECK(planShared(text.program).barriers.empty());

  Text nested;
  nested.loop([&] {
    nested.global(Kind::GlobalRead, 1, 1);
    nested.loop([&] { nested.global(Kind::GlobalRead, 2, 2); });
    nested.global(Kind::GlobalWrite, 1, 1);
  });
  CHECK(planShared(nested.program).barriers.size() == 1); // for the outer loop's next iteration
}

TEST_CASE("who tells others that data are there waits for all that wrote them") {
  Text text;
  text.global(Kind::GlobalWrite, 1, 1);
  text.add(SharedEvent{Kind::Release});
  text.global(Kind::GlobalWrite, 2, 2);
  text.add(SharedEvent{Kind::Acquire});
  text.global(Kind::GlobalRead, 4, 3);
  CHECK(planShared(text.program).barriers.size() == 2);
}
