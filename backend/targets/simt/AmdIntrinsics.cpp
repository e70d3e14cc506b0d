// SPDX-License-Identifier: MIT
//
// AMD's targets, and their intrinsics as calls of functions. An exchange within a wave is a
// shuffle, whose source lane is computed as the instruction says it.
#include "targets/amd/Pipeline.h"
#include "targets/amd/Target.h"
#include "targets/simt/Emulated.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cstddef>
#include <optional>

namespace tl::backend::simt {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

uint32_t constantOf(Value *value) {
  return uint32_t(llvm::cast<llvm::ConstantInt>(value)->getZExtValue());
}

/// "32x32x8" at the begin of the text.
bool parseShape(llvm::StringRef &text, AmdShape &shape) {
  return !text.consumeInteger(10, shape.m) && text.consume_front("x") &&
         !text.consumeInteger(10, shape.n) && text.consume_front("x") &&
         !text.consumeInteger(10, shape.k);
}

/// llvm.amdgcn.mfma.f32.32x32x8f16, llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16 and so on. A
/// lane's part of an operand lies in memory as in registers.
bool translateProduct(Translation &t, llvm::CallInst &call, llvm::StringRef name, bool fnuz) {
  auto &b = t.b;
  AmdShape shape;
  shape.isWmma = name.consume_front("wmma.");
  if (!shape.isWmma && !name.consume_front("mfma."))
    return false;
  name = name.split('.').second; // the type of the sums
  if (!parseShape(name, shape))
    return false;
  name.consume_front(".");
  std::optional<Element> element = llvm::StringSwitch<std::optional<Element>>(name.split('.').first)
                                       .Case("f16", Element::f16)
                                       .Cases({"bf16", "bf16_1k"}, Element::bf16)
                                       .Case("f32", Element::f32)
                                       .Case("f64", Element::f64)
                                       .Cases({"i8", "iu8"}, Element::s8)
                                       .Case("fp8", Element::e4m3)
                                       .Case("bf8", Element::e5m2)
                                       .Default(std::nullopt);
  if (!element)
    return false;
  shape.element = *element;
  shape.fnuz = fnuz;
  // For whole numbers WMMA takes a flag ahead of each operand: whether they have signs.
  const bool flags = shape.isWmma && *element == Element::s8;
  Value *operands[] = {call.getArgOperand(flags), call.getArgOperand(flags ? 3 : 1),
                       call.getArgOperand(flags ? 4 : 2)};
  unsigned words[3], count = 0;
  for (unsigned i = 0; i < 3; ++i)
    count += words[i] = unsigned(operands[i]->getType()->getPrimitiveSizeInBits()) / 32;
  llvm::AllocaInst *space = t.stackWords(b.getInt32Ty(), count);
  auto place = [&](unsigned i) { return b.CreateConstGEP1_64(b.getInt32Ty(), space, i); };
  unsigned first = 0;
  for (unsigned i = 0; i < 3; ++i) {
    b.CreateAlignedStore(operands[i], place(first), llvm::Align(4));
    first += words[i];
  }
  shape.words = words[0];
  t.callWithThread("tl_simt_multiply_amd", b.getVoidTy(), {b.getInt64(shape.word()), space});
  t.replace(call, b.CreateAlignedLoad(call.getType(), place(words[0] + words[1]), llvm::Align(4)));
  return true;
}

/// The lane that DPP's control names, of the one that reads.
Value *dppSource(llvm::IRBuilder<> &b, Value *lane, uint32_t control) {
  Value *row = b.CreateAnd(lane, ~15u);
  if (control < 0x100) { // of each four
    Value *at = b.CreateShl(b.CreateAnd(lane, 3), 1);
    Value *other = b.CreateAnd(b.CreateLShr(b.getInt32(control), at), 3);
    return b.CreateOr(b.CreateAnd(lane, ~3u), other);
  }
  if (control > 0x120 && control < 0x130) // rotates
    return b.CreateOr(row, b.CreateAnd(b.CreateSub(lane, b.getInt32(control & 15)), 15));
  if (control == 0x140 || control == 0x141) // mirrors
    return b.CreateXor(lane, control == 0x140 ? 15 : 7);
  if (control >= 0x160 && control < 0x170)
    return b.CreateXor(lane, control & 15);
  return nullptr;
}

bool translateCall(Translation &t, llvm::CallInst &call, bool fnuz) {
  auto &b = t.b;
  if (!call.getCalledFunction())
    return false;
  llvm::Type *i32 = b.getInt32Ty(), *nothing = b.getVoidTy();
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  auto done = [&](Value *result = nullptr) {
    t.replace(call, result && result->getType()->isVoidTy() ? nullptr : result);
    return true;
  };
  auto own = [&](uint64_t offset) { return done(t.threadWord(offset, i32)); };
  auto index = [&] { return t.threadWord(offsetof(ThreadWords, index), i32); };
  auto fromLane = [&](Value *value, Value *lane) {
    return done(t.callWithThread(
        "tl_simt_shuffle", i32,
        {t.word(uint32_t(ShuffleKind::index)), value, lane, t.word(63)})); // bounds for any wave
  };

  switch (call.getCalledFunction()->getIntrinsicID()) {
  // ---- Who a thread is, and what time it is
  case Intrinsic::amdgcn_workitem_id_x:
    return own(offsetof(ThreadWords, index));
  case Intrinsic::amdgcn_workgroup_id_x:
    return own(offsetof(ThreadWords, program));
  case Intrinsic::amdgcn_workgroup_id_y:
    return own(offsetof(ThreadWords, program) + 4);
  case Intrinsic::amdgcn_workgroup_id_z:
    return own(offsetof(ThreadWords, program) + 8);
  case Intrinsic::amdgcn_implicitarg_ptr: {
    // It begins with how many programs there are.
    Value *thread = t.callPlain("tl_simt_thread", b.getPtrTy(), {});
    Value *place = b.CreateConstGEP1_64(b.getInt8Ty(), thread, offsetof(ThreadWords, programs));
    return done(b.CreateAddrSpaceCast(place, call.getType()));
  }
  case Intrinsic::readsteadycounter: // of 100 MHz
    return done(
        b.CreateUDiv(t.callWithThread("tl_simt_clock", b.getInt64Ty(), {}), b.getInt64(10)));

  // ---- Lanes and threads
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi: {
    const bool isUpper = call.getIntrinsicID() == Intrinsic::amdgcn_mbcnt_hi;
    Value *lane = b.CreateAnd(index(), isUpper ? 63 : 31);
    if (isUpper)
      lane = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, lane, b.getInt32(32));
    else // of lanes beyond, all 32
      lane = b.CreateSelect(b.CreateICmpEQ(b.CreateAnd(index(), 32), b.getInt32(0)), lane,
                            b.getInt32(32));
    return constantOf(arg(0)) == ~0u && done(b.CreateAdd(arg(1), lane));
  }
  case Intrinsic::amdgcn_ballot: {
    Value *votes = t.callWithThread("tl_simt_ballot", b.getInt64Ty(), {b.CreateZExt(arg(0), i32)});
    return done(b.CreateTrunc(votes, call.getType()));
  }
  case Intrinsic::amdgcn_update_dpp: {
    Value *from = dppSource(b, index(), constantOf(arg(2)));
    if (!from || constantOf(arg(3)) != 15 || constantOf(arg(4)) != 15)
      return false;
    return fromLane(arg(1), from);
  }
  case Intrinsic::amdgcn_ds_swizzle: {
    const uint32_t how = constantOf(arg(1));
    if (how >> 15)
      return false;
    Value *from = b.CreateAnd(index(), how & 31);
    from = b.CreateXor(b.CreateOr(from, how >> 5 & 31), how >> 10 & 31);
    return fromLane(arg(0), b.CreateOr(from, b.CreateAnd(index(), ~31u)));
  }
  case Intrinsic::amdgcn_ds_bpermute:
    return fromLane(arg(1), b.CreateLShr(arg(0), 2));
  case Intrinsic::amdgcn_permlanex16: {
    Value *all = b.CreateOr(b.CreateZExt(arg(2), b.getInt64Ty()),
                            b.CreateShl(b.CreateZExt(arg(3), b.getInt64Ty()), 32));
    Value *at = b.CreateShl(b.CreateZExt(b.CreateAnd(index(), 15), b.getInt64Ty()), 2);
    Value *other = b.CreateAnd(b.CreateTrunc(b.CreateLShr(all, at), i32), 15);
    return fromLane(arg(1), b.CreateOr(b.CreateXor(b.CreateAnd(index(), ~15u), 16), other));
  }
  case Intrinsic::amdgcn_wave_barrier:
    t.callWithThread("tl_simt_warp_barrier", nothing, {});
    return done();
  case Intrinsic::amdgcn_s_barrier:
    t.callWithThread("tl_simt_barrier", i32, {t.word(0), t.word(0), t.word(1), t.word(0)});
    return done();
  default:
    break;
  }
  llvm::StringRef name = call.getCalledFunction()->getName();
  return name.consume_front("llvm.amdgcn.") && translateProduct(t, call, name, fnuz);
}

} // namespace

std::optional<Emulated> emulatedAmd(std::string_view name) {
  auto architecture = amd::Architecture::parse(name);
  if (!architecture)
    return std::nullopt;
  const bool fnuz = architecture->generation == amd::Generation::cdna3;
  return Emulated{
      [architecture = *architecture](KernelSource source, std::string_view entry,
                                     const CompileOptions &options, bool texts) {
        return amd::optimizedModule(std::move(source), entry, options, architecture,
                                    {texts, /*lines=*/true});
      },
      fnuz ? [](Translation &t, llvm::CallInst &call) { return translateCall(t, call, true); }
           : [](Translation &t, llvm::CallInst &call) { return translateCall(t, call, false); },
      amd::followedOptions};
}

std::vector<std::string> amdDeviceNames() {
  return {"simt:gfx90a", "simt:gfx942", "simt:gfx950", "simt:gfx1100", "simt:gfx1201"};
}

} // namespace tl::backend::simt
