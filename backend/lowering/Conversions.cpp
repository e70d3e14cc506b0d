// SPDX-License-Identifier: MIT
#include "lowering/Conversions.h"

#include "lowering/SharedTensors.h"

#include "layout/Exchange.h"
#include "layout/LayoutForms.h"
#include "layout/Queries.h"

#include "llvm/IR/Constants.h"

#include <tuple>

namespace tl::backend {

using llvm::Value;

/// Shuffles that are always cheaper than a way through memory.
constexpr unsigned fewShuffles = 8;

Value *shuffle(KernelLowering &kernel, Value *value,
               llvm::function_ref<Value *(Value *)> shuffleWord) {
  auto &b = kernel.builder;
  llvm::Type *type = value->getType();
  unsigned bits = unsigned(kernel.module.getDataLayout().getTypeSizeInBits(type));
  Value *integer = type->isPointerTy()   ? b.CreatePtrToInt(value, b.getInt64Ty())
                   : type->isIntegerTy() ? value
                                         : b.CreateBitCast(value, b.getIntNTy(bits));
  if (bits <= 32) {
    integer = shuffleWord(b.CreateZExt(integer, b.getInt32Ty()));
    integer = b.CreateTrunc(integer, b.getIntNTy(bits));
  } else {
    Value *low = shuffleWord(b.CreateTrunc(integer, b.getInt32Ty()));
    Value *high = shuffleWord(b.CreateTrunc(b.CreateLShr(integer, 32), b.getInt32Ty()));
    integer = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                         b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  }
  return type->isPointerTy()   ? b.CreateIntToPtr(integer, type)
         : type->isIntegerTy() ? integer
                               : b.CreateBitCast(integer, type);
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
  unsigned steps = 1u << plan.step.outBits("register");
  unsigned choices =
      (llvm::popcount(threadBits(plan.presented)) << plan.presented.outBits("register")) +
      llvm::popcount(threadBits(plan.step)) * steps;
  return (choices + (movement == Movement::Lanes ? steps : 0)) * std::max(1u, bytes / 4);
}

/// values[k ^ t] for each k, where t is what the bits of the thread give in `numbers`: for each bit
/// of t, values change places in pairs where it is set.
static Values chooseByThread(KernelLowering &kernel, Values values, const LinearLayout &numbers) {
  auto &b = kernel.builder;
  uint64_t bits = threadBits(numbers);
  Value *own = bits ? kernel.threads.coordinate(numbers, 0, "register") : nullptr;
  for (unsigned bit = 0; bits >> bit; ++bit) {
    if (!(bits >> bit & 1))
      continue;
    Value *set = b.CreateTrunc(b.CreateLShr(own, bit), b.getInt1Ty());
    Values moved;
    for (unsigned k = 0; k < values.size(); ++k)
      moved.push_back(b.CreateSelect(set, values[k ^ (1u << bit)], values[k]));
    values = std::move(moved);
  }
  return values;
}

/// In iteration k each lane presents one of its registers and reads what another presents; see
/// ShufflePlan.
static Values shuffleByPlan(KernelLowering &kernel, llvm::ArrayRef<Value *> registers,
                            const ShufflePlan &plan, Movement movement) {
  auto &b = kernel.builder;
  Values own = chooseByThread(kernel, Values(registers), plan.presented), got;
  for (unsigned step = 0; step < 1u << plan.step.outBits("register"); ++step) {
    Value *presented = own[registerImage(plan.presented, step)];
    if (movement < Movement::Lanes) {
      got.push_back(presented);
      continue;
    }
    Value *source = kernel.threads.coordinate(plan.read, step, "lane");
    got.push_back(shuffle(kernel, presented, [&](Value *word) {
      return kernel.target.threads.shuffleIndex(b, word, source);
    }));
  }
  return chooseByThread(kernel, std::move(got), plan.step);
}

namespace {

/// A way through shared memory, and what it costs a warp: passes through the banks, instructions.
struct Exchange {
  LinearLayout layout;
  unsigned passes = 0, instructions = 0;
  bool repacks = false; // narrow elements, into words of registers that are not neighbours

  Exchange(KernelLowering &kernel, const LinearLayout &from, const LinearLayout &to,
           LinearLayout shared, unsigned bytes)
      : layout(std::move(shared)) {
    for (bool storing : {true, false}) {
      const LinearLayout &side = storing ? from : to;
      unsigned count = 1u << side.inBits("register");
      if (auto tiles = tilesOf(kernel, side, layout, bytes, storing)) {
        passes += tiles->passes * (count >> tiles->wordBits.size());
        instructions += tiles->instructions(count);
      } else {
        const SharedAccess access = sharedAccess(side, layout, bytes);
        passes += bankPasses(side, layout, bytes, kernel.target.program.sharedBanks());
        instructions += count / access.elements;
        for (unsigned bit = 0; bytes << bit < 4; ++bit)
          repacks |= bit >= access.registerBits.size() || access.registerBits[bit] != bit;
      }
    }
  }
  bool isBetterThan(const Exchange &other) const {
    return std::pair(passes, instructions) < std::pair(other.passes, other.instructions);
  }
};

/// The best of a layout that is made for both sides and of those that matrix accesses like.
Exchange exchangeFor(KernelLowering &kernel, const LinearLayout &from, const LinearLayout &to,
                     unsigned bytes) {
  const unsigned banks = kernel.target.program.sharedBanks();
  Exchange best(kernel, from, to, exchangeLayout(from, to, bytes, banks), bytes);
  Shape shape = coveredShape(from);
  if (shape.size() != 2 || !kernel.target.matrixAccess || bytes > 4)
    return best;
  if (kernel.target.matrixAccess->form() == MatrixForm::Columns) {
    auto costOf = [](const Exchange &each) {
      return std::tuple(each.passes, each.repacks, each.instructions);
    };
    if (std::optional<LinearLayout> columns = columnReading(to, bytes))
      if (Exchange other(kernel, from, to,
                         exchangeLayout(from, *columns, bytes, banks, columnBytes), bytes);
          costOf(other) < costOf(best))
        return other;
    return best;
  }
  for (unsigned fastest : {1u, 0u}) {
    int64_t rowBytes = shape[fastest] * bytes;
    if (rowBytes < 16)
      continue;
    unsigned swizzle = rowBytes < 32 ? 0 : unsigned(std::min<int64_t>(rowBytes, 128));
    Exchange other(kernel, from, to,
                   hardwareSwizzledShared(shape, {fastest, 1 - fastest}, bytes * 8, swizzle),
                   bytes);
    if (other.isBetterThan(best))
      best = std::move(other);
  }
  return best;
}

} // namespace

Values convert(KernelLowering &kernel, llvm::ArrayRef<Value *> registers, const LinearLayout &from,
               const LinearLayout &to, mlir::Type element) {
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
  const Exchange exchange = exchangeFor(kernel, from, to, bytes);
  const LinearLayout &layout = exchange.layout;
  // A shuffle moves a word a lane, as does a pass through the banks; but it needs no memory and no
  // waiting. Narrow elements travel by the vector in memory, and one by one in shuffles.
  if (plan && !dependsOnBlock(*plan) &&
      instructionsOf(*plan, bytes, movement) <= std::max(fewShuffles, exchange.passes))
    return shuffleByPlan(kernel, registers, *plan, movement);
  // Where no data leave their warp, only the lanes of the warp wait for each other. Copies in other
  // warps are written by one of them for all.
  bool copies = llvm::any_of(from.freeBits(),
                             [](const auto &free) { return free.first == "warp" && free.second; });
  bool withinWarp = movement <= Movement::Lanes && !copies;
  Scratch scratch =
      kernel.shared.acquire((uint64_t(1) << layout.inBits("offset")) * bytes, 16, withinWarp);
  storeShared(kernel, registers, from, layout, scratch.begin, element);
  kernel.shared.reads(scratch, withinWarp);
  result = loadShared(kernel, to, layout, scratch.begin, element);
  kernel.shared.release(scratch, withinWarp);
  return result;
}

Values convert(KernelLowering &kernel, mlir::Value value, const LinearLayout &to) {
  return convert(kernel, kernel.get(value), ttg::layoutOf(value.getType()), to,
                 elementType(value.getType()));
}

static void emitConvert(KernelLowering &kernel, ttg::ConvertLayoutOp op) {
  kernel.set(op, convert(kernel, op.getSrc(), ttg::layoutOf(op.getType())));
}

void registerConversions(OperationTable &table) { table.add<emitConvert>(); }

} // namespace tl::backend
