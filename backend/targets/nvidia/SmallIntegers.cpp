// SPDX-License-Identifier: MIT
#include "targets/nvidia/SmallIntegers.h"

#include "targets/nvidia/InlinePtx.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace tl::backend::nvidia {

using llvm::Value;
using namespace llvm::PatternMatch;

namespace {

/// (word >> shift) & mask.
struct Field {
  Value *word;
  unsigned shift, bits;
};

std::optional<Field> fieldOf(Value *value) {
  Value *shifted = nullptr, *word = nullptr;
  const llvm::APInt *mask = nullptr, *shift = nullptr;
  if (!value->getType()->isIntegerTy(32) || !match(value, m_And(m_Value(shifted), m_APInt(mask))) ||
      !mask->isMask())
    return std::nullopt;
  unsigned bits = mask->countr_one();
  // A variable that a failing match has set is not what was matched: a name of its own for each.
  if (match(shifted, m_Shr(m_Value(word), m_APInt(shift))) && shift->ule(32 - bits))
    return Field{word, unsigned(shift->getZExtValue()), bits};
  return Field{shifted, 0, bits};
}

class PairConversion {
public:
  PairConversion(llvm::IRBuilderBase &b, bool isSigned, FloatFormat to)
      : b(b), isSigned(isSigned), element(to == FloatFormat::f16 ? b.getHalfTy() : b.getBFloatTy()),
        pair(llvm::FixedVectorType::get(element, 2)), fraction(to == FloatFormat::f16 ? 10 : 7),
        exponent(to == FloatFormat::f16 ? 0x6400 : 0x4300) {}

  /// first - second, or first alone.
  Value *difference(Value *const (&first)[2], Value *const (*second)[2]) {
    std::optional<Biased> a = biased(first), none;
    std::optional<Biased> minus = second ? biased(*second) : none;
    if (!a || (second && !minus))
      return nullptr;
    Value *offset = number(-a->bias());
    if (minus)
      offset = b.CreateFSub(offset, less(*minus, number(-minus->bias())));
    return less(*a, offset);
  }

private:
  /// Floats 2^fraction + x * 2^shift.
  struct Biased {
    Value *floats;
    unsigned shift, fraction;
    double bias() const { return double(1u << fraction >> shift); }
  };

  Value *number(double value) {
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(2),
                                          llvm::ConstantFP::get(element, value));
  }
  Value *word(unsigned bits) { return b.getInt32(bits << 16 | bits); }

  Value *less(const Biased &x, Value *offset) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {pair},
                             {x.floats, number(1.0 / double(1u << x.shift)), offset});
  }

  bool isSmall(Value *value) {
    unsigned width = value->getType()->getIntegerBitWidth();
    const llvm::DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    unsigned zeros = llvm::computeKnownBits(value, layout).countMinLeadingZeros();
    return width - zeros <= fraction && (zeros > 0 || !isSigned);
  }

  std::optional<Biased> biased(Value *const (&values)[2]) {
    if (!isSmall(values[0]) || !isSmall(values[1]))
      return std::nullopt;
    auto halves = [&](Value *low, Value *high, unsigned which) {
      return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_prmt,
                               {low, high, b.getInt32(which ? 0x7632 : 0x5410)});
    };
    Value *both;
    unsigned at = 0, mask = 0xffff;
    std::optional<Field> low = fieldOf(values[0]), high = fieldOf(values[1]);
    if (low && high && low->shift == high->shift && low->bits == high->bits &&
        low->shift % 16 + low->bits <= 16) {
      both = halves(low->word, high->word, low->shift / 16);
      at = low->shift % 16;
      // Moved by eight bits where that will do, so that two fields share it.
      if (at + low->bits > fraction) {
        unsigned moved = at >= 8 && at - 8 + low->bits <= fraction ? 8 : at;
        both = b.CreateLShr(both, moved);
        at -= moved;
      }
      mask = ((1u << low->bits) - 1) << at;
    } else {
      both = halves(b.CreateZExtOrTrunc(values[0], b.getInt32Ty()),
                    b.CreateZExtOrTrunc(values[1], b.getInt32Ty()), 0);
    }
    // (both & mask) | exponent, of which two are constants: the assembler would make two
    // instructions of it.
    constexpr const char *masked = "lop3.b32 $0, $1, $2, $3, 0xEA;";
    both =
        emitPtx(b, b.getInt32Ty(), masked, "=r,r,n,n", {both, word(mask), word(exponent)}, false);
    return Biased{b.CreateBitCast(both, pair), at, fraction};
  }

  llvm::IRBuilderBase &b;
  bool isSigned;
  llvm::Type *element;
  llvm::FixedVectorType *pair;
  unsigned fraction, exponent; // bits of the one, the bits of the other in their place
};

} // namespace

std::optional<std::pair<Value *, Value *>> convertSmallIntegers(llvm::IRBuilderBase &b,
                                                                Value *first, Value *second,
                                                                bool isSigned, FloatFormat to) {
  if ((to != FloatFormat::f16 && to != FloatFormat::bf16) || first->getType()->isIntegerTy(1))
    return std::nullopt;
  PairConversion conversion(b, isSigned, to);
  // Differences are exact, too: neither integers nor floats overflow.
  Value *a[2], *minus[2];
  Value *floats = nullptr;
  if (isSigned && match(first, m_Sub(m_Value(a[0]), m_Value(minus[0]))) &&
      match(second, m_Sub(m_Value(a[1]), m_Value(minus[1]))))
    floats = conversion.difference(a, &minus);
  if (!floats)
    floats = conversion.difference({first, second}, nullptr);
  if (!floats)
    return std::nullopt;
  Value *words = b.CreateBitCast(floats, llvm::FixedVectorType::get(b.getInt16Ty(), 2));
  return std::pair(b.CreateExtractElement(words, uint64_t(0)),
                   b.CreateExtractElement(words, uint64_t(1)));
}

} // namespace tl::backend::nvidia
