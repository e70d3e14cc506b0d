// SPDX-License-Identifier: MIT
//
// Single operations. The arith and math dialects are tables by name, since their operations map one
// to one; tt, scf and cf go through their classes.
#include "interpreter/Decoder.h"

#include "analysis/MemoryOrder.h"
#include "interpreter/ExternFunctions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tl::backend::interpreter {

static const llvm::StringMap<Opcode> &opcodesByName() {
  static const llvm::StringMap<Opcode> table = {
      {"arith.addi", Opcode::AddInt},
      {"arith.subi", Opcode::SubInt},
      {"arith.muli", Opcode::MulInt},
      {"arith.divsi", Opcode::DivSigned},
      {"arith.divui", Opcode::DivUnsigned},
      {"arith.ceildivsi", Opcode::CeilDivSigned},
      {"arith.ceildivui", Opcode::CeilDivUnsigned},
      {"arith.floordivsi", Opcode::FloorDivSigned},
      {"arith.remsi", Opcode::RemSigned},
      {"arith.remui", Opcode::RemUnsigned},
      {"arith.andi", Opcode::And},
      {"arith.ori", Opcode::Or},
      {"arith.xori", Opcode::Xor},
      {"arith.shli", Opcode::ShiftLeft},
      {"arith.shrsi", Opcode::ShiftRightSigned},
      {"arith.shrui", Opcode::ShiftRightUnsigned},
      {"arith.maxsi", Opcode::MaxSigned},
      {"arith.maxui", Opcode::MaxUnsigned},
      {"arith.minsi", Opcode::MinSigned},
      {"arith.minui", Opcode::MinUnsigned},
      {"arith.addui_extended", Opcode::AddExtended},
      {"arith.mulsi_extended", Opcode::MulExtendedSigned},
      {"arith.mului_extended", Opcode::MulExtendedUnsigned},
      {"arith.select", Opcode::Select},
      {"arith.addf", Opcode::AddFloat},
      {"arith.subf", Opcode::SubFloat},
      {"arith.mulf", Opcode::MulFloat},
      {"arith.divf", Opcode::DivFloat},
      {"arith.remf", Opcode::RemFloat},
      {"arith.negf", Opcode::NegFloat},
      {"arith.maxnumf", Opcode::MaxNumber},
      {"arith.minnumf", Opcode::MinNumber},
      {"arith.maximumf", Opcode::MaxPropagate},
      {"arith.minimumf", Opcode::MinPropagate},
      {"arith.trunci", Opcode::TruncInt},
      {"arith.extsi", Opcode::ExtendSigned},
      {"arith.extui", Opcode::ExtendUnsigned},
      {"arith.index_cast", Opcode::ExtendSigned},
      {"arith.index_castui", Opcode::ExtendUnsigned},
      {"arith.extf", Opcode::FloatToFloat},
      {"arith.sitofp", Opcode::SignedToFloat},
      {"arith.uitofp", Opcode::UnsignedToFloat},
      {"arith.fptosi", Opcode::FloatToSigned},
      {"arith.fptoui", Opcode::FloatToUnsigned},
      {"arith.bitcast", Opcode::Bitcast},
      {"math.absi", Opcode::AbsInt},
      {"math.ctlz", Opcode::CountLeadingZeros},
      {"math.cttz", Opcode::CountTrailingZeros},
      {"math.ctpop", Opcode::PopulationCount},
      {"math.ipowi", Opcode::PowInt},
      {"math.absf", Opcode::AbsFloat},
      {"math.copysign", Opcode::CopySign},
      {"math.fma", Opcode::Fma},
      {"math.fpowi", Opcode::PowFloatInt},
      {"math.sincos", Opcode::SinCos},
      {"tt.precise_divf", Opcode::DivFloat},
      {"tt.approx_divf", Opcode::DivFloat},
      {"tt.mulhiui", Opcode::MulHighUnsigned},
      {"tt.bitcast", Opcode::Bitcast},
      {"tt.int_to_ptr", Opcode::IntToPointer},
      {"tt.ptr_to_int", Opcode::PointerToInt},
      {"tt.addptr", Opcode::AddPointer},
      {"tt.splat", Opcode::Splat},
      {"tt.hint", Opcode::Copy},
      {"tt.unsplat", Opcode::Copy},
      {"tt.expand_dims", Opcode::Copy},
      {"tt.reshape", Opcode::Copy},
      {"tt.broadcast", Opcode::Broadcast},
      {"tt.join", Opcode::Join},
      {"tt.split", Opcode::Split},
      {"ub.poison", Opcode::Poison},
      {"ttg.barrier", Opcode::Barrier},
      {"gpu.barrier", Opcode::Barrier},
      {"tt.grid_barrier", Opcode::GridBarrier},
      {"tt.grid_dependency_wait", Opcode::Nothing},
      {"tt.grid_dependency_launch_dependents", Opcode::Nothing},
  };
  return table;
}

bool Decoder::decodeByName(Operation *op, Instruction &instruction) {
  const StringRef name = op->getName().getStringRef();
  if (auto it = opcodesByName().find(name); it != opcodesByName().end()) {
    instruction.opcode = it->second;
    program.hasGridBarrier |= it->second == Opcode::GridBarrier;
    useAll(instruction, op->getOperands());
    return true;
  }
  if (auto function = mathFunctionOfOperation(name)) {
    instruction.opcode = operandCount(*function) == 2 ? Opcode::MathBinary : Opcode::MathUnary;
    instruction.numbers = {static_cast<int64_t>(*function)};
    useAll(instruction, op->getOperands());
    return true;
  }
  static const llvm::StringMap<int64_t> classes = {
      {"math.isfinite", 0}, {"math.isinf", 1}, {"math.isnan", 2}, {"math.isnormal", 3}};
  if (auto it = classes.find(name); it != classes.end()) {
    instruction.opcode = Opcode::Classify;
    instruction.numbers = {it->second};
    useAll(instruction, op->getOperands());
    return true;
  }
  return false;
}

// ---- Constants ---------------------------------------------------------------------------------

/// The low `bytes` bytes of a number; below 8 bits it is kept zero-extended.
static void appendBits(std::vector<std::byte> &out, const APInt &bits, size_t bytes) {
  const uint64_t value = bits.getZExtValue();
  for (size_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void Decoder::decodeConstant(Operation *op, Attribute value, Instruction &instruction) {
  instruction.opcode = Opcode::Constant;
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

// ---- Memory ------------------------------------------------------------------------------------

template <class Enum> static int64_t number(Enum value) { return static_cast<int64_t>(value); }

static void appendBlockShape(Instruction &instruction, Value descriptor) {
  for (int64_t extent : cast<tt::TensorDescType>(descriptor.getType()).getShape())
    instruction.numbers.push_back(extent);
}

/// The parameter of the kernel that a pointer is computed from, counted from 1; 0 if that cannot be
/// told.
int64_t Decoder::parameterOf(Value pointer) const {
  auto base = dyn_cast_or_null<BlockArgument>(baseOf(pointer));
  return base && base.getOwner()->getParentOp() == queue[0] ? base.getArgNumber() + 1 : 0;
}

bool Decoder::decodeMemory(Operation *op, Instruction &instruction) {
  std::vector<ValueId> &operands = instruction.operands;
  std::vector<int64_t> &numbers = instruction.numbers;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::LoadOp load) {
        instruction.opcode = Opcode::Load;
        operands = {use(load.getPtr()), use(load.getMask()), use(load.getOther())};
        numbers = {load.getIsVolatile(), parameterOf(load.getPtr())};
        return true;
      })
      .Case([&](tt::StoreOp store) {
        instruction.opcode = Opcode::Store;
        operands = {use(store.getPtr()), use(store.getValue()), use(store.getMask())};
        numbers = {parameterOf(store.getPtr())};
        return true;
      })
      .Case([&](tt::AtomicRMWOp atomic) {
        instruction.opcode = Opcode::AtomicRmw;
        operands = {use(atomic.getPtr()), use(atomic.getVal()), use(atomic.getMask())};
        numbers = {number(atomic.getAtomicRmwOp()), number(atomic.getSem())};
        return true;
      })
      .Case([&](tt::AtomicCASOp atomic) {
        instruction.opcode = Opcode::AtomicCas;
        operands = {use(atomic.getPtr()), use(atomic.getCmp()), use(atomic.getVal()),
                    use(atomic.getMask())};
        numbers = {number(atomic.getSem())};
        return true;
      })
      .Case([&](tt::AtomicPollOp poll) {
        instruction.opcode = Opcode::AtomicPoll;
        operands = {use(poll.getPtr()), use(poll.getExpected()), use(poll.getTimeout())};
        numbers = {number(poll.getSem())};
        return true;
      })
      .Case([&](tt::AtomicLoadOp load) {
        instruction.opcode = Opcode::AtomicLoad;
        operands = {use(load.getPtr()), use(load.getMask())};
        numbers = {number(load.getSem())};
        return true;
      })
      .Case([&](tt::AtomicStoreOp store) {
        instruction.opcode = Opcode::AtomicStore;
        operands = {use(store.getPtr()), use(store.getVal()), use(store.getMask())};
        numbers = {number(store.getSem())};
        return true;
      })
      .Case([&](tt::MakeTensorDescOp make) {
        if (make.getShape().size() > maxDescriptorRank)
          throw tt::errorAt(op, "a tensor descriptor has " +
                                    std::to_string(make.getShape().size()) + " axes, at most " +
                                    std::to_string(maxDescriptorRank) + " are possible");
        instruction.opcode = Opcode::MakeDescriptor;
        operands = {use(make.getBase())};
        useAll(instruction, make.getShape());
        useAll(instruction, make.getStrides());
        numbers = {static_cast<int64_t>(make.getShape().size()),
                   make.getPadding() == tt::PaddingOption::PAD_NAN};
        return true;
      })
      .Case([&](tt::DescriptorLoadOp load) {
        instruction.opcode = Opcode::DescriptorLoad;
        operands = {use(load.getDesc())};
        useAll(instruction, load.getIndices());
        appendBlockShape(instruction, load.getDesc());
        return true;
      })
      .Case([&](tt::DescriptorStoreOp store) {
        instruction.opcode = Opcode::DescriptorStore;
        operands = {use(store.getDesc()), use(store.getSrc())};
        useAll(instruction, store.getIndices());
        appendBlockShape(instruction, store.getDesc());
        return true;
      })
      .Case([&](tt::DescriptorReduceOp reduce) {
        instruction.opcode = Opcode::DescriptorReduce;
        operands = {use(reduce.getDesc()), use(reduce.getSrc())};
        useAll(instruction, reduce.getIndices());
        auto descriptor = cast<tt::TensorDescType>(reduce.getDesc().getType());
        numbers = {number(reduce.getKind()), descriptor.getElementType().isSignedInteger()};
        appendBlockShape(instruction, reduce.getDesc());
        return true;
      })
      .Case([&](tt::DescriptorGatherOp gather) {
        instruction.opcode = Opcode::DescriptorGather;
        operands = {use(gather.getDesc()), use(gather.getXOffsets()), use(gather.getYOffset())};
        appendBlockShape(instruction, gather.getDesc());
        return true;
      })
      .Case([&](tt::DescriptorScatterOp scatter) {
        instruction.opcode = Opcode::DescriptorScatter;
        operands = {use(scatter.getDesc()), use(scatter.getXOffsets()), use(scatter.getYOffset()),
                    use(scatter.getSrc())};
        appendBlockShape(instruction, scatter.getDesc());
        return true;
      })
      .Default(false);
}

// ---- Terminators -------------------------------------------------------------------------------

bool Decoder::decodeTerminator(Operation *op, Instruction &instruction) {
  if (isa<scf::YieldOp, tt::ReturnOp, tt::ReduceReturnOp, tt::ScanReturnOp,
          tt::MapElementwiseReturnOp>(op)) {
    instruction.opcode = Opcode::Yield;
    useAll(instruction, op->getOperands());
    return true;
  }
  if (isa<scf::ConditionOp>(op)) {
    instruction.opcode = Opcode::Condition;
    useAll(instruction, op->getOperands());
    return true;
  }
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    instruction.opcode = Opcode::Branch;
    useAll(instruction, branch.getDestOperands());
    instruction.successors = {blockIndices.lookup(branch.getDest())};
    return true;
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    instruction.opcode = Opcode::CondBranch;
    instruction.operands = {use(branch.getCondition())};
    useAll(instruction, branch.getTrueDestOperands());
    useAll(instruction, branch.getFalseDestOperands());
    instruction.numbers = {static_cast<int64_t>(branch.getTrueDestOperands().size())};
    instruction.successors = {blockIndices.lookup(branch.getTrueDest()),
                              blockIndices.lookup(branch.getFalseDest())};
    return true;
  }
  return false;
}

// ---- Everything --------------------------------------------------------------------------------

void Decoder::decodeExtern(tt::ExternElementwiseOp op, Instruction &instruction) {
  const std::string symbol = op.getSymbol().str();
  useAll(instruction, op.getSrcs());
  std::vector<Kind> kinds;
  for (ValueId operand : instruction.operands)
    kinds.push_back(function.values[operand].type.kind);
  if (!findExtern(symbol, kinds, function.values[instruction.results[0]].type.kind).function)
    throw tt::errorAt(op,
                      "the interpreter does not know the external function '" + symbol +
                          "' with these operands",
                      TL_UNSUPPORTED);
  instruction.opcode = Opcode::Extern;
  instruction.texts = {symbol};
}

void Decoder::decodeOperation(Operation *op, Instruction &instruction) {
  if (decodeByName(op, instruction) || decodeMemory(op, instruction) ||
      decodeTerminator(op, instruction))
    return;
  std::vector<int64_t> &numbers = instruction.numbers;
  auto set = [&](Opcode opcode, ValueRange operands) {
    instruction.opcode = opcode;
    useAll(instruction, operands);
  };
  auto scalarRegion = [&](mlir::Region &region) {
    const uint32_t index = decodeRegion(region);
    markElementwise(index);
    instruction.regions = {index};
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case(
          [&](arith::ConstantOp constant) { decodeConstant(op, constant.getValue(), instruction); })
      .Case([&](arith::CmpIOp compare) {
        set(Opcode::CompareInt, op->getOperands());
        numbers = {number(compare.getPredicate())};
      })
      .Case([&](arith::CmpFOp compare) {
        set(Opcode::CompareFloat, op->getOperands());
        numbers = {number(compare.getPredicate())};
      })
      .Case([&](arith::TruncFOp trunc) {
        set(Opcode::FloatToFloat, op->getOperands());
        const arith::RoundingMode mode =
            trunc.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
        if (mode != arith::RoundingMode::to_nearest_even &&
            mode != arith::RoundingMode::toward_zero)
          throw tt::errorAt(op, "a conversion rounds to nearest even or toward zero",
                            TL_UNSUPPORTED);
        numbers = {mode == arith::RoundingMode::toward_zero};
      })
      .Case([&](tt::FpToFpOp convert) {
        set(Opcode::FloatToFloat, op->getOperands());
        numbers = {convert.getRounding() == tt::RoundingMode::RTZ};
      })
      .Case([&](math::ClampFOp) {
        set(Opcode::Clamp, op->getOperands());
        numbers = {1};
      })
      .Case([&](tt::ClampFOp clamp) {
        set(Opcode::Clamp, op->getOperands());
        numbers = {clamp.getPropagateNan() == tt::PropagateNan::ALL};
      })
      .Case([&](tt::ExternElementwiseOp external) { decodeExtern(external, instruction); })
      .Case([&](tt::MakeRangeOp range) {
        set(Opcode::MakeRange, {});
        numbers = {static_cast<int32_t>(range.getStart())};
      })
      .Case([&](tt::GetProgramIdOp program) {
        set(Opcode::ProgramId, {});
        numbers = {number(program.getAxis())};
      })
      .Case([&](tt::GetNumProgramsOp programs) {
        set(Opcode::NumPrograms, {});
        numbers = {number(programs.getAxis())};
      })
      .Case([&](tt::TransOp trans) {
        set(Opcode::Transpose, op->getOperands());
        for (int32_t axis : trans.getOrder())
          numbers.push_back(axis);
      })
      .Case([&](tt::GatherOp gather) {
        set(Opcode::Gather, op->getOperands());
        numbers = {static_cast<int32_t>(gather.getAxis())};
      })
      .Case([&](tt::ReduceOp reduce) {
        set(Opcode::Reduce, reduce.getSrcs());
        numbers = {static_cast<int32_t>(reduce.getAxis())};
        scalarRegion(reduce.getCombineOp());
      })
      .Case([&](tt::ScanOp scan) {
        set(Opcode::Scan, scan.getSrcs());
        numbers = {static_cast<int32_t>(scan.getAxis()), scan.getReverse()};
        scalarRegion(scan.getCombineOp());
      })
      .Case([&](tt::HistogramOp histogram) {
        instruction.opcode = Opcode::Histogram;
        instruction.operands = {use(histogram.getSrc()), use(histogram.getMask())};
      })
      .Case([&](tt::MapElementwiseOp map) {
        set(Opcode::MapElementwise, map.getSrcs());
        numbers = {static_cast<int32_t>(map.getPack())};
        scalarRegion(map.getScalarOp());
      })
      .Case([&](tt::DotOp dot) {
        set(Opcode::Dot, {dot.getA(), dot.getB(), dot.getC()});
        numbers = {dot.getInputPrecision() == tt::InputPrecision::TF32};
      })
      .Case([&](tt::DotScaledOp dot) {
        for (tt::ScaleDotElemType format : {dot.getAElemType(), dot.getBElemType()})
          if (format == tt::ScaleDotElemType::E2M3 || format == tt::ScaleDotElemType::E3M2)
            throw tt::errorAt(op, "tl::dot_scaled does not know operands of 6 bits",
                              TL_UNSUPPORTED);
        instruction.opcode = Opcode::DotScaled;
        instruction.operands = {use(dot.getA()), use(dot.getAScale()), use(dot.getB()),
                                use(dot.getBScale()), use(dot.getC())};
        numbers = {number(dot.getAElemType()), number(dot.getBElemType()), dot.getLhsKPack(),
                   dot.getRhsKPack()};
      })
      .Case([&](scf::ForOp loop) {
        set(Opcode::For, op->getOperands());
        numbers = {loop.getUnsignedCmp()};
        instruction.regions = {decodeRegion(loop.getRegion())};
      })
      .Case([&](scf::IfOp branch) {
        set(Opcode::If, {branch.getCondition()});
        instruction.regions.push_back(decodeRegion(branch.getThenRegion()));
        instruction.regions.push_back(decodeRegion(branch.getElseRegion()));
      })
      .Case([&](scf::WhileOp loop) {
        set(Opcode::While, loop.getInits());
        instruction.regions.push_back(decodeRegion(loop.getBefore()));
        instruction.regions.push_back(decodeRegion(loop.getAfter()));
      })
      .Case([&](tt::CallOp call) {
        set(Opcode::Call, call.getOperands());
        auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, call.getCalleeAttr());
        if (!callee)
          throw tt::errorAt(op, "function '" + call.getCallee().str() + "' is not in the module");
        numbers = {indexOf(callee)};
      })
      .Case([&](tt::PrintOp print) {
        set(Opcode::Print, print.getArgs());
        numbers = {print.getHex()};
        for (int32_t isSigned : print.getIsSigned())
          numbers.push_back(isSigned);
        instruction.texts = {print.getPrefix().str()};
      })
      .Case([&](tt::AssertOp assertion) {
        set(Opcode::Assert, op->getOperands());
        instruction.texts = {assertion.getMessage().str()};
      })
      .Case([&](LLVM::AssumeOp assume) { set(Opcode::Assume, {assume.getCond()}); })
      .Case([&](tt::ElementwiseInlineAsmOp) {
        throw tt::errorAt(op, "the interpreter cannot run inline assembly", TL_UNSUPPORTED);
      })
      .Default([&](Operation *) {
        throw tt::errorAt(op,
                          "the interpreter does not know the operation '" +
                              op->getName().getStringRef().str() + "'",
                          TL_UNSUPPORTED);
      });
}

} // namespace tl::backend::interpreter
