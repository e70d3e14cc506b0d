// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#define GET_OP_CLASSES
#include "dialect/ControlFlow.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/ControlFlow.cpp.inc"
      >();
}

// ---- tt.func

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attributes, ArrayRef<DictionaryAttr> arguments) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  state.addRegion();
  if (!arguments.empty())
    call_interface_impl::addArgAndResultAttrs(builder, state, arguments, {},
                                              getArgAttrsAttrName(state.name),
                                              getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  auto makeType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag,
                     std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false, getFunctionTypeAttrName(state.name), makeType,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  auto emitError = [this] { return emitOpError(); };
  for (Type type : getArgumentTypes())
    if (failed(verifyTensorSize(type, emitError)))
      return failure();
  for (Type type : getResultTypes())
    if (failed(verifyTensorSize(type, emitError)))
      return failure();
  return success();
}

// ---- tt.call

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls '" << getCallee() << "', which is not a function of this module";
  FunctionType type = callee.getFunctionType();
  if (type.getNumInputs() != getNumOperands())
    return emitOpError() << "passes " << getNumOperands() << " argument(s) to '" << getCallee()
                         << "', which takes " << type.getNumInputs();
  for (unsigned i = 0; i < getNumOperands(); ++i)
    if (getOperand(i).getType() != type.getInput(i))
      return emitOpError() << "argument " << i << " of '" << getCallee() << "' has type "
                           << type.getInput(i) << ", found " << getOperand(i).getType();
  if (TypeRange(type.getResults()) != TypeRange(getResultTypes()))
    return emitOpError() << "expects results (" << getResultTypes() << ") of '" << getCallee()
                         << "', which returns (" << type.getResults() << ")";
  return success();
}

// ---- tt.return

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = function.getResultTypes();
  if (getOperandTypes() != TypeRange(expected))
    return emitOpError() << "returns (" << getOperandTypes() << ") from '" << function.getName()
                         << "', which is declared to return (" << expected << ")";
  return success();
}

// ---- tt.grid_barrier

/// Whether a value may differ between the programs of a grid because their ids do, or because each
/// gets an old value of its own from an atomic. What is loaded from an address that all share
/// counts as the same for all.
static bool differsByProgram(Value value) {
  SmallVector<Value> work = {value};
  llvm::DenseSet<Value> seen;
  auto add = [&](ValueRange values) {
    for (Value next : values)
      if (seen.insert(next).second)
        work.push_back(next);
  };
  // A result or an argument of an operation with regions may come from any of its terminators.
  auto addAround = [&](Operation *op) {
    add(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          add(block.back().getOperands());
  };
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *definition = next.getDefiningOp();
    if (!definition) {
      Block *block = cast<BlockArgument>(next).getOwner();
      if (!isa<FuncOp>(block->getParentOp()))
        addAround(block->getParentOp());
      for (Block *before : block->getPredecessors())
        add(before->back().getOperands());
      continue;
    }
    if (isa<GetProgramIdOp, AtomicRMWOp, AtomicCASOp>(definition))
      return true;
    addAround(definition);
  }
  return false;
}

LogicalResult GridBarrierOp::verify() {
  constexpr const char *why = " the program's id or the old value of an atomic, so that not every "
                              "program would reach it";
  Operation *inner = getOperation();
  for (Operation *outer = inner->getParentOp(); outer; outer = inner->getParentOp()) {
    if (Region *region = inner->getParentRegion();
        !region->hasOneBlock() && !inner->getBlock()->isEntryBlock())
      for (Block &block : *region)
        if (auto branch = dyn_cast<cf::CondBranchOp>(block.getTerminator()))
          if (differsByProgram(branch.getCondition()))
            return emitOpError() << "follows a branch that depends on" << why;
    if (isa<FuncOp>(outer))
      return success();
    if (auto branch = dyn_cast<scf::IfOp>(outer)) {
      if (differsByProgram(branch.getCondition()))
        return emitOpError() << "is in a branch that depends on" << why;
    } else if (auto loop = dyn_cast<scf::ForOp>(outer)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        if (differsByProgram(bound))
          return emitOpError() << "is in a loop whose bounds depend on" << why;
    } else if (auto loop = dyn_cast<scf::WhileOp>(outer)) {
      if (differsByProgram(loop.getConditionOp().getCondition()))
        return emitOpError() << "is in a loop whose condition depends on" << why;
    } else {
      return emitOpError() << "is in a region of '" << outer->getName()
                           << "', which does not run once for each program";
    }
    inner = outer;
  }
  return success();
}

} // namespace tl::tt
