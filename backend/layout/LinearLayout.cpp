// SPDX-License-Identifier: MIT
//
// Linear algebra over GF(2) on named dimensions: a layout's flat images are the columns of a bit
// matrix of at most 64 rows, held in one word each.
#include "layout/LinearLayout.h"

#include <algorithm>
#include <cassert>

namespace tl::backend {

namespace {

uint64_t lowBits(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

unsigned highestBit(uint64_t value) { return 63 - unsigned(__builtin_clzll(value)); }

/// A growing echelon form of columns that remembers how each was made from the original ones.
class Echelon {
public:
  /// Adds column `index`. False if it depends on those before it.
  bool add(uint64_t column, unsigned index) {
    uint64_t made = uint64_t(1) << index;
    reduce(column, made);
    if (!column)
      return false;
    rows_.push_back({column, made});
    return true;
  }

  /// The combination of added columns that gives `target`, if there is one.
  std::optional<uint64_t> solve(uint64_t target) const {
    uint64_t made = 0;
    reduce(target, made);
    if (target)
      return std::nullopt;
    return made;
  }

  unsigned rank() const { return unsigned(rows_.size()); }

private:
  struct Row {
    uint64_t column, made;
  };

  void reduce(uint64_t &column, uint64_t &made) const {
    for (const Row &row : rows_)
      if (column >> highestBit(row.column) & 1) {
        column ^= row.column;
        made ^= row.made;
      }
  }

  std::vector<Row> rows_;
};

template <class Dims> auto findDim(Dims &dims, std::string_view name) {
  return std::find_if(dims.begin(), dims.end(), [&](auto &dim) { return dim.name == name; });
}

template <class Dim>
std::vector<Dim> permuted(const std::vector<Dim> &dims, const std::vector<unsigned> &order) {
  assert(order.size() == dims.size());
  std::vector<Dim> result;
  for (unsigned from : order)
    result.push_back(dims[from]);
  return result;
}

} // namespace

LinearLayout::LinearLayout(std::vector<InDim> ins, std::vector<OutDim> outs)
    : ins_(std::move(ins)), outs_(std::move(outs)) {
  assert(inBits() <= 64 && outBits() <= 64);
  for ([[maybe_unused]] const InDim &in : ins_)
    for ([[maybe_unused]] uint64_t image : in.images)
      assert((image & ~lowBits(outBits())) == 0 && "image outside the outputs");
}

LinearLayout LinearLayout::identity(std::string_view in, std::string_view out, unsigned bits) {
  InDim dim{std::string(in), {}};
  for (unsigned bit = 0; bit < bits; ++bit)
    dim.images.push_back(uint64_t(1) << bit);
  return LinearLayout({dim}, {{std::string(out), bits}});
}

LinearLayout LinearLayout::zeros(std::string_view in, std::string_view out, unsigned bits) {
  return LinearLayout({{std::string(in), std::vector<uint64_t>(bits, 0)}}, {{std::string(out), 0}});
}

unsigned LinearLayout::inBits() const {
  unsigned bits = 0;
  for (const InDim &in : ins_)
    bits += unsigned(in.images.size());
  return bits;
}

unsigned LinearLayout::outBits() const {
  unsigned bits = 0;
  for (const OutDim &out : outs_)
    bits += out.bits;
  return bits;
}

unsigned LinearLayout::inBits(std::string_view name) const {
  auto in = findDim(ins_, name);
  return in == ins_.end() ? 0 : unsigned(in->images.size());
}

unsigned LinearLayout::outBits(std::string_view name) const {
  auto out = findDim(outs_, name);
  return out == outs_.end() ? 0 : out->bits;
}

bool LinearLayout::hasIn(std::string_view name) const { return findDim(ins_, name) != ins_.end(); }
bool LinearLayout::hasOut(std::string_view name) const {
  return findDim(outs_, name) != outs_.end();
}

unsigned LinearLayout::outShift(std::string_view name) const {
  unsigned shift = 0;
  for (const OutDim &out : outs_) {
    if (out.name == name)
      return shift;
    shift += out.bits;
  }
  assert(false && "no such output dimension");
  return 0;
}

std::vector<uint64_t> LinearLayout::flatImages() const {
  std::vector<uint64_t> images;
  for (const InDim &in : ins_)
    images.insert(images.end(), in.images.begin(), in.images.end());
  return images;
}

uint64_t LinearLayout::image(std::string_view in, unsigned bit, std::string_view out) const {
  auto dim = findDim(ins_, in);
  assert(dim != ins_.end() && bit < dim->images.size());
  return dim->images[bit] >> outShift(out) & lowBits(outBits(out));
}

uint64_t LinearLayout::apply(uint64_t flatInput) const {
  uint64_t result = 0;
  for (const InDim &in : ins_)
    for (uint64_t image : in.images) {
      if (flatInput & 1)
        result ^= image;
      flatInput >>= 1;
    }
  return result;
}

LinearLayout::Index LinearLayout::apply(const Index &input) const {
  uint64_t flat = 0;
  for (const auto &[name, value] : input) {
    auto in = findDim(ins_, name);
    assert(in != ins_.end() && value <= lowBits(unsigned(in->images.size())));
    for (unsigned bit = 0; bit < in->images.size(); ++bit)
      if (value >> bit & 1)
        flat ^= in->images[bit];
  }
  Index result;
  for (const OutDim &out : outs_) {
    result.push_back({out.name, flat & lowBits(out.bits)});
    flat = out.bits >= 64 ? 0 : flat >> out.bits;
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &other) const {
  // Shared outputs grow: the other's bits of one go above ours.
  std::vector<OutDim> outs = outs_;
  for (const OutDim &out : other.outs_) {
    auto shared = findDim(outs, out.name);
    if (shared == outs.end())
      outs.push_back(out);
    else
      shared->bits += out.bits;
  }
  LinearLayout result({}, outs);
  auto spread = [&](const LinearLayout &from, uint64_t image, bool above) {
    uint64_t moved = 0;
    for (const OutDim &out : from.outs_) {
      uint64_t part = image & lowBits(out.bits);
      image = out.bits >= 64 ? 0 : image >> out.bits;
      unsigned lift = above ? outBits(out.name) : 0;
      if (part)
        moved |= part << (result.outShift(out.name) + lift);
    }
    return moved;
  };
  for (const InDim &in : ins_) {
    InDim moved{in.name, {}};
    for (uint64_t image : in.images)
      moved.images.push_back(spread(*this, image, false));
    result.ins_.push_back(std::move(moved));
  }
  for (const InDim &in : other.ins_) {
    if (!result.hasIn(in.name))
      result.ins_.push_back({in.name, {}});
    auto shared = findDim(result.ins_, in.name);
    for (uint64_t image : in.images)
      shared->images.push_back(spread(other, image, true));
  }
  assert(result.inBits() <= 64 && result.outBits() <= 64);
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  // Where each of our output bits goes in the outer layout.
  std::vector<uint64_t> through;
  for (const OutDim &out : outs_) {
    auto in = findDim(outer.ins_, out.name);
    assert(out.bits == 0 || (in != outer.ins_.end() && in->images.size() >= out.bits));
    for (unsigned bit = 0; bit < out.bits; ++bit)
      through.push_back(in->images[bit]);
  }
  std::vector<InDim> ins = ins_;
  for (InDim &in : ins)
    for (uint64_t &image : in.images) {
      uint64_t composed = 0;
      for (unsigned bit = 0; bit < through.size(); ++bit)
        if (image >> bit & 1)
          composed ^= through[bit];
      image = composed;
    }
  return LinearLayout(std::move(ins), outer.outs_);
}

std::optional<LinearLayout> LinearLayout::rightInverse() const {
  Echelon echelon;
  std::vector<uint64_t> columns = flatImages();
  for (unsigned index = 0; index < columns.size(); ++index)
    echelon.add(columns[index], index);
  if (echelon.rank() != outBits())
    return std::nullopt;

  std::vector<InDim> ins;
  unsigned shift = 0;
  for (const OutDim &out : outs_) {
    InDim in{out.name, {}};
    for (unsigned bit = 0; bit < out.bits; ++bit)
      in.images.push_back(*echelon.solve(uint64_t(1) << (shift + bit)));
    shift += out.bits;
    ins.push_back(std::move(in));
  }
  std::vector<OutDim> outs;
  for (const InDim &in : ins_)
    outs.push_back({in.name, unsigned(in.images.size())});
  return LinearLayout(std::move(ins), std::move(outs));
}

std::optional<uint64_t> LinearLayout::solve(uint64_t flatOutput) const {
  Echelon echelon;
  std::vector<uint64_t> columns = flatImages();
  for (unsigned index = 0; index < columns.size(); ++index)
    echelon.add(columns[index], index);
  return echelon.solve(flatOutput);
}

std::optional<LinearLayout> LinearLayout::invert() const {
  return isInjective() ? rightInverse() : std::nullopt;
}

std::optional<LinearLayout> LinearLayout::convertTo(const LinearLayout &target) const {
  auto back = target.rightInverse();
  if (!back)
    return std::nullopt;
  for (const OutDim &out : outs_)
    if (back->inBits(out.name) < out.bits)
      return std::nullopt;
  return compose(*back);
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  for (const OutDim &out : divisor.outs_)
    if (outBits(out.name) < out.bits)
      return std::nullopt;
  std::vector<OutDim> outs;
  for (const OutDim &out : outs_)
    outs.push_back({out.name, out.bits - divisor.outBits(out.name)});
  LinearLayout quotient({}, outs);
  for (const InDim &in : ins_) {
    unsigned skip = divisor.inBits(in.name);
    if (in.images.size() < skip)
      return std::nullopt;
    InDim rest{in.name, {}};
    for (unsigned bit = skip; bit < in.images.size(); ++bit) {
      uint64_t image = 0;
      for (const OutDim &out : outs_) {
        unsigned low = divisor.outBits(out.name);
        uint64_t part = this->image(in.name, bit, out.name);
        if (part & lowBits(low))
          return std::nullopt;
        if (part >> low)
          image |= (part >> low) << quotient.outShift(out.name);
      }
      rest.images.push_back(image);
    }
    quotient.ins_.push_back(std::move(rest));
  }
  for (const InDim &in : divisor.ins_)
    if (!hasIn(in.name))
      return std::nullopt;
  // The low bits must be the divisor itself.
  return (divisor * quotient).equivalent(*this) ? std::optional(quotient) : std::nullopt;
}

LinearLayout LinearLayout::sublayout(const std::vector<std::string> &ins,
                                     const std::vector<std::string> &outs) const {
  std::vector<OutDim> keptOuts;
  for (const OutDim &out : outs_)
    if (std::find(outs.begin(), outs.end(), out.name) != outs.end())
      keptOuts.push_back(out);
  std::vector<InDim> keptIns;
  for (const InDim &in : ins_) {
    if (std::find(ins.begin(), ins.end(), in.name) == ins.end())
      continue;
    InDim kept{in.name, {}};
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t image = 0;
      unsigned shift = 0;
      for (const OutDim &out : keptOuts) {
        if (out.bits)
          image |= this->image(in.name, bit, out.name) << shift;
        shift += out.bits;
      }
      kept.images.push_back(image);
    }
    keptIns.push_back(std::move(kept));
  }
  return LinearLayout(std::move(keptIns), std::move(keptOuts));
}

bool LinearLayout::sublayoutIsZero(const std::vector<std::string> &ins,
                                   const std::vector<std::string> &outs) const {
  LinearLayout part = sublayout(ins, outs);
  for (const InDim &in : part.ins_)
    for (uint64_t image : in.images)
      if (image)
        return false;
  return true;
}

LinearLayout LinearLayout::permuteOuts(const std::vector<unsigned> &order) const {
  std::vector<OutDim> outs = permuted(outs_, order);
  std::vector<InDim> ins = ins_;
  for (InDim &in : ins)
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      uint64_t moved = 0;
      unsigned shift = 0;
      for (const OutDim &out : outs) {
        if (out.bits)
          moved |= image(in.name, bit, out.name) << shift;
        shift += out.bits;
      }
      in.images[bit] = moved;
    }
  return LinearLayout(std::move(ins), std::move(outs));
}

LinearLayout LinearLayout::permuteIns(const std::vector<unsigned> &order) const {
  return LinearLayout(permuted(ins_, order), outs_);
}

LinearLayout LinearLayout::renameOut(std::string_view from, std::string_view to) const {
  LinearLayout result = *this;
  findDim(result.outs_, from)->name = std::string(to);
  return result;
}

LinearLayout LinearLayout::reshapeOuts(std::vector<OutDim> outs) const {
  LinearLayout result(ins_, std::move(outs));
  assert(result.outBits() == outBits());
  return result;
}

LinearLayout LinearLayout::dropOut(std::string_view name) const {
  std::vector<std::string> ins, outs;
  for (const InDim &in : ins_)
    ins.push_back(in.name);
  for (const OutDim &out : outs_)
    if (out.name != name)
      outs.push_back(out.name);
  return sublayout(ins, outs);
}

LinearLayout LinearLayout::withoutZeroBits(std::string_view in) const {
  LinearLayout result = *this;
  auto &images = findDim(result.ins_, in)->images;
  images.erase(std::remove(images.begin(), images.end(), uint64_t(0)), images.end());
  return result;
}

unsigned LinearLayout::rank() const {
  Echelon echelon;
  std::vector<uint64_t> columns = flatImages();
  for (unsigned index = 0; index < columns.size(); ++index)
    echelon.add(columns[index], index);
  return echelon.rank();
}

std::vector<std::pair<std::string, uint64_t>> LinearLayout::freeBits() const {
  Echelon echelon;
  unsigned index = 0;
  std::vector<std::pair<std::string, uint64_t>> free;
  for (const InDim &in : ins_) {
    uint64_t mask = 0;
    for (unsigned bit = 0; bit < in.images.size(); ++bit)
      if (!echelon.add(in.images[bit], index++))
        mask |= uint64_t(1) << bit;
    free.push_back({in.name, mask});
  }
  return free;
}

bool LinearLayout::equivalent(const LinearLayout &other) const {
  auto covers = [](const LinearLayout &a, const LinearLayout &b) {
    for (const InDim &in : a.ins_)
      if (!in.images.empty() && b.inBits(in.name) != in.images.size())
        return false;
    for (const OutDim &out : a.outs_)
      if (out.bits && b.outBits(out.name) != out.bits)
        return false;
    return true;
  };
  if (!covers(*this, other) || !covers(other, *this))
    return false;
  for (const InDim &in : ins_)
    for (unsigned bit = 0; bit < in.images.size(); ++bit)
      for (const OutDim &out : outs_)
        if (out.bits && image(in.name, bit, out.name) != other.image(in.name, bit, out.name))
          return false;
  return true;
}

std::string LinearLayout::toString() const {
  std::string text;
  for (const InDim &in : ins_) {
    if (!text.empty())
      text += "; ";
    text += in.name + ":";
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      text += " (";
      for (auto out = outs_.rbegin(); out != outs_.rend(); ++out) {
        if (out != outs_.rbegin())
          text += ",";
        text += std::to_string(out->bits ? image(in.name, bit, out->name) : 0);
      }
      text += ")";
    }
  }
  return text;
}

} // namespace tl::backend
