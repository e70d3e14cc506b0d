// SPDX-License-Identifier: MIT
//
// Named layouts as products of identities; see the header for what each one is.
#include "layout/NamedLayouts.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace tl::backend {

namespace {

unsigned log2Exact(uint64_t value) {
  assert(value && (value & (value - 1)) == 0 && "extents are powers of two");
  return unsigned(__builtin_ctzll(value));
}

/// Outputs of a tensor, the last axis the most minor, all empty.
LinearLayout emptyTile(unsigned rank, const std::vector<std::string> &ins) {
  std::vector<LinearLayout::OutDim> outs;
  for (unsigned axis = rank; axis-- > 0;)
    outs.push_back({dimName(axis), 0});
  std::vector<LinearLayout::InDim> inDims;
  for (const std::string &in : ins)
    inDims.push_back({in, {}});
  return LinearLayout(std::move(inDims), std::move(outs));
}

const std::vector<std::string> distributedIns = {"register", "lane", "warp", "block"};

/// Makes a distributed layout as large as the shape: surplus bits of an axis hold nothing new,
/// missing ones are more registers. `order` lists axes from the first to be repeated.
LinearLayout fitToShape(const LinearLayout &layout, const Shape &shape,
                        const std::vector<unsigned> &order) {
  // Clip: bits beyond an axis vanish.
  std::vector<LinearLayout::InDim> ins;
  std::vector<LinearLayout::OutDim> outs;
  for (const auto &out : layout.outs()) {
    unsigned axis = unsigned(std::stoul(out.name.substr(3)));
    outs.push_back({out.name, std::min(out.bits, log2Exact(uint64_t(shape[axis])))});
  }
  for (const auto &in : layout.ins()) {
    LinearLayout::InDim clipped{in.name, {}};
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t image = 0;
      unsigned shift = 0;
      for (const auto &out : outs) {
        uint64_t mask = (uint64_t(1) << out.bits) - 1;
        if (out.bits)
          image |= (layout.image(in.name, bit, out.name) & mask) << shift;
        shift += out.bits;
      }
      // A register that holds what another one holds is no register at all.
      if (image || in.name != "register")
        clipped.images.push_back(image);
    }
    ins.push_back(std::move(clipped));
  }
  LinearLayout result(std::move(ins), std::move(outs));
  for (unsigned axis : order) {
    unsigned have = result.outBits(dimName(axis));
    unsigned want = log2Exact(uint64_t(shape[axis]));
    if (want > have)
      result = result * LinearLayout::identity("register", dimName(axis), want - have);
  }
  return result;
}

/// Warps along the axes, the last axis the fastest.
LinearLayout warpsAlong(const std::vector<unsigned> &warps, const std::vector<unsigned> &order) {
  LinearLayout result = emptyTile(unsigned(warps.size()), {"warp"});
  for (unsigned axis : order)
    result = result * LinearLayout::identity("warp", dimName(axis), log2Exact(warps[axis]));
  return result;
}

} // namespace

std::string dimName(unsigned axis) { return "dim" + std::to_string(axis); }

LinearLayout blockedLayout(const Shape &shape, const Blocked &blocked) {
  unsigned rank = unsigned(shape.size());
  LinearLayout tile = emptyTile(rank, distributedIns);
  auto distribute = [&](const char *in, const std::vector<unsigned> &counts) {
    for (unsigned axis : blocked.order)
      tile = tile * LinearLayout::identity(in, dimName(axis), log2Exact(counts[axis]));
  };
  distribute("register", blocked.registers);
  distribute("lane", blocked.lanes);
  distribute("warp", blocked.warps);
  return fitToShape(tile, shape, blocked.order);
}

std::vector<unsigned> lastAxisFirst(unsigned rank) {
  std::vector<unsigned> order;
  for (unsigned axis = rank; axis-- > 0;)
    order.push_back(axis);
  return order;
}

LinearLayout distributedLayout(const Shape &shape, const std::vector<unsigned> &order,
                               const std::vector<unsigned> &perThread, unsigned lanes,
                               unsigned warps) {
  unsigned rank = unsigned(shape.size());
  std::vector<unsigned> ones(rank, 1);
  Blocked blocked{ones, ones, ones, order};
  if (rank == 0)
    return blockedLayout(shape, blocked);
  std::vector<uint64_t> left(shape.begin(), shape.end());
  for (size_t i = 0; i < perThread.size(); ++i) {
    blocked.registers[order[i]] = unsigned(std::min<uint64_t>(perThread[i], left[order[i]]));
    left[order[i]] /= blocked.registers[order[i]];
  }
  auto distribute = [&](std::vector<unsigned> &counts, unsigned count) {
    for (unsigned axis : order) {
      unsigned part = unsigned(std::min<uint64_t>(count, left[axis]));
      counts[axis] = part;
      left[axis] /= part;
      count /= part;
    }
    counts[order.back()] *= count; // what is left over holds copies
  };
  distribute(blocked.lanes, lanes);
  distribute(blocked.warps, warps);
  return blockedLayout(shape, blocked);
}

LinearLayout plainLayout(const Shape &shape, unsigned lanes, unsigned warps) {
  return distributedLayout(shape, lastAxisFirst(unsigned(shape.size())), {1}, lanes, warps);
}

LinearLayout productLayout(const Shape &shape, unsigned lanes, unsigned warps) {
  unsigned rank = unsigned(shape.size()), m = rank - 2, n = rank - 1;
  std::vector<unsigned> ones(rank, 1);
  Blocked best{ones, ones, ones, lastAxisFirst(rank)};
  // Products of a batch go to warps of their own, as far as there are.
  unsigned warpsOfOne = warps;
  for (unsigned axis = 0; axis < m; ++axis) {
    best.warps[axis] = unsigned(std::min<uint64_t>(warpsOfOne, uint64_t(shape[axis])));
    warpsOfOne /= best.warps[axis];
  }
  auto perThread = [&](unsigned axis, unsigned threads) {
    return std::max<uint64_t>(1, uint64_t(shape[axis]) / threads);
  };
  // Rows and columns read, then warps and lanes along a row, which a reduction has to cross. Eight
  // lanes of four columns read whole lines.
  using Cost = std::tuple<uint64_t, unsigned, unsigned>;
  Cost least{~uint64_t(0), 0, 0};
  for (unsigned warpsN = 1; warpsN <= warpsOfOne; warpsN *= 2)
    for (unsigned lanesN = 1; lanesN <= lanes; lanesN *= 2) {
      uint64_t rows = perThread(m, warpsOfOne / warpsN * (lanes / lanesN));
      uint64_t columns = perThread(n, warpsN * lanesN);
      Cost cost{rows + columns, warpsN, lanesN < 8 ? 8 / lanesN : lanesN / 8};
      if (cost >= least)
        continue;
      least = cost;
      best.warps[m] = warpsOfOne / warpsN, best.warps[n] = warpsN;
      best.lanes[m] = lanes / lanesN, best.lanes[n] = lanesN;
      best.registers[m] = unsigned(std::min<uint64_t>(4, rows));
      best.registers[n] = unsigned(std::min<uint64_t>(4, columns));
    }
  LinearLayout layout = blockedLayout(shape, best);
  const unsigned lanesN = log2Exact(best.lanes[n]);
  if (lanesN == 0 || best.lanes[m] == 1)
    return layout;
  // The first bit of the rows comes before those of the columns.
  std::vector<LinearLayout::InDim> ins = layout.ins();
  for (auto &in : ins)
    if (in.name == "lane")
      std::rotate(in.images.begin(), in.images.begin() + lanesN, in.images.begin() + lanesN + 1);
  return LinearLayout(std::move(ins), layout.outs());
}

LinearLayout productOperand(const LinearLayout &product, unsigned index, int64_t k) {
  unsigned rank = unsigned(product.outs().size());
  std::string along = dimName(index == 0 ? rank - 1 : rank - 2);
  return emptyTile(rank, distributedIns) *
         LinearLayout::identity("register", along, log2Exact(uint64_t(k))) *
         product.dropOut(along).withoutZeroBits("register");
}

LinearLayout sliceLayout(const LinearLayout &parent, unsigned axis) {
  LinearLayout slice = parent.dropOut(dimName(axis));
  // Axes after the lost one move up.
  unsigned rank = unsigned(parent.outs().size());
  for (unsigned later = axis + 1; later < rank; ++later)
    slice = slice.renameOut(dimName(later), dimName(later - 1));
  // Registers that only counted along the axis are gone.
  std::vector<LinearLayout::InDim> ins = slice.ins();
  for (auto &in : ins)
    if (in.name == "register") {
      std::vector<uint64_t> kept;
      for (uint64_t image : in.images)
        if (image)
          kept.push_back(image);
      in.images = kept;
    }
  return LinearLayout(std::move(ins), slice.outs());
}

LinearLayout mma2Accumulator(const Shape &shape, const std::vector<unsigned> &warps,
                             unsigned elementBits) {
  unsigned rank = unsigned(shape.size());
  unsigned m = rank - 2, n = rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  tile = tile * LinearLayout::identity("register", dimName(n), 1);
  tile = tile * LinearLayout::identity("lane", dimName(n), 2);
  tile = tile * LinearLayout::identity("lane", dimName(m), 3);
  if (elementBits != 64)
    tile = tile * LinearLayout::identity("register", dimName(m), 1);
  tile = tile * warpsAlong(warps, lastAxisFirst(rank));
  return fitToShape(tile, shape, lastAxisFirst(rank));
}

std::vector<unsigned> wgmmaWarps(const Shape &shape, unsigned warps) {
  unsigned along = unsigned(std::min<int64_t>(warps, shape[0] / 16));
  return {along, warps / along};
}

LinearLayout wgmmaAccumulator(const Shape &shape, unsigned instructionN,
                              const std::vector<unsigned> &warps) {
  assert(shape.size() == 2 && instructionN >= 8);
  LinearLayout tile = emptyTile(2, distributedIns);
  tile = tile * LinearLayout::identity("register", "dim1", 1);
  tile = tile * LinearLayout::identity("lane", "dim1", 2);
  tile = tile * LinearLayout::identity("lane", "dim0", 3);
  tile = tile * LinearLayout::identity("register", "dim0", 1);
  tile = tile * LinearLayout::identity("register", "dim1", log2Exact(instructionN) - 3);
  // The four warps of a group are always stacked along m; groups follow, m first.
  tile = tile * LinearLayout::identity("warp", "dim0", log2Exact(warps[0]));
  tile = tile * LinearLayout::identity("warp", "dim1", log2Exact(warps[1]));
  return fitToShape(tile, shape, {1, 0});
}

namespace {

/// Where a warp's tile of an operand repeats first: along k, then along the other axis.
std::vector<unsigned> operandOrder(unsigned rank, unsigned index) {
  std::vector<unsigned> order = lastAxisFirst(rank);
  if (index == 1)
    std::swap(order[0], order[1]);
  return order;
}

/// The warps of an accumulator as an operand sees them: those along `k`, the axis that the operand
/// does not share with the accumulator, hold the same data. `order` lists the fastest axis first.
LinearLayout operandWarps(const std::vector<unsigned> &warps, unsigned k,
                          const std::vector<unsigned> &order) {
  LinearLayout result = emptyTile(unsigned(warps.size()), {"warp"});
  for (unsigned axis : order) {
    unsigned count = log2Exact(warps[axis]);
    result = result * (axis == k ? LinearLayout::zeros("warp", dimName(axis), count)
                                 : LinearLayout::identity("warp", dimName(axis), count));
  }
  return result;
}

/// The tile of one warp of an operand of mma.sync m16n8 in elements of `bits` bits.
LinearLayout mmaOperandTile(unsigned rank, unsigned index, unsigned bits) {
  // k is the inner axis of A and the outer one of B.
  unsigned k = index == 0 ? rank - 1 : rank - 2;
  unsigned other = index == 0 ? rank - 2 : rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  // A register of 32 bits holds neighbours along k; f64 has one element in two registers.
  unsigned packed = bits >= 32 ? 0 : log2Exact(32 / bits);
  tile = tile * LinearLayout::identity("register", dimName(k), packed);
  tile = tile * LinearLayout::identity("lane", dimName(k), 2);
  tile = tile * LinearLayout::identity("lane", dimName(other), 3);
  if (bits == 64)
    return tile; // m8n8k4: one element each
  if (index == 0)
    tile = tile * LinearLayout::identity("register", dimName(other), 1);
  return tile * LinearLayout::identity("register", dimName(k), 1);
}

} // namespace

LinearLayout mma2Operand(const Shape &shape, unsigned index, unsigned bits,
                         const std::vector<unsigned> &warps) {
  unsigned rank = unsigned(shape.size());
  unsigned k = index == 0 ? rank - 1 : rank - 2;
  LinearLayout tile =
      mmaOperandTile(rank, index, bits) * operandWarps(warps, k, lastAxisFirst(rank));
  return fitToShape(tile, shape, operandOrder(rank, index));
}

LinearLayout wgmmaOperand(const Shape &shape, unsigned bits, const std::vector<unsigned> &warps) {
  assert(shape.size() == 2);
  LinearLayout tile = mmaOperandTile(2, 0, bits) * operandWarps(warps, 1, {0, 1});
  return fitToShape(tile, shape, {1, 0});
}

LinearLayout fmaOperand(const Shape &shape, unsigned index, const Blocked &accumulator) {
  unsigned rank = unsigned(shape.size());
  unsigned k = index == 0 ? rank - 1 : rank - 2;
  LinearLayout tile = emptyTile(rank, distributedIns);
  tile = tile * LinearLayout::identity("register", dimName(k), log2Exact(uint64_t(shape[k])));
  auto distribute = [&](const char *in, const std::vector<unsigned> &counts) {
    for (unsigned axis : accumulator.order) {
      unsigned count = log2Exact(counts[axis]);
      tile = tile * (axis == k ? LinearLayout::zeros(in, dimName(axis), count)
                               : LinearLayout::identity(in, dimName(axis), count));
    }
  };
  distribute("register", accumulator.registers);
  distribute("lane", accumulator.lanes);
  distribute("warp", accumulator.warps);
  tile = tile.withoutZeroBits("register");
  return fitToShape(tile, shape, accumulator.order);
}

LinearLayout mfmaAccumulator(const Shape &shape, unsigned side, const std::vector<unsigned> &warps,
                             unsigned elementBits) {
  assert(side == 16 || side == 32);
  unsigned rank = unsigned(shape.size());
  unsigned m = rank - 2, n = rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  // Four rows a lane; lanes run along n, then on along m.
  if (elementBits != 64)
    tile = tile * LinearLayout::identity("register", dimName(m), 2);
  tile = tile * LinearLayout::identity("lane", dimName(n), log2Exact(side));
  tile = tile * LinearLayout::identity("lane", dimName(m), 6 - log2Exact(side));
  if (side == 32 || elementBits == 64)
    tile = tile * LinearLayout::identity("register", dimName(m), 2);
  tile = tile * warpsAlong(warps, lastAxisFirst(rank));
  return fitToShape(tile, shape, lastAxisFirst(rank));
}

LinearLayout mfmaOperand(const Shape &shape, unsigned index, unsigned side, unsigned kWidth,
                         const std::vector<unsigned> &warps) {
  unsigned rank = unsigned(shape.size());
  unsigned k = index == 0 ? rank - 1 : rank - 2;
  unsigned other = index == 0 ? rank - 2 : rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  tile = tile * LinearLayout::identity("register", dimName(k), log2Exact(kWidth));
  tile = tile * LinearLayout::identity("lane", dimName(other), log2Exact(side));
  tile = tile * LinearLayout::identity("lane", dimName(k), 6 - log2Exact(side));
  tile = tile * operandWarps(warps, k, lastAxisFirst(rank));
  return fitToShape(tile, shape, operandOrder(rank, index));
}

LinearLayout wmmaAccumulator(const Shape &shape, unsigned version,
                             const std::vector<unsigned> &warps) {
  unsigned rank = unsigned(shape.size());
  unsigned m = rank - 2, n = rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  tile = tile * LinearLayout::identity("lane", dimName(n), 4);
  if (version == 1)
    tile = tile * LinearLayout::identity("lane", dimName(m), 1);
  tile = tile * LinearLayout::identity("register", dimName(m), 3);
  if (version == 2)
    tile = tile * LinearLayout::identity("lane", dimName(m), 1);
  tile = tile * warpsAlong(warps, lastAxisFirst(rank));
  return fitToShape(tile, shape, lastAxisFirst(rank));
}

LinearLayout wmmaOperand(const Shape &shape, unsigned index, unsigned version, unsigned kWidth,
                         const std::vector<unsigned> &warps) {
  unsigned rank = unsigned(shape.size());
  unsigned k = index == 0 ? rank - 1 : rank - 2;
  unsigned other = index == 0 ? rank - 2 : rank - 1;
  LinearLayout tile = emptyTile(rank, distributedIns);
  tile = tile * LinearLayout::identity("register", dimName(k), log2Exact(kWidth));
  tile = tile * LinearLayout::identity("lane", dimName(other), 4);
  tile = tile * (version == 1 ? LinearLayout::zeros("lane", dimName(k), 1)
                              : LinearLayout::identity("lane", dimName(k), 1));
  tile = tile * operandWarps(warps, k, lastAxisFirst(rank));
  return fitToShape(tile, shape, operandOrder(rank, index));
}

LinearLayout rowMajorShared(const Shape &shape, const std::vector<unsigned> &order) {
  LinearLayout tile = emptyTile(unsigned(shape.size()), {"offset", "block"});
  for (unsigned axis : order)
    tile = tile * LinearLayout::identity("offset", dimName(axis), log2Exact(uint64_t(shape[axis])));
  return tile;
}

namespace {

/// Adds to the offset bits of the second fastest axis a flip of the fastest one: row bit
/// `rowBit + i` flips column bit `columnBit + i`, for i < count, as far as the shape goes.
LinearLayout flipColumnsByRow(const LinearLayout &plain, const std::vector<unsigned> &order,
                              unsigned rowBit, unsigned columnBit, unsigned count) {
  if (order.size() < 2)
    return plain;
  std::string column = dimName(order[0]);
  unsigned columnBits = plain.outBits(column), rowBits = plain.outBits(dimName(order[1]));
  unsigned shift = 0;
  for (const auto &out : plain.outs()) {
    if (out.name == column)
      break;
    shift += out.bits;
  }
  std::vector<LinearLayout::InDim> ins = plain.ins();
  for (unsigned i = 0; i < count; ++i)
    if (rowBit + i < rowBits && columnBit + i < columnBits)
      ins[0].images[columnBits + rowBit + i] ^= uint64_t(1) << (shift + columnBit + i);
  return LinearLayout(std::move(ins), plain.outs());
}

} // namespace

LinearLayout swizzledShared(const Shape &shape, const std::vector<unsigned> &order,
                            const Swizzle &swizzle) {
  return flipColumnsByRow(rowMajorShared(shape, order), order, log2Exact(swizzle.perPhase),
                          log2Exact(swizzle.vector), log2Exact(swizzle.maxPhase));
}

LinearLayout hardwareSwizzledShared(const Shape &shape, const std::vector<unsigned> &order,
                                    unsigned elementBits, unsigned swizzleBytes) {
  assert(order.size() >= 2 &&
         (swizzleBytes == 0 || swizzleBytes == 32 || swizzleBytes == 64 || swizzleBytes == 128));
  unsigned rowBytes = swizzleBytes ? swizzleBytes : 16;
  int64_t panel = int64_t(rowBytes) * 8 / elementBits;
  assert(shape[order[0]] >= panel && "the tile is as wide as the pattern");
  Shape panelShape = shape;
  panelShape[order[0]] = panel;
  LinearLayout tile = rowMajorShared(panelShape, order) *
                      LinearLayout::identity("offset", dimName(order[0]),
                                             log2Exact(uint64_t(shape[order[0]] / panel)));
  if (!swizzleBytes)
    return tile;
  // In elements: bit 4 + i of an address is bit `piece + i` of the offset.
  unsigned piece = log2Exact(128 / elementBits);
  std::vector<LinearLayout::InDim> ins = tile.ins();
  std::vector<uint64_t> &images = ins[0].images;
  for (unsigned i = 0; i < log2Exact(swizzleBytes / 16); ++i)
    if (piece + 3 + i < images.size())
      images[piece + 3 + i] ^= images[piece + i];
  return LinearLayout(std::move(ins), tile.outs());
}

} // namespace tl::backend
