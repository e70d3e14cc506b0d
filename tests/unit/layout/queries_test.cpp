// SPDX-License-Identifier: MIT
//
// The answers of Queries.h on random layouts, against answers found by looking at every thread and
// every register.
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tl::backend;

namespace {

using Random = std::mt19937_64;

/// Bits of each input dimension of the layouts of this file, small enough to look at all of them.
struct Bits {
  unsigned registers, lanes, warps, blocks;
  unsigned all() const { return registers + lanes + warps + blocks; }
};

LinearLayout distributed(const std::vector<uint64_t> &images, const Bits &bits, unsigned outBits) {
  auto at = images.begin();
  auto take = [&](unsigned count) {
    std::vector<uint64_t> part(at, at + count);
    at += count;
    return part;
  };
  unsigned low = outBits / 2;
  std::vector<LinearLayout::InDim> ins;
  ins.push_back({"register", take(bits.registers)});
  ins.push_back({"lane", take(bits.lanes)});
  ins.push_back({"warp", take(bits.warps)});
  ins.push_back({"block", take(bits.blocks)});
  return LinearLayout(std::move(ins), {{"dim1", low}, {"dim0", outBits - low}});
}

/// A layout that holds every element: single bits in a random order, zeros for copies, and
/// sometimes a few xors among them.
LinearLayout randomLayout(Random &random, const Bits &bits, unsigned outBits) {
  std::vector<uint64_t> images;
  for (unsigned bit = 0; bit < bits.all(); ++bit)
    images.push_back(bit < outBits ? uint64_t(1) << bit : 0);
  std::shuffle(images.begin(), images.end(), random);
  if (!images.empty() && random() % 2)
    for (unsigned change = unsigned(random() % 4); change > 0; --change) {
      size_t to = random() % images.size(), by = random() % images.size();
      if (to != by)
        images[to] ^= images[by];
    }
  return distributed(images, bits, outBits);
}

struct Holder {
  uint64_t reg, lane, warp, block;
};
Holder holderOf(uint64_t flat, const Bits &bits) {
  auto take = [&](unsigned count) {
    uint64_t part = flat & ((uint64_t(1) << count) - 1);
    flat >>= count;
    return part;
  };
  Holder holder{};
  holder.reg = take(bits.registers);
  holder.lane = take(bits.lanes);
  holder.warp = take(bits.warps);
  holder.block = take(bits.blocks);
  return holder;
}

uint64_t only(const LinearLayout::Index &index, const std::string &name) {
  for (const auto &[dim, value] : index)
    if (dim == name)
      return value;
  return 0;
}

LinearLayout::Index indexOf(const Holder &holder) {
  return {{"register", holder.reg},
          {"lane", holder.lane},
          {"warp", holder.warp},
          {"block", holder.block}};
}

} // namespace

TEST_CASE("the movement of a conversion is the least that its threads need") {
  Random random(11);
  std::map<Movement, int> seen;
  for (int iteration = 0; iteration < 3000; ++iteration) {
    Bits bits{unsigned(random() % 4), unsigned(random() % 3), unsigned(random() % 3),
              unsigned(random() % 2)};
    Bits toBits = bits;
    toBits.registers = unsigned(random() % 4);
    unsigned outBits = std::min(bits.all(), toBits.all());
    outBits -= unsigned(random() % 2) * std::min(outBits, unsigned(random() % 3));
    LinearLayout from = randomLayout(random, bits, outBits);
    LinearLayout to = random() % 4 ? randomLayout(random, toBits, outBits) : from;
    if (to == from)
      toBits = bits;
    if (!from.isSurjective() || !to.isSurjective())
      continue;
    CAPTURE(from.toString());
    CAPTURE(to.toString());
    Movement least = Movement::None;
    for (uint64_t reader = 0; reader < uint64_t(1) << toBits.all(); ++reader) {
      Holder mine = holderOf(reader, toBits);
      Movement best = Movement::Blocks;
      for (uint64_t holder = 0; holder < uint64_t(1) << bits.all(); ++holder) {
        if (from.apply(holder) != to.apply(reader))
          continue;
        Holder its = holderOf(holder, bits);
        Movement need = its.block != mine.block ? Movement::Blocks
                        : its.warp != mine.warp ? Movement::Warps
                        : its.lane != mine.lane ? Movement::Lanes
                        : its.reg != mine.reg   ? Movement::Registers
                                                : Movement::None;
        best = std::min(best, need);
      }
      least = std::max(least, best);
    }
    if (bits.registers != toBits.registers)
      least = std::max(least, Movement::Registers);
    Conversion how = conversion(from, to);
    // In order or not is the choice among copies in one thread, which the answer need not find.
    if (least == Movement::None)
      CHECK(how.movement <= Movement::Registers);
    else
      CHECK(how.movement == least);
    ++seen[how.movement];
    for (uint64_t reader = 0; reader < uint64_t(1) << toBits.all(); ++reader) {
      Holder mine = holderOf(reader, toBits);
      auto source = how.sources.apply(indexOf(mine));
      CHECK(from.apply(source) == to.apply(indexOf(mine)));
      if (how.movement < Movement::Blocks)
        CHECK(only(source, "block") == mine.block);
      if (how.movement < Movement::Warps)
        CHECK(only(source, "warp") == mine.warp);
      if (how.movement < Movement::Lanes)
        CHECK(only(source, "lane") == mine.lane);
      if (how.movement == Movement::None)
        CHECK(only(source, "register") == mine.reg);
    }
  }
  for (Movement movement :
       {Movement::None, Movement::Registers, Movement::Lanes, Movement::Warps, Movement::Blocks})
    CHECK(seen[movement] > 50);
}

TEST_CASE("a plan of shuffles gives every lane what it wants") {
  Random random(12);
  int plans = 0, dependent = 0, bijections = 0, fixed = 0;
  for (int iteration = 0; iteration < 4000; ++iteration) {
    Bits bits{unsigned(random() % 4), unsigned(1 + random() % 4), unsigned(random() % 2), 0};
    Bits toBits = bits;
    unsigned outBits = bits.all();
    if (random() % 4 == 0) {
      outBits -= std::min(outBits, unsigned(random() % 3));
      toBits.registers = unsigned(random() % 4);
      outBits = std::min(outBits, toBits.all());
    }
    LinearLayout from = randomLayout(random, bits, outBits);
    LinearLayout to = randomLayout(random, toBits, outBits);
    if (random() % 2) {
      // Most random pairs move data among warps: mix registers and lanes of one layout.
      std::vector<uint64_t> images;
      for (const auto &in : from.ins())
        images.insert(images.end(), in.images.begin(), in.images.end());
      std::shuffle(images.begin(), images.begin() + bits.registers + bits.lanes, random);
      for (int change = 0; change < 3; ++change) {
        size_t within = bits.registers + bits.lanes;
        size_t a = random() % within, b = random() % within;
        if (a != b)
          images[a] ^= images[b];
      }
      to = distributed(images, bits, outBits);
      toBits = bits;
    }
    if (!from.isSurjective() || !to.isSurjective())
      continue;
    CAPTURE(from.toString());
    CAPTURE(to.toString());
    auto plan = shufflePlan(from, to);
    bool near = movement(from, to) <= Movement::Lanes;
    if (!near) {
      CHECK_FALSE(plan);
      continue;
    }
    if (from.isBijective() && to.isBijective()) {
      ++bijections;
      CHECK(plan);
    }
    if (!plan)
      continue;
    ++plans;
    dependent += !plan->presented.sublayoutIsZero({"lane"}, {"register"});
    // Where all threads want the same register of another lane, none has a choice to make.
    if (conversion(from, to).sources.sublayoutIsZero({"lane", "warp", "block"}, {"register"})) {
      ++fixed;
      CHECK(plan->presented.sublayoutIsZero({"lane", "warp", "block"}, {"register"}));
      CHECK(plan->step.sublayoutIsZero({"lane", "warp", "block"}, {"register"}));
    }
    for (uint64_t reader = 0; reader < uint64_t(1) << toBits.all(); ++reader) {
      Holder mine = holderOf(reader, toBits);
      uint64_t k = only(plan->step.apply(indexOf(mine)), "register");
      uint64_t lane =
          only(plan->read.apply(indexOf({k, mine.lane, mine.warp, mine.block})), "lane");
      uint64_t reg =
          only(plan->presented.apply(indexOf({k, lane, mine.warp, mine.block})), "register");
      CHECK(from.apply(indexOf({reg, lane, mine.warp, mine.block})) == to.apply(indexOf(mine)));
    }
  }
  CHECK(plans > 500);
  CHECK(dependent > 200);
  CHECK(fixed > 50);
  CHECK(bijections > 200);
}

TEST_CASE("an access of shared memory is contiguous, and its conflicts are those of the banks") {
  Random random(13);
  for (int iteration = 0; iteration < 500; ++iteration) {
    Bits bits{3, 5, 1, 0};
    LinearLayout from = randomLayout(random, bits, 9);
    if (!from.isSurjective())
      continue;
    LinearLayout shared = rowMajorShared({32, 16}, {1, 0});
    if (random() % 2)
      shared = swizzledShared({32, 16}, {1, 0}, {2, 1, 8});
    unsigned bytes = 1u << random() % 4;
    // Outputs of the two must have the same sizes.
    from = from.reshapeOuts({{"dim1", 4}, {"dim0", 5}});
    LinearLayout offsets = sharedOffsets(from, shared);
    for (uint64_t flat = 0; flat < 512; ++flat) {
      auto at = offsets.apply(indexOf(holderOf(flat, bits)));
      CHECK(shared.apply({{"offset", only(at, "offset")}}) ==
            from.apply(indexOf(holderOf(flat, bits))));
    }
    SharedAccess access = sharedAccess(from, shared, bytes);
    CHECK(access.elements * bytes <= 16);
    auto offset = [&](uint64_t reg, uint64_t lane, uint64_t warp) {
      return only(offsets.apply(indexOf({reg, lane, warp, 0})), "offset");
    };
    unsigned mask = 0;
    for (unsigned bit : access.registerBits)
      mask |= 1u << bit;
    unsigned worst = 1;
    for (uint64_t warp = 0; warp < 2; ++warp)
      for (uint64_t reg = 0; reg < 8; ++reg) {
        if (reg & mask)
          continue;
        for (uint64_t lane = 0; lane < 32; ++lane) {
          uint64_t first = offset(reg, lane, warp);
          CHECK(first % access.elements == 0);
          for (unsigned i = 0; i < access.elements; ++i) {
            uint64_t other = reg;
            for (unsigned bit = 0; bit < access.registerBits.size(); ++bit)
              if (i >> bit & 1)
                other |= uint64_t(1) << access.registerBits[bit];
            CHECK(offset(other, lane, warp) == first + i);
          }
        }
        // 128 bytes at once: lanes that ask for the same word are served together.
        unsigned width = std::max(4u, access.elements * bytes), together = 128 / width;
        for (uint64_t begin = 0; begin < 32; begin += together) {
          std::map<uint64_t, std::set<uint64_t>> words;
          for (uint64_t lane = begin; lane < std::min<uint64_t>(32, begin + together); ++lane)
            for (uint64_t byte = 0; byte < access.elements * bytes; ++byte) {
              uint64_t word = (offset(reg, lane, warp) * bytes + byte) / 4;
              words[word % 32].insert(word);
            }
          for (const auto &[bank, found] : words)
            worst = std::max(worst, unsigned(found.size()));
        }
      }
    CHECK(bankConflicts(from, shared, bytes, access) == worst);
  }
}

/// Whether ldmatrix, as it is defined, brings what the layout says: lane l gets from tile t word
/// l % 4 of the row that lane 8 t + l / 4 points to; transposed, element l / 4 of two rows.
static void checkMatrixAccess(const LinearLayout &layout, const LinearLayout &shared,
                              unsigned bytes) {
  auto access = matrixAccess(layout, shared, bytes);
  REQUIRE(access.has_value());
  LinearLayout offsets = sharedOffsets(layout, shared);
  auto at = [](const LinearLayout &map, uint64_t reg, uint64_t lane, uint64_t warp) {
    return only(map.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}), "offset");
  };
  auto spread = [](uint64_t number, const std::vector<unsigned> &bits) {
    uint64_t reg = 0;
    for (unsigned i = 0; i < bits.size(); ++i)
      reg |= (number >> i & 1) << bits[i];
    return reg;
  };
  uint64_t perWord = 4 / bytes, tiles = uint64_t(1) << access->tileBits.size();
  uint64_t own = spread(perWord * tiles - 1, [&] {
    std::vector<unsigned> all = access->wordBits;
    all.insert(all.end(), access->tileBits.begin(), access->tileBits.end());
    return all;
  }());
  bool right = true;
  for (uint64_t first = 0; first < uint64_t(1) << layout.inBits("register"); ++first)
    if (!(first & own))
      for (uint64_t warp = 0; warp < uint64_t(1) << layout.inBits("warp"); ++warp)
        for (uint64_t tile = 0; tile < tiles; ++tile)
          for (uint64_t lane = 0; lane < 32; ++lane)
            for (uint64_t i = 0; i < perWord; ++i) {
              uint64_t row = access->transposed ? lane % 4 * 2 + i : lane / 4;
              uint64_t within = access->transposed ? lane / 4 : lane % 4 * perWord + i;
              uint64_t reg = first | spread(i, access->wordBits) | spread(tile, access->tileBits);
              uint64_t begin = at(access->rows, first, tile * 8 + row, warp);
              right &= begin * bytes % 16 == 0 && begin + within == at(offsets, reg, lane, warp);
            }
  CHECK(right);
}

TEST_CASE("ldmatrix fits where each lane finds its part of a row of 16 bytes") {
  // What the instruction does, for the matrices of all registers: lane l gets the l % 4-th word of
  // row l / 4, or with .trans the elements 2 (l % 4) and 2 (l % 4) + 1 of column l / 4.
  auto fits = [](const LinearLayout &layout, const LinearLayout &shared, unsigned bytes,
                 bool transposed) {
    LinearLayout offsets = sharedOffsets(layout, shared);
    unsigned packed = 4 / bytes, registers = 1u << layout.inBits("register");
    if (registers < packed)
      return false;
    auto offset = [&](uint64_t reg, uint64_t lane, uint64_t warp) {
      return only(offsets.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}), "offset");
    };
    for (uint64_t warp = 0; warp < uint64_t(1) << layout.inBits("warp"); ++warp)
      for (uint64_t word = 0; word < registers / packed; ++word)
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t i = 0; i < packed; ++i) {
            uint64_t reg = word * packed + i;
            uint64_t begin = transposed ? offset(reg, lane % 4, warp)
                                        : offset(word * packed, lane / 4 * 4, warp);
            uint64_t within = transposed ? lane / 4 : lane % 4 * packed + i;
            if (begin * bytes % 16 || offset(reg, lane, warp) != begin + within)
              return false;
          }
    return true;
  };
  int yes = 0;
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned index : {0u, 1u})
      for (bool transposed : {false, true})
        for (int memory = 0; memory < 6; ++memory) {
          unsigned bytes = bits / 8;
          Shape shape = {64, 64};
          std::vector<unsigned> order =
              memory % 2 ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
          LinearLayout shared = memory < 2   ? rowMajorShared(shape, order)
                                : memory < 4 ? hardwareSwizzledShared(shape, order, bits, 64)
                                             : swizzledShared(shape, order, {16 / bytes, 1, 4});
          for (const LinearLayout &layout :
               {mma2Operand(shape, index, bits, {2, 2}), mma2Accumulator(shape, {2, 2}),
                plainLayout(shape, 32, 4)}) {
            if (transposed && bytes != 2) {
              CHECK_FALSE(matrixAccessFits(layout, shared, bytes, true));
              continue;
            }
            CAPTURE(bits);
            CAPTURE(index);
            CAPTURE(memory);
            CAPTURE(transposed);
            bool expected = fits(layout, shared, bytes, transposed);
            yes += expected;
            CHECK(matrixAccessFits(layout, shared, bytes, transposed) == expected);
            if (expected)
              checkMatrixAccess(layout, shared, bytes);
          }
        }
  CHECK(yes > 20);
}

TEST_CASE("columns fit where lanes that are neighbours find what they want side by side") {
  // What the instruction does: a group of 16 lanes reads rows of 16 elements by pieces of 8 bytes,
  // and each of them gets a column.
  int yes = 0;
  for (unsigned bytes : {1u, 2u})
    for (unsigned side : {16u, 32u})
      for (unsigned kWidth : {4u, 8u, 16u})
        for (unsigned index : {0u, 1u})
          for (int memory = 0; memory < 4; ++memory) {
            const Shape shape = {64, 128};
            const std::vector<unsigned> order =
                memory % 2 ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
            const LinearLayout shared = memory < 2
                                            ? rowMajorShared(shape, order)
                                            : swizzledShared(shape, order, {16 / bytes, 1, 4});
            const LinearLayout layout = mfmaOperand(shape, index, side, kWidth, {2, 2});
            const auto access = matrixAccess(layout, shared, bytes, MatrixForm::Columns, 64);
            CAPTURE(bytes);
            CAPTURE(side);
            CAPTURE(kWidth);
            CAPTURE(index);
            CAPTURE(memory);
            // Lanes count rows of the first operand, and columns of the second.
            const bool isAcross = order[0] == index;
            const uint64_t rows = 8 / bytes;
            CHECK(access.has_value() == isAcross);
            if (!access)
              continue;
            ++yes;
            CHECK(access->transposed);
            CHECK(access->tileBits.empty());
            const LinearLayout offsets = sharedOffsets(layout, shared);
            auto at = [](const LinearLayout &map, uint64_t reg, uint64_t lane, uint64_t warp) {
              return only(map.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}), "offset");
            };
            bool right = true;
            for (uint64_t first = 0; first < uint64_t(1) << layout.inBits("register");
                 first += rows)
              for (uint64_t warp = 0; warp < 4; ++warp)
                for (uint64_t lane = 0; lane < 64; ++lane)
                  for (uint64_t row = 0; row < rows; ++row) {
                    const uint64_t within = row * 16 + lane % 16, from = lane & ~uint64_t(15);
                    const uint64_t begin = at(access->rows, first, from + within / rows, warp);
                    right &= begin % rows == 0 &&
                             begin + within % rows == at(offsets, first + row, lane, warp);
                  }
            CHECK(right);
          }
  CHECK(yes == 48);
  CHECK_FALSE(columnReading(mfmaOperand({64, 64}, 0, 32, 2, {2, 2}), 4));
  CHECK_FALSE(columnReading(mfmaOperand({32, 4}, 0, 32, 2, {1, 1}), 1)); // too few registers
}

namespace {

/// The offset of a register of a lane of a warp.
uint64_t offsetOf(const LinearLayout &offsets, uint64_t reg, uint64_t lane, uint64_t warp) {
  uint64_t sum = 0;
  for (const auto &in : offsets.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit)
      if ((in.name == "register" ? reg : in.name == "lane" ? lane : warp) >> bit & 1)
        sum ^= in.images[bit];
  return sum;
}

/// Looks at all of them: whether each lane lies `elements` after the one before it, from the start
/// of a piece on, and has all of its part of the piece.
bool areInOrder(const LinearLayout &layout, const LinearLayout &shared, unsigned elements) {
  const LinearLayout offsets = sharedOffsets(layout, shared);
  const uint64_t registers = uint64_t(1) << layout.inBits("register"),
                 lanes = uint64_t(1) << layout.inBits("lane"),
                 warps = uint64_t(1) << layout.inBits("warp");
  std::set<uint64_t> firsts; // of warps: none may write the same
  for (uint64_t warp = 0; warp < warps; ++warp) {
    std::map<uint64_t, std::set<uint64_t>> parts; // of lane 0, by piece
    for (uint64_t reg = 0; reg < registers; ++reg) {
      const uint64_t first = offsetOf(offsets, reg, 0, warp);
      if (first % (elements * lanes) >= elements)
        return false;
      parts[first / (elements * lanes)].insert(first);
      for (uint64_t lane = 0; lane < lanes; ++lane)
        if (offsetOf(offsets, reg, lane, warp) != first + lane * elements)
          return false;
    }
    for (const auto &[piece, part] : parts)
      if (part.size() != elements || !firsts.insert(piece).second)
        return false;
  }
  return true;
}

} // namespace

TEST_CASE("lanes are in order where each one's piece lies after that of the one before") {
  Random random(20261129);
  unsigned yes = 0, no = 0;
  for (unsigned vector : {2u, 4u, 8u})
    for (unsigned perPhase : {1u, 2u})
      for (unsigned maxPhase : {1u, 4u}) {
        const LinearLayout shared = swizzledShared({64, 64}, {1, 0}, {vector, perPhase, maxPhase});
        std::vector<uint64_t> images;
        for (const auto &in : shared.ins())
          if (in.name == "offset")
            images = in.images;
        for (unsigned round = 0; round < 40; ++round) {
          std::vector<uint64_t> changed = images;
          if (round % 4 == 1)
            std::swap(changed[random() % changed.size()], changed[random() % changed.size()]);
          else if (round % 4 == 2)
            changed[3 + random() % (changed.size() - 3)] ^=
                changed[3 + random() % (changed.size() - 3)];
          else if (round % 4 == 3)
            changed[random() % changed.size()] = 0;
          // Neighbours, lanes, warps, and what is left.
          auto part = [&](unsigned begin, unsigned count) {
            return std::vector<uint64_t>(changed.begin() + begin, changed.begin() + begin + count);
          };
          std::vector<uint64_t> registers = part(0, 3), rest = part(11, 1);
          registers.insert(registers.end(), rest.begin(), rest.end());
          const LinearLayout layout(
              {{"register", registers}, {"lane", part(3, 6)}, {"warp", part(9, 2)}, {"block", {}}},
              shared.outs());
          for (unsigned elements : {4u, 8u, 16u}) {
            CAPTURE(round);
            CAPTURE(elements);
            const bool expected = areInOrder(layout, shared, elements);
            (expected ? yes : no) += 1;
            CHECK(isInLaneOrder(layout, shared, elements) == expected);
          }
        }
      }
  CHECK(yes > 50);
  CHECK(no > 50);
}

TEST_CASE("parts of columns are registers of their own of every thread") {
  const auto check = [](const LinearLayout &whole, unsigned columns) {
    const auto parts = columnParts(whole, columns);
    if (!parts)
      return false;
    const uint64_t all = uint64_t(1) << whole.outBits("dim1");
    REQUIRE(parts->registers.size() == all / columns);
    std::set<unsigned> seen;
    for (unsigned part = 0; part < parts->registers.size(); ++part)
      for (unsigned held = 0; held < parts->registers[part].size(); ++held) {
        const unsigned reg = parts->registers[part][held];
        CHECK(seen.insert(reg).second);
        for (unsigned lane = 0; lane < 1u << whole.inBits("lane"); ++lane)
          for (unsigned warp = 0; warp < 1u << whole.inBits("warp"); ++warp) {
            std::map<std::string, uint64_t> in, of;
            for (const auto &[name, at] :
                 whole.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}))
              of[name] = at;
            for (const auto &[name, at] :
                 parts->layout.apply({{"register", held}, {"lane", lane}, {"warp", warp}}))
              in[name] = at;
            in["dim1"] += uint64_t(part) * columns;
            if (in != of)
              return false;
          }
      }
    return seen.size() == uint64_t(1) << whole.inBits("register");
  };
  // Whole rows of a product's results are in the registers of groups of warps.
  const LinearLayout rows = wgmmaAccumulator({128, 256}, 256, {8, 1});
  for (unsigned columns : {8u, 32u, 64u, 128u, 256u})
    CHECK(check(rows, columns));
  // Where groups divide the columns, or lanes do, there are none.
  const LinearLayout divided = wgmmaAccumulator({128, 256}, 128, {4, 2});
  CHECK(check(divided, 256));
  CHECK(!columnParts(divided, 128));
  CHECK(!columnParts(divided, 64));
  CHECK(!columnParts(rows, 4));
  CHECK(!columnParts(rows, 512));

  Random random(20261130);
  unsigned yes = 0;
  for (unsigned round = 0; round < 300; ++round) {
    // Bits of three columns and four rows, in any order and now and then mixed or twice.
    std::vector<uint64_t> images = {1, 2, 4, 8, 16, 32, 64};
    std::shuffle(images.begin(), images.end(), random);
    if (round % 3 == 1)
      images[random() % 7] ^= images[random() % 7];
    images.push_back(round % 4 ? 0 : images[random() % 7]);
    LinearLayout layout({{"register", {images[0], images[1], images[2], images[3], images[7]}},
                         {"lane", {images[4], images[5]}},
                         {"warp", {images[6]}}},
                        {{"dim1", 3}, {"dim0", 4}});
    for (unsigned columns : {1u, 2u, 4u, 8u}) {
      CAPTURE(round);
      CAPTURE(columns);
      if (!columnParts(layout, columns))
        continue;
      CHECK(check(layout, columns));
      yes += columns < 8;
    }
  }
  CHECK(yes > 30);
}
