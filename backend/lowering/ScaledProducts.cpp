// SPDX-License-Identifier: MIT
//
// tt.dot_scaled by multiply-adds: operands and scales lie in shared memory as they are, and are
// decoded where they are read.
#include "layout/NamedLayouts.h"
#include "lowering/Products.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

namespace {

/// Four bits (sign, two of exponent, one of mantissa) as f32. The magnitudes are those of an f32
/// with the same three bits at the top of its exponent and mantissa, scaled.
Value *decodeE2m1(KernelLowering &kernel, Value *nibble) {
  auto &b = kernel.builder;
  Value *wide = b.CreateZExt(nibble, b.getInt32Ty());
  Value *magnitude = b.CreateShl(b.CreateAnd(wide, kernel.i32(7)), 22);
  // 2^126 moves the exponent's bias from 1 to 127; the one denormal becomes 0.5 by itself.
  Value *number = b.CreateFMul(b.CreateBitCast(magnitude, b.getFloatTy()),
                               llvm::ConstantFP::get(b.getFloatTy(), 0x1p126));
  Value *sign = b.CreateShl(b.CreateAnd(wide, kernel.i32(8)), 28);
  return b.CreateBitCast(b.CreateOr(b.CreateBitCast(number, b.getInt32Ty()), sign), b.getFloatTy());
}

/// 2^(s - 127), the bits of an f32's exponent; 0 is the denormal 2^-127, 255 NaN. Or a narrow
/// float.
Value *decodeScale(KernelLowering &kernel, Value *bits, mlir::Type element) {
  auto &b = kernel.builder;
  if (auto format = floatFormat(element))
    return kernel.scalars.widen(bits, *format);
  Value *wide = b.CreateZExt(bits, b.getInt32Ty());
  Value *word = b.CreateSelect(b.CreateICmpEQ(wide, kernel.i32(0)), kernel.i32(0x00400000),
                               b.CreateShl(wide, 23));
  word = b.CreateSelect(b.CreateICmpEQ(wide, kernel.i32(255)), kernel.i32(0x7fc00000), word);
  return b.CreateBitCast(word, b.getFloatTy());
}

void emitDotScaled(KernelLowering &kernel, tt::DotScaledOp op) {
  auto &b = kernel.builder;
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
      kernel.unsupported(op, "does not know operands of 6 bits in tl::dot_scaled");
    operand.begin = reserve(operand.value);
    if (operand.scales)
      operand.scalesBegin = reserve(operand.scales);
  }
  Scratch scratch = kernel.shared.acquire(total);
  auto put = [&](mlir::Value value, uint64_t begin) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(value.getType());
    Shape shape(tensor.getShape().begin(), tensor.getShape().end());
    storeShared(kernel, kernel.get(value), ttg::layoutOf(tensor),
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
  kernel.shared.reads(scratch);
  // Rows and columns are those of the decoded operand.
  auto fetch = [&](const Operand &operand, bool isA) -> Factor::Fetch {
    return [=, &kernel, &b](Value *batch, Value *row, Value *column, unsigned) -> Values {
      auto tensor = mlir::cast<mlir::RankedTensorType>(operand.value.getType());
      mlir::Type element = tensor.getElementType();
      int64_t rows = isA ? m : k, columns = isA ? k : n;
      auto load = [&](uint64_t begin, Value *index, mlir::Type of) {
        return b.CreateLoad(b.getIntNTy(memoryBytes(of) * 8),
                            kernel.shared.element({begin, 0}, index, of));
      };
      Value *number;
      if (auto format = floatFormat(operand.type)) {
        number = kernel.scalars.widen(
            load(operand.begin, flatIndex(kernel, batch, row, column, rows, columns), element),
            *format);
      } else {
        bool inRow = isA == operand.packAlongK; // two neighbours of a row share a byte
        Value *parity = b.CreateAnd(inRow ? column : row, kernel.i32(1));
        Value *byte =
            inRow ? flatIndex(kernel, batch, row, b.CreateLShr(column, 1), rows, columns / 2)
                  : flatIndex(kernel, batch, b.CreateLShr(row, 1), column, rows / 2, columns);
        Value *bits = b.CreateZExt(load(operand.begin, byte, element), b.getInt32Ty());
        bits = b.CreateAnd(b.CreateLShr(bits, b.CreateShl(parity, 2)), kernel.i32(15));
        number = decodeE2m1(kernel, b.CreateTrunc(bits, b.getInt8Ty()));
      }
      if (!operand.scales)
        return {number};
      auto scales = mlir::cast<mlir::RankedTensorType>(operand.scales.getType());
      int64_t groups = scales.getShape().back();
      Value *along = isA ? column : row, *other = isA ? row : column;
      Value *position = flatIndex(kernel, batch, other, b.CreateUDiv(along, kernel.i32(k / groups)),
                                  isA ? m : n, groups);
      Value *scale =
          decodeScale(kernel, load(operand.scalesBegin, position, scales.getElementType()),
                      scales.getElementType());
      return {b.CreateFMul(number, scale)};
    };
  };
  mlir::Type single = mlir::Float32Type::get(op.getContext());
  Values sums =
      multiplyAdd(kernel, type, kernel.get(op.getC()), k, {single, fetch(operands[0], true), 1},
                  {single, fetch(operands[1], false), 1});
  kernel.shared.release(scratch);
  kernel.set(op, std::move(sums));
}

} // namespace

void registerScaledProducts(OperationTable &table) { table.add<emitDotScaled>(); }

} // namespace tl::backend
