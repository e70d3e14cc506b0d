// SPDX-License-Identifier: MIT
//
// The functions that emulated code calls, by name, and the numbers that it passes to them. Each
// does what the vendor's manual says of one instruction, or one family of them. Code hands over its
// thread and has noted before where it stands (ThreadWords::site). Next: Translation.h, which
// writes the calls.
#pragma once

#include "targets/simt/Checks.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tl::backend::simt {

/// An access in one word: bytes, the alignment that the instruction asks for as a power of two, and
/// the kind.
constexpr uint32_t accessWord(uint32_t bytes, uint32_t alignmentBits, AccessKind kind) {
  return bytes | alignmentBits << 16 | uint32_t(kind) << 24;
}

enum class ShuffleKind : uint32_t { up, down, butterfly, index };

enum class AtomicOperation : uint32_t {
  load,
  store,
  exchange,
  compareExchange,
  add,
  addF16,
  addBf16,
  addF32,
  addF64,
  bitAnd,
  bitOr,
  bitXor,
  maxSigned,
  minSigned,
  maxUnsigned,
  minUnsigned
};

/// An atomic access in one word: the operation, bytes, and whether it acquires and releases.
constexpr uint32_t atomicWord(AtomicOperation operation, uint32_t bytes, bool acquires,
                              bool releases) {
  return uint32_t(operation) | bytes << 8 | uint32_t(acquires) << 16 | uint32_t(releases) << 17;
}

/// Addresses of 32 bits in the shared memory of a cluster: from this bit on the block's number,
/// counted from 1; without a number they are the own block's.
constexpr unsigned clusterRankBit = 24;

enum class FenceKind : uint32_t { memory, agents };

/// Elements of matrix instructions and of conversions.
enum class Element : uint32_t { f16, bf16, tf32, f32, f64, s8, e4m3, e5m2, e4m3b8, e5m2b16, e2m1 };

/// A matrix product of warps in one word.
struct MatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  Element a = Element::f16, b = Element::f16;
  bool transposedA = false, transposedB = false, fromMemory = false; // of warp groups
  constexpr uint64_t word() const {
    return m | uint64_t(n) << 8 | uint64_t(k) << 20 | uint64_t(a) << 28 | uint64_t(b) << 32 |
           uint64_t(transposedA) << 36 | uint64_t(transposedB) << 37 | uint64_t(fromMemory) << 38;
  }
  static constexpr MatrixShape of(uint64_t word) {
    return {uint32_t(word & 255),     uint32_t(word >> 8 & 4095), uint32_t(word >> 20 & 255),
            Element(word >> 28 & 15), Element(word >> 32 & 15),   bool(word >> 36 & 1),
            bool(word >> 37 & 1),     bool(word >> 38 & 1)};
  }
};

/// AMD's matrix instructions, by how lanes hold the operands.
enum class MatrixFamily : uint32_t { mfma, wmma, wmmaOfWholeRows };

enum class ReduceKind : uint32_t { none, add, min, max, bitAnd, bitOr, bitXor };

using SymbolList = std::vector<std::pair<const char *, void *>>;

/// All of them.
const SymbolList &functionSymbols();

/// Parts of the list, one a file.
void addExchanges(SymbolList &list);       // shuffles, votes, barriers
void addMemoryFunctions(SymbolList &list); // accesses, atomics, fences, printing
void addConversions(SymbolList &list);     // of numbers, and approximations
void addWaveProducts(SymbolList &list);    // AMD's products, ds_read_b64_tr
void addMatrixFunctions(SymbolList &list); // products, ldmatrix and stmatrix
void addCopyFunctions(SymbolList &list);   // cp.async, TMA, mbarriers, tensor maps

/// Checks an access and tells the launch's checks of it.
void noteAccess(Thread &thread, uint64_t address, uint32_t bytes, uint32_t alignmentBits,
                AccessKind kind, Agent agent = Agent::thread);
/// Counts what it costs in the banks, if it is one of the block's shared memory and they are
/// counted. `number` is the access's in the code.
void countBanks(Thread &thread, uint64_t address, uint32_t bytes, AccessKind kind, uint32_t number);

} // namespace tl::backend::simt
