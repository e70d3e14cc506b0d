// SPDX-License-Identifier: MIT
//
// AMD's intrinsics as calls of functions. All exchanges within a wave (DPP, swizzles, permutations)
// are the same thing, a lane that reads another one's value; which one is computed here.
#include "targets/simt/Translation.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cstddef>
#include <optional>

namespace tl::backend::simt {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// "f32.16x16x16f16", "i32.32x32x32.i8": the sums, the extents, the elements.
std::optional<MatrixShape> parseProduct(llvm::StringRef name, bool isFnuz) {
  MatrixShape shape;
  llvm::StringRef rest = name.split('.').second;
  if (rest.consumeInteger(10, shape.m) || !rest.consume_front("x") ||
      rest.consumeInteger(10, shape.n) || !rest.consume_front("x") ||
      rest.consumeInteger(10, shape.k))
    return std::nullopt;
  rest.consume_front(".");
  std::optional<Element> element = llvm::StringSwitch<std::optional<Element>>(rest.split('.').first)
                                       .Cases({"f16"}, Element::f16)
                                       .Cases({"bf16", "bf16.1k", "bf16_1k"}, Element::bf16)
                                       .Case("f32", Element::f32)
                                       .Case("f64", Element::f64)
                                       .Cases({"i8", "iu8"}, Element::s8)
                                       .Case("fp8", isFnuz ? Element::e4m3b8 : Element::e4m3)
                                       .Case("bf8", isFnuz ? Element::e5m2b16 : Element::e5m2)
                                       .Default(std::nullopt);
  if (!element)
    return std::nullopt;
  shape.a = shape.b = *element;
  return shape;
}

/// On the thread's stack.
llvm::SmallVector<Value *> storedOperands(Translation &t, llvm::ArrayRef<Value *> operands) {
  llvm::SmallVector<Value *> places;
  for (Value *operand : operands) {
    llvm::AllocaInst *place = t.stackWords(operand->getType(), 1);
    place->setAlignment(llvm::Align(64));
    t.b.CreateStore(operand, place);
    places.push_back(place);
  }
  return places;
}

/// "f32.16x16x128.f8f6f4", after "scale.": two operands, sums, the operands' formats, and of both
/// which byte of a word is the exponent, and the word; two zeros stand for no exponents.
bool translateScaledProduct(Translation &t, llvm::CallInst &call, llvm::StringRef name) {
  auto &b = t.b;
  MatrixShape shape;
  auto format = [&](unsigned i) -> std::optional<Element> {
    switch (llvm::cast<llvm::ConstantInt>(call.getArgOperand(i))->getZExtValue()) {
    case 0:
      return Element::e4m3;
    case 1:
      return Element::e5m2;
    case 4:
      return Element::e2m1;
    default:
      return std::nullopt;
    }
  };
  const std::optional<Element> first = format(3), second = format(4);
  llvm::StringRef rest = name.split('.').second;
  if (!first || !second || rest.consumeInteger(10, shape.m) || !rest.consume_front("x") ||
      rest.consumeInteger(10, shape.n) || !rest.consume_front("x") ||
      rest.consumeInteger(10, shape.k))
    return false;
  shape.a = *first;
  shape.b = *second;
  auto isZero = [&](unsigned i) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(i));
    return constant && constant->isZero();
  };
  const bool isUnscaled = isZero(6) && isZero(8);
  auto exponent = [&](unsigned i) -> Value * {
    if (isUnscaled)
      return t.word(127);
    const uint64_t byte = llvm::cast<llvm::ConstantInt>(call.getArgOperand(i))->getZExtValue();
    return b.CreateAnd(b.CreateLShr(call.getArgOperand(i + 1), 8 * byte), t.word(255));
  };
  const llvm::SmallVector<Value *> places =
      storedOperands(t, {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)});
  t.callWithThread(
      "tl_simt_multiply_scaled", b.getVoidTy(),
      {b.getInt64(shape.word()), places[0], places[1], places[2], exponent(5), exponent(7)});
  t.replace(call, b.CreateLoad(call.getType(), places[2]));
  return true;
}

bool translateProduct(Translation &t, llvm::CallInst &call, llvm::StringRef name,
                      MatrixFamily family, bool isFnuz) {
  auto &b = t.b;
  std::optional<MatrixShape> shape = parseProduct(name, isFnuz);
  if (!shape)
    return false;
  // iu8 says of each operand whether it has a sign, before it.
  const bool hasSigns = family != MatrixFamily::mfma && shape->a == Element::s8;
  Value *operands[] = {call.getArgOperand(hasSigns ? 1 : 0), call.getArgOperand(hasSigns ? 3 : 1),
                       call.getArgOperand(hasSigns ? 4 : 2)};
  const llvm::SmallVector<Value *> places = storedOperands(t, operands);
  if (family == MatrixFamily::wmma) {
    // Of the first generation lanes have all of k, twice; of the second each half of the wave a
    // half.
    const uint64_t bits = operands[0]->getType()->getPrimitiveSizeInBits().getFixedValue();
    const uint64_t elementBits = shape->a == Element::f16 || shape->a == Element::bf16 ? 16 : 8;
    if (bits == elementBits * shape->k)
      family = MatrixFamily::wmmaOfWholeRows;
  }
  t.callWithThread(
      "tl_simt_multiply_wave", b.getVoidTy(),
      {b.getInt64(shape->word()), t.word(uint32_t(family)), places[0], places[1], places[2]});
  t.replace(call, b.CreateLoad(call.getType(), places[2]));
  return true;
}

/// Where the buffer begins and how many bytes it has, in memory; what it is a pointer to then is
/// this.
void translateResource(Translation &t, llvm::CallInst &call) {
  auto &b = t.b;
  Value *place = t.stackWords(b.getInt64Ty(), 2);
  b.CreateStore(t.address(call.getArgOperand(0)), place);
  b.CreateStore(b.CreateZExtOrTrunc(call.getArgOperand(2), b.getInt64Ty()),
                b.CreateConstGEP1_64(b.getInt64Ty(), place, 1));
  t.replace(call, b.CreateAddrSpaceCast(place, call.getType()));
}

/// Operands: what is stored, the buffer, and two offsets.
void translateBufferAccess(Translation &t, llvm::CallInst &call, bool isStore) {
  auto &b = t.b;
  llvm::Type *type = isStore ? call.getArgOperand(0)->getType() : call.getType();
  const unsigned first = isStore ? 1 : 0;
  const auto bytes = uint32_t(t.module.getDataLayout().getTypeStoreSize(type));
  llvm::AllocaInst *place = t.stackWords(type, 1);
  place->setAlignment(llvm::Align(16));
  if (isStore)
    b.CreateStore(call.getArgOperand(0), place);
  Value *buffer = b.CreateAddrSpaceCast(call.getArgOperand(first), b.getPtrTy());
  Value *offset = b.CreateAdd(call.getArgOperand(first + 1), call.getArgOperand(first + 2));
  const uint32_t alignment = std::min(uint32_t(llvm::Log2_32(bytes)), 2u);
  t.callWithThread(
      isStore ? "tl_simt_buffer_store" : "tl_simt_buffer_load", b.getVoidTy(),
      {buffer, offset,
       t.word(accessWord(bytes, alignment, isStore ? AccessKind::write : AccessKind::read)),
       place});
  t.replace(call, isStore ? nullptr : b.CreateLoad(type, place));
}

/// Operands: from where, to where in LDS the first lane of the wave writes, bytes, and what is
/// added to both.
void translateLoadToLds(Translation &t, llvm::CallInst &call) {
  auto &b = t.b;
  auto number = [&](unsigned i) {
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(i))->getZExtValue();
  };
  const uint64_t bytes = number(2), offset = number(3);
  Value *lane =
      b.CreateZExt(t.threadWord(offsetof(ThreadWords, lane), b.getInt32Ty()), b.getInt64Ty());
  Value *first = b.CreateAdd(t.address(call.getArgOperand(1)), b.getInt64(offset));
  Value *shared = b.CreateAdd(first, b.CreateMul(lane, b.getInt64(bytes)));
  Value *global = b.CreateAdd(t.address(call.getArgOperand(0)), b.getInt64(offset));
  // Zeros of the code's own are no buffer's: what is not read is filled with zeros.
  Value *read = t.word(bytes);
  for (llvm::GlobalVariable &constant : t.module.globals())
    if (constant.isConstant() && constant.hasInitializer() &&
        constant.getInitializer()->isNullValue())
      read = b.CreateSelect(b.CreateICmpEQ(global, t.address(&constant)), t.word(0), read);
  t.callWithThread("tl_simt_copy", b.getVoidTy(),
                   {shared, global, t.word(bytes), read, t.nextAccess()});
  t.callWithThread("tl_simt_commit", b.getVoidTy(), {t.word(uint32_t(Agent::asyncCopies))});
  t.replace(call, nullptr);
}

void translateColumnRead(Translation &t, llvm::CallInst &call, uint32_t elementBytes) {
  auto &b = t.b;
  llvm::AllocaInst *place = t.stackWords(call.getType(), 1);
  t.callWithThread("tl_simt_read_columns", b.getVoidTy(),
                   {t.address(call.getArgOperand(0)), place, t.word(elementBytes)});
  t.replace(call, b.CreateLoad(call.getType(), place));
}

bool translate(Translation &t, llvm::CallInst &call, bool isFnuz) {
  auto &b = t.b;
  if (llvm::isa<llvm::InlineAsm>(call.getCalledOperand()))
    return false;
  llvm::Type *i32 = b.getInt32Ty();
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  auto number = [&](unsigned i) { return llvm::cast<llvm::ConstantInt>(arg(i))->getZExtValue(); };
  auto done = [&](Value *result = nullptr) {
    t.replace(call, result);
    return true;
  };
  auto own = [&](uint64_t offset) { return done(t.threadWord(offset, i32)); };
  auto lane = [&] { return t.threadWord(offsetof(ThreadWords, lane), i32); };
  /// Of the lane whose number `from` computes from the own one.
  auto gather = [&](Value *value, Value *from) {
    Value *result = t.callWithThread("tl_simt_gather", i32, {b.CreateBitCast(value, i32), from});
    return done(b.CreateBitCast(result, call.getType()));
  };
  auto mixed = [&](Value *own, uint32_t keep, Value *other) {
    return b.CreateOr(b.CreateAnd(own, t.word(keep)), b.CreateAnd(other, t.word(~keep)));
  };

  switch (call.getCalledFunction()->getIntrinsicID()) {
  case Intrinsic::amdgcn_workitem_id_x:
    return own(offsetof(ThreadWords, index));
  case Intrinsic::amdgcn_workitem_id_y:
  case Intrinsic::amdgcn_workitem_id_z:
    return done(t.word(0));
  case Intrinsic::amdgcn_workgroup_id_x:
    return own(offsetof(ThreadWords, program));
  case Intrinsic::amdgcn_workgroup_id_y:
    return own(offsetof(ThreadWords, program) + 4);
  case Intrinsic::amdgcn_workgroup_id_z:
    return own(offsetof(ThreadWords, program) + 8);
  case Intrinsic::amdgcn_implicitarg_ptr: {
    Value *place = t.threadWord(offsetof(ThreadWords, implicit), b.getInt64Ty());
    return done(b.CreateIntToPtr(place, call.getType()));
  }
  case Intrinsic::amdgcn_s_barrier:
    t.callWithThread("tl_simt_barrier", i32, {t.word(0), t.word(0), t.word(1), t.word(0)});
    return done();
  case Intrinsic::amdgcn_wave_barrier:
    t.callWithThread("tl_simt_warp_barrier", b.getVoidTy(), {});
    return done();
  case Intrinsic::amdgcn_ballot: {
    Value *votes = t.callWithThread("tl_simt_ballot", b.getInt64Ty(), {b.CreateZExt(arg(0), i32)});
    return done(b.CreateZExtOrTrunc(votes, call.getType()));
  }
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi: {
    const bool isHigh = call.getIntrinsicID() == Intrinsic::amdgcn_mbcnt_hi;
    return done(t.callPlain("tl_simt_count_below", i32, {lane(), arg(0), arg(1), t.word(isHigh)}));
  }
  case Intrinsic::amdgcn_readfirstlane: // where all lanes are on
    return gather(arg(0), t.word(0));
  case Intrinsic::amdgcn_global_load_lds:
    translateLoadToLds(t, call);
    return true;
  case Intrinsic::amdgcn_ds_read_tr16_b64:
    translateColumnRead(t, call, 2);
    return true;
  case Intrinsic::amdgcn_ds_read_tr8_b64:
    translateColumnRead(t, call, 1);
    return true;
  case Intrinsic::amdgcn_s_waitcnt: {
    // Loads to LDS are groups of one. Others count as well, which only makes a wait longer.
    const uint64_t counts = number(0);
    t.callWithThread("tl_simt_wait_for", b.getVoidTy(),
                     {t.word(uint32_t(Agent::asyncCopies)),
                      t.word((counts & 15) | (counts >> 14 & 3) << 4), t.word(0)});
    return done();
  }
  case Intrinsic::amdgcn_ds_bpermute:
    return gather(arg(1), b.CreateLShr(arg(0), 2));
  case Intrinsic::amdgcn_ds_swizzle: {
    const uint64_t pattern = number(1);
    if (pattern & 0x8000)
      return false;
    Value *inside = b.CreateAnd(lane(), t.word(pattern & 31));
    inside = b.CreateXor(b.CreateOr(inside, t.word(pattern >> 5 & 31)), t.word(pattern >> 10 & 31));
    return gather(arg(0), mixed(lane(), ~31u, inside));
  }
  case Intrinsic::amdgcn_permlanex16: {
    Value *selectors = b.CreateOr(b.CreateZExt(arg(2), b.getInt64Ty()),
                                  b.CreateShl(b.CreateZExt(arg(3), b.getInt64Ty()), 32));
    Value *inRow = b.CreateAnd(lane(), t.word(15));
    Value *selected = b.CreateTrunc(
        b.CreateLShr(selectors, b.CreateShl(b.CreateZExt(inRow, b.getInt64Ty()), 2)), i32);
    return gather(arg(1), mixed(b.CreateXor(lane(), t.word(16)), ~15u, selected));
  }
  case Intrinsic::amdgcn_update_dpp: {
    const uint64_t control = number(2);
    if (number(3) != 15 || number(4) != 15)
      return false;
    Value *from = nullptr;
    if (control < 0x100) // each lane of four by two bits
      from = mixed(
          lane(), ~3u,
          b.CreateLShr(t.word(control), b.CreateShl(b.CreateAnd(lane(), t.word(3)), t.word(1))));
    else if (control > 0x120 && control < 0x130)
      from = mixed(lane(), ~15u, b.CreateSub(lane(), t.word(control & 15)));
    else if (control == 0x140)
      from = b.CreateXor(lane(), t.word(15));
    else if (control == 0x141)
      from = b.CreateXor(lane(), t.word(7));
    else if (control >= 0x150 && control < 0x160)
      from = mixed(lane(), ~15u, t.word(control & 15));
    else if (control >= 0x160 && control < 0x170)
      from = b.CreateXor(lane(), t.word(control & 15));
    return from && gather(arg(1), from);
  }
  case Intrinsic::amdgcn_make_buffer_rsrc:
    translateResource(t, call);
    return true;
  case Intrinsic::amdgcn_raw_ptr_buffer_load:
  case Intrinsic::amdgcn_raw_ptr_buffer_store:
    translateBufferAccess(t, call, call.getIntrinsicID() == Intrinsic::amdgcn_raw_ptr_buffer_store);
    return true;
  case Intrinsic::amdgcn_fmed3: { // of a NaN the least of the others
    auto two = [&](Intrinsic::ID id, Value *x, Value *y) {
      return b.CreateBinaryIntrinsic(id, x, y);
    };
    Value *low = two(Intrinsic::minnum, arg(0), arg(1));
    Value *high = two(Intrinsic::maxnum, arg(0), arg(1));
    return done(two(Intrinsic::maxnum, low, two(Intrinsic::minnum, high, arg(2))));
  }
  default:
    break;
  }
  llvm::StringRef name = call.getCalledFunction()->getName();
  if (name.consume_front("llvm.amdgcn.mfma.scale."))
    return translateScaledProduct(t, call, name);
  if (name.consume_front("llvm.amdgcn.mfma."))
    return translateProduct(t, call, name, MatrixFamily::mfma, isFnuz);
  if (name.consume_front("llvm.amdgcn.wmma."))
    return translateProduct(t, call, name, MatrixFamily::wmma, isFnuz);
  if (name.consume_front("llvm.amdgcn.cvt."))
    return translateAmdConversion(t, call, name, isFnuz);
  return false;
}

} // namespace

bool translateAmd(Translation &t, llvm::CallInst &call) { return translate(t, call, false); }
bool translateAmdFnuz(Translation &t, llvm::CallInst &call) { return translate(t, call, true); }

} // namespace tl::backend::simt
