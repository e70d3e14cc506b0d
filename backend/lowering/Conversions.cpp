// SPDX-License-Identifier: MIT
//
// From one layout to another by the cheapest way there is: other names for the same registers,
// shuffles within the warp, or shared memory through the swizzle that suits both sides.
#include "lowering/GpuLowering.h"

#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
using namespace cpu;

namespace {

Shape shapeOfLayout(const LinearLayout &layout) {
  Shape shape(layout.outs().size());
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    shape[axis] = int64_t(1) << layout.outBits(dimName(axis));
  return shape;
}

/// Passes through the banks of shared memory that a warp needs for all its accesses.
unsigned costOf(const LinearLayout &distributed, const LinearLayout &shared, unsigned bytes) {
  SharedAccess access = sharedAccess(distributed, shared, bytes);
  unsigned accesses = (1u << distributed.inBits("register")) / access.elements;
  unsigned wide = std::max(1u, access.elements * bytes / 4);
  return accesses * wide * bankConflicts(distributed, shared, bytes, access);
}

/// Shared memory in which both layouts read and write with few conflicts.
LinearLayout sharedBetween(const LinearLayout &from, const LinearLayout &to, unsigned bytes) {
  Shape shape = shapeOfLayout(from);
  unsigned rank = unsigned(shape.size());
  std::optional<LinearLayout> best;
  unsigned least = ~0u;
  auto consider = [&](const LinearLayout &layout) {
    unsigned cost = costOf(from, layout, bytes) + costOf(to, layout, bytes);
    if (cost < least) {
      least = cost;
      best = layout;
    }
  };
  for (unsigned minor = rank; minor-- > 0;) {
    std::vector<unsigned> order = {minor};
    for (unsigned axis = rank; axis-- > 0;)
      if (axis != minor)
        order.push_back(axis);
    consider(rowMajorShared(shape, order));
    if (rank < 2 || shape[order[0]] == 1 || shape[order[1]] == 1)
      continue;
    for (unsigned vector = 1; vector * bytes <= 16; vector *= 2)
      for (unsigned phases = 4; phases <= 32; phases *= 2)
        consider(swizzledShared(shape, order, {vector, 1, phases}));
  }
  return *best;
}

} // namespace

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
  Movement how = movement(from, to);
  auto sources = *to.convertTo(from);
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
  if (how == Movement::None || (how == Movement::Registers && fixedRegisters)) {
    for (unsigned reg = 0; reg < count; ++reg)
      result.push_back(registerFor(reg));
    return result;
  }
  // A shuffle a register is cheaper than two trips to shared memory, as long as there are few.
  if (how == Movement::Lanes && fixedRegisters) {
    for (unsigned reg = 0; reg < count; ++reg) {
      Value *from = coordinate(sources, reg, "lane");
      result.push_back(shuffle(
          registerFor(reg), [&](Value *word) { return target.shuffleIndex(builder, word, from); }));
    }
    return result;
  }
  unsigned bytes = memoryBytes(element);
  LinearLayout layout = sharedBetween(from, to, bytes);
  Scratch scratch = acquire((uint64_t(1) << layout.inBits("offset")) * bytes);
  storeShared(registers, from, layout, scratch.begin, element);
  reads(scratch);
  result = loadShared(to, layout, scratch.begin, element);
  release(scratch);
  return result;
}

} // namespace tl::backend
