// SPDX-License-Identifier: MIT
//
// Products of groups of four warps (ttg.warp_group_dot). An instruction multiplies 64 rows by up to
// 256 columns over 32 bytes of k and reads shared memory through *descriptors*: where a matrix
// begins, and how its pieces of 8 rows (or 8 k) by one swizzle pattern follow each other. Both are
// read off the layout of the shared memory:
//
//   k runs along the pattern (K-major)       rows run along the pattern (MN-major)
//     stride: 8 rows further                   stride: 8 k further
//     leading: not used                        leading: one pattern of rows further
//     next k: + 32 bytes, or the next panel    next k: + its k, in rows of the pattern
//
// A product stays in flight until it is waited for. What it reads must stay as it is until then:
// shared memory by the plan (SharedMemory.h), to which the wait is another read, unless those who
// made the memory order it themselves; registers because the assembler knows until when products in
// flight read them.
//
// A first operand in registers that is computed for the product, as weights are that are widened on
// the way, is multiplied piece by piece along k, so that a piece can be computed while the one
// before it is multiplied (SinkOperands.cpp). The order in which a sum is added to stays the same.
#include "dialect/Context.h"
#include "dialect/Hints.h"
#include "dialect/ProductParts.h"
#include "dialect/Traits.h"
#include "layout/NamedLayouts.h"
#include "lowering/Products.h"
#include "lowering/SharedTensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace tl::backend {

using llvm::Value;

namespace {

constexpr int64_t addressMask = 0x3fff; // of a descriptor's address, which counts in 16 bytes

/// How an operand lies in shared memory, in the terms of descriptors. Sizes are bytes.
struct OperandMemory {
  unsigned swizzle = 0;    // the pattern's width: 128, 64 or 32
  bool transposed = false; // rows, not k, run along the pattern
  uint64_t panel = 0;      // from one panel of the pattern's width to the next
  unsigned elementBytes = 2;

  uint64_t offset(uint64_t row, uint64_t k) const {
    uint64_t along = (transposed ? row : k) * elementBytes, across = transposed ? k : row;
    return along / swizzle * panel + along % swizzle + across * swizzle;
  }
  /// All but the address. Offsets are counted in 16 bytes.
  uint64_t descriptor() const {
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
    uint64_t leading = transposed ? panel : 16, stride = uint64_t(8) * swizzle;
    return mode << 62 | (stride >> 4) << 32 | (leading >> 4) << 16;
  }
};

/// Nothing if instructions cannot read it. `axisOfK` is the operand's axis of k.
std::optional<OperandMemory> operandMemory(ttg::MemDescType type, unsigned axisOfK) {
  unsigned bits = tt::getElementBits(type.getElementType());
  Shape shape(type.getShape().begin(), type.getShape().end());
  for (unsigned swizzle : {128u, 64u, 32u})
    for (unsigned fastest : {axisOfK, 1 - axisOfK}) {
      if (shape[fastest] * bits / 8 < swizzle)
        continue;
      LinearLayout layout = hardwareSwizzledShared(shape, {fastest, 1 - fastest}, bits, swizzle);
      if (type.getLayout().getMap() == layout)
        return OperandMemory{swizzle, fastest != axisOfK, uint64_t(shape[1 - fastest]) * swizzle,
                             bits / 8};
    }
  return std::nullopt;
}

class WarpGroupDot {
public:
  WarpGroupDot(KernelLowering &kernel, ttg::WarpGroupDotOp op, const GpuWarpGroupProducts &products)
      : kernel(kernel), b(kernel.builder), op(op), products(products),
        n(unsigned(op.getInstruction()[1])), k(unsigned(op.getInstruction()[2])),
        warpsM(unsigned(op.getWarps()[0])), warpsN(unsigned(op.getWarps()[1])) {}

  Values emit() {
    // The group's number along rows and columns, from a lane so that it is known to be the same in
    // all of them.
    Value *warp = kernel.target.threads.shuffleIndex(b, kernel.threads.warp, kernel.i32(0));
    Value *group = b.CreateLShr(warp, kernel.i32(2));
    unsigned groupsM = warpsM / 4;
    Value *groupM = b.CreateAnd(group, kernel.i32(groupsM - 1));
    Value *groupN =
        warpsN == 1 ? kernel.i32(0) : b.CreateLShr(group, kernel.i32(llvm::Log2_32(groupsM)));

    OperandMemory memoryB = memoryOf(op.getB(), 0, "second");
    Value *baseB = descriptor(op.getB(), memoryB, groupN, memoryB.offset(n, 0));
    std::optional<OperandMemory> memoryA;
    Value *baseA = nullptr;
    if (!op.readsAFromRegisters()) {
      memoryA = memoryOf(op.getA(), 1, "first");
      baseA = descriptor(op.getA(), *memoryA, groupM, memoryA->offset(64, 0));
    }
    orderMemory();

    const LinearLayout layout = ttg::layoutOf(op.getType());
    const auto [firstK, endOfK] = ttg::partOf(op);
    Values sums = kernel.get(op.getC());
    WarpGroupInstruction instruction{elementOf(op.getA()),
                                     op.getB().getType().getElementType(),
                                     op.getType().getElementType(),
                                     n,
                                     k,
                                     memoryA && memoryA->transposed,
                                     memoryB.transposed};
    const unsigned tileSums = n / 2; // an instruction's results
    const uint64_t piece = isComputedFor(op.getA())
                               ? k * std::max<uint64_t>(1, sumsOfPiece / sums.size())
                               : endOfK - firstK;
    for (uint64_t begin = firstK; begin < endOfK; begin += piece) {
      const uint64_t end = std::min(begin + piece, endOfK);
      std::vector<WarpGroupTile> tiles;
      for (unsigned first = 0; first < sums.size(); first += tileSums) {
        auto at = offsetsOf(layout, first, 2);
        WarpGroupTile &tile = tiles.emplace_back();
        tile.sums.append(sums.begin() + first, sums.begin() + first + tileSums);
        for (uint64_t atK = begin; atK < end; atK += k) {
          WarpGroupTile::Step &step = tile.steps.emplace_back();
          if (memoryA)
            step.a = {further(baseA, memoryA->offset(at[0], atK))};
          else
            step.a = registersOfA(at[0], atK);
          step.b = further(baseB, memoryB.offset(at[1], atK));
        }
      }
      sums = products.start(b, instruction, tiles, end == endOfK);
    }
    return sums;
  }

private:
  /// The least that a piece's instructions add to. An instruction takes about a cycle for each sum.
  static constexpr unsigned sumsOfPiece = 128;

  /// Whether threads compute an operand for this product alone: more than a rounding of what is
  /// there anyway.
  static bool isComputedFor(mlir::Value operand) {
    const auto onlyMakerOf = [](mlir::Value value) {
      return value.hasOneUse() ? value.getDefiningOp() : nullptr;
    };
    mlir::Operation *maker = onlyMakerOf(operand);
    while (maker &&
           (maker->hasTrait<tt::MovesElements>() || mlir::isa<mlir::arith::TruncFOp>(maker)))
      maker = onlyMakerOf(maker->getOperand(0));
    return maker && maker->hasTrait<mlir::OpTrait::Elementwise>();
  }

  static mlir::Type elementOf(mlir::Value operand) {
    if (auto memory = mlir::dyn_cast<ttg::MemDescType>(operand.getType()))
      return memory.getElementType();
    return mlir::cast<mlir::RankedTensorType>(operand.getType()).getElementType();
  }

  OperandMemory memoryOf(mlir::Value operand, unsigned axisOfK, const char *which) {
    auto memory = operandMemory(mlir::cast<ttg::MemDescType>(operand.getType()), axisOfK);
    if (!memory)
      kernel.unsupported(op, llvm::Twine("cannot read the ") + which +
                                 " operand of a product from shared memory of this layout");
    return *memory;
  }

  /// The descriptor of what a group's part begins with: group number `number` begins `bytes` after
  /// the one before it. What loops move the operand by is added last, to what they have no part in.
  Value *descriptor(mlir::Value operand, const OperandMemory &memory, Value *number,
                    uint64_t bytes) {
    const LocalTensor local = kernel.locals->tensors.lookup(operand);
    const uint64_t fixed = memory.descriptor();
    Value *low = b.CreatePtrToInt(kernel.shared.pointer(local.scratch.begin), b.getInt32Ty());
    low = b.CreateLShr(low, 4);
    // An address in a cluster has the number of its block in upper bits, where others stand here.
    if (tt::blocksOf(kernel.function, tt::blocksName) > 1)
      low = b.CreateAnd(low, kernel.i32(addressMask));
    low = b.CreateAdd(low, kernel.i32(int64_t(uint32_t(fixed))));
    low = b.CreateAdd(low, b.CreateMul(number, kernel.i32(int64_t(bytes >> 4))));
    if (local.moved)
      low = b.CreateAdd(low, b.CreateLShr(local.moved, 4));
    return b.CreateOr(b.CreateZExt(low, b.getInt64Ty()), b.getInt64(fixed >> 32 << 32));
  }
  Value *further(Value *descriptor, uint64_t bytes) {
    return b.CreateAdd(descriptor, b.getInt64(bytes >> 4));
  }

  /// Four registers of 32 bits: two halves of k, in each the rows of a lane: `row`, and the one
  /// that the second register bit of the result tells.
  llvm::SmallVector<Value *, 4> registersOfA(uint64_t row, uint64_t atK) {
    if (!fragmentA)
      fragmentA.emplace(kernel.get(op.getA()), ttg::layoutOf(op.getA().getType()));
    uint64_t other = ttg::layoutOf(op.getType()).image("register", 1, "dim0");
    unsigned packed = 32 / tt::getElementBits(elementOf(op.getA()));
    llvm::SmallVector<Value *, 4> words;
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned lower = 0; lower < 2; ++lower) {
        llvm::SmallVector<Value *> parts;
        for (unsigned i = 0; i < packed; ++i)
          parts.push_back(fragmentA->find(row ^ (lower ? other : 0), atK + half * k / 2 + i));
        if (llvm::is_contained(parts, nullptr))
          throw tt::errorAt(op, "an operand is not laid out for the matrix instruction",
                            TL_INTERNAL_ERROR);
        words.push_back(packWord(kernel, parts));
      }
    return words;
  }

  /// What threads have written is there for instructions, which see memory through a proxy of their
  /// own; and it stays until they are waited for.
  void orderMemory() {
    llvm::SmallVector<Scratch> planned;
    bool fenced = true;
    for (mlir::Value operand : {op.getA(), mlir::Value(op.getB())}) {
      auto found = kernel.locals->tensors.find(operand);
      if (found == kernel.locals->tensors.end() || found->second.ordered)
        continue;
      planned.push_back(found->second.scratch);
      fenced &= isWrittenWhenMade(operand);
    }
    if (!fenced)
      products.fence(b);
    for (Scratch scratch : planned) {
      kernel.shared.reads(scratch);
      kernel.locals->inFlight.push_back(scratch);
    }
  }

  /// Whether the memory holds what it was made with, which has been fenced.
  static bool isWrittenWhenMade(mlir::Value memory) {
    while (auto view = memory.getDefiningOp<ttg::MemDescTransOp>())
      memory = view.getSrc();
    auto alloc = memory.getDefiningOp<ttg::LocalAllocOp>();
    return alloc && alloc.getSrc() && !isWritten(memory);
  }
  static bool isWritten(mlir::Value memory) {
    return llvm::any_of(memory.getUsers(), [&](mlir::Operation *user) {
      bool isView =
          user->getNumResults() == 1 && mlir::isa<ttg::MemDescType>(user->getResult(0).getType());
      auto effects = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(user);
      return (effects && effects.getEffectOnValue<mlir::MemoryEffects::Write>(memory)) ||
             (isView && isWritten(user->getResult(0)));
    });
  }

  KernelLowering &kernel;
  llvm::IRBuilder<> &b;
  ttg::WarpGroupDotOp op;
  const GpuWarpGroupProducts &products;
  const unsigned n, k, warpsM, warpsN;
  std::optional<Fragment> fragmentA; // of a first operand in registers
};

const GpuWarpGroupProducts &productsOf(KernelLowering &kernel, mlir::Operation *op) {
  if (!kernel.target.warpGroupProducts)
    kernel.unsupported(op, "has no products of groups of warps");
  return *kernel.target.warpGroupProducts;
}

void emitDot(KernelLowering &kernel, ttg::WarpGroupDotOp op) {
  kernel.set(op, WarpGroupDot(kernel, op, productsOf(kernel, op)).emit());
}

void emitWait(KernelLowering &kernel, ttg::WarpGroupDotWaitOp op) {
  Values all;
  for (mlir::Value input : op.getInputs())
    all.append(kernel.get(input));
  auto after = productsOf(kernel, op).wait(kernel.builder, op.getPendings(), all);
  auto next = after.begin();
  for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs())) {
    auto end = next + kernel.get(input).size();
    kernel.set(output, Values(next, end));
    next = end;
  }
  if (op.getPendings() != 0)
    return;
  for (Scratch scratch : kernel.locals->inFlight)
    kernel.shared.reads(scratch);
  kernel.locals->inFlight.clear();
}

// ---- Turns

constexpr unsigned threadsOfTurn = 2 * 4 * 32; // of the group that waits, and of the one before it

/// The number of this thread's group, known to be the same in all lanes, and how many there are.
std::pair<Value *, unsigned> groupOf(KernelLowering &kernel) {
  Value *warp =
      kernel.target.threads.shuffleIndex(kernel.builder, kernel.threads.warp, kernel.i32(0));
  return {kernel.builder.CreateLShr(warp, kernel.i32(2)), kernel.warps / 4};
}

/// Barrier number 0 is the program's; each group waits at one of its own.
void emitWaitForTurn(KernelLowering &kernel, ttg::WaitForTurnOp op) {
  auto &b = kernel.builder;
  Value *group = groupOf(kernel).first;
  kernel.target.threads.waitAtBarrier(b, b.CreateAdd(group, kernel.i32(1)), threadsOfTurn);
  kernel.shared.turn(op.getLoop(), &b.GetInsertBlock()->back());
}

void emitPassTurn(KernelLowering &kernel, ttg::PassTurnOp op) {
  auto &b = kernel.builder;
  auto [group, count] = groupOf(kernel);
  Value *isLast = b.CreateICmpEQ(group, kernel.i32(count - 1));
  Value *passes =
      b.CreateSelect(isLast, kernel.scalar(op.getLast()), kernel.scalar(op.getOthers()));
  Value *next = b.CreateSelect(isLast, kernel.i32(1), b.CreateAdd(group, kernel.i32(2)));
  kernel.emitIf(passes, [&] {
    kernel.target.threads.arriveAtBarrier(b, next, threadsOfTurn);
    kernel.shared.turn(op.getLoop(), &b.GetInsertBlock()->back());
  });
}

void emitFence(KernelLowering &kernel, ttg::FenceAsyncSharedOp op) {
  productsOf(kernel, op).fence(kernel.builder);
}

} // namespace

void registerWarpGroupProducts(OperationTable &table) {
  table.add<emitDot>();
  table.add<emitWait>();
  table.add<emitFence>();
  table.add<emitPassTurn>();
  table.add<emitWaitForTurn>();
}

} // namespace tl::backend
