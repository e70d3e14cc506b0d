// SPDX-License-Identifier: MIT
//
// Addresses that do not change in a loop are computed in it where all of them, beside what the loop
// carries, would take more registers than there are: a thread that loads 96 elements one by one
// keeps 96 addresses of 64 bits, which go to memory and come back in every iteration. Mostly they
// differ by products of few numbers, which are computed faster than read.
//
//     before: p0 = gep x, row0 * stride       in the loop: row0, stride = as they are, but nobody
//             p1 = gep x, (row0 + 4) * stride                             knows that
//             ...                                          p0 = gep x, row0 * stride
//     in the loop: load p0 + i                             load p0 + i
//                  load p1 + i                             ...
//
// What the addresses have in common stays outside. An assembly that copies it hides that it does
// not change, or else LLVM would move all back.
#include "targets/nvidia/SinkAddresses.h"

#include "codegen/PassResult.h"

#include "targets/nvidia/InlinePtx.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::backend::nvidia {

using namespace llvm;

namespace {

constexpr unsigned mostRegisters = 320; // the assembler saves some of them
constexpr unsigned leastGain = 48;
constexpr unsigned deepest = 8;  // operations of an address
constexpr unsigned inCommon = 4; // addresses, at least, that a value stays outside for

unsigned registersOf(Type *type) {
  if (auto *aggregate = dyn_cast<StructType>(type)) {
    unsigned sum = 0;
    for (Type *element : aggregate->elements())
      sum += registersOf(element);
    return sum;
  }
  if (type->isPointerTy())
    return 2;
  unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  return bits == 1 ? 0 : (bits + 31) / 32;
}

bool isCheap(const Instruction *instruction) {
  switch (instruction->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::Or:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::GetElementPtr:
    return true;
  default:
    return false;
  }
}

class Sinker {
public:
  explicit Sinker(Loop &loop) : loop(loop) {}

  bool run() {
    unsigned registers = 0;
    for (PHINode &phi : loop.getHeader()->phis())
      registers += registersOf(phi.getType());
    SetVector<Instruction *> invariant;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &user : *block)
        if (!isa<PHINode>(user))
          for (Value *operand : user.operands())
            if (auto *made = dyn_cast<Instruction>(operand); made && !loop.contains(made))
              invariant.insert(made);
    for (Instruction *value : invariant)
      registers += isUniform(value) ? 0 : registersOf(value->getType());
    if (registers <= mostRegisters)
      return false;
    SetVector<Instruction *> roots;
    for (Instruction *value : invariant)
      if (isCheap(value) && registersOf(value->getType()) == 2)
        roots.insert(value);
    for (Instruction *root : roots) {
      SmallPtrSet<Instruction *, 16> seen;
      count(root, 0, seen);
    }
    // What is no longer kept, and what is instead.
    SetVector<Value *> leaves;
    unsigned before = 0, after = 0;
    roots.remove_if([&](Instruction *root) { return !sinks(root); });
    for (Instruction *root : roots) {
      before += registersOf(root->getType());
      findLeaves(root, leaves);
    }
    for (Value *leaf : leaves)
      if (auto *made = dyn_cast<Instruction>(leaf); made && !invariant.contains(made))
        after += registersOf(leaf->getType());
    if (before < after + leastGain)
      return false;
    for (Instruction *root : roots)
      sink(root);
    return true;
  }

private:
  /// Whether all threads have the same, which takes no register of each.
  bool isUniform(Value *value) {
    auto *made = dyn_cast<Instruction>(value);
    if (!made)
      return true;
    if (auto known = uniform.find(made); known != uniform.end())
      return known->second;
    auto *call = dyn_cast<CallInst>(made);
    Function *called = call ? call->getCalledFunction() : nullptr;
    bool is = called && called->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
    if (!call && !isa<PHINode>(made) && !made->mayReadFromMemory())
      is = all_of(made->operands(), [&](Use &operand) { return isUniform(operand); });
    return uniform[made] = is;
  }

  /// In how many addresses' computations an operation takes part.
  void count(Instruction *value, unsigned depth, SmallPtrSetImpl<Instruction *> &seen) {
    if (depth == deepest || !isCheap(value) || loop.contains(value) || !seen.insert(value).second)
      return;
    ++users[value];
    for (Value *operand : value->operands())
      if (auto *made = dyn_cast<Instruction>(operand))
        count(made, depth + 1, seen);
  }

  bool sinks(Value *value) const {
    auto *made = dyn_cast<Instruction>(value);
    unsigned among = made ? users.lookup(made) : 0;
    return among > 0 && among < inCommon;
  }

  void findLeaves(Value *value, SetVector<Value *> &leaves) {
    if (isa<Constant>(value))
      return;
    if (!sinks(value)) {
      leaves.insert(value);
      return;
    }
    for (Value *operand : cast<Instruction>(value)->operands())
      findLeaves(operand, leaves);
  }

  /// A copy at the start of the iteration that looks as if it could change.
  Value *hidden(Value *leaf) {
    Value *&copy = copies[leaf];
    if (!copy) {
      IRBuilder<> b(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
      Type *type = leaf->getType();
      bool wide = registersOf(type) == 2;
      copy = emitPtx(b, type, wide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;", wide ? "=l,l" : "=r,r",
                     {leaf}, true);
    }
    return copy;
  }

  Value *computed(Value *value, Instruction *before, DenseMap<Value *, Value *> &done) {
    if (isa<Constant>(value))
      return value;
    Value *&result = done[value];
    if (result)
      return result;
    if (!sinks(value)) {
      bool simple = value->getType()->isPointerTy() || value->getType()->isIntegerTy(64) ||
                    value->getType()->isIntegerTy(32);
      return done[value] = simple ? hidden(value) : value;
    }
    Instruction *copy = cast<Instruction>(value)->clone();
    for (Use &operand : copy->operands())
      operand = computed(operand, before, done);
    copy->insertBefore(before->getIterator());
    return done[value] = copy;
  }

  void sink(Instruction *root) {
    SmallVector<Use *> uses;
    for (Use &use : root->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (loop.contains(user) && !isa<PHINode>(user))
        uses.push_back(&use);
    }
    for (Use *use : uses) {
      DenseMap<Value *, Value *> done;
      use->set(computed(root, cast<Instruction>(use->getUser()), done));
    }
  }

  Loop &loop;
  DenseMap<Instruction *, unsigned> users;
  DenseMap<Instruction *, bool> uniform;
  DenseMap<Value *, Value *> copies;
};

} // namespace

PreservedAnalyses SinkAddresses::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= Sinker(*loop).run();
  return afterInstructions(changed);
}

} // namespace tl::backend::nvidia
