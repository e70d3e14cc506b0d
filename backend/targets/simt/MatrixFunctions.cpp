// SPDX-License-Identifier: MIT
//
// Matrix units of NVIDIA. A lane holds parts of the operands in a pattern that all instructions
// share: with g = lane / 4 and t = lane % 4, and registers of 32 bits that hold p elements,
//
//     first operand    register r    row g + 8 * (r % 2)     k = 4p * (r / 2) + p * t + 0 ... p-1
//     second operand   register r    column g                k = 4p * r       + p * t + 0 ... p-1
//     result           register r    row g + 8 * (r / 2)     column 2t + r % 2
//
// Elements.h has the arithmetic.
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Block.h"
#include "targets/simt/Elements.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace tl::backend::simt {

namespace {

void requireAllLanes(Warp &warp) {
  if (warp.here == (uint64_t(1) << 32) - 1)
    return;
  warp.block->fail(Block::running(),
                   Error(TL_RUNTIME_ERROR, "a matrix instruction lacks lanes of its warp, which "
                                           "have ended"));
}

struct Product {
  MatrixShape shape;
  uint32_t *words; // the first operand, the second, the sums
};

/// The packed elements of an operand from all lanes, rows by k; `rows` is 16 or, of the second
/// operand, 8.
template <class Factor>
void gatherFactor(Warp &warp, Factor *matrix, Element element, unsigned rows, unsigned k,
                  unsigned first, bool byColumns) {
  const unsigned packed = 32 / bitsOf(element), halvesOfRows = rows / 8,
                 registers = k / (4 * packed) * halvesOfRows;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint32_t *words = warp.operand<Product>(lane).words + first;
    for (unsigned reg = 0; reg < registers; ++reg) {
      const unsigned row = lane / 4 + 8 * (reg % halvesOfRows);
      const unsigned at = 4 * packed * (reg / halvesOfRows) + packed * (lane % 4);
      widen(&matrix[byColumns ? at * rows + row : row * k + at], byColumns ? rows : 1,
            reinterpret_cast<const unsigned char *>(&words[reg]), packed, element);
    }
  }
}

template <class Sum>
void transferSums(Warp &warp, Sum *sums, unsigned rows, unsigned n, unsigned first, bool out) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t *words = warp.operand<Product>(lane).words + first;
    for (unsigned reg = 0; reg < rows * n / 32; ++reg) {
      const unsigned row = lane / 4 + 8 * (reg / 2 % 2),
                     column = reg / 4 * 8 + 2 * (lane % 4) + reg % 2;
      Sum &sum = sums[row * n + column];
      if (out)
        std::memcpy(&words[reg], &sum, sizeof(Sum));
      else
        std::memcpy(&sum, &words[reg], sizeof(Sum));
    }
  }
}

template <class Number> void multiplyWords(Warp &warp, const MatrixShape &shape) {
  Number a[16 * 32], b[32 * 8], c[16 * 8];
  const unsigned packed = 32 / bitsOf(shape.a), registersA = shape.k / (4 * packed) * 2,
                 registersB = registersA / 2;
  gatherFactor(warp, a, shape.a, 16, shape.k, 0, false);
  gatherFactor(warp, b, shape.b, 8, shape.k, registersA, true);
  transferSums(warp, c, 16, 8, registersA + registersB, false);
  multiply(c, a, b, 16, 8, shape.k);
  transferSums(warp, c, 16, 8, registersA + registersB, true);
}

/// m8n8k4: a lane has one element of each operand and two sums.
void multiplyDoubles(Warp &warp) {
  double a[8 * 4], b[4 * 8], c[8 * 8];
  auto at = [&](unsigned lane, unsigned i) -> double & {
    return reinterpret_cast<double *>(warp.operand<Product>(lane).words)[i];
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    a[lane / 4 * 4 + lane % 4] = at(lane, 0);
    b[lane % 4 * 8 + lane / 4] = at(lane, 1);
    for (unsigned i = 0; i < 2; ++i)
      c[lane / 4 * 8 + lane % 4 * 2 + i] = at(lane, 2 + i);
  }
  multiply(c, a, b, 8, 8, 4);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i)
      at(lane, 2 + i) = c[lane / 4 * 8 + lane % 4 * 2 + i];
}

void multiplyInWarp(Warp &warp) {
  requireAllLanes(warp);
  const MatrixShape shape = warp.operand<Product>(0).shape;
  if (shape.a == Element::f64)
    multiplyDoubles(warp);
  else if (shape.a == Element::s8)
    multiplyWords<int32_t>(warp, shape);
  else
    multiplyWords<float>(warp, shape);
}

void callMultiply(Thread *thread, uint64_t shape, uint32_t *words) {
  Product product{MatrixShape::of(shape), words};
  thread->block->meet(*thread, &multiplyInWarp, &product);
}

// ---- Products of warp groups

struct GroupProduct : Product {
  uint64_t descriptorA, descriptorB;
};

/// Where an operand lies in shared memory.
class DescribedOperand {
public:
  DescribedOperand(Warp &warp, uint64_t descriptor, Element element, bool transposed)
      : base(warp.block->arena.base()), begin((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4), stride((descriptor >> 32 & 0x3fff) << 4),
        mode(unsigned(descriptor >> 62)), bytes(bitsOf(element) / 8), transposed(transposed) {
    width = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16;
  }

  /// The address of the element in a row (or column) at a k.
  uint64_t address(unsigned row, unsigned k) const {
    const unsigned along = (transposed ? row : k) * bytes, across = transposed ? k : row;
    uint64_t at = begin + along % width + across % 8 * width + across / 8 * stride;
    // Along k, an instruction reads no further than a pattern is wide, but where there is none.
    if (transposed || mode == 0)
      at += along / width * leading;
    else
      at += along / width * width;
    at &= 0x3ffff;
    // The swizzle works on addresses.
    if (mode == 1)
      at ^= (at >> 7 & 7) << 4;
    else if (mode == 2)
      at ^= (at >> 7 & 3) << 4;
    else if (mode == 3)
      at ^= (at >> 7 & 1) << 4;
    return base + at;
  }

private:
  const uint64_t base, begin, leading, stride;
  const unsigned mode, bytes;
  const bool transposed;
  unsigned width;
};

/// What it costs in the banks to read an operand by pieces of 16 bytes, eight of them at a time:
/// those of eight rows, or, of a transposed one, eight along k.
void countMatrices(BankConflicts &banks, const Thread &thread, const DescribedOperand &operand,
                   bool transposed, unsigned rowBegin, unsigned rows, unsigned k,
                   unsigned together) {
  const unsigned rowStep = transposed ? together : 8, step = transposed ? 8 : together;
  for (unsigned row = 0; row < rows; row += rowStep)
    for (unsigned at = 0; at < k; at += step) {
      std::array<uint32_t, 64> pieces{};
      for (unsigned i = 0; i < 8; ++i)
        pieces[i] = uint32_t(
            operand.address(rowBegin + row + (transposed ? 0 : i), at + (transposed ? i : 0)));
      banks.count(thread.site, pieces, 0xff, 16, AccessKind::read);
    }
}

template <class Number> void multiplyGroup(Warp &warp, const GroupProduct &product) {
  const MatrixShape &shape = product.shape;
  const unsigned n = shape.n, k = shape.k, together = 128 / bitsOf(shape.a);
  static thread_local std::vector<Number> a, b, c;
  a.resize(size_t(16) * k);
  b.resize(size_t(k) * n);
  c.resize(size_t(16) * n);
  Thread &thread = Block::running();
  BankConflicts *banks = warp.block->bankConflicts();
  // 16 bytes are neighbours whatever the swizzle is, along k or, of one that is transposed, the
  // rows. `rowStep`, `step`: between numbers, along the rows and along k. `isShared`: the warps of
  // the group all use it, and it is read once for them.
  auto fetch = [&](Number *to, uint64_t descriptor, Element element, bool transposed,
                   unsigned rowBegin, unsigned rows, unsigned rowStep, unsigned step,
                   bool isShared) {
    const DescribedOperand operand(warp, descriptor, element, transposed);
    if (banks && !(isShared && warp.number % 4))
      countMatrices(*banks, thread, operand, transposed, rowBegin, rows, k, together);
    for (unsigned row = 0; row < rows; row += transposed ? together : 1)
      for (unsigned at = 0; at < k; at += transposed ? 1 : together) {
        const uint64_t address = operand.address(rowBegin + row, at);
        noteAccess(thread, address, 16, 4, AccessKind::read, Agent::matrixProducts);
        widen(to + row * rowStep + at * step, transposed ? rowStep : step,
              reinterpret_cast<const unsigned char *>(address), together, element);
      }
  };
  if (shape.fromMemory)
    fetch(a.data(), product.descriptorA, shape.a, shape.transposedA, warp.number % 4 * 16, 16, k, 1,
          false);
  else
    gatherFactor(warp, a.data(), shape.a, 16, k, n / 2, false);
  fetch(b.data(), product.descriptorB, shape.b, shape.transposedB, 0, n, 1, n, true);
  transferSums(warp, c.data(), 16, n, 0, false);
  multiply(c.data(), a.data(), b.data(), 16, n, k);
  transferSums(warp, c.data(), 16, n, 0, true);
}

/// Each warp of the group has 16 rows, which it computes for itself.
void multiplyGroupInWarp(Warp &warp) {
  requireAllLanes(warp);
  const auto &product = warp.operand<GroupProduct>(0);
  if (product.shape.a == Element::s8)
    multiplyGroup<int32_t>(warp, product);
  else
    multiplyGroup<float>(warp, product);
}

void callMultiplyGroup(Thread *thread, uint64_t shape, uint32_t *words, uint64_t descriptorA,
                       uint64_t descriptorB) {
  GroupProduct product{{MatrixShape::of(shape), words}, descriptorA, descriptorB};
  thread->block->meet(*thread, &multiplyGroupInWarp, static_cast<Product *>(&product));
}

// ---- Tiles of 8 x 8 elements of 16 bits

struct Tiles {
  uint64_t address; // of a row
  uint32_t *words;
  uint32_t count;
  bool transposed, stores;
};

void moveTiles(Warp &warp) {
  requireAllLanes(warp);
  const uint32_t count = warp.operand<Tiles>(0).count;
  const bool transposed = warp.operand<Tiles>(0).transposed, stores = warp.operand<Tiles>(0).stores;
  for (unsigned tile = 0; tile < count; ++tile) {
    uint16_t elements[8][8];
    auto partOf = [&](unsigned lane, unsigned half) -> uint16_t & {
      const unsigned first = lane / 4, second = lane % 4 * 2 + half;
      return transposed ? elements[second][first] : elements[first][second];
    };
    std::array<uint32_t, 64> rows{};
    auto moveRows = [&] {
      for (unsigned row = 0; row < 8; ++row) {
        const unsigned lane = tile * 8 + row;
        const uint64_t address = warp.operand<Tiles>(lane).address;
        rows[row] = uint32_t(address);
        noteAccess(warp.block->thread(warp.number * 32 + lane), address, 16, 4,
                   stores ? AccessKind::write : AccessKind::read);
        auto *memory = reinterpret_cast<void *>(address);
        if (stores)
          std::memcpy(memory, elements[row], 16);
        else
          std::memcpy(elements[row], memory, 16);
      }
      if (BankConflicts *banks = warp.block->bankConflicts()) // lanes of a tile go together
        banks->count(Block::running().site, rows, 0xff, 16,
                     stores ? AccessKind::write : AccessKind::read);
    };
    if (!stores)
      moveRows();
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t &word = warp.operand<Tiles>(lane).words[tile];
      if (stores) {
        partOf(lane, 0) = uint16_t(word);
        partOf(lane, 1) = uint16_t(word >> 16);
      } else {
        word = partOf(lane, 0) | uint32_t(partOf(lane, 1)) << 16;
      }
    }
    if (stores)
      moveRows();
  }
}

void callLoadMatrix(Thread *thread, uint64_t address, uint32_t *words, uint32_t count,
                    uint32_t transposed) {
  Tiles tiles{address, words, count, transposed != 0, false};
  thread->block->meet(*thread, &moveTiles, &tiles);
}

void callStoreMatrix(Thread *thread, uint64_t address, uint32_t *words, uint32_t count,
                     uint32_t transposed) {
  Tiles tiles{address, words, count, transposed != 0, true};
  thread->block->meet(*thread, &moveTiles, &tiles);
}

void commitInWarp(Warp &warp) {
  if (Checks *checks = warp.block->checks())
    checks->commit(warp.block->thread(warp.number * warp.lanes), Agent::matrixProducts);
}

void callCommitProducts(Thread *thread) { thread->block->meet(*thread, &commitInWarp, nullptr); }

void waitInWarp(Warp &warp) {
  if (Checks *checks = warp.block->checks())
    for (unsigned lane = 0; lane < warp.lanes; ++lane)
      checks->waitFor(warp.block->thread(warp.number * warp.lanes + lane), Agent::matrixProducts,
                      warp.operand<uint32_t>(0), false);
}

void callWaitForProducts(Thread *thread, uint32_t pending) {
  thread->block->meet(*thread, &waitInWarp, &pending);
}

} // namespace

void addMatrixFunctions(SymbolList &list) {
  auto add = [&](const char *name, auto *function) {
    list.emplace_back(name, reinterpret_cast<void *>(function));
  };
  add("tl_simt_multiply", &callMultiply);
  add("tl_simt_multiply_group", &callMultiplyGroup);
  add("tl_simt_load_matrix", &callLoadMatrix);
  add("tl_simt_store_matrix", &callStoreMatrix);
  add("tl_simt_commit_products", &callCommitProducts);
  add("tl_simt_wait_for_products", &callWaitForProducts);
}

} // namespace tl::backend::simt
