// SPDX-License-Identifier: MIT
#include "layout/Exchange.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace tl::backend {

namespace {

using Vectors = std::vector<uint64_t>;

unsigned floorLog2(uint64_t value) { return 63 - unsigned(__builtin_clzll(value)); }

Vectors imagesOf(const LinearLayout &layout, std::string_view name) {
  Vectors images;
  for (const auto &in : layout.ins())
    if (in.name == name)
      images = in.images;
  return images;
}

bool holds(const Vectors &vectors, uint64_t vector) {
  return std::find(vectors.begin(), vectors.end(), vector) != vectors.end();
}

/// A basis that grows, with the vectors as they came and a reduced form.
class Basis {
public:
  /// True if the vector was not in the span.
  bool add(uint64_t vector) {
    uint64_t rest = reduce(vector);
    if (rest == 0)
      return false;
    vectors.push_back(vector);
    reduced.push_back(rest);
    return true;
  }
  void add(const Vectors &list) {
    for (uint64_t vector : list)
      add(vector);
  }
  /// Adds from the list until there are `size`.
  void fill(const Vectors &list, size_t size) {
    for (uint64_t vector : list)
      if (vectors.size() < size)
        add(vector);
  }
  bool spans(uint64_t vector) const { return reduce(vector) == 0; }
  size_t size() const { return vectors.size(); }

  Vectors vectors;

private:
  uint64_t reduce(uint64_t vector) const {
    for (uint64_t row : reduced)
      vector = std::min(vector, vector ^ row);
    return vector;
  }
  Vectors reduced; // each with a highest bit of its own
};

/// A basis of what two spans share.
Vectors intersection(const Basis &a, const Basis &b) {
  // Sums of a's vectors that b spans: eliminate b from a, and remember which sums vanish.
  struct Row {
    uint64_t value, sum;
  };
  std::vector<Row> rows;
  auto reduce = [&](Row row) {
    for (const Row &other : rows)
      if ((row.value ^ other.value) < row.value) {
        row.value ^= other.value;
        row.sum ^= other.sum;
      }
    return row;
  };
  for (uint64_t vector : b.vectors)
    if (Row row = reduce({vector, 0}); row.value)
      rows.push_back(row);
  Vectors shared;
  for (uint64_t vector : a.vectors) {
    Row row = reduce({vector, vector});
    if (row.value)
      rows.push_back(row);
    else
      shared.push_back(row.sum);
  }
  return shared;
}

/// One side of the exchange.
struct Side {
  Vectors registers, lanes;
  /// Span of what is served together, when accesses take the first `elements` bits of an offset.
  Basis together(const Vectors &low, unsigned elements, unsigned bytes, unsigned line) const {
    Basis basis;
    unsigned accessBytes = bytes << elements;
    unsigned wordBits = bytes < 4 ? floorLog2(4 / bytes) : 0;
    for (unsigned i = 0; i < std::max(elements, wordBits) && i < low.size(); ++i)
      basis.add(low[i]);
    unsigned count = floorLog2(std::max(1u, line / std::max(4u, accessBytes)));
    for (uint64_t lane : lanes) // those that have the same pieces are served beside them
      if (count && lane) {
        basis.add(lane);
        --count;
      }
    return basis;
  }
};

Side sideOf(const LinearLayout &layout) {
  return {imagesOf(layout, "register"), imagesOf(layout, "lane")};
}

} // namespace

unsigned bankPasses(const LinearLayout &distributed, const LinearLayout &shared,
                    unsigned elementBytes, unsigned banks, unsigned widest) {
  SharedAccess access = sharedAccess(distributed, shared, elementBytes, widest);
  unsigned accesses = (1u << distributed.inBits("register")) / access.elements;
  unsigned wide = std::max(1u, access.elements * elementBytes / 4);
  return accesses * wide * bankConflicts(distributed, shared, elementBytes, access, banks);
}

unsigned readPasses(const LinearLayout &distributed, const LinearLayout &shared,
                    unsigned elementBytes, std::optional<MatrixForm> form, unsigned banks) {
  const unsigned registers = 1u << distributed.inBits("register");
  if (form)
    if (auto access = matrixAccess(distributed, shared, elementBytes, *form, banks);
        access && access->instructions(registers) <
                      registers / sharedAccess(distributed, shared, elementBytes).elements)
      return access->passes * (registers >> access->wordBits.size());
  return bankPasses(distributed, shared, elementBytes, banks);
}

LinearLayout exchangeLayout(const LinearLayout &from, const LinearLayout &reading, unsigned bytes,
                            unsigned banks, unsigned widestRead) {
  // Elements are numbered as `from` does it.
  std::vector<unsigned> order;
  for (const auto &out : from.outs())
    for (unsigned i = 0; i < reading.outs().size(); ++i)
      if (reading.outs()[i].name == out.name)
        order.push_back(i);
  LinearLayout to = reading.permuteOuts(order);
  assert(from.outs() == to.outs());
  unsigned bits = from.outBits();
  unsigned line = floorLog2(4 * banks / bytes), widest = floorLog2(16 / bytes);
  const unsigned mostRead = floorLog2(std::max(1u, widestRead / bytes));
  Vectors units;
  for (unsigned i = 0; i < bits; ++i)
    units.push_back(uint64_t(1) << i);
  Side writer = sideOf(from), reader = sideOf(to);

  // What is not in both sides' registers may still make one side's accesses wide.
  Vectors both, onlyWriter, onlyReader;
  for (uint64_t image : writer.registers)
    if (image)
      (holds(reader.registers, image) ? both : onlyWriter).push_back(image);
  for (uint64_t image : reader.registers)
    if (image && !holds(both, image))
      onlyReader.push_back(image);

  std::optional<LinearLayout> best;
  std::pair<unsigned, unsigned> least;
  auto consider = [&](const Vectors &more, bool forReader, unsigned elements) {
    // Elements of one access: V of the header.
    Basis low;
    low.fill(both, elements);
    unsigned shared = unsigned(low.size());
    low.fill(more, elements);
    if (low.size() < elements)
      return;
    // Nothing else may move within an access: all other bits lie in `rest`.
    Basis rest;
    for (const auto &in : (forReader ? to : from).ins())
      for (uint64_t image : in.images)
        if (!holds(low.vectors, image))
          rest.add(image);
    if (rest.size() + low.size() != bits)
      return;
    // Narrow elements: whole words.
    Vectors head = low.vectors;
    if (bytes < 4) {
      Basis words;
      words.add(low.vectors);
      for (const Vectors *list : {&writer.registers, &reader.registers, &rest.vectors})
        for (uint64_t vector : *list)
          if (words.size() < floorLog2(4 / bytes) && rest.spans(vector) && words.add(vector))
            head.push_back(vector);
    }
    size_t field = std::min(line, bits) - low.size();
    auto within = [&](const Side &side, unsigned width) {
      Basis basis;
      for (size_t i = elements; i < head.size(); ++i)
        basis.add(head[i]);
      basis.fill(intersection(side.together(head, width, bytes, 4 * banks), rest), field);
      return basis;
    };
    Basis a = within(writer, forReader ? shared : elements);
    Basis b = within(reader, std::min(forReader ? elements : shared, mostRead));
    for (Basis *basis : {&a, &b}) {
      basis->fill(basis == &a ? b.vectors : a.vectors, field);
      basis->fill(rest.vectors, field);
    }
    // The offset within the line, then the line.
    Basis offsets;
    offsets.add(head);
    offsets.fill(forReader ? b.vectors : a.vectors, low.size() + field);
    Vectors common = intersection(a, b);
    Basis beyondA, beyondB;
    beyondA.add(common);
    beyondB.add(common);
    Vectors fs, ts;
    for (uint64_t vector : a.vectors)
      if (beyondA.add(vector))
        fs.push_back(vector);
    for (uint64_t vector : b.vectors)
      if (beyondB.add(vector))
        ts.push_back(vector);
    for (size_t i = 0; i < fs.size(); ++i)
      offsets.add(fs[i] ^ ts[i]);
    Basis all;
    all.add(a.vectors);
    all.add(b.vectors);
    for (uint64_t vector : rest.vectors)
      if (all.add(vector))
        offsets.add(vector);
    assert(offsets.size() == bits);
    LinearLayout layout({{"offset", offsets.vectors}, {"block", {}}}, from.outs());
    SharedAccess writes = sharedAccess(from, layout, bytes),
                 reads = sharedAccess(to, layout, bytes, widestRead);
    std::pair<unsigned, unsigned> cost = {bankPasses(from, layout, bytes, banks) +
                                              bankPasses(to, layout, bytes, banks, widestRead),
                                          (1u << from.inBits("register")) / writes.elements +
                                              (1u << to.inBits("register")) / reads.elements};
    if (!best || cost < least) {
      best = layout;
      least = cost;
    }
  };
  for (unsigned elements = std::min(widest, bits) + 1; elements-- > 0;) {
    consider({}, false, elements);
    if (elements > both.size()) {
      consider(onlyWriter, false, elements);
      consider(onlyReader, true, elements);
    }
  }
  return *best;
}

} // namespace tl::backend
