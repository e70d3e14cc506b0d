// SPDX-License-Identifier: MIT
//
// Answers about layouts, by looking at compositions bit by bit.
#include "layout/Queries.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>

namespace tl::backend {

namespace {

const LinearLayout::InDim *input(const LinearLayout &layout, std::string_view name) {
  for (const auto &in : layout.ins())
    if (in.name == name)
      return &in;
  return nullptr;
}

/// True if an image other than those of register bits `except` has a bit of `mask`.
bool touched(const LinearLayout &layout, uint64_t mask, const std::vector<unsigned> &except) {
  for (const auto &in : layout.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      if (in.name == "register" && std::find(except.begin(), except.end(), bit) != except.end())
        continue;
      if (in.images[bit] & mask)
        return true;
    }
  return false;
}

unsigned floorLog2(uint64_t value) { return 63 - unsigned(__builtin_clzll(value)); }

} // namespace

unsigned contiguousRegisters(const LinearLayout &layout) {
  const auto *registers = input(layout, "register");
  if (!registers)
    return 1;
  unsigned bits = 0;
  while (bits < registers->images.size() && registers->images[bits] == uint64_t(1) << bits)
    ++bits;
  for (; bits > 0; --bits) {
    std::vector<unsigned> low;
    for (unsigned bit = 0; bit < bits; ++bit)
      low.push_back(bit);
    if (!touched(layout, (uint64_t(1) << bits) - 1, low))
      break;
  }
  return 1u << bits;
}

LinearLayout sharedOffsets(const LinearLayout &distributed, const LinearLayout &shared) {
  auto back = shared.rightInverse();
  assert(back && "shared memory holds the whole tensor");
  return distributed.compose(*back);
}

SharedAccess sharedAccess(const LinearLayout &distributed, const LinearLayout &shared,
                          unsigned elementBytes, unsigned maxBytes) {
  LinearLayout offsets = sharedOffsets(distributed, shared);
  const auto *registers = input(offsets, "register");
  unsigned most = floorLog2(std::max(1u, maxBytes / elementBytes));
  SharedAccess access;
  while (registers && access.registerBits.size() < most) {
    unsigned want = unsigned(access.registerBits.size());
    auto found = std::find(registers->images.begin(), registers->images.end(), uint64_t(1) << want);
    if (found == registers->images.end())
      break;
    access.registerBits.push_back(unsigned(found - registers->images.begin()));
  }
  while (!access.registerBits.empty() &&
         touched(offsets, (uint64_t(1) << access.registerBits.size()) - 1, access.registerBits))
    access.registerBits.pop_back();
  access.elements = 1u << access.registerBits.size();
  return access;
}

bool isInLaneOrder(const LinearLayout &distributed, const LinearLayout &shared, unsigned elements) {
  const LinearLayout offsets = sharedOffsets(distributed, shared);
  const auto *lanes = input(offsets, "lane");
  if (!lanes)
    return false;
  std::vector<unsigned> together(floorLog2(elements), ~0u); // register bits of a lane's piece
  const uint64_t piece = (uint64_t(elements) << lanes->images.size()) - 1;
  for (const auto &in : offsets.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      const uint64_t image = in.images[bit];
      if (in.name == "lane" ? image != uint64_t(elements) << bit
                            : image == 0 && in.name != "register")
        return false;
      if (in.name == "lane" || !(image & piece))
        continue;
      // What moves within the piece is a lane's neighbours, each by one bit.
      if (in.name != "register" || image >= elements || (image & (image - 1)))
        return false;
      unsigned &known = together[floorLog2(image)];
      if (known != ~0u)
        return false;
      known = bit;
    }
  return std::find(together.begin(), together.end(), ~0u) == together.end();
}

unsigned bankConflicts(const LinearLayout &distributed, const LinearLayout &shared,
                       unsigned elementBytes, const SharedAccess &access, unsigned banks) {
  LinearLayout offsets = sharedOffsets(distributed, shared);
  const auto *lanes = input(offsets, "lane");
  if (!lanes)
    return 1;
  unsigned accessBytes = access.elements * elementBytes;
  // The hardware serves as many lanes at once as fill all banks.
  unsigned together =
      std::min(1u << lanes->images.size(), std::max(1u, 4 * banks / std::max(4u, accessBytes)));
  unsigned worst = 1;
  for (unsigned first = 0; first < 1u << lanes->images.size(); first += together) {
    std::vector<std::set<uint64_t>> words(banks);
    for (unsigned lane = first; lane < first + together; ++lane) {
      uint64_t offset = 0;
      for (unsigned bit = 0; bit < lanes->images.size(); ++bit)
        if (lane >> bit & 1)
          offset ^= lanes->images[bit];
      uint64_t begin = offset * elementBytes / 4;
      for (uint64_t word = begin; word < begin + std::max(1u, accessBytes / 4); ++word)
        words[word % banks].insert(word);
    }
    unsigned passes = 1;
    for (const auto &bank : words)
      passes = std::max(passes, unsigned(bank.size()));
    worst = std::max(worst, passes);
  }
  return worst;
}

Movement movement(const LinearLayout &from, const LinearLayout &to) {
  return conversion(from, to).movement;
}

namespace {

/// The sources if data may move among the dimensions `open` of `from` alone, and all others of the
/// reader are its own; nothing if that is not enough.
std::optional<LinearLayout> sourcesWithin(const LinearLayout &from, const LinearLayout &to,
                                          const std::vector<std::string> &open) {
  // A layout of the open dimensions only, the first the first choice.
  std::vector<LinearLayout::InDim> choices;
  for (const std::string &name : open)
    if (const auto *in = input(from, name))
      choices.push_back(*in);
  LinearLayout holders(choices, from.outs());
  std::vector<LinearLayout::OutDim> outs;
  for (const auto &in : from.ins())
    outs.push_back({in.name, unsigned(in.images.size())});
  auto shiftOf = [&](std::string_view name) {
    unsigned shift = 0;
    for (const auto &out : outs) {
      if (out.name == name)
        break;
      shift += out.bits;
    }
    return shift;
  };
  std::vector<LinearLayout::InDim> ins;
  for (const auto &in : to.ins()) {
    LinearLayout::InDim sources{in.name, {}};
    const auto *own = input(from, in.name);
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t element = in.images[bit], source = 0;
      // The reader's own place as far as it is not free to move.
      if (own && bit < own->images.size() && in.name != "register") {
        bool moves = std::find(open.begin(), open.end(), in.name) != open.end();
        if (!moves || own->images[bit] == element) {
          source = uint64_t(1) << (shiftOf(in.name) + bit);
          element ^= own->images[bit];
        }
      }
      auto rest = holders.solve(element);
      if (!rest)
        return std::nullopt;
      uint64_t flat = *rest;
      for (const auto &choice : choices) {
        uint64_t part = flat & ((uint64_t(1) << choice.images.size()) - 1);
        flat >>= choice.images.size();
        source ^= part << shiftOf(choice.name);
      }
      sources.images.push_back(source);
    }
    ins.push_back(std::move(sources));
  }
  return LinearLayout(std::move(ins), std::move(outs));
}

} // namespace

Conversion conversion(const LinearLayout &from, const LinearLayout &to) {
  // Outputs in one order, so that flat images can be compared.
  std::vector<unsigned> order;
  for (const auto &out : to.outs())
    for (unsigned i = 0; i < from.outs().size(); ++i)
      if (from.outs()[i].name == out.name)
        order.push_back(i);
  assert(order.size() == from.outs().size() && "both layouts have the same axes");
  LinearLayout source = from.permuteOuts(order);
  if (auto sources = sourcesWithin(source, to, {"register"})) {
    bool inOrder = from.inBits("register") == to.inBits("register");
    for (const auto &in : sources->ins())
      for (unsigned bit = 0; bit < in.images.size() && inOrder; ++bit)
        if (sources->outBits("register"))
          inOrder = sources->image(in.name, bit, "register") ==
                    (in.name == "register" ? uint64_t(1) << bit : 0);
    return {inOrder ? Movement::None : Movement::Registers, *sources};
  }
  if (auto sources = sourcesWithin(source, to, {"lane", "register"}))
    return {Movement::Lanes, *sources};
  if (auto sources = sourcesWithin(source, to, {"register", "lane", "warp"}))
    return {Movement::Warps, *sources};
  auto sources = sourcesWithin(source, to, {"register", "lane", "warp", "block"});
  assert(sources && "both layouts hold the whole tensor");
  return {Movement::Blocks, *sources};
}

std::optional<ShufflePlan> shufflePlan(const LinearLayout &from, const LinearLayout &to) {
  Conversion how = conversion(from, to);
  if (how.movement > Movement::Lanes)
    return std::nullopt;
  const LinearLayout &sources = how.sources;
  unsigned registers = to.inBits("register"), lanes = to.inBits("lane");
  auto part = [&](std::string_view in, unsigned bit, std::string_view out) {
    return sources.outBits(out) ? sources.image(in, bit, out) : 0;
  };
  // A lane l gets register k ^ phi(l) in step k, where phi is chosen so that no two lanes read
  // from the same: lanes of `reads` are the images of the reader's lane bits then.
  std::vector<uint64_t> phi(lanes, 0), reads, wants;
  auto independent = [&](uint64_t image) {
    std::vector<uint64_t> columns = reads;
    columns.push_back(image);
    LinearLayout layout({{"lane", columns}}, {{"lane", from.inBits("lane")}});
    return layout.rank() == columns.size();
  };
  // Where all lanes want the same register there is nothing to choose, and copies do no harm.
  bool plain = sources.sublayoutIsZero({"lane", "warp", "block"}, {"register"});
  bool everyLaneIsRead = true;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint64_t image = part("lane", lane, "lane");
    if (!independent(image)) {
      unsigned bit = plain ? registers : 0;
      while (bit < registers && !independent(image ^ part("register", bit, "lane")))
        ++bit;
      if (bit < registers) {
        phi[lane] = uint64_t(1) << bit;
        image ^= part("register", bit, "lane");
      } else {
        everyLaneIsRead = false;
      }
    }
    uint64_t wanted = part("lane", lane, "register");
    for (unsigned bit = 0; bit < registers; ++bit)
      if (phi[lane] >> bit & 1)
        wanted ^= part("register", bit, "register");
    // Lanes that read what others read, too, are only right if they want the same register.
    reads.push_back(image);
    wants.push_back(wanted);
  }
  LinearLayout reading({{"lane", reads}}, {{"lane", from.inBits("lane")}});
  LinearLayout wanting({{"lane", wants}}, {{"register", from.inBits("register")}});
  // The reader of each lane, 0 for lanes that are not read.
  std::vector<uint64_t> readers(from.inBits("lane"), 0);
  if (everyLaneIsRead) {
    for (unsigned bit = 0; bit < readers.size(); ++bit)
      readers[bit] = reading.solve(uint64_t(1) << bit).value_or(0);
  } else {
    // Copies among lanes: only the plain case, in which the register does not depend on the lane.
    for (uint64_t wanted : wants)
      if (wanted)
        return std::nullopt;
  }
  auto presentedBy = [&](uint64_t lane) { // what the reader of a lane wants of it in step 0
    uint64_t reader = 0;
    for (unsigned bit = 0; bit < readers.size(); ++bit)
      if (lane >> bit & 1)
        reader ^= readers[bit];
    return wanting.apply(reader);
  };

  std::vector<LinearLayout::InDim> presented, read, step;
  for (const auto &in : to.ins()) {
    LinearLayout::InDim presents{in.name, {}}, readFrom{in.name, {}}, steps{in.name, {}};
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t lane = part(in.name, bit, "lane"), reg = part(in.name, bit, "register");
      bool isLane = in.name == "lane";
      readFrom.images.push_back(isLane                  ? reads[bit]
                                : in.name == "register" ? lane
                                                        : part(in.name, bit, "lane"));
      steps.images.push_back(isLane ? phi[bit] : in.name == "register" ? uint64_t(1) << bit : 0);
      // Seen from the lane that presents: its reader is another one in other steps.
      presents.images.push_back(isLane ? presentedBy(uint64_t(1) << bit) : reg ^ presentedBy(lane));
    }
    presented.push_back(std::move(presents));
    read.push_back(std::move(readFrom));
    step.push_back(std::move(steps));
  }
  return ShufflePlan{LinearLayout(presented, {{"register", from.inBits("register")}}),
                     LinearLayout(read, {{"lane", from.inBits("lane")}}),
                     LinearLayout(step, {{"register", registers}})};
}

bool matrixAccessFits(const LinearLayout &distributed, const LinearLayout &shared,
                      unsigned elementBytes, bool transposed) {
  if (elementBytes > 4 || (transposed && elementBytes != 2))
    return false;
  LinearLayout offsets = sharedOffsets(distributed, shared);
  const auto *registers = input(offsets, "register"), *lanes = input(offsets, "lane");
  if (!registers || !lanes || lanes->images.size() != 5)
    return false;
  // A row is 16 bytes: its elements are counted by the bits of one 4-byte register and then by two
  // lane bits. In the transposed form rows run over the other three lane bits.
  unsigned packed = floorLog2(4 / elementBytes);
  std::vector<uint64_t> row;
  if (!transposed) {
    for (unsigned bit = 0; bit < packed; ++bit)
      row.push_back(bit < registers->images.size() ? registers->images[bit] : 0);
    row.push_back(lanes->images[0]);
    row.push_back(lanes->images[1]);
  } else {
    if (registers->images.empty())
      return false; // two elements a lane
    row = {lanes->images[2], lanes->images[3], lanes->images[4]};
  }
  for (unsigned bit = 0; bit < row.size(); ++bit)
    if (row[bit] != uint64_t(1) << bit)
      return false;
  uint64_t within = (uint64_t(1) << row.size()) - 1;
  for (const auto &in : offsets.ins())
    for (uint64_t image : in.images)
      if (std::find(row.begin(), row.end(), image) == row.end() && (image & within))
        return false;
  return true;
}

namespace {

/// See columnReading.
std::optional<MatrixAccess> columnAccess(const LinearLayout &distributed,
                                         const LinearLayout &shared, unsigned elementBytes,
                                         unsigned banks) {
  const std::optional<LinearLayout> reading = columnReading(distributed, elementBytes);
  if (!reading)
    return std::nullopt;
  const SharedAccess piece = sharedAccess(*reading, shared, elementBytes, columnBytes);
  if (piece.elements * elementBytes != columnBytes)
    return std::nullopt;
  MatrixAccess access;
  access.transposed = true;
  for (unsigned bit = 0; bit < piece.registerBits.size(); ++bit) {
    if (piece.registerBits[bit] != bit)
      return std::nullopt;
    access.wordBits.push_back(bit);
  }
  access.rows = sharedOffsets(*reading, shared);
  access.passes = columnBytes / 4 * bankConflicts(*reading, shared, elementBytes, piece, banks);
  return access;
}

} // namespace

std::optional<LinearLayout> columnReading(const LinearLayout &distributed, unsigned elementBytes) {
  if (elementBytes != 1 && elementBytes != 2)
    return std::nullopt;
  const unsigned bits = floorLog2(columnBytes / elementBytes), groupBits = 4;
  std::vector<LinearLayout::InDim> ins = distributed.ins();
  std::vector<uint64_t> *registers = nullptr, *lanes = nullptr;
  for (auto &in : ins)
    if (in.name == "register")
      registers = &in.images;
    else if (in.name == "lane")
      lanes = &in.images;
  if (!registers || !lanes || registers->size() < bits || lanes->size() < groupBits)
    return std::nullopt;
  // Lanes that go together come first, then those of other pieces, then those of other rows.
  std::rotate(lanes->begin(), lanes->begin() + bits, lanes->begin() + groupBits);
  std::swap_ranges(registers->begin(), registers->begin() + bits,
                   lanes->begin() + (groupBits - bits));
  return LinearLayout(std::move(ins), distributed.outs());
}

std::optional<MatrixAccess> matrixAccess(const LinearLayout &distributed,
                                         const LinearLayout &shared, unsigned elementBytes,
                                         MatrixForm form, unsigned banks) {
  if (form == MatrixForm::Columns)
    return columnAccess(distributed, shared, elementBytes, banks);
  MatrixAccess access;
  if (!matrixAccessFits(distributed, shared, elementBytes, false)) {
    if (!matrixAccessFits(distributed, shared, elementBytes, true))
      return std::nullopt;
    access.transposed = true;
  }
  LinearLayout offsets = sharedOffsets(distributed, shared);
  const std::vector<uint64_t> registers = input(offsets, "register")->images;
  const std::vector<uint64_t> lanes = input(offsets, "lane")->images;
  for (unsigned bit = 0; bit < floorLog2(4 / elementBytes); ++bit)
    access.wordBits.push_back(bit);
  // Whoever holds the words of a row does not matter to the address, which only says which row.
  std::vector<uint64_t> pointing = access.transposed
                                       ? std::vector<uint64_t>{registers[0], lanes[0], lanes[1]}
                                       : std::vector<uint64_t>{lanes[2], lanes[3], lanes[4]};
  for (unsigned bit = unsigned(access.wordBits.size()); bit < registers.size(); ++bit)
    if (registers[bit] && access.tileBits.size() < 2) {
      access.tileBits.push_back(bit);
      pointing.push_back(registers[bit]);
    }
  std::array<std::set<uint64_t>, 8> pieces; // of 16 bytes, in a line of all banks
  for (unsigned row = 0; row < 8; ++row) {
    uint64_t offset = 0;
    for (unsigned bit = 0; bit < 3; ++bit)
      if (row >> bit & 1)
        offset ^= pointing[bit];
    uint64_t piece = offset * elementBytes / 16;
    pieces[piece % 8].insert(piece);
  }
  for (const auto &piece : pieces)
    access.passes = std::max(access.passes, unsigned(piece.size()));
  pointing.resize(lanes.size(), 0);
  std::vector<LinearLayout::InDim> ins = offsets.ins();
  for (auto &in : ins)
    if (in.name == "lane")
      in.images = pointing;
  access.rows = LinearLayout(std::move(ins), offsets.outs());
  return access;
}

std::optional<ColumnParts> columnParts(const LinearLayout &distributed, unsigned columns) {
  std::vector<LinearLayout::OutDim> outs = distributed.outs();
  const std::string axis = "dim" + std::to_string(outs.size() - 1);
  const unsigned inside = floorLog2(columns);
  if (inside > distributed.outBits(axis))
    return std::nullopt;
  // Where the bits of the axis that say which part a column is in lie in a flat image.
  unsigned first = 0;
  for (auto out = outs.begin(); out->name != axis; ++out)
    first += out->bits;
  first += inside;
  const unsigned count = distributed.outBits(axis) - inside;
  const uint64_t below = (uint64_t(1) << first) - 1, choice = ((uint64_t(1) << count) - 1) << first;
  for (LinearLayout::OutDim &out : outs)
    if (out.name == axis)
      out.bits = inside;

  std::vector<LinearLayout::InDim> ins;
  std::vector<unsigned> own, choosing(count, 0); // registers, of a bit each
  uint64_t chosen = 0;
  for (const LinearLayout::InDim &in : distributed.ins()) {
    LinearLayout::InDim part{in.name, {}};
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      const uint64_t image = in.images[bit];
      if (!(image & choice)) {
        part.images.push_back((image & below) | (image & ~below) >> count);
        if (in.name == "register")
          own.push_back(1u << bit);
        continue;
      }
      if (in.name != "register" || image & ~choice || image & (image - 1) || image & chosen)
        return std::nullopt;
      chosen |= image;
      choosing[floorLog2(image) - first] = 1u << bit;
    }
    ins.push_back(std::move(part));
  }
  if (chosen != choice)
    return std::nullopt;

  // The register whose number has a bit of `number` for each of the registers.
  const auto combined = [](unsigned number, const std::vector<unsigned> &registers) {
    unsigned result = 0;
    for (unsigned bit = 0; bit < registers.size(); ++bit)
      result |= number >> bit & 1 ? registers[bit] : 0;
    return result;
  };
  ColumnParts parts{LinearLayout(std::move(ins), std::move(outs)), {}};
  for (unsigned part = 0; part < 1u << count; ++part) {
    std::vector<unsigned> &registers = parts.registers.emplace_back();
    for (unsigned number = 0; number < 1u << own.size(); ++number)
      registers.push_back(combined(part, choosing) | combined(number, own));
  }
  return parts;
}

} // namespace tl::backend
