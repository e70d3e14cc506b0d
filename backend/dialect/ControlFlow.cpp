// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

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

// ---- tt.func -----------------------------------------------------------------------------------

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

// ---- tt.call -----------------------------------------------------------------------------------

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

// ---- tt.return ---------------------------------------------------------------------------------

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = function.getResultTypes();
  if (getOperandTypes() != TypeRange(expected))
    return emitOpError() << "returns (" << getOperandTypes() << ") from '" << function.getName()
                         << "', which is declared to return (" << expected << ")";
  return success();
}

} // namespace tl::tt
