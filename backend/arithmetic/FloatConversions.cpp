// SPDX-License-Identifier: MIT
//
// How a conversion is put together. Every small format widens exactly to f32, and every narrowing
// starts from f32. What does not fit into f32 (f64, 64-bit integers) is first rounded to odd:
// truncated, with the last bit set when anything was lost. The second rounding then sees on which
// side of a tie the value lies, so that the two together are one.
#include "arithmetic/FloatConversions.h"

#include "tl/impl/float_formats.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>

namespace tl::backend {
namespace {

using llvm::APFloat;
using llvm::Type;
using llvm::Value;

using Encoding = impl::float_format;

/// Of a format below f32.
const Encoding &encodingOf(FloatFormat format) {
  static constexpr Encoding encodings[] = {
#define SMALL(id, kind, bytes, name, type, format) impl::format,
#define WIDE(...)
      TL_FLOAT_TYPES(SMALL, WIDE)
#undef SMALL
#undef WIDE
  };
  return encodings[static_cast<unsigned>(format)];
}

Type *like(Value *value, Type *element) {
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(value->getType()))
    return llvm::VectorType::get(element, vector->getElementCount());
  return element;
}

/// Emits one conversion. Holds the builder with its fast-math flags cleared.
class Emitter {
public:
  Emitter(llvm::IRBuilderBase &b, const ArithmeticFeatures *features = nullptr)
      : b(b), guard(b), features(features) {
    b.clearFastMathFlags();
  }

  Value *i32(Value *shape, uint32_t bits) {
    return llvm::ConstantInt::get(like(shape, b.getInt32Ty()), bits);
  }
  Value *asInteger(Value *x) { return b.CreateBitCast(x, like(x, b.getInt32Ty())); }
  Value *asFloat(Value *x) { return b.CreateBitCast(x, like(x, b.getFloatTy())); }
  Value *real(Value *shape, double value) {
    return llvm::ConstantFP::get(like(shape, b.getFloatTy()), value);
  }

  /// Bits of a small format -> f32.
  Value *widen(Value *bits, FloatFormat format) {
    Encoding e = encodingOf(format);
    if (format == FloatFormat::f16 && features->halfConversion)
      return b.CreateFPExt(b.CreateBitCast(bits, like(bits, b.getHalfTy())),
                           like(bits, b.getFloatTy()));
    Value *wide = b.CreateZExt(bits, like(bits, b.getInt32Ty()));
    if (format == FloatFormat::bf16)
      return asFloat(b.CreateShl(wide, i32(wide, 16)));
    // Exponent and mantissa at their place in an f32 are the right value but for the bias, in
    // subnormals too: one exact multiplication puts that right.
    Value *magnitude = b.CreateAnd(wide, i32(wide, e.magnitude_mask()));
    Value *sign = b.CreateShl(b.CreateXor(wide, magnitude), i32(wide, 32 - e.total_bits()));
    Value *scaled = b.CreateFMul(asFloat(b.CreateShl(magnitude, i32(wide, 23 - e.mantissa_bits))),
                                 real(wide, std::ldexp(1.0, 127 - e.bias)));
    Value *result = asInteger(scaled);
    if (e.infinity) { // infinity and NaN: the largest exponent of f32, the payload where it is
      Value *special = b.CreateICmpUGE(magnitude, i32(wide, e.infinity));
      result = b.CreateSelect(special, b.CreateOr(result, i32(wide, 0x7f800000)), result);
      Value *isNan = b.CreateICmpUGT(magnitude, i32(wide, e.infinity));
      result = b.CreateSelect(isNan, b.CreateOr(result, i32(wide, 0x00400000)), result);
    } else {
      Value *code = e.negative_zero ? magnitude : wide;
      result =
          b.CreateSelect(b.CreateICmpEQ(code, i32(wide, e.nan)), i32(wide, 0x7fc00000), result);
    }
    return asFloat(b.CreateOr(result, sign));
  }

  /// f32 -> bits of a small format.
  Value *narrow(Value *x, FloatFormat format, Rounding rounding) {
    const bool nearest = rounding == Rounding::toNearestEven;
    if (format == FloatFormat::f16 && nearest && features->halfConversion)
      return b.CreateBitCast(b.CreateFPTrunc(x, like(x, b.getHalfTy())), like(x, b.getInt16Ty()));
    const Encoding e = encodingOf(format);
    const unsigned drop = 23 - e.mantissa_bits;
    Value *bits = asInteger(x);
    Value *magnitude = b.CreateAnd(bits, i32(bits, 0x7fffffff));
    Value *sign = b.CreateLShr(b.CreateXor(bits, magnitude), i32(bits, 32 - e.total_bits()));

    // Normal results: cut the low bits off, rounding by an addition whose carry may run up into
    // the exponent, which is just what the next binade needs.
    Value *rounded = magnitude;
    if (nearest) {
      Value *odd = b.CreateAnd(b.CreateLShr(magnitude, i32(bits, drop)), i32(bits, 1));
      rounded = b.CreateAdd(b.CreateAdd(magnitude, odd), i32(bits, (1u << (drop - 1)) - 1));
    }
    Value *code = b.CreateLShr(rounded, i32(bits, drop));
    if (e.bias != 127) {
      code = b.CreateSub(code, i32(bits, (127 - e.bias) << e.mantissa_bits));
      // Subnormal results are counts of the quantum 2^(1 - bias - mantissaBits).
      Value *absolute = asFloat(magnitude);
      int quantum = 1 - e.bias - e.mantissa_bits;
      Value *count;
      if (nearest) { // a float whose last place is the quantum makes the adder round for us
        Value *anchor = real(bits, std::ldexp(1.0, quantum + 23));
        count = b.CreateSub(asInteger(b.CreateFAdd(absolute, anchor)), asInteger(anchor));
      } else {
        // The lanes that are not subnormal would be out of range of the conversion.
        Value *bounded = b.CreateSelect(isSubnormal(magnitude, e), absolute, real(bits, 0));
        count = b.CreateFPToSI(b.CreateFMul(bounded, real(bits, std::ldexp(1.0, -quantum))),
                               bits->getType());
      }
      code = b.CreateSelect(isSubnormal(magnitude, e), count, code);
    }

    // Beyond the range the code grows past the largest; infinities come out furthest.
    auto atMost = [&](uint32_t limit) {
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, i32(bits, limit));
    };
    if (e.saturates)
      code = atMost(e.largest);
    else if (nearest)
      code = atMost(e.infinity);
    else
      code = b.CreateSelect(b.CreateICmpEQ(magnitude, i32(bits, 0x7f800000)), i32(bits, e.infinity),
                            atMost(e.largest));

    Value *isNan = b.CreateICmpUGT(magnitude, i32(bits, 0x7f800000));
    if (e.negative_zero) {
      code = b.CreateOr(b.CreateSelect(isNan, i32(bits, e.nan), code), sign);
    } else {
      Value *isZero = b.CreateICmpEQ(code, i32(bits, 0));
      code = b.CreateOr(code, b.CreateSelect(isZero, i32(bits, 0), sign));
      code = b.CreateSelect(isNan, i32(bits, e.nan), code);
    }
    return b.CreateTrunc(code, like(bits, b.getIntNTy(e.total_bits())));
  }

  /// f64 -> f32, toward zero or to odd.
  Value *cut(Value *x, bool toOdd) {
    Value *nearest = b.CreateFPTrunc(x, like(x, b.getFloatTy()));
    Value *bits = asInteger(nearest);
    Value *back = b.CreateFPExt(nearest, x->getType());
    Value *grew = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                  b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
    bits = b.CreateSelect(grew, b.CreateSub(bits, i32(bits, 1)), bits);
    if (toOdd) {
      Value *inexact = b.CreateFCmpONE(back, x);
      bits = b.CreateOr(bits, b.CreateZExt(inexact, bits->getType()));
    }
    return asFloat(bits);
  }

  llvm::IRBuilderBase &b;

private:
  /// The smallest normal number, as bits of an f32, bounds the subnormals.
  Value *isSubnormal(Value *magnitude, const Encoding &e) {
    return b.CreateICmpULT(magnitude, i32(magnitude, (128 - e.bias) << 23));
  }

  llvm::IRBuilderBase::FastMathFlagGuard guard;
  const ArithmeticFeatures *features;
};

bool isSmall(FloatFormat format) { return bitWidth(format) <= 16; }

/// half and bfloat as their bits.
Value *asStorage(llvm::IRBuilderBase &b, Value *value) {
  Type *element = value->getType()->getScalarType();
  if (element->isHalfTy() || element->isBFloatTy())
    return b.CreateBitCast(value, like(value, b.getInt16Ty()));
  return value;
}

} // namespace

Type *storageType(llvm::LLVMContext &context, FloatFormat format) {
  if (format == FloatFormat::f64)
    return Type::getDoubleTy(context);
  if (format == FloatFormat::f32)
    return Type::getFloatTy(context);
  return Type::getIntNTy(context, bitWidth(format));
}

Value *emitFloatConversion(llvm::IRBuilderBase &b, Value *value, FloatFormat from, FloatFormat to,
                           Rounding rounding, const ArithmeticFeatures &features) {
  value = asStorage(b, value);
  if (from == to)
    return value;
  Emitter emit(b, &features);
  if (isSmall(from))
    value = emit.widen(value, from);
  if (to == FloatFormat::f64)
    return b.CreateFPExt(value, like(value, b.getDoubleTy()));
  if (from == FloatFormat::f64) {
    if (to == FloatFormat::f32 && rounding == Rounding::toNearestEven)
      return b.CreateFPTrunc(value, like(value, b.getFloatTy()));
    value = emit.cut(value, /*toOdd=*/isSmall(to));
  }
  return isSmall(to) ? emit.narrow(value, to, rounding) : value;
}

Value *emitFloatToInteger(llvm::IRBuilderBase &b, Value *value, unsigned bits, bool isSigned) {
  Type *type = like(value, b.getIntNTy(bits));
  return b.CreateIntrinsic(isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                           {type, value->getType()}, {value});
}

Value *emitIntegerToFloat(llvm::IRBuilderBase &b, Value *value, bool isSigned, FloatFormat to,
                          const ArithmeticFeatures &features) {
  Emitter emit(b, &features);
  auto convert = [&](Value *x, bool isSigned, Type *element) {
    Type *type = like(x, element);
    return isSigned ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  };
  if (!isSmall(to))
    return convert(value, isSigned, storageType(b.getContext(), to));
  unsigned bits = value->getType()->getScalarSizeInBits();
  if (bits <= 24) // exact in f32
    return emit.narrow(convert(value, isSigned, b.getFloatTy()), to, Rounding::toNearestEven);
  if (bits > 53) {
    // Round the magnitude to odd at 53 bits, so that f64 holds it exactly.
    Type *type = value->getType();
    auto constant = [&](uint64_t c) { return llvm::ConstantInt::get(type, c); };
    Value *negative = isSigned ? b.CreateICmpSLT(value, constant(0)) : nullptr;
    Value *magnitude = isSigned ? b.CreateSelect(negative, b.CreateNeg(value), value) : value;
    Value *low = b.CreateAnd(magnitude, constant(0x7ff));
    Value *sticky = b.CreateSelect(b.CreateICmpNE(low, constant(0)), constant(0x800), constant(0));
    Value *odd = b.CreateOr(b.CreateXor(magnitude, low), sticky);
    Value *fits = b.CreateICmpULT(magnitude, constant(uint64_t(1) << 53));
    magnitude = b.CreateSelect(fits, magnitude, odd);
    Value *real = convert(magnitude, false, b.getDoubleTy());
    value = isSigned ? b.CreateSelect(negative, b.CreateFNeg(real), real) : real;
  } else {
    value = convert(value, isSigned, b.getDoubleTy());
  }
  return emit.narrow(emit.cut(value, /*toOdd=*/true), to, Rounding::toNearestEven);
}

} // namespace tl::backend
