// SPDX-License-Identifier: MIT
//
// Single operations. Nearly all are decoded alike, by what MLIR and the table of operations know of
// them. What only some of them have, and the forms that are refused, is at the end.
#include "interpreter/Decoder.h"

#include "analysis/MemoryOrder.h"
#include "interpreter/ExternFunctions.h"
#include "support/SpecialRegister.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend::interpreter {

// ---- Constants

/// The low `bytes` bytes of a number; below 8 bits it is kept zero-extended.
static void appendBits(std::vector<std::byte> &out, const APInt &bits, size_t bytes) {
  const uint64_t value = bits.getZExtValue();
  for (size_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void Decoder::decodeConstant(mlir::Operation *op, Attribute value, Instruction &instruction) {
  std::vector<std::byte> &out = instruction.constant;
  const size_t bytes = function.values[instruction.results[0]].type.elementBytes();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    appendBits(out, integer.getValue(), bytes);
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    appendBits(out, number.getValue().bitcastToAPInt(), bytes);
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    const bool isFloat = isa<FloatType>(dense.getElementType());
    auto append = [&](auto range) {
      for (const auto &element : range) {
        if constexpr (std::is_same_v<std::decay_t<decltype(element)>, APFloat>)
          appendBits(out, element.bitcastToAPInt(), bytes);
        else
          appendBits(out, element, bytes);
        if (dense.isSplat())
          return;
      }
    };
    if (isFloat)
      append(dense.getValues<APFloat>());
    else
      append(dense.getValues<APInt>());
  } else {
    throw tt::errorAt(op, "the interpreter does not know this kind of constant", TL_UNSUPPORTED);
  }
}

// ---- Operands and attributes

/// In the order of the record. Where several operands may be absent, each has its place.
void Decoder::decodeOperands(mlir::Operation *op, Instruction &instruction) {
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!sizes || isa<BranchOpInterface>(op))
    return useAll(instruction, op->getOperands());
  unsigned next = 0;
  for (int32_t size : sizes.asArrayRef()) {
    if (size == 0)
      instruction.operands.push_back(noValue);
    for (int32_t i = 0; i < size; ++i)
      instruction.operands.push_back(use(op->getOperand(next++)));
  }
}

static int64_t numberOf(Attribute attribute) {
  if (!attribute)
    return -1;
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getValue().getSExtValue();
  return isa<UnitAttr>(attribute) ? 1 : 0;
}

static void decodeAttributes(mlir::Operation *op, Instruction &instruction) {
  for (std::string_view name : instruction.operation->attributes) {
    const Attribute attribute = op->getAttr(llvm::StringRef(name));
    instruction.numbers.push_back(numberOf(attribute));
    if (auto text = dyn_cast_or_null<StringAttr>(attribute))
      instruction.texts.push_back(text.str());
    else if (auto list = dyn_cast_or_null<DenseI32ArrayAttr>(attribute))
      instruction.list.assign(list.asArrayRef().begin(), list.asArrayRef().end());
    else if (auto types = dyn_cast_or_null<ArrayAttr>(attribute))
      for (mlir::Type type : types.getAsValueRange<TypeAttr>()) {
        auto tensor = dyn_cast<mlir::RankedTensorType>(type);
        instruction.extents.push_back(tensor ? tensor.getShape().vec() : std::vector<int64_t>());
      }
  }
}

/// The parameter of the kernel that a pointer is computed from, counted from 1; 0 if that cannot be
/// reported.
uint32_t Decoder::parameterOf(Value pointer) const {
  auto base = dyn_cast_or_null<BlockArgument>(baseOf(pointer));
  return base && base.getOwner()->getParentOp() == queue[0] ? base.getArgNumber() + 1 : 0;
}

// ---- Operations

void Decoder::decodeOperation(mlir::Operation *op, Instruction &instruction) {
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    if (!specialRegisterOf(assembly.getAsmString()) || !assembly.getArgs().empty() ||
        assembly.getNumResults() != 1 ||
        !(assembly.getResultTypes().front().isInteger(32) ||
          assembly.getResultTypes().front().isInteger(64)))
      throw tt::errorAt(op, "the interpreter cannot run inline assembly", TL_UNSUPPORTED);
  instruction.operation = findOperation(op->getName().getStringRef());
  if (!instruction.operation)
    throw tt::errorAt(op,
                      "the interpreter does not know the operation '" +
                          op->getName().getStringRef().str() + "'",
                      TL_UNSUPPORTED);
  decodeOperands(op, instruction);
  decodeAttributes(op, instruction);
  for (mlir::Region &region : op->getRegions()) {
    instruction.regions.push_back(decodeRegion(region));
    if (isa<tt::TTDialect>(op->getDialect())) // written on scalars
      markElementwise(instruction.regions.back());
  }
  for (mlir::Block *successor : op->getSuccessors())
    instruction.successors.push_back(blockIndices.lookup(successor));
  if (auto access = dyn_cast<tt::AccessOpInterface>(op))
    instruction.parameter = parameterOf(access.getPtr());
  decodeSpecial(op, instruction);
}

/// What only some operations have, and the forms that are refused.
void Decoder::decodeSpecial(mlir::Operation *op, Instruction &instruction) {
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case(
          [&](arith::ConstantOp constant) { decodeConstant(op, constant.getValue(), instruction); })
      .Case([&](arith::TruncFOp trunc) {
        const arith::RoundingMode mode =
            trunc.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
        if (mode != arith::RoundingMode::to_nearest_even &&
            mode != arith::RoundingMode::toward_zero)
          throw tt::errorAt(op, "a conversion rounds to nearest even or toward zero",
                            TL_UNSUPPORTED);
      })
      .Case([&](tt::ExternElementwiseOp external) { checkExtern(external, instruction); })
      .Case([&](tt::MakeTensorDescOp make) {
        if (make.getShape().size() > maxDescriptorRank)
          throw tt::errorAt(op, "a tensor descriptor has " +
                                    std::to_string(make.getShape().size()) + " axes, at most " +
                                    std::to_string(maxDescriptorRank) + " are possible");
      })
      .Case([&](tt::DotScaledOp dot) {
        for (tt::ScaleDotElemType format : {dot.getAElemType(), dot.getBElemType()})
          if (format == tt::ScaleDotElemType::E2M3 || format == tt::ScaleDotElemType::E3M2)
            throw tt::errorAt(op, "tl::dot_scaled does not know operands of 6 bits",
                              TL_UNSUPPORTED);
      })
      .Case([&](cf::CondBranchOp branch) {
        instruction.trueOperands = branch.getTrueDestOperands().size();
      })
      .Case([&](tt::CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, call.getCalleeAttr());
        if (!callee)
          throw tt::errorAt(op, "function '" + call.getCallee().str() + "' is not in the module");
        instruction.callee = indexOf(callee);
      })
      .Case([&](tt::GridBarrierOp) { program.hasGridBarrier = true; });
}

void Decoder::checkExtern(tt::ExternElementwiseOp op, const Instruction &instruction) {
  const std::string symbol = op.getSymbol().str();
  std::vector<Kind> kinds;
  for (ValueId operand : instruction.operands)
    kinds.push_back(function.values[operand].type.kind);
  if (findExtern(symbol, kinds, function.values[instruction.results[0]].type.kind).function)
    return;
  if (const std::string library = op.getLibpath().str(); !library.empty())
    throw tt::errorAt(op,
                      "the interpreter does not run the function '" + symbol +
                          "' of the library '" + library + "', which is code for a processor",
                      TL_UNSUPPORTED);
  throw tt::errorAt(op,
                    "the interpreter does not know the external function '" + symbol +
                        "' with these operands",
                    TL_UNSUPPORTED);
}

} // namespace tl::backend::interpreter
