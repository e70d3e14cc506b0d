// SPDX-License-Identifier: MIT
//
// Chooses the implementation of a function: an instruction, one of the families, or the C library;
// inline or outlined; and cuts vectors to the native width.
#include "arithmetic/Math.h"

#include "arithmetic/Extrema.h"
#include "arithmetic/MathBuilder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::ArrayRef;
using llvm::Value;

namespace {

/// What is a few instructions on any processor.
Value *emitSimple(MathBuilder &m, MathFunction function, ArrayRef<Value *> x) {
  llvm::IRBuilderBase &b = m.b;
  switch (function) {
  case MathFunction::abs:
    return m.abs(x[0]);
  case MathFunction::ceil:
  case MathFunction::floor:
  case MathFunction::trunc:
  case MathFunction::round:
  case MathFunction::roundEven:
    return m.rounded(x[0], function);
  case MathFunction::sqrt:
  case MathFunction::preciseSqrt:
    return m.sqrt(x[0]);
  case MathFunction::rsqrt:
    return m.div(m.real(1), m.sqrt(x[0]));
  case MathFunction::rcp:
    return m.div(m.real(1), x[0]);
  case MathFunction::copySign:
    return m.withSign(m.abs(x[0]), x[1]);
  case MathFunction::minNum:
  case MathFunction::maxNum:
    return emitExtremum(b, function == MathFunction::maxNum, x[0], x[1]);
  case MathFunction::fdim: {
    Value *difference = m.sub(x[0], x[1]);
    // Not "x > y": NaN must come through.
    return m.select(b.CreateFCmpOLE(x[0], x[1]), m.real(0), difference);
  }
  case MathFunction::fma:
    // Without the instruction a library call a lane is the only way to one rounding.
    return m.features.fma ? m.fma(x[0], x[1], x[2]) : nullptr;
  default:
    return nullptr;
  }
}

/// What a function has of its own.
struct Own {
  Value *(*emit)(MathBuilder &, MathFunction, ArrayRef<Value *>);
  bool forSingle, forDouble;
  enum { inlined, outlined } placement;
};

Value *emitNothing(MathBuilder &, MathFunction, ArrayRef<Value *>) { return nullptr; }

/// In the order of MathFunction.
constexpr Own owns[] = {
#define INSTRUCTION(...) {emitNothing, false, false, Own::inlined},
#define FORMULA(id, name, operands, operation, reference, family, placement)                       \
  {emit##family, true, true, Own::placement},
#define LIBRARY(id, name, operands, operation, reference, family, forDouble, placement)            \
  {emit##family, emit##family != emitNothing, forDouble, Own::placement},
#define SPECIAL(...) {emitNothing, false, false, Own::outlined},
    TL_MATH_FUNCTIONS(INSTRUCTION, FORMULA, LIBRARY, SPECIAL)
#undef INSTRUCTION
#undef FORMULA
#undef LIBRARY
#undef SPECIAL
};

Value *emitNative(MathBuilder &m, MathFunction function, ArrayRef<Value *> x) {
  if (Value *value = emitSimple(m, function, x))
    return value;
  const Own &own = owns[static_cast<size_t>(function)];
  const llvm::StringRef symbol = librarySymbol(function);
  if (!(m.isDouble ? own.forDouble : own.forSingle))
    return emitLibraryCall(m, symbol, x);
  if (own.placement == Own::inlined)
    return own.emit(m, function, x);
  return callOutlined(m, symbol, x, [&](MathBuilder &inner, ArrayRef<Value *> parameters) {
    return own.emit(inner, function, parameters);
  });
}

Value *part(llvm::IRBuilderBase &b, Value *vector, unsigned begin, unsigned count) {
  llvm::SmallVector<int> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(int(begin + i));
  return b.CreateShuffleVector(vector, lanes);
}

} // namespace

Value *emitMath(llvm::IRBuilderBase &b, MathFunction function, ArrayRef<Value *> operands,
                const ArithmeticFeatures &features) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  MathBuilder m(b, operands[0]->getType(), features);
  const unsigned native = features.lanes(m.isDouble ? 8 : 4), lanes = m.lanes();
  if (lanes <= native)
    return emitNative(m, function, operands);

  // Wider than a register: piece by piece, so that outlined code is shared.
  Value *result = nullptr;
  for (unsigned begin = 0; begin < lanes; begin += native) {
    unsigned count = std::min(native, lanes - begin);
    llvm::SmallVector<Value *> pieces;
    for (Value *operand : operands)
      pieces.push_back(part(b, operand, begin, count));
    MathBuilder piece(b, pieces[0]->getType(), features);
    Value *value = emitNative(piece, function, pieces);
    if (!result) {
      result = value;
      continue;
    }
    // Append: widen the piece with undefined lanes, then choose.
    llvm::SmallVector<int> widen, choose;
    for (unsigned i = 0; i < begin; ++i) {
      widen.push_back(i < count ? int(i) : -1);
      choose.push_back(int(i));
    }
    for (unsigned i = 0; i < count; ++i)
      choose.push_back(int(begin + i));
    if (count != begin)
      value = b.CreateShuffleVector(value, widen);
    result = b.CreateShuffleVector(result, value, choose);
  }
  return result;
}

} // namespace tl::backend
