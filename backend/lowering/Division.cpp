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
// What is divided by zero, and the least integer by -1: see arithmetic/Integers.cpp.
#include "lowering/Division.h"

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

} // namespace

bool emitDivisions(KernelLowering &kernel, mlir::Operation *op) {
  auto &b = kernel.builder;
  const Values dividends = kernel.get(op->getOperand(0)), divisors = kernel.get(op->getOperand(1));
  size_t count = std::max(dividends.size(), divisors.size());
  if (count == 1 || count > mostTogether || !dividends[0]->getType()->isIntegerTy(64) ||
      llvm::isa<llvm::Constant>(divisors[0]))
    return false;
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
    each.a = dividends[dividends.size() == 1 ? 0 : r];
    each.b = divisors[divisors.size() == 1 ? 0 : r];
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
    kernel.set(each->getResult(0), std::move(results));
  };
  finish(op);
  if (partner)
    finish(partner);
  return true;
}

} // namespace tl::backend
