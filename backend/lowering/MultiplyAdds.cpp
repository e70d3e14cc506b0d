// SPDX-License-Identifier: MIT
//
// Products by multiply-adds (ttg.local_dot). A thread computes its own elements of the result, a
// grid of rows and columns (see productLayout), and reads the operands from shared memory: 8 x 16
// elements take 8 + 16 numbers a step of k, so what is read at once is kept until it is used up:
//
//     for k in steps of 4 or more            a loop of the kernel, if there are many multiply-adds
//       for four of these k                  as many as one read of an operand along k has
//         for each row, for each column      there and back: the next product shares a factor
//           a multiply-add                   before it the accesses that bring its factors
//
// An access reads four k of a row and one k of four columns, where k runs fastest in memory for the
// first operand and columns for the second. If rows run fastest, it reads neighbouring rows for one
// k instead, and so it is with the columns.
//
// A processor reads three numbers from registers for a multiply-add, of which it keeps one or two
// for the next. So all products of a k stand in a line in which neighbours share a row or a column.
// Each k begins with the first row: what is read first is used first, and its registers are free.
//
// The offset of a number in shared memory is the xor of what its row, its k, its lane and its warp
// contribute. Where the constant part of that has bits that nothing else touches, it is added to
// the address as the instruction does it; what is left is computed once for each step of the loop.
#include "dialect/MatrixProducts.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"
#include "lowering/Products.h"
#include "lowering/SharedTensors.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tl::backend {

using llvm::Value;

namespace {

/// One operand, as a thread reads it.
class Factor {
public:
  /// `product`: the layout of the result. `index`: which operand.
  Factor(KernelLowering &kernel, mlir::Value operand, const LinearLayout &product, unsigned index)
      : kernel(kernel), b(kernel.builder), memory(kernel.locals->tensors.lookup(operand)) {
    auto type = mlir::cast<ttg::MemDescType>(operand.getType());
    element = type.getElementType();
    unsigned rank = unsigned(type.getShape().size());
    int64_t k = type.getShape()[index == 0 ? rank - 1 : rank - 2];
    kBits = llvm::Log2_64(uint64_t(k));
    const LinearLayout &shared = type.getLayout().getMap();
    const LinearLayout layout = productOperand(product, index, k);
    offsets = sharedOffsets(layout, shared);
    access = sharedAccess(layout, shared, memoryBytes(element));
    for (unsigned bit : access.registerBits)
      if (bit < kBits)
        stepsOfAccess = std::max(stepsOfAccess, 2u << bit);
    for (unsigned reg = 0; reg < 1u << layout.inBits("register"); reg += 1u << kBits)
      numbers.try_emplace(offsetsOf(layout, reg, rank), reg);
  }

  /// How many steps of k one access may bring.
  unsigned steps() const { return stepsOfAccess; }

  /// Threads wait until the operand is there.
  void wait() {
    if (!memory.ordered)
      kernel.shared.reads(memory.scratch);
  }

  /// All has been read: also after the barrier that the other operand waited at.
  void finish() {
    if (!memory.ordered)
      kernel.shared.release(memory.scratch);
  }

  /// Begins with `k` (a multiple of `steps`; null: 0) of which the bits below `steps` are said with
  /// each number.
  void begin(Value *k, unsigned steps) {
    at = kernel.threads.coordinate(offsets, 0, "offset");
    changing = 0;
    for (const auto &in : offsets.ins())
      if (in.name != "register")
        for (uint64_t image : in.images)
          changing |= image;
    // Bit i of k that contributes bit j of the offset is shifted by j - i.
    std::map<int, uint64_t> shifted;
    for (unsigned bit = llvm::Log2_32(steps); k && bit < kBits; ++bit) {
      uint64_t image = offsets.image("register", bit, "offset");
      changing |= image;
      for (unsigned to = 0; to < 64; ++to)
        if (image >> to & 1)
          shifted[int(to) - int(bit)] |= uint64_t(1) << bit;
    }
    for (auto [by, bits] : shifted) {
      Value *part = b.CreateAnd(k, kernel.i32(int64_t(bits)));
      part = by < 0 ? b.CreateLShr(part, uint64_t(-by)) : b.CreateShl(part, uint64_t(by));
      at = b.CreateXor(at, part);
    }
    pointer = kernel.shared.pointer(memory.scratch.begin, memory.moved);
    bases.clear();
    forget();
  }

  /// What has been read will not be asked for again.
  void forget() { known.clear(); }

  /// The element at a row or column (with its batch) and a step.
  Value *get(const Offsets &own, unsigned step) {
    unsigned reg = numbers.at(own) | step;
    unsigned first = reg & ~membersOfAccess();
    Values &values = known[first];
    if (values.empty())
      values = load(first);
    unsigned member = 0;
    for (unsigned bit = 0; bit < access.registerBits.size(); ++bit)
      member |= (reg >> access.registerBits[bit] & 1) << bit;
    return values[member];
  }

  mlir::Type element;

private:
  unsigned membersOfAccess() const {
    unsigned bits = 0;
    for (unsigned bit : access.registerBits)
      bits |= 1u << bit;
    return bits;
  }

  Values load(unsigned reg) {
    uint64_t constant = 0;
    for (unsigned bit = 0; bit < offsets.inBits("register"); ++bit)
      if (reg >> bit & 1)
        constant ^= offsets.image("register", bit, "offset");
    llvm::Type *type = b.getIntNTy(memoryBytes(element) * 8);
    Value *&base = bases[constant & changing];
    if (!base)
      base = b.CreateGEP(type, pointer, b.CreateXor(at, kernel.i32(int64_t(constant & changing))));
    return loadNeighbours(kernel,
                          b.CreateGEP(type, base, kernel.i32(int64_t(constant & ~changing))),
                          access.elements, element);
  }

  KernelLowering &kernel;
  llvm::IRBuilder<> &b;
  LocalTensor memory;
  LinearLayout offsets; // of registers, lanes and warps
  SharedAccess access;
  unsigned kBits, stepsOfAccess = 1;
  std::map<Offsets, unsigned> numbers; // registers of k = 0

  Value *pointer = nullptr, *at = nullptr;
  uint64_t changing = 0; // bits of offsets that are not known before the kernel runs
  std::map<uint64_t, Value *> bases;
  std::map<unsigned, Values> known;
};

class MultiplyAdds {
public:
  MultiplyAdds(KernelLowering &kernel, ttg::LocalDotOp op)
      : kernel(kernel), b(kernel.builder), type(mlir::cast<mlir::RankedTensorType>(op.getType())),
        layout(ttg::layoutOf(type)), lhs(kernel, op.getA(), layout, 0),
        rhs(kernel, op.getB(), layout, 1), extentK(op.getA().getType().getShape().back()),
        floating(mlir::isa<mlir::FloatType>(type.getElementType())), sums(kernel.get(op.getC())) {}

  Values emit() {
    lhs.wait();
    rhs.wait();
    // Sums are kept in f32, f64 or the integer type of the result.
    auto format = floatFormat(type.getElementType());
    if (format)
      for (Value *&sum : sums)
        sum = kernel.scalars.widen(sum, *format);
    sumType = sums[0]->getType();
    order();
    // So many steps at a time as make long code, but at least what is read at once.
    constexpr unsigned longCode = 2048, mostSteps = 32;
    together = std::max(lhs.steps(), rhs.steps());
    unsigned steps = std::min(mostSteps, llvm::bit_floor(longCode / unsigned(sums.size())));
    steps = unsigned(std::min<int64_t>(std::max(steps, together), extentK));
    if (steps == extentK)
      addSteps(nullptr, steps);
    else
      emitLoop(steps);
    lhs.finish();
    rhs.finish();
    if (format)
      for (Value *&sum : sums)
        sum = kernel.scalars.narrow(sum, *format);
    return sums;
  }

private:
  struct Element {
    unsigned reg;
    Offsets row, column; // with the batch
  };

  /// Row by row, every second one backwards.
  void order() {
    unsigned rank = unsigned(type.getRank());
    for (unsigned reg = 0; reg < sums.size(); ++reg) {
      Element one{reg, offsetsOf(layout, reg, rank), offsetsOf(layout, reg, rank)};
      one.row[rank - 1] = one.column[rank - 2] = 0;
      line.push_back(one);
    }
    std::sort(line.begin(), line.end(), [](const Element &a, const Element &b) {
      return std::tie(a.row, a.column) < std::tie(b.row, b.column);
    });
    bool back = false;
    for (auto first = line.begin(); first != line.end(); back = !back) {
      auto last = std::find_if(first, line.end(),
                               [&](const Element &one) { return one.row != first->row; });
      if (back)
        std::reverse(first, last);
      first = last;
    }
  }

  void emitLoop(unsigned steps) {
    auto *before = b.GetInsertBlock(), *loop = kernel.newBlock("product"),
         *done = kernel.newBlock("done");
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *k = b.CreatePHI(b.getInt32Ty(), 2);
    k->addIncoming(kernel.i32(0), before);
    llvm::SmallVector<llvm::PHINode *> phis;
    for (Value *&sum : sums) {
      llvm::PHINode *phi = b.CreatePHI(sumType, 2);
      phi->addIncoming(sum, before);
      phis.push_back(phi);
      sum = phi;
    }
    addSteps(k, steps);
    Value *next = b.CreateAdd(k, kernel.i32(steps), "", true, true);
    k->addIncoming(next, b.GetInsertBlock());
    for (auto [phi, sum] : llvm::zip(phis, sums))
      phi->addIncoming(sum, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, kernel.i32(extentK)), loop, done);
    b.SetInsertPoint(done);
  }

  void addSteps(Value *k, unsigned steps) {
    lhs.begin(k, steps);
    rhs.begin(k, steps);
    for (unsigned first = 0; first < steps; first += together) {
      for (unsigned step = first; step < first + together; ++step)
        for (const Element &one : line)
          add(one, step);
      lhs.forget();
      rhs.forget();
    }
  }

  void add(const Element &one, unsigned step) {
    Value *x = factor(lhs.get(one.row, step), lhs.element);
    Value *y = factor(rhs.get(one.column, step), rhs.element);
    Value *&sum = sums[one.reg];
    sum = floating ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sumType}, {x, y, sum})
                   : b.CreateAdd(sum, b.CreateMul(x, y));
  }

  /// A number in the type of the sums.
  Value *factor(Value *value, mlir::Type element) {
    if (!floating)
      return b.CreateSExtOrTrunc(value, sumType);
    if (Value *same = converted.lookup(value))
      return same;
    Value *wide = kernel.scalars.widen(value, *floatFormat(element));
    return converted[value] = wide->getType() == sumType ? wide : b.CreateFPCast(wide, sumType);
  }

  KernelLowering &kernel;
  llvm::IRBuilder<> &b;
  mlir::RankedTensorType type;
  const LinearLayout layout;
  Factor lhs, rhs;
  int64_t extentK;
  bool floating;
  Values sums;
  llvm::Type *sumType = nullptr;
  unsigned together = 1;
  std::vector<Element> line; // neighbours share a row or a column
  llvm::DenseMap<Value *, Value *> converted;
};

void emitLocalDot(KernelLowering &kernel, ttg::LocalDotOp op) {
  kernel.set(op, MultiplyAdds(kernel, op).emit());
}

} // namespace

void registerMultiplyAdds(OperationTable &table) { table.add<emitLocalDot>(); }

} // namespace tl::backend
