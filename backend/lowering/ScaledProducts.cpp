// SPDX-License-Identifier: MIT
//
// tt.dot_scaled by multiply-adds: operands and scales lie in shared memory as they are, and are
// decoded where they are read.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

/// Four bits (sign, two of exponent, one of mantissa) as f32. The magnitudes are those of an f32
/// with the same three bits at the top of its exponent and mantissa, scaled.
Value *GpuLowering::decodeE2m1(Value *nibble) {
  Value *wide = builder.CreateZExt(nibble, builder.getInt32Ty());
  Value *magnitude = builder.CreateShl(builder.CreateAnd(wide, i32(7)), 22);
  // 2^126 moves the exponent's bias from 1 to 127; the one denormal becomes 0.5 by itself.
  Value *number = builder.CreateFMul(builder.CreateBitCast(magnitude, builder.getFloatTy()),
                                     llvm::ConstantFP::get(builder.getFloatTy(), 0x1p126));
  Value *sign = builder.CreateShl(builder.CreateAnd(wide, i32(8)), 28);
  return builder.CreateBitCast(
      builder.CreateOr(builder.CreateBitCast(number, builder.getInt32Ty()), sign),
      builder.getFloatTy());
}

/// 2^(s - 127), the bits of an f32's exponent; 0 is the denormal 2^-127, 255 NaN. Or a narrow
/// float.
Value *GpuLowering::decodeScale(Value *bits, mlir::Type element) {
  if (auto format = floatFormat(element))
    return widen(bits, *format);
  Value *wide = builder.CreateZExt(bits, builder.getInt32Ty());
  Value *word = builder.CreateSelect(builder.CreateICmpEQ(wide, i32(0)), i32(0x00400000),
                                     builder.CreateShl(wide, 23));
  word = builder.CreateSelect(builder.CreateICmpEQ(wide, i32(255)), i32(0x7fc00000), word);
  return builder.CreateBitCast(word, builder.getFloatTy());
}

void GpuLowering::emitDotScaled(tt::DotScaledOp op) {
  auto type = mlir::cast<mlir::RankedTensorType>(op.getType());
  unsigned rank = unsigned(type.getRank());
  int64_t m = type.getDimSize(rank - 2), n = type.getDimSize(rank - 1);
  int64_t k = op.getReductionExtent();
  struct Operand {
    mlir::Value value, scales;
    tt::ScaleDotElemType type;
    bool packAlongK;
    uint64_t begin = 0, scalesBegin = 0;
  };
  Operand operands[2] = {{op.getA(), op.getAScale(), op.getAElemType(), op.getLhsKPack()},
                         {op.getB(), op.getBScale(), op.getBElemType(), op.getRhsKPack()}};
  uint64_t total = 0;
  auto reserve = [&](mlir::Value value) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(value.getType());
    uint64_t begin = total;
    total +=
        llvm::alignTo(uint64_t(tensor.getNumElements()) * memoryBytes(tensor.getElementType()), 16);
    return begin;
  };
  for (Operand &operand : operands) {
    if (!floatFormat(operand.type) && operand.type != tt::ScaleDotElemType::E2M1)
      unsupported(op, "does not know operands of 6 bits in tl::dot_scaled");
    operand.begin = reserve(operand.value);
    if (operand.scales)
      operand.scalesBegin = reserve(operand.scales);
  }
  Scratch scratch = acquire(total);
  auto put = [&](mlir::Value value, uint64_t begin) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(value.getType());
    Shape shape(tensor.getShape().begin(), tensor.getShape().end());
    storeShared(get(value), ttg::layoutOf(tensor),
                rowMajorShared(shape, lastAxisFirst(unsigned(shape.size()))), begin,
                tensor.getElementType());
  };
  for (Operand &operand : operands) {
    operand.begin += scratch.begin;
    operand.scalesBegin += scratch.begin;
    put(operand.value, operand.begin);
    if (operand.scales)
      put(operand.scales, operand.scalesBegin);
  }
  reads(scratch);
  // Rows and columns are those of the decoded operand.
  auto fetch = [&](const Operand &operand, bool isA) -> Fetch {
    return [=](Value *batch, Value *row, Value *column, unsigned) -> Values {
      auto tensor = mlir::cast<mlir::RankedTensorType>(operand.value.getType());
      mlir::Type element = tensor.getElementType();
      int64_t rows = isA ? m : k, columns = isA ? k : n;
      auto load = [&](uint64_t begin, Value *index, mlir::Type of) {
        return builder.CreateLoad(builder.getIntNTy(memoryBytes(of) * 8),
                                  sharedElement({begin, 0}, index, of));
      };
      Value *number;
      if (auto format = floatFormat(operand.type)) {
        number = widen(load(operand.begin, flatIndex(batch, row, column, rows, columns), element),
                       *format);
      } else {
        bool inRow = isA == operand.packAlongK; // two neighbours of a row share a byte
        Value *parity = builder.CreateAnd(inRow ? column : row, i32(1));
        Value *byte = inRow
                          ? flatIndex(batch, row, builder.CreateLShr(column, 1), rows, columns / 2)
                          : flatIndex(batch, builder.CreateLShr(row, 1), column, rows / 2, columns);
        Value *bits = builder.CreateZExt(load(operand.begin, byte, element), builder.getInt32Ty());
        bits = builder.CreateAnd(builder.CreateLShr(bits, builder.CreateShl(parity, 2)), i32(15));
        number = decodeE2m1(builder.CreateTrunc(bits, builder.getInt8Ty()));
      }
      if (!operand.scales)
        return {number};
      auto scales = mlir::cast<mlir::RankedTensorType>(operand.scales.getType());
      int64_t groups = scales.getShape().back();
      Value *along = isA ? column : row, *other = isA ? row : column;
      Value *position =
          flatIndex(batch, other, builder.CreateUDiv(along, i32(k / groups)), isA ? m : n, groups);
      Value *scale = decodeScale(load(operand.scalesBegin, position, scales.getElementType()),
                                 scales.getElementType());
      return {builder.CreateFMul(number, scale)};
    };
  };
  mlir::Type single = mlir::Float32Type::get(op.getContext());
  Values sums = multiplyAdd(type, get(op.getC()), k, {single, fetch(operands[0], true), 1},
                            {single, fetch(operands[1], false), 1});
  release(scratch);
  set(op, std::move(sums));
}

} // namespace tl::backend
