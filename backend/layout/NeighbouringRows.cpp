// SPDX-License-Identifier: MIT
#include "layout/NeighbouringRows.h"

#include <algorithm>
#include <cassert>

namespace tl::backend {

LinearLayout withNeighbouringRows(const LinearLayout &layout) {
  constexpr unsigned mostOfRegisters = 2, placeOfLane = 4;
  // The bits of rows by whom they belong to.
  std::vector<uint64_t> registers, lanes, warps;
  auto collect = [&](const char *in, std::vector<uint64_t> &rows) {
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      if (uint64_t row = layout.image(in, bit, "dim0"))
        rows.push_back(row);
  };
  collect("register", registers);
  collect("lane", lanes);
  collect("warp", warps);
  assert(lanes.size() == 3);
  unsigned neighbours = unsigned(std::min<size_t>(mostOfRegisters, registers.size()));
  std::vector<uint64_t> order(registers.begin(), registers.begin() + neighbours);
  order.insert(order.end(), {lanes[1], lanes[2]});
  std::vector<uint64_t> others(warps);
  others.insert(others.end(), registers.begin() + neighbours, registers.end());
  unsigned before = unsigned(std::min<size_t>(placeOfLane - order.size(), others.size()));
  order.insert(order.end(), others.begin(), others.begin() + before);
  order.push_back(lanes[0]);
  order.insert(order.end(), others.begin() + before, others.end());
  std::vector<LinearLayout::InDim> ins = layout.ins();
  const unsigned below = layout.outBits("dim1");
  const uint64_t columns = (uint64_t(1) << below) - 1;
  for (auto &in : ins)
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      auto place = std::find(order.begin(), order.end(), layout.image(in.name, bit, "dim0"));
      if (place != order.end())
        in.images[bit] = (in.images[bit] & columns) | uint64_t(1)
                                                          << (place - order.begin()) << below;
    }
  return LinearLayout(std::move(ins), layout.outs());
}

} // namespace tl::backend
