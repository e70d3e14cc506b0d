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

/// The number of the register that the bits of `reg` alone give.
static uint64_t registerImage(const LinearLayout &layout, unsigned reg) {
  uint64_t image = 0;
  if (layout.outBits("register"))
    for (unsigned bit = 0; bit < layout.inBits("register"); ++bit)
      if (reg >> bit & 1)
        image ^= layout.image("register", bit, "register");
  return image;
}

/// The bits of the register's number that depend on the thread.
static uint64_t threadBits(const LinearLayout &layout) {
  uint64_t bits = 0;
  if (layout.outBits("register"))
    for (const char *in : {"lane", "warp"})
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
        bits |= layout.image(in, bit, "register");
  return bits;
}

static bool dependsOnBlock(const ShufflePlan &plan) {
  return !plan.presented.sublayoutIsZero({"block"}, {"register"}) ||
         !plan.read.sublayoutIsZero({"block"}, {"lane"});
}

/// Shuffles, and choices among registers before and after them.
static unsigned instructionsOf(const ShufflePlan &plan, unsigned bytes, Movement movement) {
  unsigned rounds = 1u << plan.round.outBits("register");
  unsigned choices =
      (llvm::popcount(threadBits(plan.presented)) << plan.presented.outBits("register")) +
      llvm::popcount(threadBits(plan.round)) * rounds;
  return (choices + (movement == Movement::Lanes ? rounds : 0)) * std::max(1u, bytes / 4);
}

/// values[k ^ t] for each k, where t is what the bits of the thread give in `places`: for each bit
/// of t, values change places in pairs where it is set.
GpuLowering::Values GpuLowering::chooseByThread(Values values, const LinearLayout &places) {
  uint64_t bits = threadBits(places);
  Value *own = bits ? coordinate(places, 0, "register") : nullptr;
  for (unsigned bit = 0; bits >> bit; ++bit) {
    if (!(bits >> bit & 1))
      continue;
    Value *set = builder.CreateTrunc(builder.CreateLShr(own, bit), builder.getInt1Ty());
    Values moved;
    for (unsigned k = 0; k < values.size(); ++k)
      moved.push_back(builder.CreateSelect(set, values[k ^ (1u << bit)], values[k]));
    values = std::move(moved);
  }
  return values;
}

/// In round k each lane presents one of its registers and reads what another presents; see
/// ShufflePlan.
GpuLowering::Values GpuLowering::shuffleByPlan(llvm::ArrayRef<Value *> registers,
                                               const ShufflePlan &plan, Movement movement) {
  Values own = chooseByThread(Values(registers), plan.presented), got;
  for (unsigned round = 0; round < 1u << plan.round.outBits("register"); ++round) {
    Value *presented = own[registerImage(plan.presented, round)];
    if (movement < Movement::Lanes) {
      got.push_back(presented);
      continue;
    }
    Value *source = coordinate(plan.read, round, "lane");
    got.push_back(shuffle(presented,
                          [&](Value *word) { return target.shuffleIndex(builder, word, source); }));
  }
  return chooseByThread(std::move(got), plan.round);
}

GpuLowering::Values GpuLowering::convert(llvm::ArrayRef<Value *> registers,
                                         const LinearLayout &from, const LinearLayout &to,
                                         mlir::Type element) {
  Values result;
  if (from == to) {
    result.append(registers.begin(), registers.end());
    return result;
  }
  Movement movement = tl::backend::movement(from, to);
  unsigned bytes = memoryBytes(element), count = 1u << to.inBits("register");
  std::optional<ShufflePlan> plan = shufflePlan(from, to);
  if (plan && plan->presented.sublayoutIsZero({"lane", "warp", "block"}, {"register"}) &&
      movement <= Movement::Registers) {
    for (unsigned reg = 0; reg < count; ++reg)
      result.push_back(registers[registerImage(plan->presented, reg)]);
    return result;
  }
  LinearLayout layout = exchangeLayout(from, to, bytes);
  // A shuffle moves a word a lane, as does a pass through the banks; but it needs no memory and no
  // waiting. Narrow elements travel by the vector in memory, and one by one in shuffles.
  unsigned passes = bankPasses(from, layout, bytes) + bankPasses(to, layout, bytes);
  if (plan && !dependsOnBlock(*plan) &&
      instructionsOf(*plan, bytes, movement) <= std::max(fewShuffles, passes))
    return shuffleByPlan(registers, *plan, movement);
  // Where no data leave their warp, only the warp has to meet. Copies in other warps are written by
  // one of them for all.
  bool copies = llvm::any_of(from.freeBits(),
                             [](const auto &free) { return free.first == "warp" && free.second; });
  bool withinWarp = movement <= Movement::Lanes && !copies;
  Scratch scratch = acquire((uint64_t(1) << layout.inBits("offset")) * bytes, 16, withinWarp);
  storeShared(registers, from, layout, scratch.begin, element);
  reads(scratch, withinWarp);
  result = loadShared(to, layout, scratch.begin, element);
  release(scratch, withinWarp);
  return result;
}

} // namespace tl::backend
