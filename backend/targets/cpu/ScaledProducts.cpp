// SPDX-License-Identifier: MIT
//
// tt.dot_scaled: the operands are decoded, multiplied by their scales and stored as f32, then
// multiplied like any other matrices.
#include "targets/cpu/Matrices.h"
#include "targets/cpu/Operations.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

/// Four bits (sign, two of exponent, one of mantissa) as f32.
static Value *decodeE2m1(FunctionLowering &f, Value *nibble) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::Constant *magnitudes[8];
  const float table[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (unsigned i = 0; i < 8; ++i)
    magnitudes[i] = llvm::ConstantFP::get(builder.getFloatTy(), table[i]);
  Value *vector = llvm::ConstantVector::get(magnitudes);
  Value *magnitude = builder.CreateExtractElement(
      vector,
      builder.CreateZExt(builder.CreateAnd(nibble, builder.getInt8(7)), builder.getInt32Ty()));
  Value *negative =
      builder.CreateICmpNE(builder.CreateAnd(nibble, builder.getInt8(8)), builder.getInt8(0));
  return builder.CreateSelect(negative, builder.CreateFNeg(magnitude), magnitude);
}

/// Decodes one operand, seen as [batch, rows, columns], into f32. `depthLast` tells which of the
/// last two is K; scales are [batch, other, K / group].
static ScratchBuffer *decodeScaled(FunctionLowering &f, tt::DotScaledOp dot, mlir::Value value,
                                   mlir::Value scales, tt::ScaleDotElemType type, bool packLast,
                                   bool depthLast, int64_t batch, int64_t rows, int64_t columns) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  Scratch &scratch = f.scratch;
  auto format = floatFormat(type);
  bool packed = type == tt::ScaleDotElemType::E2M1;
  if (!format && !packed)
    unsupported(dot, "tl::dot_scaled does not know operands of 6 bits");
  ScratchBuffer *from = f.materialise(value);
  f.flush();
  ScratchBuffer *scaleBuffer = scales ? f.materialise(scales) : nullptr;
  f.flush();
  int64_t count = batch * rows * columns;
  ScratchBuffer *to = scratch.allocate(uint64_t(count) * 4);
  for (ScratchBuffer *buffer : {from, to, scaleBuffer})
    if (buffer)
      scratch.use(*buffer);
  int64_t depth = depthLast ? columns : rows;
  int64_t groups = scales ? shapeOf(scales.getType()).back() : 1;
  Nest nest = f.newNest(1);
  f.emitCounted(nest, f.i64(0), f.i64(count), 1, 100, [&](Value *i) {
    f.atTail(nest);
    Value *column = builder.CreateURem(i, f.i64(columns));
    Value *row = builder.CreateURem(builder.CreateUDiv(i, f.i64(columns)), f.i64(rows));
    Value *outer = builder.CreateUDiv(i, f.i64(rows * columns));
    Value *number;
    if (packed) {
      // Two elements to a byte: along the columns, or along the rows.
      Value *parity = packLast ? column : row;
      Value *byte =
          packLast
              ? builder.CreateLShr(i, f.i64(1))
              : builder.CreateAdd(
                    builder.CreateMul(builder.CreateAdd(builder.CreateMul(outer, f.i64(rows / 2)),
                                                        builder.CreateLShr(row, f.i64(1))),
                                      f.i64(columns)),
                    column);
      Value *bits = builder.CreateLoad(builder.getInt8Ty(),
                                       builder.CreateGEP(builder.getInt8Ty(), from->pointer, byte));
      Value *odd = builder.CreateTrunc(builder.CreateAnd(parity, f.i64(1)), builder.getInt8Ty());
      Value *nibble = builder.CreateLShr(bits, builder.CreateMul(odd, builder.getInt8(4)));
      number = decodeE2m1(f, builder.CreateAnd(nibble, builder.getInt8(15)));
    } else {
      llvm::Type *storage = storageType(context, *format);
      Value *bits = builder.CreateLoad(storage, builder.CreateGEP(storage, from->pointer, i));
      number = f.widen(bits, *format);
    }
    if (scaleBuffer) {
      Value *along = depthLast ? column : row, *other = depthLast ? row : column;
      int64_t otherExtent = depthLast ? rows : columns;
      Value *position = builder.CreateAdd(
          builder.CreateMul(builder.CreateAdd(builder.CreateMul(outer, f.i64(otherExtent)), other),
                            f.i64(groups)),
          builder.CreateUDiv(along, f.i64(depth / groups)));
      Value *bits = builder.CreateLoad(
          builder.getInt8Ty(),
          builder.CreateGEP(builder.getInt8Ty(), scaleBuffer->pointer, position));
      mlir::Type element = elementType(scales.getType());
      Value *scale;
      if (auto scaleFormat = floatFormat(element)) {
        scale = f.widen(bits, *scaleFormat);
      } else {
        // 2^(s - 127): the bits of an f32's exponent; s = 0 is the denormal 2^-127.
        Value *wide = builder.CreateZExt(bits, builder.getInt32Ty());
        Value *normal = builder.CreateShl(wide, builder.getInt32(23));
        Value *word = builder.CreateSelect(builder.CreateICmpEQ(wide, builder.getInt32(0)),
                                           builder.getInt32(0x00400000), normal);
        word = builder.CreateSelect(builder.CreateICmpEQ(wide, builder.getInt32(255)),
                                    builder.getInt32(0x7fc00000), word);
        scale = builder.CreateBitCast(word, builder.getFloatTy());
      }
      number = builder.CreateFMul(number, scale);
    }
    builder.CreateStore(number, builder.CreateGEP(builder.getFloatTy(), to->pointer, i));
  });
  f.leaveNest(nest);
  return to;
}

static void emitDotScaled(FunctionLowering &f, tt::DotScaledOp dot) {
  Scratch &scratch = f.scratch;
  auto resultShape = shapeOf(dot.getType());
  size_t rank = resultShape.size();
  DotSpec spec;
  for (size_t d = 0; d + 2 < rank; ++d)
    spec.batch *= resultShape[d];
  spec.m = resultShape[rank - 2];
  spec.n = resultShape[rank - 1];
  spec.k = dot.getReductionExtent();
  spec.a = spec.b = DotElement::f32;
  auto format = floatFormat(elementType(dot.getType()));
  if (!format || (*format != FloatFormat::f32 && *format != FloatFormat::f16))
    unsupported(dot, "tl::dot_scaled accumulates in f32 or f16 on the cpu target");
  spec.c = DotElement(*format);
  f.flush();
  ScratchBuffer *a = decodeScaled(f, dot, dot.getA(), dot.getAScale(), dot.getAElemType(),
                                  dot.getLhsKPack(), true, spec.batch, spec.m, spec.k);
  ScratchBuffer *b = decodeScaled(f, dot, dot.getB(), dot.getBScale(), dot.getBElemType(),
                                  !dot.getRhsKPack(), false, spec.batch, spec.k, spec.n);
  ScratchBuffer *c = dotAccumulator(f, dot, dot.getC(), dot.getD(), {});
  scratch.use(*a);
  scratch.use(*b);
  DotOperand left = {a->pointer, f.i64(spec.k), f.i64(1), f.i64(spec.m * spec.k)};
  DotOperand right = {b->pointer, f.i64(spec.n), f.i64(1), f.i64(spec.k * spec.n)};
  emitProduct(f, spec, left, right, c);
}

void addScaledProducts(EmitterTable &table) { table.add<emitDotScaled>(); }

} // namespace tl::backend::cpu
