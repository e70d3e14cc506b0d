// SPDX-License-Identifier: MIT
#include "lowering/ThreadGeometry.h"

#include "layout/NamedLayouts.h"
#include "lowering/GpuInterfaces.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// The part of a linear map that the bits of `index` give, as instructions: neighbouring bits with
/// neighbouring images move together.
Value *linearPart(llvm::IRBuilderBase &b, Value *index, llvm::ArrayRef<uint64_t> images) {
  Value *sum = nullptr;
  for (unsigned bit = 0; bit < images.size();) {
    uint64_t image = images[bit];
    if (image == 0) {
      ++bit;
      continue;
    }
    Value *part;
    unsigned count = 1;
    if ((image & (image - 1)) == 0) {
      while (bit + count < images.size() && images[bit + count] == image << count)
        ++count;
      unsigned to = llvm::Log2_64(image);
      part = b.CreateAnd(index, b.getInt32(((1u << count) - 1) << bit));
      part = to >= bit ? b.CreateShl(part, to - bit) : b.CreateLShr(part, bit - to);
    } else {
      Value *set = b.CreateTrunc(b.CreateLShr(index, bit), b.getInt1Ty());
      part = b.CreateSelect(set, b.getInt32(uint32_t(image)), b.getInt32(0));
    }
    sum = sum ? b.CreateXor(sum, part) : part;
    bit += count;
  }
  return sum;
}

uint64_t all(llvm::ArrayRef<uint64_t> images) {
  uint64_t bits = 0;
  for (uint64_t image : images)
    bits |= image;
  return bits;
}

} // namespace

void ThreadGeometry::enter(const GpuThreads &gpu, Value *own, unsigned lanes, unsigned warps) {
  target = &gpu;
  entry = builder.GetInsertBlock();
  thread = own;
  lane = builder.CreateAnd(thread, i32(lanes - 1), "lane");
  // One warp: nothing to compute.
  warp = warps == 1 ? i32(0) : builder.CreateLShr(thread, i32(llvm::Log2_32(lanes)), "warp");
}

Value *ThreadGeometry::coordinate(const LinearLayout &layout, unsigned reg, llvm::StringRef out) {
  uint64_t constant = 0;
  std::vector<uint64_t> lanes, warps;
  if (layout.outBits(out) > 0)
    for (const auto &in : layout.ins())
      for (unsigned bit = 0; bit < in.images.size(); ++bit) {
        uint64_t image = layout.image(in.name, bit, out);
        if (in.name == "register")
          constant ^= reg >> bit & 1 ? image : 0;
        else if (in.name == "lane")
          lanes.push_back(image);
        else if (in.name == "warp")
          warps.push_back(image);
      }
  uint64_t moving = all(lanes) | all(warps);
  if (moving == 0)
    return i32(constant);
  std::vector<uint64_t> key = lanes;
  key.push_back(~uint64_t(0));
  key.insert(key.end(), warps.begin(), warps.end());
  Value *&base = bases[key];
  if (!base) {
    llvm::IRBuilder<> at(entry);
    Value *byLane = linearPart(at, lane, lanes), *byWarp = linearPart(at, warp, warps);
    base = !byWarp                   ? byLane
           : !byLane                 ? byWarp
           : all(lanes) & all(warps) ? at.CreateXor(byLane, byWarp)
                                     : at.CreateOr(byLane, byWarp, "", true);
  }
  // What no bit of the thread moves is added, which instructions that access memory do by
  // themselves: so coordinates that differ in nothing else share a register.
  Value *sum = constant & moving ? builder.CreateXor(base, i32(constant & moving)) : base;
  return constant & ~moving ? builder.CreateAdd(sum, i32(constant & ~moving), "", true, true) : sum;
}

Value *ThreadGeometry::coordinateOfWarp(const LinearLayout &layout, unsigned reg,
                                        llvm::StringRef out) {
  uint64_t constant = 0;
  std::vector<uint64_t> warps;
  for (const auto &in : layout.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      const uint64_t image = layout.image(in.name, bit, out);
      if (in.name == "register")
        constant ^= reg >> bit & 1 ? image : 0;
      else if (in.name == "warp")
        warps.push_back(image);
    }
  if (all(warps) == 0)
    return i32(constant);
  llvm::IRBuilder<> at(entry);
  if (!uniformWarp)
    uniformWarp = target->uniform(at, warp);
  std::vector<uint64_t> key = {~uint64_t(0), ~uint64_t(0)};
  key.insert(key.end(), warps.begin(), warps.end());
  Value *&base = bases[key];
  if (!base)
    base = linearPart(at, uniformWarp, warps);
  return constant ? builder.CreateXor(base, i32(constant)) : base;
}

Value *ThreadGeometry::flatElement(const LinearLayout &layout, unsigned reg,
                                   llvm::ArrayRef<int64_t> shape) {
  Value *flat = nullptr;
  unsigned shift = 0;
  for (unsigned axis = unsigned(shape.size()); axis-- > 0;) {
    Value *part = coordinate(layout, reg, dimName(axis));
    if (shape[axis] > 1) {
      part = shift ? builder.CreateShl(part, shift, "", true, true) : part;
      flat = flat ? builder.CreateAdd(flat, part, "", true, true) : part;
    }
    shift += llvm::Log2_64(uint64_t(shape[axis]));
  }
  return flat ? flat : i32(0);
}

bool isCopy(const LinearLayout &layout, unsigned reg) {
  for (const auto &[name, bits] : layout.freeBits())
    if (name == "register" && (reg & bits))
      return true;
  return false;
}

Value *ThreadGeometry::isFirstHolder(const LinearLayout &layout) {
  Value *first = nullptr;
  for (const auto &[name, bits] : layout.freeBits()) {
    if (bits == 0 || (name != "lane" && name != "warp"))
      continue;
    Value *index = name == "lane" ? lane : warp;
    Value *none = builder.CreateICmpEQ(builder.CreateAnd(index, i32(bits)), i32(0));
    first = first ? builder.CreateAnd(first, none) : none;
  }
  return first;
}

Value *ThreadGeometry::isFirstThread() {
  return elected ? elected : builder.CreateICmpEQ(thread, i32(0));
}

} // namespace tl::backend
