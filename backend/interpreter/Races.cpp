// SPDX-License-Identifier: MIT
//
// The rules of Races.h on the cells of an access.
#include "interpreter/Races.h"

#include <algorithm>
#include <iterator>

namespace tl::backend::interpreter {

namespace {

constexpr size_t largestSet = 64;
constexpr uint64_t lastStamp = (1u << 31) - 1;

std::shared_ptr<const Knowledge> unite(const std::shared_ptr<const Knowledge> &a,
                                       const std::shared_ptr<const Knowledge> &b) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  auto result = std::make_shared<Knowledge>();
  result->allUpTo = std::max(a->allUpTo, b->allUpTo);
  std::set_union(a->stamps.begin(), a->stamps.end(), b->stamps.begin(), b->stamps.end(),
                 std::back_inserter(result->stamps));
  if (result->stamps.size() > largestSet) {
    result->allUpTo = std::max(result->allUpTo, result->stamps.back());
    result->stamps.clear();
  }
  if (result->stamps == a->stamps && result->allUpTo == a->allUpTo)
    return a; // nothing new: keep the shared object, so that the next look is cheap
  return result;
}

} // namespace

bool Knowledge::contains(uint32_t stamp) const {
  return stamp <= allUpTo || std::binary_search(stamps.begin(), stamps.end(), stamp);
}

void RaceTracker::beginLaunch(Memory &memory, uint64_t programs) {
  published.clear();
  known.reset();
  tracking = programs > 1 && programs < lastStamp / 2;
  if (!tracking)
    return;
  if (memory.nextStamp + programs > lastStamp) { // used up: start again, with cells that know none
    memory.forgetCells();
    memory.nextStamp = 1;
  }
  first = memory.nextStamp;
  memory.nextStamp += static_cast<uint32_t>(programs);
}

void RaceTracker::beginProgram(uint64_t index) {
  current = first + static_cast<uint32_t>(index);
  known.reset();
}

Race RaceTracker::read(AccessCell *cells, uint64_t count) {
  Race race;
  for (AccessCell *cell = cells; cell != cells + count; ++cell) {
    const uint32_t writer = cell->writer >> 1;
    if ((cell->writer & 1) && isOther(writer) && !orders(writer))
      race = {writer, true, true, false};
    const uint32_t reader = cell->reader >> 1;
    if (reader < first)
      cell->reader = current << 1;
    else if (reader != current)
      cell->reader |= 1;
  }
  return race;
}

Race RaceTracker::write(AccessCell *cells, uint64_t count) {
  Race race;
  for (AccessCell *cell = cells; cell != cells + count; ++cell) {
    const uint32_t writer = cell->writer >> 1, reader = cell->reader >> 1;
    if (isOther(writer) && !orders(writer))
      race = {writer, true, true, !(cell->writer & 1)};
    else if (isOther(reader) && !orders(reader))
      race = {reader, true, false, false};
    cell->writer = current << 1 | 1;
  }
  return race;
}

Race RaceTracker::atomicWrite(AccessCell *cells, uint64_t count) {
  Race race;
  for (AccessCell *cell = cells; cell != cells + count; ++cell) {
    const uint32_t writer = cell->writer >> 1;
    if ((cell->writer & 1) && isOther(writer) && !orders(writer))
      race = {writer, true, true, false};
    const bool plainBefore = writer == current && (cell->writer & 1);
    cell->writer = current << 1 | (plainBefore ? 1 : 0);
  }
  return race;
}

void RaceTracker::acquire(uint64_t address) {
  if (!tracking)
    return;
  auto it = published.find(address);
  if (it != published.end())
    known = unite(known, it->second);
}

void RaceTracker::release(uint64_t address) {
  if (!tracking)
    return;
  if (!known || !known->contains(current)) {
    auto self = std::make_shared<Knowledge>();
    self->stamps.push_back(current);
    known = unite(known, self);
  }
  auto &entry = published[address];
  entry = unite(entry ? entry : known, known);
}

} // namespace tl::backend::interpreter
