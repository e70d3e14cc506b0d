// SPDX-License-Identifier: MIT
//
// From a map to a name: fields are read off its bits where they show, and tried where they do not;
// a name counts only if it makes exactly the map. Several names may make one map (an accumulator of
// wgmma with one column of warps is one of mma, too); the first of the table is taken.
#include "layout/LayoutForms.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tl::backend {

namespace {

unsigned log2Of(int64_t value) { return unsigned(__builtin_ctzll(uint64_t(value))); }

const std::vector<uint64_t> *imagesOf(const LinearLayout &map, std::string_view name) {
  for (const auto &in : map.ins())
    if (in.name == name)
      return &in.images;
  return nullptr;
}

/// The only axis along which a flat image has a coordinate, and the coordinate; nothing for zero
/// and for images along several axes.
struct Step {
  unsigned axis;
  uint64_t by;
};
std::optional<Step> stepOf(const LinearLayout &map, uint64_t image) {
  std::optional<Step> found;
  unsigned axis = unsigned(map.outs().size());
  for (const auto &out : map.outs()) {
    --axis;
    uint64_t part = image & ((uint64_t(1) << out.bits) - 1);
    image >>= out.bits;
    if (!part)
      continue;
    if (found)
      return std::nullopt;
    found = Step{axis, part};
  }
  return found;
}

/// Whether the dimensions are those that the constructors make, the last axis the most minor.
bool hasUsualDimensions(const LinearLayout &map, LayoutKind kind) {
  std::vector<std::string> ins = kind == LayoutKind::Distributed
                                     ? std::vector<std::string>{"register", "lane", "warp", "block"}
                                     : std::vector<std::string>{"offset", "block"};
  if (map.ins().size() != ins.size() || map.inBits("block") != 0)
    return false;
  for (size_t i = 0; i < ins.size(); ++i)
    if (map.ins()[i].name != ins[i])
      return false;
  unsigned rank = unsigned(map.outs().size());
  for (unsigned i = 0; i < rank; ++i)
    if (map.outs()[i].name != dimName(rank - 1 - i))
      return false;
  return rank > 0 && rank <= maxLayoutAxes;
}

std::string listText(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::optional<std::string> textIf(const WrittenLayout &written, const LinearLayout &map) {
  auto made = makeLayout(written);
  if (!std::holds_alternative<LinearLayout>(made) || std::get<LinearLayout>(made) != map)
    return std::nullopt;
  const LayoutForm &form = *written.form;
  std::string text = form.name;
  if (*form.family)
    text += std::string(" ") + form.family;
  text += " " + listText(written.shape);
  for (size_t i = 0; i < form.fields.size(); ++i) {
    const LayoutField &field = form.fields[i];
    if (field.type == LayoutField::Number && written.values[i].front() == field.otherwise)
      continue;
    text += std::string(", ") + field.name + " = ";
    text += field.type == LayoutField::Number ? std::to_string(written.values[i].front())
                                              : listText(written.values[i]);
  }
  return text;
}

std::vector<int64_t> signedList(const std::vector<unsigned> &values) {
  return {values.begin(), values.end()};
}

/// The orders of axes to try: that in which the bits meet them, then all others if they are few.
std::vector<std::vector<unsigned>> ordersToTry(const LinearLayout &map) {
  unsigned rank = unsigned(map.outs().size());
  std::vector<unsigned> met;
  auto meet = [&](unsigned axis) {
    if (std::find(met.begin(), met.end(), axis) == met.end())
      met.push_back(axis);
  };
  for (const auto &in : map.ins())
    for (uint64_t image : in.images)
      if (auto step = stepOf(map, image))
        meet(step->axis);
  for (unsigned axis : lastAxisFirst(rank))
    meet(axis);
  std::vector<std::vector<unsigned>> orders = {met};
  if (rank <= 4) {
    std::vector<unsigned> order(rank);
    std::iota(order.begin(), order.end(), 0u);
    do
      if (order != met)
        orders.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
  }
  return orders;
}

/// The counts of a blocked layout of the given order whose bits these are; what does not fit shows
/// when the result is compared.
std::optional<Blocked> readBlocked(const LinearLayout &map, const std::vector<unsigned> &order) {
  unsigned rank = unsigned(order.size());
  std::vector<unsigned> ones(rank, 1);
  Blocked blocked{ones, ones, ones, order};
  Shape shape = coveredShape(map);
  std::vector<int64_t> placed(rank, 1);
  auto positionOf = [&](unsigned axis) {
    return unsigned(std::find(order.begin(), order.end(), axis) - order.begin());
  };
  // Registers belong to the tile as long as they count on from 1 in the order of the axes.
  unsigned position = 0;
  for (uint64_t image : *imagesOf(map, "register")) {
    auto step = stepOf(map, image);
    if (!step || positionOf(step->axis) < position || int64_t(step->by) != placed[step->axis])
      break;
    position = positionOf(step->axis);
    blocked.registers[step->axis] *= 2;
    placed[step->axis] *= 2;
  }
  auto distribute = [&](std::string_view in, std::vector<unsigned> &counts) {
    unsigned position = 0;
    for (uint64_t image : *imagesOf(map, in)) {
      unsigned axis = 0;
      if (image == 0) {
        // A copy: of the next axis that has nothing left to distribute.
        while (position < rank && placed[order[position]] < shape[order[position]])
          ++position;
        if (position == rank)
          return false;
        axis = order[position];
      } else {
        auto step = stepOf(map, image);
        if (!step)
          return false;
        axis = step->axis;
        position = positionOf(axis);
        placed[axis] *= 2;
      }
      counts[axis] *= 2;
    }
    return true;
  };
  if (!distribute("lane", blocked.lanes) || !distribute("warp", blocked.warps))
    return std::nullopt;
  return blocked;
}

std::optional<std::string> blockedText(const LinearLayout &map) {
  const LayoutForm *form = findLayoutForm(LayoutKind::Distributed, "blocked", "");
  for (const std::vector<unsigned> &order : ordersToTry(map)) {
    auto blocked = readBlocked(map, order);
    if (!blocked)
      continue;
    if (auto text = textIf({form,
                            coveredShape(map),
                            {signedList(blocked->registers), signedList(blocked->lanes),
                             signedList(blocked->warps), signedList(order)}},
                           map))
      return text;
  }
  return std::nullopt;
}

/// An operand of plain multiply-adds: bits that hold copies count along k of the accumulator.
std::optional<std::string> fmaOperandText(const LinearLayout &map) {
  const LayoutForm *form = findLayoutForm(LayoutKind::Distributed, "dot_operand", "blocked");
  unsigned rank = unsigned(map.outs().size());
  Shape shape = coveredShape(map);
  if (rank < 2 || rank > 3)
    return std::nullopt;
  for (unsigned index : {0u, 1u}) {
    unsigned k = index == 0 ? rank - 1 : rank - 2;
    std::vector<unsigned> ones(rank, 1);
    std::vector<unsigned> registers = ones, lanes = ones, warps = ones;
    bool fits = true;
    auto distribute = [&](std::string_view in, std::vector<unsigned> &counts) {
      for (uint64_t image : *imagesOf(map, in)) {
        auto step = stepOf(map, image);
        fits &= image == 0 || step.has_value();
        counts[step ? step->axis : k] *= 2;
      }
    };
    distribute("lane", lanes);
    distribute("warp", warps);
    unsigned skip = log2Of(shape[k]);
    for (uint64_t image : *imagesOf(map, "register")) {
      auto step = stepOf(map, image);
      if (skip > 0) {
        --skip;
        continue;
      }
      if (!step || step->by != registers[step->axis])
        break;
      registers[step->axis] *= 2;
    }
    std::vector<unsigned> order = lastAxisFirst(rank);
    std::sort(order.begin(), order.end());
    do {
      if (!fits)
        break;
      if (auto text = textIf({form,
                              shape,
                              {{int64_t(index)},
                               signedList(registers),
                               signedList(lanes),
                               signedList(warps),
                               signedList(order)}},
                             map))
        return text;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return std::nullopt;
}

/// Ways to write 2^bits as a product of one power of two an axis.
void splits(unsigned bits, size_t axes, std::vector<int64_t> &sofar,
            const std::function<void(const std::vector<int64_t> &)> &use) {
  if (axes == 1) {
    sofar.push_back(int64_t(1) << bits);
    use(sofar);
    sofar.pop_back();
    return;
  }
  for (unsigned first = bits + 1; first-- > 0;) {
    sofar.push_back(int64_t(1) << first);
    splits(bits - first, axes - 1, sofar, use);
    sofar.pop_back();
  }
}

/// The forms of matrix instructions: numbers and warps are tried out. The lanes do not depend on
/// the warps, so few numbers get as far as that.
///
/// If `exact`, warps that hold copies must be those that share an operand.
std::optional<std::string> instructionText(const LinearLayout &map, const LayoutForm &form,
                                           bool exact) {
  Shape shape = coveredShape(map);
  const std::vector<uint64_t> &warpImages = *imagesOf(map, "warp");
  int64_t copies = int64_t(1) << std::count(warpImages.begin(), warpImages.end(), uint64_t(0));
  bool isOperand = form.name == std::string_view("dot_operand");
  if (exact && !isOperand && copies > 1)
    return std::nullopt;
  std::optional<std::string> found;
  WrittenLayout written{&form, shape, std::vector<std::vector<int64_t>>(form.fields.size())};
  std::function<void(size_t)> tryField = [&](size_t field) {
    if (found)
      return;
    if (form.fields[field].type == LayoutField::Number) {
      const auto &allowed = form.fields[field].allowed;
      // Large instructions first: they say more.
      for (size_t i = allowed.size(); i-- > 0;) {
        written.values[field] = {
            allowed[form.fields[field].name == std::string_view("n") ? i : allowed.size() - 1 - i]};
        tryField(field + 1);
      }
      return;
    }
    // Warps are the last field.
    std::vector<int64_t> one(shape.size(), 1);
    if (form.family == std::string_view("wgmma") || form.name == std::string_view("wgmma"))
      one[0] = 4;
    written.values[field] = one;
    auto made = makeLayout(written);
    if (!std::holds_alternative<LinearLayout>(made) ||
        *imagesOf(std::get<LinearLayout>(made), "lane") != *imagesOf(map, "lane"))
      return;
    std::vector<int64_t> sofar;
    splits(map.inBits("warp"), shape.size(), sofar, [&](const std::vector<int64_t> &warps) {
      written.values[field] = warps;
      size_t k = isOperand && written.values[0].front() == 0 ? shape.size() - 1 : shape.size() - 2;
      if (!found && !(exact && isOperand && warps[k] != copies))
        found = textIf(written, map);
    });
  };
  tryField(0);
  return found;
}

std::optional<std::string> distributedText(const LinearLayout &map, unsigned mostSlices);

/// A slice of a named layout with one more axis, along which the lanes and warps count that hold
/// copies here.
std::optional<std::string> sliceText(const LinearLayout &map, unsigned mostSlices) {
  unsigned rank = unsigned(map.outs().size());
  unsigned copies = 0;
  for (const auto &in : map.ins())
    for (uint64_t image : in.images)
      copies += image == 0;
  if (mostSlices == 0 || copies == 0 || copies > 10 || rank == maxLayoutAxes)
    return std::nullopt;
  for (unsigned axis = rank + 1; axis-- > 0;)
    // Accumulators of mma have a register below the lanes, which a slice forgets.
    for (unsigned registers : {0u, 1u}) {
      unsigned bits = copies + registers;
      std::vector<LinearLayout::OutDim> outs;
      for (unsigned out = rank + 1; out-- > 0;)
        outs.push_back({dimName(out), out == axis  ? bits
                                      : out > axis ? map.outBits(dimName(out - 1))
                                                   : map.outBits(dimName(out))});
      unsigned below = 0; // bits of the axes that are more minor than the new one
      for (unsigned old = axis; old < rank; ++old)
        below += map.outBits(dimName(old));
      uint64_t lowMask = (uint64_t(1) << below) - 1;
      unsigned next = below + registers;
      std::vector<LinearLayout::InDim> ins = map.ins();
      for (auto &in : ins)
        for (uint64_t &image : in.images)
          image = image ? (image & lowMask) | (image & ~lowMask) << bits : uint64_t(1) << next++;
      if (registers)
        ins[0].images.insert(ins[0].images.begin(), uint64_t(1) << below);
      LinearLayout parent(std::move(ins), std::move(outs));
      if (sliceLayout(parent, axis) != map)
        continue;
      if (auto text = distributedText(parent, mostSlices - 1))
        return "slice <" + *text + ">, axis = " + std::to_string(axis);
    }
  return std::nullopt;
}

std::optional<std::string> distributedText(const LinearLayout &map, unsigned mostSlices) {
  if (auto text = blockedText(map))
    return text;
  size_t rank = map.outs().size();
  for (bool exact : {true, false})
    for (const LayoutForm &form : layoutForms()) {
      std::optional<std::string> text;
      if (form.kind != LayoutKind::Distributed || rank < form.leastAxes || rank > form.mostAxes)
        continue;
      if (form.family == std::string_view("blocked"))
        text = fmaOperandText(map);
      else if (form.name != std::string_view("blocked") && map.inBits("lane") >= 5)
        text = instructionText(map, form, exact);
      if (text)
        return text;
    }
  return sliceText(map, mostSlices);
}

std::optional<std::string> sharedText(const LinearLayout &map, unsigned elementBits) {
  Shape shape = coveredShape(map);
  unsigned rank = unsigned(shape.size());
  std::vector<unsigned> order = lastAxisFirst(rank);
  std::vector<std::vector<unsigned>> orders = {order};
  std::sort(order.begin(), order.end());
  do
    orders.push_back(order);
  while (rank <= 4 && std::next_permutation(order.begin(), order.end()));

  const LayoutForm *rows = findLayoutForm(LayoutKind::Shared, "rows", "");
  const LayoutForm *hardware = findLayoutForm(LayoutKind::Shared, "hardware_swizzled", "");
  const LayoutForm *software = findLayoutForm(LayoutKind::Shared, "swizzled", "");
  for (const auto &axes : orders)
    if (auto text = textIf({rows, shape, {signedList(axes)}}, map))
      return text;
  if (rank < 2)
    return std::nullopt;
  for (const auto &axes : orders)
    for (int64_t bits : {16, 8, 32, 64})
      for (int64_t bytes : {128, 64, 32, 0})
        if (elementBits == 0 || elementBits == bits)
          if (auto text = textIf({hardware, shape, {{bits}, {bytes}, signedList(axes)}}, map))
            return text;
  // Where the row flips the column: the lowest row bit that does, which column bit it flips, and
  // how many do.
  for (const auto &axes : orders) {
    LinearLayout plain = rowMajorShared(shape, axes);
    const auto &flat = plain.ins()[0].images, &images = *imagesOf(map, "offset");
    if (flat.size() != images.size())
      return std::nullopt;
    unsigned columnBits = log2Of(shape[axes[0]]), rowBits = log2Of(shape[axes[1]]);
    int64_t vector = 0, perPhase = 0, phases = 1;
    for (unsigned bit = 0; bit < rowBits; ++bit) {
      auto step = stepOf(map, images[columnBits + bit] ^ flat[columnBits + bit]);
      if (!step)
        continue;
      if (!vector) {
        vector = int64_t(step->by);
        perPhase = int64_t(1) << bit;
      }
      phases *= 2;
    }
    if (vector)
      if (auto text =
              textIf({software, shape, {{vector}, {perPhase}, {phases}, signedList(axes)}}, map))
        return text;
  }
  return std::nullopt;
}

std::string linearText(const LinearLayout &map) {
  Shape shape = coveredShape(map);
  std::string text = "linear " + listText(shape);
  for (const auto &in : map.ins()) {
    text += ", " + in.name + " = [";
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      std::vector<int64_t> image;
      for (unsigned axis = 0; axis < shape.size(); ++axis)
        image.push_back(shape[axis] > 1 ? int64_t(map.image(in.name, bit, dimName(axis))) : 0);
      text += (bit ? ", " : "") + listText(image);
    }
    text += "]";
  }
  return text;
}

} // namespace

std::string layoutText(const LinearLayout &layout, LayoutKind kind, unsigned elementBits) {
  if (hasUsualDimensions(layout, kind)) {
    auto text = kind == LayoutKind::Distributed ? distributedText(layout, 2)
                                                : sharedText(layout, elementBits);
    if (text)
      return *text;
  }
  return linearText(layout);
}

} // namespace tl::backend
