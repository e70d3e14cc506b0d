// SPDX-License-Identifier: MIT
#include "targets/simt/BankConflicts.h"

#include "targets/simt/Block.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tl::backend::simt {

namespace {

constexpr uint32_t wordBytes = 4, widestBytes = 16;

unsigned phaseOf(const BankRules &rules, unsigned lane, uint32_t bytes, AccessKind kind) {
  if (bytes == widestBytes && kind == AccessKind::read && !rules.phasesOfWideReads.empty()) {
    unsigned phase = 0;
    for (uint32_t selection : rules.phasesOfWideReads)
      phase = phase << 1 | (unsigned(std::popcount(lane & selection)) & 1);
    return phase;
  }
  return lane / (rules.banks * wordBytes / std::max(wordBytes, std::bit_ceil(bytes)));
}

const char *nameOf(AccessKind kind) {
  return kind == AccessKind::read ? "reads" : kind == AccessKind::write ? "writes" : "atomics";
}

std::string textOf(const BankCounts &counts) {
  return std::to_string(counts.accesses) + " accesses, " + std::to_string(counts.cycles) +
         " cycles, " + std::to_string(counts.conflicts) + " for conflicts";
}

} // namespace

BankCounts &BankCounts::operator+=(const BankCounts &other) {
  accesses += other.accesses;
  cycles += other.cycles;
  conflicts += other.conflicts;
  return *this;
}

BankCounts bankCounts(const BankRules &rules, const std::array<uint32_t, 64> &addresses,
                      uint64_t lanes, uint32_t bytes, AccessKind kind) {
  BankCounts result{1, 0, 0};
  // What no instruction moves at once goes in pieces.
  for (uint32_t first = 0; first < bytes; first += widestBytes) {
    const uint32_t piece = std::min(bytes - first, widestBytes);
    std::map<unsigned, std::map<uint32_t, std::set<uint32_t>>> words; // by phase and bank
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      const auto lane = unsigned(std::countr_zero(rest));
      const uint32_t begin = addresses[lane] + first;
      auto &banks = words[phaseOf(rules, lane, piece, kind)];
      for (uint32_t word = begin / wordBytes; word <= (begin + piece - 1) / wordBytes; ++word)
        banks[word % rules.banks].insert(word);
    }
    for (const auto &[phase, banks] : words) {
      size_t most = 1;
      for (const auto &[bank, given] : banks)
        most = std::max(most, given.size());
      result.cycles += most;
      result.conflicts += most - 1;
    }
  }
  return result;
}

void BankConflicts::access(const Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind,
                           uint32_t instruction) {
  Instruction &at = open[thread.warp][instruction];
  const uint32_t number = at.next[thread.lane]++;
  if (number >= at.accesses.size())
    at.accesses.resize(number + 1);
  Access &access = at.accesses[number];
  access.site = thread.site;
  access.bytes = bytes;
  access.kind = kind;
  access.lanes |= uint64_t(1) << thread.lane;
  access.addresses[thread.lane] = uint32_t(address);
}

void BankConflicts::meet(const Warp &warp) {
  auto found = open.find(&warp);
  if (found == open.end())
    return;
  for (auto &[number, instruction] : found->second) {
    for (const Access &access : instruction.accesses)
      count(access.site, access.addresses, access.lanes, access.bytes, access.kind);
    instruction.accesses.clear();
    instruction.next.fill(0);
  }
}

void BankConflicts::count(uint32_t site, const std::array<uint32_t, 64> &addresses, uint64_t lanes,
                          uint32_t bytes, AccessKind kind) {
  counts[{site, kind, bytes}] += bankCounts(rules, addresses, lanes, bytes, kind);
}

BankCounts BankConflicts::total() const {
  BankCounts all;
  for (const auto &[place, each] : counts)
    all += each;
  return all;
}

std::string BankConflicts::report(const std::string &kernel, const std::string &device,
                                  const std::vector<SourceLocation> &sites) const {
  std::string text = "shared memory of " + kernel + " on " + device + ": " + textOf(total()) + "\n";
  std::vector<std::pair<std::tuple<uint32_t, AccessKind, uint32_t>, BankCounts>> sorted(
      counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &x, const auto &y) {
    return std::tie(y.second.conflicts, x.first) < std::tie(x.second.conflicts, y.first);
  });
  for (const auto &[place, each] : sorted) {
    const auto &[site, kind, bytes] = place;
    const SourceLocation &where = sites[site];
    text += "  ";
    if (where.line)
      text += where.file + ":" + std::to_string(where.line) + ": ";
    text += std::string(nameOf(kind)) + " of " + std::to_string(bytes) + " bytes: " + textOf(each) +
            "\n";
  }
  return text;
}

} // namespace tl::backend::simt
