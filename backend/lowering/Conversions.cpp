// SPDX-License-Identifier: MIT
//
// From one layout to another by the cheapest way there is: other names for the same registers,
// shuffles within the warp, or shared memory through the swizzle that suits both sides.
#include "lowering/GpuLowering.h"

#include "layout/Exchange.h"
#include "layout/Queries.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

/// Shuffles that are always cheaper than a way through memory.
constexpr unsigned fewShuffles = 8;

void GpuLowering::emitConvert(ttg::ConvertLayoutOp op) {
  set(op, convert(get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()),
                  ttg::layoutOf(op.getType()), elementType(op.getType())));
}

/// Words of 32 bits travel; wider and narrower values are cut and extended.
Value *GpuLowering::shuffle(Value *value, llvm::function_ref<Value *(Value *)> shuffleWord) {
  llvm::Type *type = value->getType();
  unsigned bits = unsigned(module.getDataLayout().getTypeSizeInBits(type));
  Value *integer = type->isPointerTy()   ? builder.CreatePtrToInt(value, builder.getInt64Ty())
                   : type->isIntegerTy() ? value
                                         : builder.CreateBitCast(value, builder.getIntNTy(bits));
  if (bits <= 32) {
    integer = shuffleWord(builder.CreateZExt(integer, builder.getInt32Ty()));
    integer = builder.CreateTrunc(integer, builder.getIntNTy(bits));
  } else {
    Value *low = shuffleWord(builder.CreateTrunc(integer, builder.getInt32Ty()));
    Value *high =
        shuffleWord(builder.CreateTrunc(builder.CreateLShr(integer, 32), builder.getInt32Ty()));
    integer =
        builder.CreateOr(builder.CreateZExt(low, builder.getInt64Ty()),
                         builder.CreateShl(builder.CreateZExt(high, builder.getInt64Ty()), 32));
  }
  return type->isPointerTy()   ? builder.CreateIntToPtr(integer, type)
         : type->isIntegerTy() ? integer
                               : builder.CreateBitCast(integer, type);
}

GpuLowering::Values GpuLowering::convert(llvm::ArrayRef<Value *> registers,
                                         const LinearLayout &from, const LinearLayout &to,
                                         mlir::Type element) {
  Values result;
  if (from == to) {
    result.append(registers.begin(), registers.end());
    return result;
  }
  Conversion how = conversion(from, to);
  const LinearLayout &sources = how.sources;
  unsigned count = 1u << to.inBits("register");
  // Which register is read must not depend on the reader.
  bool fixedRegisters = sources.sublayoutIsZero({"lane", "warp", "block"}, {"register"});
  auto registerFor = [&](unsigned reg) {
    uint64_t source = 0;
    for (unsigned bit = 0; bit < to.inBits("register"); ++bit)
      if ((reg >> bit & 1) && sources.outBits("register"))
        source ^= sources.image("register", bit, "register");
    return registers[source];
  };
  if (how.movement == Movement::None || (how.movement == Movement::Registers && fixedRegisters)) {
    for (unsigned reg = 0; reg < count; ++reg)
      result.push_back(registerFor(reg));
    return result;
  }
  unsigned bytes = memoryBytes(element);
  LinearLayout layout = exchangeLayout(from, to, bytes);
  // A shuffle moves a word a lane, as does a pass through the banks; but it needs no memory and no
  // waiting. Narrow elements travel by the vector in memory, and one by one in shuffles.
  unsigned shuffles = count * std::max(1u, bytes / 4);
  unsigned passes = bankPasses(from, layout, bytes) + bankPasses(to, layout, bytes);
  if (how.movement == Movement::Lanes && fixedRegisters &&
      shuffles <= std::max(fewShuffles, passes)) {
    for (unsigned reg = 0; reg < count; ++reg) {
      Value *source = coordinate(sources, reg, "lane");
      result.push_back(shuffle(registerFor(reg), [&](Value *word) {
        return target.shuffleIndex(builder, word, source);
      }));
    }
    return result;
  }
  // Where no data leave their warp, only the warp has to meet. Copies in other warps are written by
  // one of them for all.
  bool copies = llvm::any_of(from.freeBits(),
                             [](const auto &free) { return free.first == "warp" && free.second; });
  bool withinWarp = how.movement <= Movement::Lanes && !copies;
  Scratch scratch = acquire((uint64_t(1) << layout.inBits("offset")) * bytes, 16, withinWarp);
  storeShared(registers, from, layout, scratch.begin, element);
  reads(scratch, withinWarp);
  result = loadShared(to, layout, scratch.begin, element);
  release(scratch, withinWarp);
  return result;
}

} // namespace tl::backend
