// SPDX-License-Identifier: MIT
#include "arithmetic/LibraryFunctions.h"

#include "tl/impl/libdevice_functions.hpp"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>

namespace tl::backend {

using llvm::Value;

namespace {

/// One call.
struct Call {
  llvm::IRBuilder<> &b;
  llvm::ArrayRef<Value *> x;
  llvm::Type *result; // as many elements as the operands have

  llvm::Type *like(llvm::Type *element) const { return x[0]->getType()->getWithNewType(element); }
  unsigned bits(unsigned operand = 0) const { return x[operand]->getType()->getScalarSizeInBits(); }
  llvm::Type *integers(unsigned width) const { return like(b.getIntNTy(width)); }
  Value *number(llvm::Type *type, int64_t value) const {
    return llvm::ConstantInt::getSigned(type, value);
  }
  Value *real(llvm::Type *type, double value) const { return llvm::ConstantFP::get(type, value); }
  Value *unary(llvm::Intrinsic::ID id, Value *value) const {
    return b.CreateUnaryIntrinsic(id, value);
  }
  /// An integer in the result's width.
  Value *fit(Value *value) const { return b.CreateZExtOrTrunc(value, result); }
  Value *bitsOf(unsigned operand) const {
    return b.CreateBitCast(x[operand], integers(bits(operand)));
  }
};

Value *bitcast(const Call &c) { return c.b.CreateBitCast(c.x[0], c.result); }

// ---- Parts of f64

Value *highHalf(const Call &c) {
  Value *all = c.bitsOf(0);
  return c.fit(c.b.CreateLShr(all, c.number(all->getType(), 32)));
}
Value *lowHalf(const Call &c) { return c.fit(c.bitsOf(0)); }
Value *joinHalves(const Call &c) {
  llvm::Type *wide = c.integers(64);
  Value *high = c.b.CreateShl(c.b.CreateZExt(c.x[0], wide), c.number(wide, 32));
  return c.b.CreateBitCast(c.b.CreateOr(high, c.b.CreateZExt(c.x[1], wide)), c.result);
}

// ---- Questions

Value *isNan(const Call &c) { return c.fit(c.b.CreateFCmpUNO(c.x[0], c.x[0])); }
Value *isInfinite(const Call &c) {
  llvm::Type *type = c.x[0]->getType();
  return c.fit(c.b.CreateFCmpOEQ(c.unary(llvm::Intrinsic::fabs, c.x[0]),
                                 llvm::ConstantFP::getInfinity(type)));
}
Value *isFinite(const Call &c) {
  llvm::Type *type = c.x[0]->getType();
  return c.fit(c.b.CreateFCmpOLT(c.unary(llvm::Intrinsic::fabs, c.x[0]),
                                 llvm::ConstantFP::getInfinity(type)));
}
Value *signBit(const Call &c) {
  Value *all = c.bitsOf(0);
  return c.fit(c.b.CreateLShr(all, c.number(all->getType(), c.bits() - 1)));
}

// ---- Arithmetic that is rounded to nearest

Value *add(const Call &c) { return c.b.CreateFAdd(c.x[0], c.x[1]); }
Value *subtract(const Call &c) { return c.b.CreateFSub(c.x[0], c.x[1]); }
Value *multiply(const Call &c) { return c.b.CreateFMul(c.x[0], c.x[1]); }
Value *divide(const Call &c) { return c.b.CreateFDiv(c.x[0], c.x[1]); }

Value *saturate(const Call &c) {
  llvm::Type *type = c.x[0]->getType();
  Value *low = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, c.x[0], c.real(type, 0));
  return c.b.CreateBinaryIntrinsic(llvm::Intrinsic::minnum, low, c.real(type, 1));
}

// ---- Conversions

template <bool isSigned, llvm::Intrinsic::ID rounding> Value *toInteger(const Call &c) {
  Value *whole = rounding == llvm::Intrinsic::not_intrinsic ? c.x[0] : c.unary(rounding, c.x[0]);
  return c.b.CreateIntrinsic(isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                             {c.result, whole->getType()}, {whole});
}
Value *fromSigned(const Call &c) { return c.b.CreateSIToFP(c.x[0], c.result); }
Value *fromUnsigned(const Call &c) { return c.b.CreateUIToFP(c.x[0], c.result); }
Value *narrow(const Call &c) { return c.b.CreateFPTrunc(c.x[0], c.result); }
/// In f64, so that an f32 is rounded once.
Value *reciprocalRoot(const Call &c) {
  Value *root = c.unary(llvm::Intrinsic::sqrt, c.b.CreateFPExt(c.x[0], c.like(c.b.getDoubleTy())));
  return c.b.CreateFPTrunc(c.b.CreateFDiv(c.real(root->getType(), 1), root), c.result);
}

// ---- Powers of two

/// The format of the first operand.
struct Format {
  int mantissa, bias;
  llvm::Type *real, *integer;

  explicit Format(const Call &c)
      : mantissa(c.bits() == 32 ? 23 : 52), bias(c.bits() == 32 ? 127 : 1023),
        real(c.x[0]->getType()), integer(c.integers(c.bits())) {}
  double power(int exponent) const { return std::ldexp(1.0, exponent); }
};

/// x times 2^n, rounded once: in steps of which all but the last are exact.
Value *scale(const Call &c) {
  auto &b = c.b;
  const Format f(c);
  llvm::Type *counter = c.x[1]->getType();
  auto clamp = [&](Value *n, int64_t low, int64_t high) {
    n = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, n, c.number(counter, low));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, c.number(counter, high));
  };
  // Downwards what denormals keep is left to the last step.
  const int up = f.bias, down = 2 + f.mantissa - f.bias, most = 2 * (f.bias + f.mantissa);
  Value *value = c.x[0], *n = clamp(c.x[1], -most, most);
  for (int step = 0; step < 2; ++step) {
    Value *isHigh = b.CreateICmpSGT(n, c.number(counter, up));
    Value *isLow = b.CreateICmpSLT(n, c.number(counter, 1 - f.bias));
    auto choose = [&](Value *high, Value *low, Value *none) {
      return b.CreateSelect(isHigh, high, b.CreateSelect(isLow, low, none));
    };
    value = b.CreateFMul(value, choose(c.real(f.real, f.power(up)), c.real(f.real, f.power(down)),
                                       c.real(f.real, 1)));
    n = b.CreateSub(n,
                    choose(c.number(counter, up), c.number(counter, down), c.number(counter, 0)));
  }
  Value *exponent = b.CreateSExtOrTrunc(clamp(n, 1 - f.bias, f.bias), f.integer);
  Value *bits = b.CreateShl(b.CreateAdd(exponent, c.number(f.integer, f.bias)),
                            c.number(f.integer, f.mantissa));
  return b.CreateFMul(value, b.CreateBitCast(bits, f.real));
}

/// The exponent of x: the least integer for 0 and NaN, the largest for infinities.
Value *exponentOf(const Call &c) {
  auto &b = c.b;
  const Format f(c);
  Value *size = c.unary(llvm::Intrinsic::fabs, c.x[0]);
  Value *isSmall = b.CreateFCmpOLT(size, c.real(f.real, f.power(1 - f.bias)));
  const int shift = f.mantissa + 1;
  Value *normal = b.CreateSelect(isSmall, b.CreateFMul(size, c.real(f.real, f.power(shift))), size);
  Value *field = b.CreateLShr(b.CreateBitCast(normal, f.integer), c.number(f.integer, f.mantissa));
  Value *bias =
      b.CreateSelect(isSmall, c.number(f.integer, f.bias + shift), c.number(f.integer, f.bias));
  Value *exponent = c.fit(b.CreateSub(field, bias));
  exponent = b.CreateSelect(b.CreateFCmpOEQ(size, llvm::ConstantFP::getInfinity(f.real)),
                            c.number(c.result, INT32_MAX), exponent);
  Value *isNothing = b.CreateFCmpUEQ(size, c.real(f.real, 0));
  return b.CreateSelect(isNothing, c.number(c.result, INT32_MIN), exponent);
}

// ---- Integers

template <llvm::Intrinsic::ID id> Value *binary(const Call &c) {
  return c.b.CreateBinaryIntrinsic(id, c.x[0], c.x[1]);
}
Value *absolute(const Call &c) {
  return c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, c.x[0], c.b.getFalse());
}
template <llvm::Intrinsic::ID id> Value *count(const Call &c) { return c.fit(c.unary(id, c.x[0])); }
Value *leadingZeros(const Call &c) {
  return c.fit(c.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, c.x[0], c.b.getFalse()));
}
/// The place of the lowest bit that is set, counted from 1.
Value *firstSet(const Call &c) {
  llvm::Type *type = c.x[0]->getType();
  Value *zeros = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, c.x[0], c.b.getFalse());
  Value *position = c.b.CreateAdd(zeros, c.number(type, 1)), *none = c.number(type, 0);
  return c.fit(c.b.CreateSelect(c.b.CreateICmpEQ(c.x[0], none), none, position));
}
template <bool isSigned> Value *highProduct(const Call &c) {
  llvm::Type *wide = c.integers(2 * c.bits());
  auto extend = [&](Value *value) {
    return isSigned ? c.b.CreateSExt(value, wide) : c.b.CreateZExt(value, wide);
  };
  Value *product = c.b.CreateMul(extend(c.x[0]), extend(c.x[1]));
  return c.b.CreateTrunc(c.b.CreateLShr(product, c.number(wide, c.bits())), c.result);
}

template <bool isSigned> Value *product24(const Call &c) {
  auto low = [&](Value *value) -> Value * {
    if (!isSigned)
      return c.b.CreateAnd(value, c.number(value->getType(), 0xFFFFFF));
    Value *by = c.number(value->getType(), 8);
    return c.b.CreateAShr(c.b.CreateShl(value, by), by);
  };
  return c.b.CreateMul(low(c.x[0]), low(c.x[1]));
}

/// |a - b| + c.
template <bool isSigned> Value *sumOfDifference(const Call &c) {
  Value *isMore = isSigned ? c.b.CreateICmpSGT(c.x[0], c.x[1]) : c.b.CreateICmpUGT(c.x[0], c.x[1]);
  Value *difference =
      c.b.CreateSelect(isMore, c.b.CreateSub(c.x[0], c.x[1]), c.b.CreateSub(c.x[1], c.x[0]));
  return c.b.CreateAdd(difference, c.x[2]);
}

template <bool isSigned, bool isUp> Value *average(const Call &c) {
  llvm::Type *wide = c.integers(64);
  auto extend = [&](Value *value) {
    return isSigned ? c.b.CreateSExt(value, wide) : c.b.CreateZExt(value, wide);
  };
  Value *sum = c.b.CreateAdd(extend(c.x[0]), extend(c.x[1]));
  if (isUp)
    sum = c.b.CreateAdd(sum, c.number(wide, 1));
  return c.fit(c.b.CreateAShr(sum, c.number(wide, 1)));
}

/// The lower three bits of each digit of the selector choose a byte of the two operands.
Value *permuteBytes(const Call &c) {
  auto &b = c.b;
  llvm::Type *wide = c.integers(64);
  auto constant = [&](int64_t value) { return c.number(wide, value); };
  Value *bytes =
      b.CreateOr(b.CreateZExt(c.x[0], wide), b.CreateShl(b.CreateZExt(c.x[1], wide), constant(32)));
  Value *selectors = b.CreateZExt(c.x[2], wide), *permuted = constant(0);
  for (int i = 0; i < 4; ++i) {
    Value *selector = b.CreateLShr(selectors, constant(4 * i));
    Value *shift = b.CreateShl(b.CreateAnd(selector, constant(7)), constant(3));
    Value *byte = b.CreateAnd(b.CreateLShr(bytes, shift), constant(0xFF));
    permuted = b.CreateOr(permuted, b.CreateShl(byte, constant(8 * i)));
  }
  return c.fit(permuted);
}

// ---- All of them

using Emit = Value *(*)(const Call &);

llvm::StringMap<Emit> makeEmitters() {
  llvm::StringMap<Emit> made;
  auto enter = [&](std::initializer_list<const char *> symbols, Emit emit) {
    for (const char *symbol : symbols)
      made[symbol] = emit;
  };
  enter({"float_as_int", "float_as_uint", "double_as_longlong"}, bitcast);
  enter({"int_as_float", "uint_as_float", "longlong_as_double"}, bitcast);
  enter({"double2hiint"}, highHalf);
  enter({"double2loint"}, lowHalf);
  enter({"hiloint2double"}, joinHalves);

  enter({"isnanf", "isnand"}, isNan);
  enter({"isinff", "isinfd"}, isInfinite);
  enter({"finitef", "isfinitef", "isfinited"}, isFinite);
  enter({"signbitf", "signbitd"}, signBit);

  enter({"fadd_rn", "dadd_rn"}, add);
  enter({"fsub_rn", "dsub_rn"}, subtract);
  enter({"fmul_rn", "dmul_rn"}, multiply);
  enter({"fdiv_rn", "ddiv_rn"}, divide);
  enter({"frsqrt_rn"}, reciprocalRoot);
  enter({"saturatef"}, saturate);

  using llvm::Intrinsic::ceil, llvm::Intrinsic::floor, llvm::Intrinsic::round,
      llvm::Intrinsic::roundeven;
  constexpr auto none = llvm::Intrinsic::not_intrinsic;
  for (llvm::StringRef from : {"float2", "double2"}) {
    auto conversions = [&](llvm::StringRef to, std::array<Emit, 4> emit) {
      for (auto [mode, function] : llvm::zip(std::array{"_rn", "_rz", "_rd", "_ru"}, emit))
        made[(from + to + mode).str()] = function;
    };
    const std::array<Emit, 4> toSigned = {toInteger<true, roundeven>, toInteger<true, none>,
                                          toInteger<true, floor>, toInteger<true, ceil>};
    const std::array<Emit, 4> toUnsigned = {toInteger<false, roundeven>, toInteger<false, none>,
                                            toInteger<false, floor>, toInteger<false, ceil>};
    conversions("int", toSigned);
    conversions("ll", toSigned);
    conversions("uint", toUnsigned);
    conversions("ull", toUnsigned);
  }
  enter({"llrintf", "llrint"}, toInteger<true, roundeven>);
  enter({"llroundf", "llround"}, toInteger<true, round>);
  enter({"int2float_rn", "ll2float_rn", "int2double_rn", "ll2double_rn"}, fromSigned);
  enter({"uint2float_rn", "ull2float_rn", "uint2double_rn", "ull2double_rn"}, fromUnsigned);
  enter({"double2float_rn"}, narrow);

  enter({"ldexpf", "scalbnf", "ldexp", "scalbn"}, scale);
  enter({"ilogbf", "ilogb"}, exponentOf);

  using namespace llvm::Intrinsic;
  enter({"clz", "clzll"}, leadingZeros);
  enter({"popc", "popcll"}, count<ctpop>);
  enter({"brev", "brevll"}, count<bitreverse>);
  enter({"ffs", "ffsll"}, firstSet);
  enter({"abs", "llabs"}, absolute);
  enter({"min", "llmin"}, binary<smin>);
  enter({"max", "llmax"}, binary<smax>);
  enter({"umin", "ullmin"}, binary<umin>);
  enter({"umax", "ullmax"}, binary<umax>);
  enter({"mulhi", "mul64hi"}, highProduct<true>);
  enter({"umulhi", "umul64hi"}, highProduct<false>);
  enter({"mul24"}, product24<true>);
  enter({"umul24"}, product24<false>);
  enter({"sad"}, sumOfDifference<true>);
  enter({"usad"}, sumOfDifference<false>);
  enter({"hadd"}, average<true, false>);
  enter({"rhadd"}, average<true, true>);
  enter({"uhadd"}, average<false, false>);
  enter({"urhadd"}, average<false, true>);
  enter({"byte_perm"}, permuteBytes);
  return made;
}

bool isOf(char letter, llvm::Type *type) {
  type = type->getScalarType();
  switch (letter) {
  case 'f':
    return type->isFloatTy();
  case 'd':
    return type->isDoubleTy();
  case 'i':
  case 'u':
    return type->isIntegerTy(32);
  default:
    return type->isIntegerTy(64);
  }
}

} // namespace

const impl::library_function *
findLibraryFunction(llvm::StringRef symbol, llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  auto fits = [&](std::string_view types) {
    if (types.size() != operands.size() + 1 || !isOf(types[0], result))
      return false;
    for (auto [i, operand] : llvm::enumerate(operands))
      if (!isOf(types[i + 1], operand->getType()))
        return false;
    return true;
  };
  for (const impl::library_function &function : impl::library_functions)
    if (function.symbol() == std::string_view(symbol) && fits(function.types()))
      return &function;
  return nullptr;
}

Value *emitLibraryFunction(llvm::IRBuilder<> &builder, llvm::StringRef symbol,
                           llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  static const llvm::StringMap<Emit> emitters = makeEmitters();
  Emit emit = emitters.lookup(symbol);
  return emit ? emit({builder, operands, operands[0]->getType()->getWithNewType(result)}) : nullptr;
}

} // namespace tl::backend
