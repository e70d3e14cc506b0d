// SPDX-License-Identifier: MIT
//
// Cutting indices into dimensions and putting them together as linear numbers.
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tl::backend::cpu {

unsigned bitsOf(int64_t extent) { return llvm::Log2_64(uint64_t(extent)); }

void FunctionLowering::at(Nest &nest, unsigned level) {
  llvm::BasicBlock *block = nest.levels[level].setup;
  if (llvm::Instruction *terminator = block->getTerminator())
    builder.SetInsertPoint(terminator);
  else
    builder.SetInsertPoint(block);
}

void FunctionLowering::atTail(Nest &nest) { builder.SetInsertPoint(nest.levels.back().tail); }

std::pair<Digit, Digit> FunctionLowering::cut(Nest &nest, const Digit &digit, unsigned lowBits) {
  Digit high = digit, low = digit;
  low.extent = int64_t(1) << lowBits;
  high.extent = digit.extent >> lowBits;
  auto &known = nest.levels[digit.level].cuts[{digit.base, lowBits}];
  if (!known.first) {
    at(nest, digit.level);
    llvm::Value *amount = llvm::ConstantInt::get(digit.base->getType(), lowBits);
    llvm::Value *mask = llvm::ConstantInt::get(digit.base->getType(), low.extent - 1);
    known = {builder.CreateLShr(digit.base, amount), builder.CreateAnd(digit.base, mask)};
  }
  high.base = known.first;
  low.base = known.second;
  if (digit.laneBits) {
    low.laneBits = std::min<unsigned>(digit.laneBits, lowBits);
    high.laneBits = digit.laneBits - low.laneBits;
    high.laneShift = digit.laneShift + low.laneBits;
  }
  return {high, low};
}

llvm::SmallVector<Digits> FunctionLowering::split(Nest &nest, const Index &index,
                                                  llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<Digits> result(shape.size());
  Digits rest = index.digits;
  for (size_t d = shape.size(); d-- > 0;) {
    unsigned wanted = bitsOf(shape[d]);
    Digits reversed;
    while (wanted > 0) {
      Digit last = rest.pop_back_val();
      unsigned bits = bitsOf(last.extent);
      if (bits > wanted) {
        auto [high, low] = cut(nest, last, wanted);
        rest.push_back(high);
        last = low;
        bits = wanted;
      }
      wanted -= bits;
      reversed.push_back(last);
    }
    result[d].assign(reversed.rbegin(), reversed.rend());
  }
  return result;
}

Lanes FunctionLowering::linear(Nest &nest, const Index &index) {
  unsigned level = index.level();
  at(nest, level);
  llvm::Type *i64Type = builder.getInt64Ty();
  llvm::Value *base = nullptr, *vector = nullptr;
  auto add = [&](llvm::Value *&sum, llvm::Value *term) {
    sum = sum ? builder.CreateAdd(sum, term) : term;
  };
  // The lanes' part: its weight for each bit of the lane number, if it has one.
  unsigned laneBits = bitsOf(nest.lanes);
  llvm::SmallVector<int64_t, 8> weights(laneBits, 0);
  int64_t weight = 1;
  for (size_t d = index.digits.size(); d-- > 0;) {
    const Digit &digit = index.digits[d];
    llvm::Value *scaled =
        weight == 1
            ? digit.base
            : builder.CreateMul(digit.base, llvm::ConstantInt::get(digit.base->getType(), weight));
    add(digit.general ? vector : base, scaled);
    if (!digit.general)
      for (unsigned b = 0; b < digit.laneBits; ++b)
        weights[digit.laneShift + b] += weight << b;
    weight *= digit.extent;
  }
  if (!base)
    base = i64(0);
  bool varies = llvm::any_of(weights, [](int64_t w) { return w != 0; });
  if (!vector && !varies)
    return Lanes::uniform(base);
  if (!vector) {
    bool regular = true;
    for (unsigned b = 1; b < laneBits; ++b)
      regular &= weights[b] == weights[0] << b;
    if (regular)
      return Lanes::affine(base, i64(weights[0]));
  }
  if (varies) {
    llvm::SmallVector<llvm::Constant *, 64> offsets;
    for (unsigned lane = 0; lane < nest.lanes; ++lane) {
      int64_t offset = 0;
      for (unsigned b = 0; b < laneBits; ++b)
        if (lane >> b & 1)
          offset += weights[b];
      offsets.push_back(llvm::ConstantInt::get(i64Type, offset));
    }
    add(vector, llvm::ConstantVector::get(offsets));
  }
  add(vector, builder.CreateVectorSplat(nest.lanes, base));
  return Lanes::vector(vector);
}

Index FunctionLowering::indexOf(mlir::Type type, int64_t position) {
  Index index;
  if (int64_t count = elementCount(type); count > 1) {
    Digit digit;
    digit.extent = count;
    digit.base = i64(position);
    index.digits.push_back(digit);
  }
  return index;
}

Index FunctionLowering::zeroIndex(mlir::Type type) { return indexOf(type, 0); }

Index FunctionLowering::lastIndex(mlir::Type type) { return indexOf(type, elementCount(type) - 1); }

} // namespace tl::backend::cpu
