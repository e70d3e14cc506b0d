// SPDX-License-Identifier: MIT
#include "targets/simt/Sanitizer.h"

#include "targets/simt/Launch.h"

#include <algorithm>
#include <string>

namespace tl::backend::simt {

/// An access that is kept.
struct Mark {
  uint32_t block = 0; // 0: none
  uint32_t epoch = 0;
  uint16_t who = 0; // thread and part
  uint16_t site = 0;
};

struct Cell {
  Mark write;
  Mark reads[2];         // of different threads, the last one first
  bool isAtomic = false; // the write
};

namespace {
constexpr uint64_t pageBytes = 4096;
} // namespace

Sanitizer::BlockState::BlockState() = default;
Sanitizer::BlockState::~BlockState() = default;

Sanitizer::Sanitizer(unsigned threads) : threadCount(threads) {}
Sanitizer::~Sanitizer() = default;

void Sanitizer::beginBlock(Block &block) {
  auto &state = blocks[&block];
  auto cells = state ? std::move(state->cells) : std::vector<Cell>();
  state = std::make_unique<BlockState>();
  state->number = nextBlock++;
  state->threads.resize(block.threadCount());
  cells.assign(block.launch().kernel.sharedBytes, Cell());
  state->cells = std::move(cells);
}

Sanitizer::BlockState &Sanitizer::stateOf(Thread &thread) { return *blocks.at(thread.block); }

/// Matrix products are those of a warp: its first lane keeps account.
unsigned Sanitizer::index(const Thread &thread, Part part) const {
  return unsigned(part) * threadCount + thread.index - (part == products ? thread.lane : 0);
}

Sanitizer::Part Sanitizer::partOf(Agent agent, AccessKind kind) {
  switch (agent) {
  case Agent::thread:
    return itself;
  case Agent::asyncCopies:
    return copies;
  case Agent::bulkCopies:
    return kind == AccessKind::read ? bulkReads : bulkWrites;
  case Agent::matrixProducts:
    return products;
  }
  return itself;
}

// ---- Clocks

std::unique_ptr<Sanitizer::Clock> Sanitizer::emptyClock() const {
  auto clock = std::make_unique<Clock>();
  clock->epochs.resize(size_t(parts) * threadCount);
  return clock;
}

void Sanitizer::join(Clock &into, const Clock &from) const {
  for (size_t i = 0; i < into.epochs.size(); ++i)
    into.epochs[i] = std::max(into.epochs[i], from.epochs[i]);
  for (const auto &[block, clock] : from.blocks) {
    ClockPointer &own = into.blocks[block];
    if (!own) {
      own = clock;
    } else if (own != clock) {
      auto both = std::make_unique<Clock>(*own);
      for (size_t i = 0; i < both->epochs.size(); ++i)
        both->epochs[i] = std::max(both->epochs[i], clock->epochs[i]);
      own = std::move(both);
    }
  }
}

void Sanitizer::joinView(View &into, const View &from) const {
  auto add = [&](ClockPointer &own, const ClockPointer &other) {
    if (!other || own == other)
      return;
    auto made = own ? std::make_unique<Clock>(*own) : emptyClock();
    join(*made, *other);
    own = std::move(made);
  };
  add(into.seen, from.seen);
  add(into.fenced, from.fenced);
}

void Sanitizer::addTo(Clock &seen, const BlockState &block, const Thread &thread) const {
  const ThreadState &own = block.threads[thread.index];
  seen.epochs[thread.index] = std::max(seen.epochs[thread.index], own.epochs[itself]);
  for (unsigned part = copies; part < parts; ++part) {
    uint32_t &epoch = seen.epochs[index(thread, Part(part))];
    epoch = std::max(epoch, own.known[part]);
  }
}

// ---- Events

void Sanitizer::meet(Thread *const *met, unsigned count) {
  if (count == 0)
    return;
  BlockState &block = stateOf(*met[0]);
  auto seen = emptyClock();
  std::unique_ptr<Clock> fenced;
  std::vector<const Clock *> joined; // most threads share one
  auto isNew = [&](const Clock *clock) {
    if (!clock || std::find(joined.begin(), joined.end(), clock) != joined.end())
      return false;
    joined.push_back(clock);
    return true;
  };
  for (unsigned i = 0; i < count; ++i) {
    const View &view = block.threads[met[i]->index].view;
    if (isNew(view.seen.get()))
      join(*seen, *view.seen);
    if (isNew(view.fenced.get())) {
      if (!fenced)
        fenced = emptyClock();
      join(*fenced, *view.fenced);
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    addTo(*seen, block, *met[i]);
  }
  const View view{std::move(seen), std::move(fenced)};
  for (unsigned i = 0; i < count; ++i) {
    ThreadState &own = block.threads[met[i]->index];
    own.view = view;
    ++own.epochs[itself];
  }
}

Sanitizer::Object &Sanitizer::objectAt(Thread &thread, uint64_t object) {
  Block *owner = thread.block->ownerOf(object);
  return owner ? blocks.at(owner)->objects[object] : objects[object];
}

void Sanitizer::release(Thread &thread, uint64_t address, Agent agent) {
  BlockState &block = stateOf(thread);
  ThreadState &own = block.threads[thread.index];
  Object &object = objectAt(thread, address);
  auto seen = own.view.seen ? std::make_unique<Clock>(*own.view.seen) : emptyClock();
  std::unique_ptr<Clock> fenced;
  if (own.view.fenced)
    fenced = std::make_unique<Clock>(*own.view.fenced);
  if (agent == Agent::thread) {
    addTo(*seen, block, thread);
    ++own.epochs[itself];
  } else {
    // The agent has done what it was given, and the thread had done before what it was given for.
    for (Part part : {partOf(agent, AccessKind::write), partOf(agent, AccessKind::read)}) {
      seen->epochs[index(thread, part)] = own.epochs[part];
      ++own.epochs[part];
      if (agent != Agent::bulkCopies)
        break;
    }
  }
  // Other blocks see this one's clock as a whole.
  if (!thread.block->arena.holds(address)) {
    const uint64_t number = block.number;
    auto outside = emptyClock();
    outside->blocks = seen->blocks;
    seen->blocks.clear();
    outside->blocks[number] = ClockPointer(std::move(seen));
    return joinView(object.pending, {ClockPointer(std::move(outside)), nullptr});
  }
  joinView(object.pending, {ClockPointer(std::move(seen)), ClockPointer(std::move(fenced))});
}

void Sanitizer::publish(Thread &thread, uint64_t address) {
  Object &object = objectAt(thread, address);
  object.visible = object.pending;
}

void Sanitizer::acquire(Thread &thread, uint64_t address) {
  BlockState &block = stateOf(thread);
  View visible = objectAt(thread, address).visible;
  if (visible.seen) { // what comes back to the block that it came from
    if (auto own = visible.seen->blocks.find(block.number); own != visible.seen->blocks.end()) {
      auto made = std::make_unique<Clock>(*visible.seen);
      const ClockPointer inside = own->second;
      made->blocks.erase(block.number);
      join(*made, *inside);
      visible.seen = std::move(made);
    }
  }
  joinView(block.threads[thread.index].view, visible);
}

void Sanitizer::fenceForAgents(Thread &thread) {
  BlockState &block = stateOf(thread);
  ThreadState &own = block.threads[thread.index];
  // All that the thread has done and seen.
  auto fenced = own.view.seen ? std::make_unique<Clock>(*own.view.seen) : emptyClock();
  addTo(*fenced, block, thread);
  joinView(own.view, {nullptr, ClockPointer(std::move(fenced))});
  ++own.epochs[itself];
}

void Sanitizer::commit(Thread &thread, Agent agent) {
  ThreadState &own = stateOf(thread).threads[thread.index];
  for (Part part : {partOf(agent, AccessKind::write), partOf(agent, AccessKind::read)}) {
    own.groups[part].push_back(own.epochs[part]++);
    if (agent != Agent::bulkCopies)
      break;
  }
}

void Sanitizer::waitFor(Thread &thread, Agent agent, unsigned pending, bool onlyRead) {
  BlockState &block = stateOf(thread);
  ThreadState &own = block.threads[thread.index];
  auto wait = [&](Part part) {
    const auto &groups =
        block.threads[thread.index - (part == products ? thread.lane : 0)].groups[part];
    if (groups.size() > pending)
      own.known[part] = std::max(own.known[part], groups[groups.size() - 1 - pending]);
  };
  if (agent != Agent::bulkCopies)
    return wait(partOf(agent, AccessKind::write));
  wait(bulkReads);
  if (!onlyRead)
    wait(bulkWrites);
}

// ---- Accesses

Cell *Sanitizer::cellsOf(Thread &thread, uint64_t address, bool isShared, uint64_t &left) {
  if (isShared) {
    left = ~uint64_t(0);
    return &blocks.at(thread.block->ownerOf(address))
                ->cells[uint32_t(address) - SharedArena::offset];
  }
  const uint64_t page = address / pageBytes, at = address % pageBytes;
  left = pageBytes - at;
  if (page != lastPage) {
    auto &cells = pages[page];
    if (!cells)
      cells = std::make_unique<Cell[]>(pageBytes);
    lastPage = page;
    lastCells = cells.get();
  }
  return lastCells + at;
}

bool Sanitizer::isOrdered(const BlockState &block, const Thread &thread, const Mark &mark,
                          const MemoryAccess &access) const {
  const ThreadState &own = block.threads[thread.index];
  if (mark.block != uint32_t(block.number)) {
    if (!own.view.seen)
      return false;
    auto found = own.view.seen->blocks.find(mark.block);
    return found != own.view.seen->blocks.end() && found->second->epochs[mark.who] >= mark.epoch;
  }
  const auto part = Part(mark.who / threadCount);
  if (mark.who == index(thread, part)) {
    if (part == itself || part == partOf(access.agent, access.kind) ||
        own.known[part] >= mark.epoch)
      return true;
  }
  return own.view.seen && own.view.seen->epochs[mark.who] >= mark.epoch;
}

void Sanitizer::access(Thread &thread, const MemoryAccess &access) {
  BlockState &block = stateOf(thread);
  ThreadState &own = block.threads[thread.index];
  const Part part = partOf(access.agent, access.kind);
  const unsigned who = index(thread, part);
  const uint32_t epoch =
      block.threads[part == products ? thread.index - thread.lane : thread.index].epochs[part];
  const Mark mark{uint32_t(block.number), epoch, uint16_t(who),
                  uint16_t(std::min<uint32_t>(thread.site, 65535))};
  const bool reads = access.kind == AccessKind::read, changes = access.kind == AccessKind::atomic;
  const bool bySpecialWay =
      access.isShared && (part == products || part == bulkReads || part == bulkWrites);
  uint64_t left = 0;
  Cell *cell = nullptr;
  for (uint32_t i = 0; i < access.bytes; ++i, ++cell, --left) {
    if (left == 0)
      cell = cellsOf(thread, access.address + i, access.isShared, left);
    if (cell->write.block) {
      // Lanes of one store may share an address: one of them is there afterwards.
      const bool isOneStore = !reads && cell->write.block == mark.block &&
                              cell->write.site == mark.site && part == itself &&
                              cell->write.who < threadCount;
      if (!(changes && cell->isAtomic) && !isOneStore &&
          !isOrdered(block, thread, cell->write, access))
        reportRace(thread, cell->write, true, access);
      // What threads have written, a fence shows to who reads in another way.
      if (bySpecialWay && reads && cell->write.who < 2 * threadCount) {
        const ClockPointer &fenced = own.view.fenced;
        if (!fenced || fenced->epochs[cell->write.who] < cell->write.epoch)
          thread.block->fail(
              thread,
              Error(TL_RUNTIME_ERROR,
                    "asynchronous hardware reads shared memory that a thread has written "
                    "at line " +
                        std::to_string(thread.block->launch().kernel.sites[cell->write.site].line) +
                        " without a fence between them"));
      }
    } else if (access.isShared && access.kind != AccessKind::write) {
      thread.block->fail(
          thread, Error(TL_RUNTIME_ERROR,
                        "the kernel reads shared memory at offset " +
                            std::to_string(uint32_t(access.address + i) - SharedArena::offset) +
                            " that no thread has written"));
    }
    if (!reads) {
      for (const Mark &read : cell->reads)
        if (read.block && !isOrdered(block, thread, read, access))
          reportRace(thread, read, false, access);
      cell->write = mark;
      cell->isAtomic = changes;
      cell->reads[0] = cell->reads[1] = Mark();
    } else {
      if (cell->reads[0].block != mark.block || cell->reads[0].who != mark.who)
        cell->reads[1] = cell->reads[0];
      cell->reads[0] = mark;
    }
  }
}

void Sanitizer::reportRace(Thread &thread, const Mark &mark, bool wasWrite,
                           const MemoryAccess &access) {
  static constexpr const char *kinds[] = {"", "an asynchronous copy of ", "a bulk copy of ",
                                          "a matrix product of ", "a bulk copy of "};
  const unsigned part = mark.who / threadCount, other = mark.who % threadCount;
  const BlockState &block = stateOf(thread);
  std::string text = std::string("a race in ") + (access.isShared ? "shared" : "global") +
                     " memory: " + kinds[partOf(access.agent, access.kind)] + "thread " +
                     std::to_string(thread.index) +
                     (access.kind == AccessKind::read    ? " reads"
                      : access.kind == AccessKind::write ? " writes"
                                                         : " changes") +
                     " what " + kinds[part] + "thread " + std::to_string(other) +
                     (mark.block == uint32_t(block.number) ? "" : " of another program") +
                     (wasWrite ? " writes" : " reads") + " at line " +
                     std::to_string(thread.block->launch().kernel.sites[mark.site].line) +
                     ", and nothing orders the two";
  thread.block->fail(thread, Error(TL_RUNTIME_ERROR, text));
}

} // namespace tl::backend::simt
