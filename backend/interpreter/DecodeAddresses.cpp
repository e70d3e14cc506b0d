// SPDX-License-Identifier: MIT
//
// Which integers become addresses: from the offsets of pointers and the coordinates of descriptors
// back to what they are computed from, as far as the arithmetic means numbers. Remainders, bits and
// shifts to the right end it, and so does what is extended without a sign: hashes and generators of
// random numbers wrap on purpose. Wraps.h says what is done with these values.
#include "interpreter/Decoder.h"
#include "interpreter/Wraps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend::interpreter {

namespace {

bool isNumber(Value value) {
  const mlir::Type element = getElementTypeOrSelf(value.getType());
  return element.isIntOrIndex() && !element.isInteger(1);
}

class AddressSlice {
public:
  llvm::SetVector<Value> values;

  void add(Value value) {
    if (isNumber(value) && values.insert(value) && isFollowed(value))
      work.push_back(value);
  }

  /// Until nothing new is found.
  void close() {
    while (!work.empty())
      follow(work.pop_back_val());
  }

private:
  static bool isFollowed(Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || isa<RegionBranchOpInterface>(op))
      return true;
    const Operation *known = findOperation(op->getName().getStringRef());
    return known && known->exactness != Exactness::None;
  }

  void addAll(ValueRange range) {
    for (Value value : range)
      add(value);
  }

  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return followArgument(argument);
    const unsigned number = cast<OpResult>(value).getResultNumber();
    mlir::Operation *op = value.getDefiningOp();
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case([&](arith::SelectOp select) {
          add(select.getTrueValue());
          add(select.getFalseValue());
        })
        .Case([&](scf::ForOp loop) {
          add(loop.getInitArgs()[number]);
          add(loop.getRegionIterArgs()[number]);
          add(loop.getYieldedValues()[number]);
        })
        .Case([&](scf::IfOp branch) {
          add(branch.thenYield().getOperand(number));
          add(branch.elseYield().getOperand(number));
        })
        .Case([&](tt::SplitOp split) { // moves both halves
          add(split.getSrc());
          addAll(split->getResults());
        })
        .Case([&](scf::WhileOp loop) { add(loop.getConditionOp().getArgs()[number]); })
        .Default([&](mlir::Operation *) { addAll(op->getOperands()); });
  }

  void followArgument(BlockArgument argument) {
    mlir::Block *block = argument.getOwner();
    const unsigned number = argument.getArgNumber();
    if (!block->isEntryBlock()) {
      for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
        if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
          add(branch.getSuccessorOperands(it.getSuccessorIndex())[number]);
      return;
    }
    llvm::TypeSwitch<mlir::Operation *>(block->getParentOp())
        .Case([&](scf::ForOp loop) {
          if (number == 0) // the loop's own variable
            return;
          add(loop.getInitArgs()[number - 1]);
          add(loop.getYieldedValues()[number - 1]);
        })
        .Case([&](scf::WhileOp loop) {
          if (block->getParent() == &loop.getAfter()) {
            add(loop.getConditionOp().getArgs()[number]);
            return;
          }
          add(loop.getInits()[number]);
          add(loop.getYieldOp().getOperand(number));
        });
  }

  llvm::SmallVector<Value> work;
};

} // namespace

void Decoder::trackAddresses(tt::FuncOp source) {
  AddressSlice slice;
  source.walk([&](mlir::Operation *op) {
    if (auto add = dyn_cast<tt::AddPtrOp>(op))
      slice.add(add.getOffset());
    else if (isa<tt::DescriptorAccessOpInterface>(op))
      for (Value operand : op->getOperands())
        slice.add(operand);
  });
  slice.close();
  for (Value value : slice.values) {
    const ValueId id = use(value);
    ValueInfo exact = function.values[id];
    exact.type.kind = Kind::Pointer; // the bytes of an Exact
    exact.reg = registers.own();
    function.values[id].exact = static_cast<ValueId>(function.values.size());
    function.values.push_back(std::move(exact));
  }
  for (Instruction &instruction : function.instructions)
    for (ValueId result : instruction.results)
      instruction.tracked |= instruction.operation->exactness != Exactness::None &&
                             function.values[result].exact != noValue;
}

} // namespace tl::backend::interpreter
