// SPDX-License-Identifier: MIT
//
// Integer and pointer arithmetic on lanes that are base + stride * lane, operation by operation.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

namespace arith = mlir::arith;

namespace {

/// One call of affineOf.
struct AffineArithmetic {
  FunctionLowering &f;
  llvm::IRBuilder<> &builder;
  llvm::ArrayRef<Lanes> operands;
  bool assumesNoWrap; // neighbouring offsets may count on past the end of their type
  bool counts;        // whether those of the result may have

  llvm::Value *stride(unsigned operand) const {
    const Lanes &lanes = operands[operand];
    return lanes.isAffine() ? lanes.stride : llvm::Constant::getNullValue(lanes.value->getType());
  }

  /// Whether the extension of a narrow number is that of its base and stride.
  bool extends(mlir::Value narrow, const Lanes &lanes) {
    if (f.ramps.of(narrow).extends())
      return true;
    auto *stride = llvm::dyn_cast<llvm::ConstantInt>(lanes.stride);
    counts = assumesNoWrap && stride && stride->isOne() && stride->getBitWidth() >= 32;
    return counts;
  }

  Lanes compute(arith::AddIOp) {
    return Lanes::affine(builder.CreateAdd(operands[0].value, operands[1].value),
                         builder.CreateAdd(stride(0), stride(1)));
  }

  Lanes compute(arith::SubIOp) {
    return Lanes::affine(builder.CreateSub(operands[0].value, operands[1].value),
                         builder.CreateSub(stride(0), stride(1)));
  }

  Lanes compute(arith::MulIOp) {
    const Lanes &a = operands[0], &b = operands[1];
    if (a.isAffine() && b.isAffine())
      return {};
    const Lanes &moving = a.isAffine() ? a : b, &factor = a.isAffine() ? b : a;
    return Lanes::affine(builder.CreateMul(moving.value, factor.value),
                         builder.CreateMul(moving.stride, factor.value));
  }

  Lanes compute(arith::TruncIOp trunc) {
    llvm::Type *type = registerType(f.context, elementType(trunc.getType()));
    if (type->isIntegerTy(1))
      return {};
    return Lanes::affine(builder.CreateTrunc(operands[0].value, type),
                         builder.CreateTrunc(operands[0].stride, type));
  }

  Lanes compute(arith::ExtSIOp extend) {
    if (!extends(extend.getIn(), operands[0]))
      return {};
    llvm::Type *type = registerType(f.context, elementType(extend.getType()));
    return Lanes::affine(builder.CreateSExt(operands[0].value, type),
                         builder.CreateSExt(operands[0].stride, type));
  }

  Lanes compute(tt::AddPtrOp add) {
    mlir::Type pointee =
        mlir::cast<tt::PointerType>(elementType(add.getPtr().getType())).getPointeeType();
    const Lanes &pointer = operands[0], &offset = operands[1];
    if (offset.isAffine() && offset.value->getType()->getIntegerBitWidth() < 64 &&
        !extends(add.getOffset(), offset))
      return {};
    llvm::Value *size = f.i64(memoryBytes(pointee));
    auto bytes = [&](llvm::Value *elements) {
      return builder.CreateMul(builder.CreateSExtOrTrunc(elements, builder.getInt64Ty()), size);
    };
    llvm::Value *base =
        builder.CreateGEP(memoryType(f.context, pointee), pointer.value, offset.value);
    llvm::Value *stride = pointer.isAffine() ? pointer.stride : f.i64(0);
    if (offset.isAffine())
      stride = builder.CreateAdd(stride, bytes(offset.stride));
    return Lanes::affine(base, stride);
  }

  Lanes compute(tt::BitcastOp cast) {
    if (mlir::isa<tt::PointerType>(elementType(cast.getType())) ||
        operands[0].value->getType() == registerType(f.context, elementType(cast.getType())))
      return operands[0];
    return {};
  }
};

using Rule = Lanes (*)(AffineArithmetic &, mlir::Operation *);

template <class Op> Lanes apply(AffineArithmetic &arithmetic, mlir::Operation *operation) {
  return arithmetic.compute(mlir::cast<Op>(operation));
}

Rule ruleOf(mlir::Operation *operation) {
  static const llvm::DenseMap<mlir::TypeID, Rule> rules = {
      {mlir::TypeID::get<arith::AddIOp>(), apply<arith::AddIOp>},
      {mlir::TypeID::get<arith::SubIOp>(), apply<arith::SubIOp>},
      {mlir::TypeID::get<arith::MulIOp>(), apply<arith::MulIOp>},
      {mlir::TypeID::get<arith::TruncIOp>(), apply<arith::TruncIOp>},
      {mlir::TypeID::get<arith::ExtSIOp>(), apply<arith::ExtSIOp>},
      {mlir::TypeID::get<tt::AddPtrOp>(), apply<tt::AddPtrOp>},
      {mlir::TypeID::get<tt::BitcastOp>(), apply<tt::BitcastOp>}};
  return rules.lookup(operation->getName().getTypeID());
}

} // namespace

bool hasAffineRule(mlir::Operation *operation) { return ruleOf(operation); }

Lanes FunctionLowering::affineOf(mlir::Operation *operation, llvm::ArrayRef<Lanes> operands,
                                 bool assumesNoWrap) {
  if (llvm::none_of(operands, [](const Lanes &lanes) { return lanes.isAffine(); }) ||
      llvm::any_of(operands,
                   [](const Lanes &lanes) { return lanes.isVector() || lanes.isSpread(); }))
    return {};
  bool counts = llvm::any_of(operands, [](const Lanes &lanes) { return lanes.assumesNoWrap; });
  AffineArithmetic arithmetic{*this, builder, operands, assumesNoWrap, counts};
  Rule rule = ruleOf(operation);
  Lanes result = rule ? rule(arithmetic, operation) : Lanes();
  result.assumesNoWrap = arithmetic.counts;
  return result;
}

} // namespace tl::backend::cpu
