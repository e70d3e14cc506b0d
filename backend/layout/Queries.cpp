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

LinearLayout placesInShared(const LinearLayout &distributed, const LinearLayout &shared) {
  auto back = shared.rightInverse();
  assert(back && "shared memory holds the whole tensor");
  return distributed.compose(*back);
}

SharedAccess sharedAccess(const LinearLayout &distributed, const LinearLayout &shared,
                          unsigned elementBytes, unsigned maxBytes) {
  LinearLayout places = placesInShared(distributed, shared);
  const auto *registers = input(places, "register");
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
         touched(places, (uint64_t(1) << access.registerBits.size()) - 1, access.registerBits))
    access.registerBits.pop_back();
  access.elements = 1u << access.registerBits.size();
  return access;
}

unsigned bankConflicts(const LinearLayout &distributed, const LinearLayout &shared,
                       unsigned elementBytes, const SharedAccess &access) {
  LinearLayout places = placesInShared(distributed, shared);
  const auto *lanes = input(places, "lane");
  if (!lanes)
    return 1;
  unsigned accessBytes = access.elements * elementBytes;
  // The hardware serves as many lanes at once as fill 128 bytes.
  unsigned together =
      std::min(1u << lanes->images.size(), std::max(1u, 128 / std::max(4u, accessBytes)));
  unsigned worst = 1;
  for (unsigned first = 0; first < 1u << lanes->images.size(); first += together) {
    std::array<std::set<uint64_t>, 32> words;
    for (unsigned lane = first; lane < first + together; ++lane) {
      uint64_t offset = 0;
      for (unsigned bit = 0; bit < lanes->images.size(); ++bit)
        if (lane >> bit & 1)
          offset ^= lanes->images[bit];
      uint64_t begin = offset * elementBytes / 4;
      for (uint64_t word = begin; word < begin + std::max(1u, accessBytes / 4); ++word)
        words[word % 32].insert(word);
    }
    unsigned passes = 1;
    for (const auto &bank : words)
      passes = std::max(passes, unsigned(bank.size()));
    worst = std::max(worst, passes);
  }
  return worst;
}

Movement movement(const LinearLayout &from, const LinearLayout &to) {
  auto sources = to.convertTo(from);
  assert(sources && "both layouts hold the whole tensor");
  auto mixes = [&](std::string_view dim) {
    // The coordinate of `dim` must be the reader's own: the identity on it and nothing else.
    for (const auto &in : sources->ins())
      for (unsigned bit = 0; bit < in.images.size(); ++bit) {
        if (!sources->hasOut(dim) || sources->outBits(dim) == 0)
          continue;
        uint64_t image = sources->image(in.name, bit, dim);
        uint64_t own = in.name == dim && bit < sources->outBits(dim) ? uint64_t(1) << bit : 0;
        if (image == own)
          continue;
        // A copy in the reader's own place will do where the source repeats itself.
        if (in.name == dim && image == 0 && from.hasIn(dim)) {
          bool repeats = true;
          for (const auto &source : from.ins())
            if (source.name == dim)
              repeats = bit < source.images.size() && source.images[bit] == 0;
          if (repeats)
            continue;
        }
        return true;
      }
    return false;
  };
  if (mixes("block"))
    return Movement::Blocks;
  if (mixes("warp"))
    return Movement::Warps;
  if (mixes("lane"))
    return Movement::Lanes;
  bool sameRegisters = true;
  for (const auto &in : sources->ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit)
      if (sources->outBits("register"))
        sameRegisters &= sources->image(in.name, bit, "register") ==
                         (in.name == "register" ? uint64_t(1) << bit : 0);
  sameRegisters &= from.inBits("register") == to.inBits("register");
  return sameRegisters ? Movement::None : Movement::Registers;
}

LinearLayout laneSources(const LinearLayout &from, const LinearLayout &to) {
  auto sources = to.convertTo(from);
  assert(sources);
  return sources->sublayout({"register", "lane"}, {"register", "lane"});
}

bool matrixAccessFits(const LinearLayout &distributed, const LinearLayout &shared,
                      unsigned elementBytes, bool transposed) {
  if (elementBytes > 4 || (transposed && elementBytes != 2))
    return false;
  LinearLayout places = placesInShared(distributed, shared);
  const auto *registers = input(places, "register"), *lanes = input(places, "lane");
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
    row = {lanes->images[2], lanes->images[3], lanes->images[4]};
  }
  for (unsigned bit = 0; bit < row.size(); ++bit)
    if (row[bit] != uint64_t(1) << bit)
      return false;
  uint64_t within = (uint64_t(1) << row.size()) - 1;
  for (const auto &in : places.ins())
    for (uint64_t image : in.images)
      if (std::find(row.begin(), row.end(), image) == row.end() && (image & within))
        return false;
  return true;
}

} // namespace tl::backend
