// SPDX-License-Identifier: MIT
//
// Everything but memory: see HooksMemory.cpp for accesses and atomics.
#include "targets/nvidia/Hooks.h"

#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/InlinePtx.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace tl::backend::nvidia {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

std::optional<Architecture> Architecture::parse(std::string_view name) {
  if (name.substr(0, 3) != "sm_")
    return std::nullopt;
  std::string_view digits = name.substr(3);
  char variant = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    variant = digits.back();
    digits.remove_suffix(1);
  }
  if (digits.size() < 2 || digits.size() > 3 || digits.front() == '0')
    return std::nullopt;
  unsigned number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return std::nullopt;
    number = number * 10 + unsigned(c - '0');
  }
  for (unsigned known : {80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121})
    if (number == known && (variant == 0 || number >= (variant == 'a' ? 90u : 100u)))
      return Architecture{std::string(name), number};
  return std::nullopt;
}

std::string Architecture::ptxFeature() const {
  if (name.back() == 'f' && number < 110 && number != 103)
    return "ptx88";
  if (number >= 110 || number == 103 || number == 88)
    return "ptx90";
  if (number >= 100)
    return number >= 120 ? "ptx87" : "ptx86";
  return number >= 90 ? "ptx83" : number >= 89 ? "ptx81" : "ptx74";
}

/// PTX 8.1 raised the limit.
uint64_t Architecture::maxParameterBytes() const { return number >= 89 ? 32764 : 4096; }

uint64_t Architecture::maxSharedBytes() const {
  if (number == 86 || number == 89 || number >= 120)
    return 99 * 1024;
  return number >= 90 ? 227 * 1024 : 163 * 1024;
}

void NvidiaHooks::initialize(llvm::Module &module) const { initializeModule(module, architecture); }

void NvidiaHooks::markKernel(llvm::Function &function, unsigned threads,
                             unsigned maxRegisters) const {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(threads));
  if (maxRegisters)
    function.addFnAttr("nvvm.maxnreg", std::to_string(maxRegisters));
}

// ---- Threads -----------------------------------------------------------------------------------

Value *NvidiaHooks::threadId(Builder &b) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
}

Value *NvidiaHooks::programId(Builder &b, unsigned axis) const {
  constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *NvidiaHooks::programCount(Builder &b, unsigned axis) const {
  constexpr Intrinsic::ID ids[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

void NvidiaHooks::barrier(Builder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

void NvidiaHooks::warpBarrier(Builder &b) const {
  b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {b.getInt32(~0u)});
}

Value *NvidiaHooks::anyThread(Builder &b, Value *condition) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_red_or_aligned_all,
                           {b.getInt32(0), condition});
}

Value *NvidiaHooks::shuffleXor(Builder &b, Value *value, unsigned mask) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_bfly_i32,
                           {b.getInt32(~0u), value, b.getInt32(mask), b.getInt32(31)});
}

Value *NvidiaHooks::shuffleUp(Builder &b, Value *value, unsigned delta) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_up_i32,
                           {b.getInt32(~0u), value, b.getInt32(delta), b.getInt32(0)});
}

Value *NvidiaHooks::shuffleIndex(Builder &b, Value *value, Value *lane) const {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32,
                           {b.getInt32(~0u), value, lane, b.getInt32(31)});
}

Value *NvidiaHooks::nanoseconds(Builder &b) const {
  return emitPtx(b, b.getInt64Ty(), "mov.u64 $0, %globaltimer;", "=l", {}, true);
}

// ---- Arithmetic --------------------------------------------------------------------------------

Value *NvidiaHooks::convert(Builder &b, Value *value, FloatFormat from, FloatFormat to,
                            Rounding rounding) const {
  llvm::Type *half = b.getHalfTy(), *brain = b.getBFloatTy(), *single = b.getFloatTy();
  bool nearest = rounding == Rounding::toNearestEven;
  if (from == to)
    return value;
  auto bits16 = [&](Value *narrow) { return b.CreateBitCast(narrow, b.getInt16Ty()); };
  if (from == FloatFormat::f16 && (to == FloatFormat::f32 || to == FloatFormat::f64))
    return b.CreateFPExt(b.CreateBitCast(value, half),
                         to == FloatFormat::f32 ? single : b.getDoubleTy());
  if (from == FloatFormat::bf16 && to == FloatFormat::f32)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16), single);
  if (from == FloatFormat::f32 && to == FloatFormat::f16 && nearest)
    return bits16(b.CreateFPTrunc(value, half));
  if (from == FloatFormat::f32 && to == FloatFormat::bf16 && nearest)
    return bits16(b.CreateFPTrunc(value, brain));
  if (from == FloatFormat::f32 && to == FloatFormat::f64)
    return b.CreateFPExt(value, b.getDoubleTy());
  if (from == FloatFormat::f64 && to == FloatFormat::f32 && nearest)
    return b.CreateFPTrunc(value, single);
  if (from == FloatFormat::f64 && to == FloatFormat::f16 && nearest)
    return emitPtx(b, b.getInt16Ty(), "cvt.rn.f16.f64 $0, $1;", "=h,d", {value}, false);
  Value *nothing = llvm::Constant::getNullValue(value->getType());
  if (auto pair = convertPair(b, value, nothing, from, to, rounding))
    return pair->first;
  return nullptr;
}

/// fp8 formats have instructions from sm_89 on. They saturate, as our rule says.
std::optional<std::pair<Value *, Value *>> NvidiaHooks::convertPair(Builder &b, Value *first,
                                                                    Value *second, FloatFormat from,
                                                                    FloatFormat to,
                                                                    Rounding rounding) const {
  auto isEight = [](FloatFormat format) {
    return format == FloatFormat::f8E4M3FN || format == FloatFormat::f8E5M2;
  };
  if (architecture.number < 89 || from == to)
    return std::nullopt;
  llvm::Type *byte = b.getInt8Ty(), *word = b.getInt16Ty();
  auto *pairOf = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  if (isEight(to) && rounding == Rounding::toNearestEven) {
    bool e4m3 = to == FloatFormat::f8E4M3FN;
    Value *both = nullptr;
    if (from == FloatFormat::f16 || isEight(from)) {
      if (isEight(from)) { // exact in f16
        auto halves = convertPair(b, first, second, from, FloatFormat::f16, rounding);
        first = halves->first;
        second = halves->second;
      }
      Value *halves = llvm::PoisonValue::get(pairOf);
      halves = b.CreateInsertElement(halves, b.CreateBitCast(first, b.getHalfTy()), uint64_t(0));
      halves = b.CreateInsertElement(halves, b.CreateBitCast(second, b.getHalfTy()), uint64_t(1));
      both = b.CreateIntrinsic(
          e4m3 ? Intrinsic::nvvm_f16x2_to_e4m3x2_rn : Intrinsic::nvvm_f16x2_to_e5m2x2_rn, {halves});
    } else if (from == FloatFormat::f32 || from == FloatFormat::bf16) {
      if (from == FloatFormat::bf16) {
        first = convert(b, first, from, FloatFormat::f32, rounding);
        second = convert(b, second, from, FloatFormat::f32, rounding);
      }
      both = b.CreateIntrinsic(e4m3 ? Intrinsic::nvvm_ff_to_e4m3x2_rn
                                    : Intrinsic::nvvm_ff_to_e5m2x2_rn,
                               {second, first});
    } else {
      return std::nullopt; // two roundings would differ from one
    }
    return std::pair(b.CreateTrunc(both, byte), b.CreateTrunc(b.CreateLShr(both, 8), byte));
  }
  if (isEight(from) && !isEight(to)) {
    Value *both = b.CreateOr(b.CreateZExt(first, word), b.CreateShl(b.CreateZExt(second, word), 8));
    Value *halves =
        b.CreateIntrinsic(from == FloatFormat::f8E4M3FN ? Intrinsic::nvvm_e4m3x2_to_f16x2_rn
                                                        : Intrinsic::nvvm_e5m2x2_to_f16x2_rn,
                          {both});
    // Every further step is exact: the wider formats have all values of the narrow ones.
    auto widen = [&](uint64_t at) -> Value * {
      Value *half = b.CreateBitCast(b.CreateExtractElement(halves, at), word);
      if (to == FloatFormat::f16)
        return half;
      Value *single = convert(b, half, FloatFormat::f16, FloatFormat::f32, rounding);
      return to == FloatFormat::f32
                 ? single
                 : convert(b, single, FloatFormat::f32, to, Rounding::toNearestEven);
    };
    if (to == FloatFormat::f32 || to == FloatFormat::f64 || to == FloatFormat::bf16 ||
        to == FloatFormat::f16)
      return std::pair(widen(0), widen(1));
  }
  return std::nullopt;
}

Value *NvidiaHooks::math(Builder &b, MathFunction function, llvm::ArrayRef<Value *> x) const {
  llvm::Type *type = x[0]->getType();
  if (!type->isFloatTy())
    return nullptr;
  auto constant = [&](double value) { return llvm::ConstantFP::get(type, value); };
  auto call = [&](Intrinsic::ID id, llvm::ArrayRef<Value *> operands) {
    return b.CreateIntrinsic(id, {type}, operands);
  };
  switch (function) {
  case MathFunction::rsqrt:
    return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {}, {x[0]});
  case MathFunction::exp2:
    return call(Intrinsic::nvvm_ex2_approx, {x[0]});
  case MathFunction::exp: {
    // e^x = 2^n * 2^rest, n the integer nearest to x * log2(e) as far as 2^n is a normal number.
    // Beyond, the rest grows until 2^rest is infinite or 0. `share` tells where n is in its range,
    // from 0 to 1. Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits as
    // exponent and bias. A NaN leaves n a number and comes through the rest.
    constexpr double log2e = 1.4426950408889634, least = -126, most = 127, bias = 127;
    constexpr double integers = 0x1.8p23, range = most - least;
    Value *share = call(Intrinsic::fma, {x[0], constant(log2e / range), constant(-least / range)});
    share = b.CreateIntrinsic(Intrinsic::nvvm_saturate_f, {}, {share});
    Value *shifted =
        call(Intrinsic::fma, {share, constant(range), constant(integers + least + bias)});
    Value *minusN = b.CreateFNeg(b.CreateFSub(shifted, constant(integers + bias)));
    Value *rest = call(Intrinsic::fma, {x[0], constant(float(log2e)), minusN});
    rest = call(Intrinsic::fma, {x[0], constant(log2e - double(float(log2e))), rest});
    Value *bits = b.CreateShl(b.CreateBitCast(shifted, b.getInt32Ty()), 23);
    return b.CreateFMul(call(Intrinsic::nvvm_ex2_approx_ftz, {rest}), b.CreateBitCast(bits, type));
  }
  default:
    return nullptr;
  }
}

Value *NvidiaHooks::divide(Builder &b, Value *x, Value *y) const {
  if (!x->getType()->isFloatTy())
    return nullptr;
  return b.CreateIntrinsic(Intrinsic::nvvm_div_full, {}, {x, y});
}

llvm::SmallVector<Value *> NvidiaHooks::matrixProduct(Builder &b, mlir::Type element, unsigned k,
                                                      llvm::ArrayRef<Value *> a,
                                                      llvm::ArrayRef<Value *> bs,
                                                      llvm::ArrayRef<Value *> c) const {
  if (element.isF64()) {
    llvm::Type *type = b.getDoubleTy();
    Value *both =
        emitPtx(b, llvm::StructType::get(type, type),
                "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0,$1}, {$2}, {$3}, {$4,$5};",
                "=d,=d,d,d,d,d", {a[0], bs[0], c[0], c[1]}, false, /*convergent=*/true);
    return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
  }
  bool integers = element.isInteger(8);
  std::string input = integers           ? "s8"
                      : element.isF16()  ? "f16"
                      : element.isBF16() ? "bf16"
                                         : "tf32";
  std::string sum = integers ? "s32" : "f32";
  llvm::SmallVector<Value *> operands;
  auto take = [&](llvm::ArrayRef<Value *> words) {
    for (Value *word : words)
      operands.push_back(element.isF32() ? emitPtx(b, b.getInt32Ty(), "cvt.rna.tf32.f32 $0, $1;",
                                                   "=r,r", {word}, false)
                                         : word);
  };
  take(a);
  take(bs);
  operands.append(c.begin(), c.end());
  std::string text = "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col." + sum + "." +
                     input + "." + input + "." + sum +
                     " {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};";
  llvm::Type *type = integers ? b.getInt32Ty() : b.getFloatTy();
  std::string letter = integers ? "r" : "f";
  std::string constraints;
  for (unsigned i = 0; i < 4; ++i)
    constraints += "=" + letter + ",";
  constraints += "r,r,r,r,r,r";
  for (unsigned i = 0; i < 4; ++i)
    constraints += "," + letter;
  Value *all = emitPtx(b, llvm::StructType::get(type, type, type, type), text, constraints,
                       operands, false, /*convergent=*/true);
  llvm::SmallVector<Value *> result;
  for (unsigned i = 0; i < 4; ++i)
    result.push_back(b.CreateExtractValue(all, i));
  return result;
}

/// vprintf takes the address of the arguments, each aligned to its own size.
void NvidiaHooks::print(Builder &b, llvm::StringRef format,
                        llvm::ArrayRef<Value *> arguments) const {
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::SmallVector<llvm::Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Value *list = llvm::ConstantPointerNull::get(b.getPtrTy());
  if (!types.empty()) {
    auto *record = llvm::StructType::get(b.getContext(), types);
    llvm::IRBuilder<> at(&function->getEntryBlock(), function->getEntryBlock().begin());
    auto *space = at.CreateAlloca(record);
    for (unsigned i = 0; i < types.size(); ++i)
      b.CreateStore(arguments[i], b.CreateStructGEP(record, space, i));
    list = space;
  }
  auto *text = b.CreateGlobalString(format, "format", 0, &module);
  auto callee = module.getOrInsertFunction(
      "vprintf", llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false));
  b.CreateCall(callee, {text, list});
}

} // namespace tl::backend::nvidia
