// SPDX-License-Identifier: MIT
//
// Quotients and remainders of 64-bit integers. No GPU divides in hardware, and 64 bits take several
// times as long as 32; but indices are seldom that large. So one branch asks for all registers of a
// thread at once whether their magnitudes fit into 32 bits, where they stand beside each other, so
// that the reciprocal of a divisor that they share is computed once. A quotient and a remainder of
// the same operands are computed together.
//
//     %q = arith.divsi %a, %b : tensor<512xi64>      if ((|a0| | |a1| | ... | |b|) < 2^32)
//     %r = arith.remsi %a, %b : tensor<512xi64>        q0 = |a0| / |b|, r0 = |a0| - q0 * |b|, ...
//                                                    else the same in 64 bits
//
// Numbers that count up from a multiple of a power of two, to the next one, have one quotient, if
// that power divides the divisor: their remainders count up. So where a thread has such neighbours,
// only the first of them is divided. Where it is a multiple of the divisor below zero, the others
// have another quotient, which is nearer to zero:
//
//     %q = arith.divsi %a, %b      a, b from 16 on: 4 neighbours 16 17 18 19     -16 -15 -14 -13
//     %r = arith.remsi %a, %b      by 16                       q 1  1  1  1        -1   0   0   0
//                                                              r 0  1  2  3         0 -15 -14 -13
//
// What is divided by zero, and the least integer by -1: see arithmetic/Integers.cpp.
#include "lowering/Division.h"

#include "lowering/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
namespace arith = mlir::arith;

namespace {

bool isSigned(mlir::Operation *op) { return mlir::isa<arith::DivSIOp, arith::RemSIOp>(op); }
bool isUnsigned(mlir::Operation *op) { return mlir::isa<arith::DivUIOp, arith::RemUIOp>(op); }
bool isRemainder(mlir::Operation *op) { return mlir::isa<arith::RemSIOp, arith::RemUIOp>(op); }

/// The remainder for a quotient, or the other way around, of the same operands in the same block.
mlir::Operation *partnerOf(mlir::Operation *op) {
  for (mlir::Operation *user : op->getOperand(0).getUsers())
    if (isSigned(user) == isSigned(op) && isUnsigned(user) == isUnsigned(op) &&
        isRemainder(user) != isRemainder(op) && user->getBlock() == op->getBlock() &&
        user->getOperands() == op->getOperands())
      return user;
  return nullptr;
}

/// Registers of a thread; of more, each calls what divides.
constexpr size_t mostTogether = 16;

/// The operands of one register, without their signs; the divisor is not 0.
struct Operands {
  Value *a, *b;
  Value *dividend, *divisor;
};

struct Results {
  Values quotients, remainders;
};

/// In the type of `narrow`, or as wide as they are.
Results divide(llvm::IRBuilderBase &b, llvm::ArrayRef<Operands> operands, llvm::Type *narrow) {
  Results results;
  for (const Operands &each : operands) {
    llvm::Type *wide = each.dividend->getType(), *type = narrow ? narrow : wide;
    Value *x = b.CreateTrunc(each.dividend, type), *y = b.CreateTrunc(each.divisor, type);
    Value *quotient = b.CreateUDiv(x, y);
    results.quotients.push_back(b.CreateZExt(quotient, wide));
    results.remainders.push_back(b.CreateZExt(b.CreateSub(x, b.CreateMul(quotient, y)), wide));
  }
  return results;
}

/// A splat may be one value for all registers.
Value *valueIn(const Values &values, unsigned reg) { return values[values.size() == 1 ? 0 : reg]; }

/// Registers whose dividends are neighbours that one division serves. Divisors that are known are
/// LLVM's business.
RegisterGroups runsOf(KernelLowering &kernel, mlir::Operation *op) {
  RegisterGroups longest;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  const Values divisors = kernel.get(op->getOperand(1));
  if (!type || llvm::isa<llvm::Constant>(divisors[0]))
    return longest;
  AxisInfo dividend = kernel.axes.of(op->getOperand(0)),
           divisor = kernel.axes.of(op->getOperand(1));
  for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
    const int64_t divides = divisor.contiguity[axis] > 1 ? 1 : divisor.divisibility[axis];
    RegisterGroups groups =
        groupsAlong(type, axis,
                    std::min({dividend.contiguity[axis], dividend.divisibility[axis],
                              divisor.constancy[axis], divides}));
    if (groups.width() > longest.width())
      longest = std::move(groups);
  }
  return longest;
}

/// The results of all neighbours from those of the first of each group, `divided`; `dividends` and
/// `divisors` are of all registers.
Values spreadResults(KernelLowering &kernel, mlir::Operation *op, const RegisterGroups &runs,
                     const Values &divided, const Values &dividends, const Values &divisors) {
  auto &b = kernel.builder;
  Values results(dividends.size(), nullptr);
  unsigned group = 0;
  for (unsigned reg = 0; reg < results.size(); ++reg) {
    if (!runs.isFirst(reg))
      continue;
    Value *first = divided[group++], *others = first, *divisor = valueIn(divisors, reg);
    llvm::Type *type = first->getType();
    if (isSigned(op)) {
      llvm::Constant *zero = llvm::ConstantInt::get(type, 0);
      Value *whole = isRemainder(op) ? b.CreateIsNull(first)
                                     : b.CreateICmpEQ(b.CreateMul(first, divisor), dividends[reg]);
      Value *isOther = b.CreateAnd(whole, b.CreateICmpSLT(dividends[reg], zero));
      Value *nearer =
          isRemainder(op)
              ? b.CreateNeg(b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, divisor, b.getFalse()))
              : b.CreateAdd(first, b.CreateOr(b.CreateAShr(divisor, type->getIntegerBitWidth() - 1),
                                              llvm::ConstantInt::get(type, 1)));
      others = b.CreateSelect(isOther, nearer, first);
    }
    for (unsigned i = 0; i < runs.width(); ++i)
      results[runs.registerOf(reg, i)] = i == 0 ? first
                                         : isRemainder(op)
                                             ? b.CreateAdd(others, llvm::ConstantInt::get(type, i))
                                             : others;
  }
  return results;
}

} // namespace

bool emitDivisions(KernelLowering &kernel, mlir::Operation *op) {
  auto &b = kernel.builder;
  const RegisterGroups runs = runsOf(kernel, op);
  const Values allDividends = kernel.get(op->getOperand(0)),
               allDivisors = kernel.get(op->getOperand(1));
  Values dividends, divisors; // of what is divided
  for (unsigned reg = 0; reg < std::max(allDividends.size(), allDivisors.size()); ++reg)
    if (runs.isFirst(reg)) {
      dividends.push_back(valueIn(allDividends, reg));
      divisors.push_back(valueIn(allDivisors, reg));
    }
  auto give = [&](mlir::Operation *each, Values results) {
    kernel.set(each->getResult(0), runs.width() == 1 ? std::move(results)
                                                     : spreadResults(kernel, each, runs, results,
                                                                     allDividends, allDivisors));
  };
  const size_t count = dividends.size();
  if (count == 1 || count > mostTogether || !dividends[0]->getType()->isIntegerTy(64) ||
      llvm::isa<llvm::Constant>(divisors[0])) {
    if (runs.width() == 1 || count > 4 * mostTogether)
      return false;
    Values results;
    for (auto [dividend, divisor] : llvm::zip(dividends, divisors))
      results.push_back(kernel.scalars.emitElementwise(op, {dividend, divisor}));
    give(op, std::move(results));
    return true;
  }
  mlir::Operation *partner = partnerOf(op);
  if (partner && partner->isBeforeInBlock(op))
    return true;

  llvm::Type *type = b.getInt64Ty();
  auto magnitude = [&](Value *value) {
    return isSigned(op) ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse())
                        : value;
  };
  llvm::SmallVector<Operands> operands;
  Value *all = nullptr;
  for (size_t r = 0; r < count; ++r) {
    Operands each;
    each.a = dividends[r];
    each.b = divisors[r];
    each.dividend = magnitude(each.a);
    Value *byZero = b.CreateICmpEQ(each.b, b.getInt64(0));
    each.divisor = magnitude(b.CreateSelect(byZero, b.getInt64(1), each.b));
    Value *bits = b.CreateOr(each.dividend, each.divisor);
    all = all ? b.CreateOr(all, bits) : bits;
    operands.push_back(each);
  }
  auto *inWords = kernel.newBlock("words"), *inFull = kernel.newBlock("full"),
       *after = kernel.newBlock("divided");
  b.CreateCondBr(b.CreateICmpULT(all, b.getInt64(uint64_t(1) << 32)), inWords, inFull);
  b.SetInsertPoint(inWords);
  Results words = divide(b, operands, b.getInt32Ty());
  b.CreateBr(after);
  b.SetInsertPoint(inFull);
  Results full = divide(b, operands, nullptr);
  b.CreateBr(after);
  b.SetInsertPoint(after);

  auto join = [&](llvm::ArrayRef<Value *> first, llvm::ArrayRef<Value *> second) {
    Values joined;
    for (size_t r = 0; r < count; ++r) {
      llvm::PHINode *phi = b.CreatePHI(type, 2);
      phi->addIncoming(first[r], inWords);
      phi->addIncoming(second[r], inFull);
      joined.push_back(phi);
    }
    return joined;
  };
  const Values quotients = join(words.quotients, full.quotients),
               remainders = join(words.remainders, full.remainders);
  auto finish = [&](mlir::Operation *each) {
    bool remainder = isRemainder(each);
    Values results = remainder ? remainders : quotients;
    for (auto [result, from] : llvm::zip(results, operands)) {
      if (isSigned(each)) {
        Value *sign = b.CreateAShr(remainder ? from.a : b.CreateXor(from.a, from.b), 63);
        result = b.CreateSub(b.CreateXor(result, sign), sign);
      }
      Value *byZero = b.CreateICmpEQ(from.b, b.getInt64(0));
      result = b.CreateSelect(byZero, remainder ? from.a : b.getInt64(0), result);
    }
    give(each, std::move(results));
  };
  finish(op);
  if (partner)
    finish(partner);
  return true;
}

} // namespace tl::backend
