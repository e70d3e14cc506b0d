// SPDX-License-Identifier: MIT
//
// Counts what accesses of shared memory cost in the banks. A bank gives one word of four bytes in a
// cycle. An access of a warp goes in *phases*: as many lanes together as fill all banks once, so
// that accesses of 4 bytes have few phases and those of 16 bytes many. A phase takes as many cycles
// as the bank that has to give the most words; lanes that want the same word get it at once.
//
//     32 banks, lanes 0, 1, 2 ... of a phase:
//     lane l reads the word at 4 l        each bank gives one word: 1 cycle
//     lane l reads the word at 128 l      bank 0 gives 32 words: 32 cycles, 31 of them for
//                                         conflicts
//
// Each thread runs by itself here, so the lanes of an access come one after the other: between two
// operations that all lanes take part in, the n-th time that a lane is at an access belongs to the
// n-th time of the others. What is counted are the accesses of the LLVM IR; a code generator may
// still join two of them into one instruction, which takes the cycles of both. TMA and products of
// warp groups, whose accesses no thread makes, go through the banks by eight pieces of 16 bytes at
// a time: TMA in the order of the box, products by eight rows. What all warps of a group multiply
// by counts once.
#pragma once

#include "support/SourceLocation.h"
#include "targets/simt/Checks.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tl::backend::simt {

/// How the banks of a GPU serve an access of a warp.
struct BankRules {
  unsigned banks = 32;
  /// Of reads of 16 bytes: lanes are in one phase if each of these selections of bits of their
  /// numbers has the same parity in both. Empty: neighbours are, as for all other accesses.
  std::vector<uint32_t> phasesOfWideReads;
};

/// Accesses of warps, the cycles that they take, and how many of these are due to conflicts.
struct BankCounts {
  uint64_t accesses = 0, cycles = 0, conflicts = 0;
  BankCounts &operator+=(const BankCounts &other);
};

/// One access of the lanes that have a bit in `lanes`, each of `bytes` bytes at its address.
BankCounts bankCounts(const BankRules &rules, const std::array<uint32_t, 64> &addresses,
                      uint64_t lanes, uint32_t bytes, AccessKind kind);

class BankConflicts {
public:
  explicit BankConflicts(BankRules rules) : rules(std::move(rules)) {}

  /// A lane is at the access of number `instruction`.
  void access(const Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind,
              uint32_t instruction);
  /// All lanes of the warp have met.
  void meet(const Warp &warp);
  /// Lanes that access memory together.
  void count(uint32_t site, const std::array<uint32_t, 64> &addresses, uint64_t lanes,
             uint32_t bytes, AccessKind kind);

  BankCounts total() const;
  /// What the kernel did, in a line, and then what its lines did, the worst first.
  std::string report(const std::string &kernel, const std::string &device,
                     const std::vector<SourceLocation> &sites) const;

private:
  struct Access {
    uint32_t site = 0, bytes = 0;
    AccessKind kind = AccessKind::read;
    uint64_t lanes = 0;
    std::array<uint32_t, 64> addresses{};
  };
  struct Instruction {
    std::vector<Access> accesses;
    std::array<uint32_t, 64> next{}; // of each lane
  };

  const BankRules rules;
  std::map<std::tuple<uint32_t, AccessKind, uint32_t>, BankCounts> counts; // site, kind, bytes
  std::unordered_map<const Warp *, std::unordered_map<uint32_t, Instruction>> open;
};

} // namespace tl::backend::simt
