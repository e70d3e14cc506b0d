// SPDX-License-Identifier: MIT
#include "arithmetic/MathBuilder.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <string>

namespace tl::backend {

using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

Value *MathBuilder::fma(Value *x, Value *y, Value *z) {
  if (features.fma)
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, z});
  return add(mul(x, y), z);
}

Value *MathBuilder::polynomial(Value *x, std::initializer_list<double> coefficients) {
  const double *last = coefficients.end();
  Value *sum = real(*--last);
  while (last != coefficients.begin())
    sum = fma(sum, x, real(*--last));
  return sum;
}

Value *MathBuilder::abs(Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

Value *MathBuilder::sqrt(Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }

Value *MathBuilder::withSign(Value *magnitude, Value *sign) {
  return fromBits(b.CreateOr(bits(magnitude), b.CreateAnd(bits(sign), signMask())));
}

Value *MathBuilder::nearest(Value *x) {
  if (features.rounding)
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
  return sub(add(x, real(shifter())), real(shifter()));
}

Value *MathBuilder::integerBits(Value *x) { return bits(add(x, real(shifter()))); }

Value *MathBuilder::powerOfTwo(Value *n) {
  // The low bits of the sum are n + bias; the shift leaves just the exponent field.
  Value *sum = add(n, real(shifter() + bias()));
  return fromBits(b.CreateShl(bits(sum), integer(mantissaBits())));
}

Value *MathBuilder::scale(Value *x, Value *n) {
  unsigned bytes = lanes() * (isDouble ? 8 : 4);
  if (features.avx512 && (bytes == 16 || bytes == 32 || bytes == 64)) {
    const ID ids[2][3] = {{llvm::Intrinsic::x86_avx512_mask_scalef_ps_128,
                           llvm::Intrinsic::x86_avx512_mask_scalef_ps_256,
                           llvm::Intrinsic::x86_avx512_mask_scalef_ps_512},
                          {llvm::Intrinsic::x86_avx512_mask_scalef_pd_128,
                           llvm::Intrinsic::x86_avx512_mask_scalef_pd_256,
                           llvm::Intrinsic::x86_avx512_mask_scalef_pd_512}};
    Value *all = llvm::ConstantInt::getAllOnesValue(b.getIntNTy(lanes() <= 8 ? 8 : lanes()));
    llvm::SmallVector<Value *> operands{x, n, llvm::PoisonValue::get(type), all};
    operands[2] = llvm::Constant::getNullValue(type);
    if (bytes == 64)
      operands.push_back(b.getInt32(4)); // the current rounding mode
    return b.CreateIntrinsic(ids[isDouble][bytes == 16 ? 0 : bytes == 32 ? 1 : 2], {}, operands);
  }
  // Two factors, as 2^n itself may be out of range. The first product is exact.
  Value *half = nearest(mul(n, real(0.5)));
  return mul(mul(x, powerOfTwo(half)), powerOfTwo(sub(n, half)));
}

Value *MathBuilder::rounded(Value *x, MathFunction how) {
  if (features.rounding && how != MathFunction::round) {
    ID id = how == MathFunction::floor   ? llvm::Intrinsic::floor
            : how == MathFunction::ceil  ? llvm::Intrinsic::ceil
            : how == MathFunction::trunc ? llvm::Intrinsic::trunc
                                         : llvm::Intrinsic::roundeven;
    return b.CreateUnaryIntrinsic(id, x);
  }
  // On magnitudes: from 2^mantissaBits on every number is an integer (and NaN stays NaN).
  Value *magnitude = abs(x), *one = real(1), *zero = real(0);
  Value *limit = real(isDouble ? 0x1p52 : 0x1p23);
  auto step = [&](Value *condition) { return select(condition, one, zero); };
  Value *even = features.rounding ? b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, magnitude)
                                  : sub(add(magnitude, limit), limit);
  Value *whole = nullptr;
  switch (how) {
  case MathFunction::roundEven:
    whole = even;
    break;
  case MathFunction::trunc:
    whole = sub(even, step(less(magnitude, even)));
    break;
  case MathFunction::round:
    whole = sub(even, step(less(magnitude, even)));
    whole = add(whole, step(b.CreateFCmpOGE(sub(magnitude, whole), real(0.5))));
    break;
  default: { // floor and ceil: the side depends on the sign
    Value *wholeSigned = withSign(even, x);
    Value *moved = how == MathFunction::floor ? sub(wholeSigned, step(less(x, wholeSigned)))
                                              : add(wholeSigned, step(less(wholeSigned, x)));
    // A zero keeps the sign of x.
    return select(less(magnitude, limit), withSign(abs(moved), x), x);
  }
  }
  return select(less(magnitude, limit), withSign(whole, x), x);
}

Value *callOutlined(MathBuilder &m, llvm::StringRef name, llvm::ArrayRef<Value *> operands,
                    llvm::function_ref<Value *(MathBuilder &, llvm::ArrayRef<Value *>)> body) {
  llvm::Module &module = *m.b.GetInsertBlock()->getModule();
  std::string full = "tl." + name.str() + "." +
                     (m.lanes() > 1 ? "v" + std::to_string(m.lanes()) : std::string()) +
                     (m.isDouble ? "f64" : "f32");
  llvm::Function *function = module.getFunction(full);
  if (!function) {
    llvm::SmallVector<Type *> types(operands.size(), m.type);
    function = llvm::Function::Create(llvm::FunctionType::get(m.type, types, false),
                                      llvm::GlobalValue::InternalLinkage, full, module);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setDoesNotAccessMemory();
    // For the processor that its caller is for.
    const llvm::Function &caller = *m.b.GetInsertBlock()->getParent();
    for (const char *kind :
         {"target-cpu", "target-features", "min-legal-vector-width", "prefer-vector-width"})
      if (caller.hasFnAttribute(kind))
        function->addFnAttr(caller.getFnAttribute(kind));
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    MathBuilder inner(b, m.type, m.features);
    llvm::SmallVector<Value *> parameters;
    for (llvm::Argument &argument : function->args())
      parameters.push_back(&argument);
    b.CreateRet(body(inner, parameters));
  }
  return m.b.CreateCall(function, operands);
}

Value *emitLibraryCall(MathBuilder &m, llvm::StringRef name, llvm::ArrayRef<Value *> operands) {
  llvm::Module &module = *m.b.GetInsertBlock()->getModule();
  Type *element = m.type->getScalarType();
  llvm::SmallVector<Type *> types(operands.size(), element);
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      (name + (m.isDouble ? "" : "f")).str(), llvm::FunctionType::get(element, types, false));
  auto *declaration = llvm::cast<llvm::Function>(callee.getCallee());
  declaration->setDoesNotThrow();
  declaration->setWillReturn();
  declaration->setDoesNotAccessMemory(); // errno is nobody's business here
  // A value that happens to be constant in one of its uses is computed as in the others: LLVM would
  // compute it in double.
  declaration->addFnAttr(llvm::Attribute::NoBuiltin);
  if (!m.type->isVectorTy())
    return m.b.CreateCall(callee, operands);
  return callOutlined(
      m, "library." + name.str(), operands,
      [&](MathBuilder &inner, llvm::ArrayRef<Value *> vectors) {
        llvm::IRBuilderBase &b = inner.b;
        llvm::Function *function = b.GetInsertBlock()->getParent();
        auto *loop = llvm::BasicBlock::Create(b.getContext(), "lane", function);
        auto *exit = llvm::BasicBlock::Create(b.getContext(), "exit", function);
        // Lanes go through memory: one call in the code whatever the number of lanes.
        llvm::SmallVector<Value *> arrays;
        for (Value *vector : vectors) {
          arrays.push_back(b.CreateAlloca(inner.type));
          b.CreateStore(vector, arrays.back());
        }
        Value *results = b.CreateAlloca(inner.type);
        llvm::BasicBlock *entry = b.GetInsertBlock();
        b.CreateBr(loop);
        b.SetInsertPoint(loop);
        llvm::PHINode *lane = b.CreatePHI(b.getInt64Ty(), 2);
        lane->addIncoming(b.getInt64(0), entry);
        llvm::SmallVector<Value *> scalars;
        for (Value *array : arrays)
          scalars.push_back(b.CreateLoad(element, b.CreateGEP(element, array, lane)));
        b.CreateStore(b.CreateCall(callee, scalars), b.CreateGEP(element, results, lane));
        Value *next = b.CreateAdd(lane, b.getInt64(1));
        lane->addIncoming(next, loop);
        b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(inner.lanes())), loop, exit);
        b.SetInsertPoint(exit);
        return b.CreateLoad(inner.type, results);
      });
}

} // namespace tl::backend
