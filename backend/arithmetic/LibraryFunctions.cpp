// SPDX-License-Identifier: MIT
#include "arithmetic/LibraryFunctions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

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

// ---- Powers of two

/// x times 2^n, rounded once: an f32 in f64; an f64 in steps of which all but the last are exact.
Value *scale(const Call &c) {
  auto &b = c.b;
  llvm::Type *real = c.like(b.getDoubleTy()), *wide = c.integers(64);
  auto clamp = [&](Value *n, int64_t low, int64_t high) {
    n = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, n, c.number(n->getType(), low));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, c.number(n->getType(), high));
  };
  auto power = [&](Value *n) { // of -1022 to 1023
    Value *exponent = b.CreateAdd(b.CreateSExt(n, wide), c.number(wide, 1023));
    return b.CreateBitCast(b.CreateShl(exponent, c.number(wide, 52)), real);
  };
  if (c.bits() == 32) {
    Value *exact = b.CreateFMul(b.CreateFPExt(c.x[0], real), power(clamp(c.x[1], -400, 400)));
    return b.CreateFPTrunc(exact, c.result);
  }
  Value *value = c.x[0], *n = clamp(c.x[1], -2200, 2200);
  for (int step = 0; step < 2; ++step) {
    Value *isHigh = b.CreateICmpSGT(n, c.number(n->getType(), 1023));
    Value *isLow = b.CreateICmpSLT(n, c.number(n->getType(), -1022));
    constexpr int up = 1023, down = -969; // 2^-969 leaves the bits of denormals for the last step
    Value *factor = b.CreateSelect(isHigh, c.real(real, 0x1p1023),
                                   b.CreateSelect(isLow, c.real(real, 0x1p-969), c.real(real, 1)));
    Value *taken = b.CreateSelect(
        isHigh, c.number(n->getType(), up),
        b.CreateSelect(isLow, c.number(n->getType(), down), c.number(n->getType(), 0)));
    value = b.CreateFMul(value, factor);
    n = b.CreateSub(n, taken);
  }
  return b.CreateFMul(value, power(clamp(n, -1022, 1023)));
}

/// The exponent of x: the least integer for 0 and NaN, the largest for infinities.
Value *exponentOf(const Call &c) {
  auto &b = c.b;
  llvm::Type *real = c.like(b.getDoubleTy()), *wide = c.integers(64);
  Value *value = c.bits() == 32 ? b.CreateFPExt(c.x[0], real) : c.x[0];
  Value *size = c.unary(llvm::Intrinsic::fabs, value);
  Value *isSmall = b.CreateFCmpOLT(size, c.real(real, 0x1p-1022));
  Value *normal = b.CreateSelect(isSmall, b.CreateFMul(size, c.real(real, 0x1p54)), size);
  Value *field = b.CreateLShr(b.CreateBitCast(normal, wide), c.number(wide, 52));
  Value *bias = b.CreateSelect(isSmall, c.number(wide, 1023 + 54), c.number(wide, 1023));
  Value *exponent = c.fit(b.CreateSub(field, bias));
  exponent = b.CreateSelect(b.CreateFCmpOEQ(size, llvm::ConstantFP::getInfinity(real)),
                            c.number(c.result, INT32_MAX), exponent);
  Value *isNothing = b.CreateFCmpUEQ(size, c.real(real, 0));
  return b.CreateSelect(isNothing, c.number(c.result, INT32_MIN), exponent);
}

// ---- Integers

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

enum class Kind { float32, float64, int32, int64 };

struct Function {
  Value *(*emit)(const Call &);
  llvm::SmallVector<Kind, 4> types; // of the result, then of the operands
};

llvm::StringMap<Function> makeFunctions() {
  llvm::StringMap<Function> made;
  constexpr Kind f = Kind::float32, d = Kind::float64, i = Kind::int32, l = Kind::int64;
  using Emit = Value *(*)(const Call &);
  auto enter = [&](std::initializer_list<const char *> names, Emit emit,
                   llvm::SmallVector<Kind, 4> types) {
    for (const char *name : names)
      made[name] = {emit, types};
  };
  enter({"float_as_int", "float_as_uint"}, bitcast, {i, f});
  enter({"double_as_longlong"}, bitcast, {l, d});
  enter({"int_as_float", "uint_as_float"}, bitcast, {f, i});
  enter({"longlong_as_double"}, bitcast, {d, l});
  enter({"double2hiint"}, highHalf, {i, d});
  enter({"double2loint"}, lowHalf, {i, d});
  enter({"hiloint2double"}, joinHalves, {d, i, i});

  enter({"isnanf"}, isNan, {i, f});
  enter({"isnand"}, isNan, {i, d});
  enter({"isinff"}, isInfinite, {i, f});
  enter({"isinfd"}, isInfinite, {i, d});
  enter({"finitef", "isfinitef"}, isFinite, {i, f});
  enter({"isfinited"}, isFinite, {i, d});
  enter({"signbitf"}, signBit, {i, f});
  enter({"signbitd"}, signBit, {i, d});

  enter({"fadd_rn"}, add, {f, f, f});
  enter({"dadd_rn"}, add, {d, d, d});
  enter({"fsub_rn"}, subtract, {f, f, f});
  enter({"dsub_rn"}, subtract, {d, d, d});
  enter({"fmul_rn"}, multiply, {f, f, f});
  enter({"dmul_rn"}, multiply, {d, d, d});
  enter({"fdiv_rn", "fast_fdividef", "fdividef"}, divide, {f, f, f});
  enter({"ddiv_rn"}, divide, {d, d, d});
  enter({"saturatef"}, saturate, {f, f});

  using llvm::Intrinsic::ceil, llvm::Intrinsic::floor, llvm::Intrinsic::round,
      llvm::Intrinsic::roundeven;
  constexpr auto none = llvm::Intrinsic::not_intrinsic;
  for (auto [from, kind] : {std::pair("float2", f), std::pair("double2", d)}) {
    auto conversions = [&](llvm::StringRef to, Kind result, std::array<Emit, 4> emit) {
      for (auto [mode, function] : llvm::zip(std::array{"_rn", "_rz", "_rd", "_ru"}, emit))
        made[(from + to + mode).str()] = {function, {result, kind}};
    };
    const std::array<Emit, 4> toSigned = {toInteger<true, roundeven>, toInteger<true, none>,
                                          toInteger<true, floor>, toInteger<true, ceil>};
    const std::array<Emit, 4> toUnsigned = {toInteger<false, roundeven>, toInteger<false, none>,
                                            toInteger<false, floor>, toInteger<false, ceil>};
    conversions("int", i, toSigned);
    conversions("ll", l, toSigned);
    conversions("uint", i, toUnsigned);
    conversions("ull", l, toUnsigned);
  }
  enter({"llrintf"}, toInteger<true, roundeven>, {l, f});
  enter({"llrint"}, toInteger<true, roundeven>, {l, d});
  enter({"llroundf"}, toInteger<true, round>, {l, f});
  enter({"llround"}, toInteger<true, round>, {l, d});
  for (auto [to, kind] : {std::pair("2float_rn", f), std::pair("2double_rn", d)}) {
    made[std::string("int") + to] = {fromSigned, {kind, i}};
    made[std::string("ll") + to] = {fromSigned, {kind, l}};
    made[std::string("uint") + to] = {fromUnsigned, {kind, i}};
    made[std::string("ull") + to] = {fromUnsigned, {kind, l}};
  }
  enter({"double2float_rn"}, narrow, {f, d});

  enter({"ldexpf", "scalbnf"}, scale, {f, f, i});
  enter({"ldexp", "scalbn"}, scale, {d, d, i});
  enter({"ilogbf"}, exponentOf, {i, f});
  enter({"ilogb"}, exponentOf, {i, d});

  enter({"mul24"}, product24<true>, {i, i, i});
  enter({"umul24"}, product24<false>, {i, i, i});
  enter({"sad"}, sumOfDifference<true>, {i, i, i, i});
  enter({"usad"}, sumOfDifference<false>, {i, i, i, i});
  enter({"hadd"}, average<true, false>, {i, i, i});
  enter({"rhadd"}, average<true, true>, {i, i, i});
  enter({"uhadd"}, average<false, false>, {i, i, i});
  enter({"urhadd"}, average<false, true>, {i, i, i});
  enter({"byte_perm"}, permuteBytes, {i, i, i, i});
  return made;
}

bool isOf(Kind kind, llvm::Type *type) {
  type = type->getScalarType();
  switch (kind) {
  case Kind::float32:
    return type->isFloatTy();
  case Kind::float64:
    return type->isDoubleTy();
  case Kind::int32:
    return type->isIntegerTy(32);
  case Kind::int64:
    return type->isIntegerTy(64);
  }
  llvm_unreachable("kinds of types");
}

} // namespace

Value *emitLibraryFunction(llvm::IRBuilder<> &builder, llvm::StringRef name,
                           llvm::ArrayRef<Value *> operands, llvm::Type *result) {
  static const llvm::StringMap<Function> functions = makeFunctions();
  auto found = functions.find(name);
  if (found == functions.end())
    return nullptr;
  const Function &function = found->second;
  if (function.types.size() != operands.size() + 1 || !isOf(function.types.front(), result))
    return nullptr;
  for (auto [kind, operand] : llvm::zip(llvm::drop_begin(function.types), operands))
    if (!isOf(kind, operand->getType()))
      return nullptr;
  return function.emit({builder, operands, operands[0]->getType()->getWithNewType(result)});
}

} // namespace tl::backend
