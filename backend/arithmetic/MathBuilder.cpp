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
  if (features.rounding && how == MathFunction::round) {
    // The number before a half: the half itself would take what is just below a half to 1.
    Value *half = real(isDouble ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2);
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, add(x, withSign(half, x)));
  }
  if (features.rounding) {
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
  Value *even = sub(add(magnitude, limit), limit);
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

/// The internal function of the name, which `body` builds if it is not there yet.
static llvm::Function *
outlined(llvm::IRBuilderBase &b, const std::string &name, llvm::FunctionType *type,
         llvm::function_ref<Value *(llvm::IRBuilderBase &, llvm::ArrayRef<Value *>)> body,
         bool pure = true) {
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  if (llvm::Function *made = module.getFunction(name))
    return made;
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  if (pure) {
    function->setWillReturn();
    function->setDoesNotAccessMemory();
  }
  // For the processor that its caller is for.
  const llvm::Function &caller = *b.GetInsertBlock()->getParent();
  for (const char *kind :
       {"target-cpu", "target-features", "min-legal-vector-width", "prefer-vector-width"})
    if (caller.hasFnAttribute(kind))
      function->addFnAttr(caller.getFnAttribute(kind));
  llvm::IRBuilder<> inner(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  llvm::SmallVector<Value *> parameters;
  for (llvm::Argument &argument : function->args())
    parameters.push_back(&argument);
  inner.CreateRet(body(inner, parameters));
  return function;
}

Value *callOutlined(MathBuilder &m, llvm::StringRef name, llvm::ArrayRef<Value *> operands,
                    llvm::function_ref<Value *(MathBuilder &, llvm::ArrayRef<Value *>)> body) {
  std::string full = "tl." + name.str() + "." +
                     (m.lanes() > 1 ? "v" + std::to_string(m.lanes()) : std::string()) +
                     (m.isDouble ? "f64" : "f32");
  llvm::SmallVector<Type *> types(operands.size(), m.type);
  llvm::Function *function =
      outlined(m.b, full, llvm::FunctionType::get(m.type, types, false),
               [&](llvm::IRBuilderBase &b, llvm::ArrayRef<Value *> parameters) {
                 MathBuilder inner(b, m.type, m.features);
                 return body(inner, parameters);
               });
  return m.b.CreateCall(function, operands);
}

Value *emitCallPerLane(llvm::IRBuilderBase &b, llvm::StringRef symbol,
                       llvm::ArrayRef<Value *> operands, Type *result, bool pure) {
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::SmallVector<Type *> types, vectors;
  for (Value *operand : operands) {
    types.push_back(operand->getType()->getScalarType());
    vectors.push_back(operand->getType());
  }
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(symbol, llvm::FunctionType::get(result, types, false));
  auto *declaration = llvm::cast<llvm::Function>(callee.getCallee());
  declaration->setDoesNotThrow();
  if (pure) {
    declaration->setWillReturn();
    declaration->setDoesNotAccessMemory(); // errno is nobody's business here
  }
  // A value that happens to be constant in one of its uses is computed as in the others: LLVM would
  // compute it in double.
  declaration->addFnAttr(llvm::Attribute::NoBuiltin);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(vectors[0]);
  if (!type)
    return b.CreateCall(callee, operands);
  const unsigned lanes = type->getNumElements();
  auto *widened = llvm::FixedVectorType::get(result, lanes);
  auto body = [&](llvm::IRBuilderBase &b, llvm::ArrayRef<Value *> parameters) -> Value * {
    llvm::Function *function = b.GetInsertBlock()->getParent();
    auto *loop = llvm::BasicBlock::Create(b.getContext(), "lane", function);
    auto *exit = llvm::BasicBlock::Create(b.getContext(), "exit", function);
    // Lanes go through memory: one call in the code whatever the number of lanes.
    llvm::SmallVector<Value *> arrays;
    for (Value *vector : parameters) {
      arrays.push_back(b.CreateAlloca(vector->getType()));
      b.CreateStore(vector, arrays.back());
    }
    Value *results = b.CreateAlloca(widened);
    llvm::BasicBlock *entry = b.GetInsertBlock();
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *lane = b.CreatePHI(b.getInt64Ty(), 2);
    lane->addIncoming(b.getInt64(0), entry);
    llvm::SmallVector<Value *> scalars;
    for (auto [array, element] : llvm::zip(arrays, types))
      scalars.push_back(b.CreateLoad(element, b.CreateGEP(element, array, lane)));
    b.CreateStore(b.CreateCall(callee, scalars), b.CreateGEP(result, results, lane));
    Value *next = b.CreateAdd(lane, b.getInt64(1));
    lane->addIncoming(next, loop);
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(lanes)), loop, exit);
    b.SetInsertPoint(exit);
    return b.CreateLoad(widened, results);
  };
  llvm::Function *function = outlined(b, ("tl.library." + symbol + ".v" + llvm::Twine(lanes)).str(),
                                      llvm::FunctionType::get(widened, vectors, false), body, pure);
  return b.CreateCall(function, operands);
}

Value *emitLibraryCall(MathBuilder &m, llvm::StringRef name, llvm::ArrayRef<Value *> operands) {
  return emitCallPerLane(m.b, (name + (m.isDouble ? "" : "f")).str(), operands,
                         m.type->getScalarType());
}

} // namespace tl::backend
