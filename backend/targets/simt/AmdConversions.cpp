// SPDX-License-Identifier: MIT
//
// AMD's conversions from and to floats of 8 bits, two at a time. Their names say all of it:
//
//     cvt.pk.f32.fp8(i32 bytes, i1 upper)
//     cvt.pk.fp8.f32(float, float, i32 old, i1 upper)
//     cvt.scalef32.pk.f16.fp8(i32 bytes, float scale, i1 upper)
//     cvt.scalef32.pk.fp8.f16(<2 x i16> old, <2 x half>, float scale, i1 upper)
//
// `upper` chooses a half of a word, whose other half stays as it is in `old`. Of a scale the
// exponent counts; numbers of 8 bits are multiplied by it, and divided before they are rounded.
#include "targets/simt/Translation.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

#include <optional>

namespace tl::backend::simt {

using llvm::Value;

namespace {

std::optional<Element> fp8FormatOf(llvm::StringRef name, bool isFnuz) {
  return llvm::StringSwitch<std::optional<Element>>(name)
      .Case("fp8", isFnuz ? Element::e4m3b8 : Element::e4m3)
      .Case("bf8", isFnuz ? Element::e5m2b16 : Element::e5m2)
      .Default(std::nullopt);
}

} // namespace

bool translateAmdConversion(Translation &t, llvm::CallInst &call, llvm::StringRef name,
                            bool isFnuz) {
  auto &b = t.b;
  const bool isScaled = name.consume_front("scalef32.");
  if (!name.consume_front("pk."))
    return false;
  auto [to, from] = name.split('.');
  const auto narrow = fp8FormatOf(to, isFnuz), wide = fp8FormatOf(from, isFnuz);
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  const unsigned last = call.arg_size() - 1;
  const unsigned shift = llvm::cast<llvm::ConstantInt>(arg(last))->isOne() ? 16 : 0;
  auto scale = [&]() -> Value * {
    if (!isScaled)
      return llvm::ConstantFP::get(b.getFloatTy(), 1.0);
    Value *exponent =
        b.CreateAnd(b.CreateBitCast(arg(last - 1), b.getInt32Ty()), t.word(0x7f800000));
    return b.CreateBitCast(exponent, b.getFloatTy());
  };
  if (wide && (to == "f32" || to == "f16" || to == "bf16")) {
    Value *result = llvm::PoisonValue::get(call.getType());
    for (unsigned i = 0; i < 2; ++i) {
      Value *byte = b.CreateAnd(b.CreateLShr(arg(0), shift + 8 * i), t.word(255));
      Value *number =
          t.callPlain("tl_simt_widen_fp8", b.getFloatTy(), {t.word(uint32_t(*wide)), byte});
      number = b.CreateFPCast(b.CreateFMul(number, scale()), call.getType()->getScalarType());
      result = b.CreateInsertElement(result, number, uint64_t(i));
    }
    t.replace(call, result);
    return true;
  }
  const bool isPair = from == "f16" && isScaled;
  if (!narrow || (!isPair && (from != "f32" || isScaled)))
    return false;
  Value *old = b.CreateFreeze(b.CreateBitCast(arg(isPair ? 0 : 2), b.getInt32Ty()));
  Value *result = b.CreateAnd(old, t.word(~(0xffffu << shift)));
  for (unsigned i = 0; i < 2; ++i) {
    Value *number = isPair ? b.CreateExtractElement(arg(1), uint64_t(i)) : arg(i);
    number = b.CreateFDiv(b.CreateFPExt(number, b.getDoubleTy()),
                          b.CreateFPExt(scale(), b.getDoubleTy()));
    Value *byte =
        t.callPlain("tl_simt_narrow_fp8", b.getInt32Ty(), {t.word(uint32_t(*narrow)), number});
    result = b.CreateOr(result, b.CreateShl(byte, shift + 8 * i));
  }
  t.replace(call, b.CreateBitCast(result, call.getType()));
  return true;
}

} // namespace tl::backend::simt
