// SPDX-License-Identifier: MIT
//
// The function as a whole: entry, values, and which file lowers which operation.
#include "lowering/GpuLowering.h"

#include "dialect/Context.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;
namespace arith = mlir::arith;

namespace {

/// Fused multiply-adds and rounding instructions, and nothing else that the arithmetic would use.
constexpr ArithmeticFeatures gpuFeatures = [] {
  ArithmeticFeatures features;
  features.fma = true;
  features.rounding = true;
  return features;
}();

} // namespace

GpuLowering::GpuLowering(llvm::Module &module, tt::FuncOp function, const GpuHooks &target,
                         const CompileOptions &options, const AxisInfoAnalysis &axes)
    : ElementwiseEmitter(module.getContext(), gpuFeatures, target.name()), module(module),
      function(function), target(target), options(options), axes(axes) {}

void GpuLowering::unsupported(mlir::Operation *op, const llvm::Twine &message) {
  throw tt::errorAt(op, ("the " + target.name() + " target " + message).str(), TL_UNSUPPORTED);
}

llvm::BasicBlock *GpuLowering::newBlock(const char *name) {
  return llvm::BasicBlock::Create(context, name, code);
}

void GpuLowering::emitIf(Value *condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto *then = newBlock("then"), *after = newBlock("after");
  builder.CreateCondBr(condition, then, after);
  builder.SetInsertPoint(then);
  ++divergent;
  body();
  --divergent;
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

llvm::Type *GpuLowering::registerTypeOf(mlir::Type type) {
  return registerType(context, elementType(type));
}

// ---- The kernel --------------------------------------------------------------------------------

/// A thread has at most 255 registers, and the rest is spilled. Far beyond that, kernels are not
/// only slow: assemblers need minutes for them.
void GpuLowering::checkSizes() {
  constexpr uint64_t most = 1024;
  // The largest tensor says most to the user, and one that has a line.
  std::optional<Error> told;
  std::pair<bool, int64_t> rank;
  function.walk([&](mlir::Operation *op) {
    for (mlir::Value result : op->getResults()) {
      auto type = mlir::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!type)
        continue;
      uint64_t words = std::max(1u, memoryBytes(type.getElementType()) / 4);
      uint64_t needed = registersOf(type) * words;
      if (needed <= most)
        continue;
      std::string warps = std::to_string(options.numWarps);
      Error error =
          tt::errorAt(op,
                      "a tensor of " + std::to_string(type.getNumElements()) + " elements needs " +
                          std::to_string(needed) + " registers in each thread of " + warps +
                          (options.numWarps == 1 ? " warp" : " warps") + ", the " + target.name() +
                          " target gives it at most " + std::to_string(most),
                      TL_OUT_OF_RESOURCES);
      error.help = "use smaller blocks, or a larger num_warps";
      error.required = needed;
      error.limit = most;
      std::pair<bool, int64_t> other(error.line != 0, type.getNumElements());
      if (told && other <= rank)
        continue;
      told = std::move(error);
      rank = other;
    }
  });
  if (told)
    throw *told;
}

/// Those that the launcher adds count too.
void GpuLowering::checkParameters(llvm::ArrayRef<llvm::Type *> types) {
  uint64_t needed = 0;
  for (llvm::Type *type : types.drop_back(hidden.tensorMaps.size())) {
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
    needed = llvm::alignTo(needed, bytes) + bytes;
  }
  if (!hidden.tensorMaps.empty()) // handed over by value, at a multiple of 64
    needed = llvm::alignTo(needed, 64) + 128 * hidden.tensorMaps.size();
  const uint64_t most = target.maxParameterBytes();
  if (needed <= most)
    return;
  Error error = tt::errorAt(function,
                            "kernel '" + function.getSymName().str() + "' has " +
                                std::to_string(needed) + " bytes of parameters, the " +
                                target.name() + " target takes at most " + std::to_string(most),
                            TL_OUT_OF_RESOURCES);
  error.help = "put values into a buffer and pass a pointer to it";
  error.required = needed;
  error.limit = most;
  throw error;
}

void GpuLowering::emitKernel(llvm::StringRef symbol) {
  checkSizes();
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Type type : function.getArgumentTypes())
    types.push_back(type.isInteger(1) ? builder.getInt8Ty() : registerTypeOf(type));
  bool asserts = false;
  function.walk([&](tt::AssertOp assertion) { asserts |= isChecked(assertion); });
  function.walk([&](tt::GridBarrierOp) { hidden.gridBarrier = true; });
  listTensorMaps();
  unsigned firstHidden = unsigned(types.size());
  types.append(hidden.gridBarrier + asserts + (hidden.globalBytes != 0) + hidden.tensorMaps.size(),
               builder.getPtrTy());
  checkParameters(types);
  code = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                llvm::Function::ExternalLinkage, symbol, module);
  target.markKernel(*code, unsigned(options.numWarps) * target.lanes(),
                    unsigned(options.maxRegisters));
  entry = newBlock("entry");
  builder.SetInsertPoint(entry);
  thread = target.threadId(builder);
  unsigned laneBits = llvm::Log2_32(target.lanes());
  lane = builder.CreateAnd(thread, i32(target.lanes() - 1), "lane");
  // One warp: nothing to compute.
  warp = options.numWarps == 1 ? i32(0) : builder.CreateLShr(thread, i32(laneBits), "warp");
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    Value *value = code->getArg(unsigned(index));
    if (argument.getType().isInteger(1))
      value = builder.CreateICmpNE(value, builder.getInt8(0));
    set(argument, {value});
  }
  unsigned next = firstHidden;
  if (hidden.gridBarrier)
    counter = code->getArg(next++);
  if (asserts)
    record = code->getArg(next++);
  if (hidden.globalBytes) {
    Value *program = nullptr;
    for (unsigned axis : {2, 1, 0}) {
      Value *id = builder.CreateZExt(target.programId(builder, axis), builder.getInt64Ty());
      if (program)
        id = builder.CreateAdd(
            id, builder.CreateMul(program, builder.CreateZExt(target.programCount(builder, axis),
                                                              builder.getInt64Ty())));
      program = id;
    }
    workspace = builder.CreateGEP(builder.getInt8Ty(), code->getArg(next++),
                                  builder.CreateMul(program, builder.getInt64(hidden.globalBytes)));
  }
  firstMap = next;
  for (; next < types.size(); ++next)
    target.markTensorMap(*code->getArg(next));
  auto *body = newBlock("body");
  builder.SetInsertPoint(body);
  emitRegionBlocks(function.getBody(), [&](mlir::Operation *) {
    for (Scratch scratch : lasting)
      reads(scratch);
    builder.CreateRetVoid();
  });
  builder.SetInsertPoint(entry);
  builder.CreateBr(body);
  planMemory();
}

// ---- Values ------------------------------------------------------------------------------------

void GpuLowering::set(mlir::Value value, Values registers) { values[value] = std::move(registers); }

const GpuLowering::Values &GpuLowering::get(mlir::Value value) {
  auto found = values.find(value);
  if (found == values.end())
    throw tt::errorAt(value.getDefiningOp() ? value.getDefiningOp()
                                            : value.getParentBlock()->getParentOp(),
                      "a value is used before it was computed", TL_INTERNAL_ERROR);
  return found->second;
}

Value *GpuLowering::scalar(mlir::Value value) { return get(value)[0]; }

unsigned GpuLowering::registersOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return 1u << ttg::layoutOf(tensor).inBits("register");
  return 1;
}

Value *GpuLowering::scalarConstant(mlir::Attribute attribute, mlir::Type element) {
  llvm::Type *type = registerTypeOf(element);
  llvm::APInt bits;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    bits = integer.getValue().zextOrTrunc(type->getIntegerBitWidth());
  else
    bits = mlir::cast<mlir::FloatAttr>(attribute).getValue().bitcastToAPInt();
  if (type->isIntegerTy())
    return llvm::ConstantInt::get(context, bits);
  return llvm::ConstantFP::get(context, llvm::APFloat(type->getFltSemantics(), bits));
}

GpuLowering::Values GpuLowering::constant(mlir::TypedAttr attribute) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(attribute.getType());
  if (!type)
    return {scalarConstant(attribute, attribute.getType())};
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  unsigned count = registersOf(type);
  mlir::Type element = type.getElementType();
  if (dense && dense.isSplat())
    return Values(count, scalarConstant(dense.getSplatValue<mlir::Attribute>(), element));
  if (!dense)
    throw tt::errorAt(function, "a tensor constant is not dense", TL_INTERNAL_ERROR);
  // A table in constant memory, indexed by the element.
  llvm::SmallVector<llvm::Constant *> all;
  for (mlir::Attribute value : dense.getValues<mlir::Attribute>()) {
    auto *one = llvm::cast<llvm::Constant>(scalarConstant(value, element));
    all.push_back(element.isInteger(1)
                      ? llvm::ConstantInt::get(builder.getInt8Ty(), one->isOneValue())
                      : one);
  }
  auto *array = llvm::ArrayType::get(all[0]->getType(), all.size());
  auto *table = new llvm::GlobalVariable(module, array, true, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantArray::get(array, all), "table", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, 1);
  Values registers;
  const LinearLayout &layout = ttg::layoutOf(type);
  for (unsigned r = 0; r < count; ++r) {
    Value *index = flatElement(layout, r, type.getShape());
    Value *value =
        builder.CreateLoad(all[0]->getType(), builder.CreateGEP(all[0]->getType(), table, {index}));
    registers.push_back(element.isInteger(1) ? builder.CreateICmpNE(value, builder.getInt8(0))
                                             : value);
  }
  return registers;
}

/// In such a region each thread computes for itself: threads cannot wait for each other there, nor
/// share a tensor. Its loads are put in order before it.
void GpuLowering::enterScalars(mlir::Region &region) {
  region.walk([&](mlir::Operation *op) {
    auto isTensor = [](mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) ||
        llvm::any_of(op->getResultTypes(), isTensor))
      unsupported(op, "takes only scalars in the function of a reduction, a scan or "
                      "tl::map_elementwise");
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      orderAccess(load.getPtr(), false);
  });
}

GpuLowering::Values GpuLowering::emitRegion(mlir::Region &region,
                                            llvm::ArrayRef<Value *> arguments) {
  mlir::Block &block = region.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    set(argument, {value});
  ++divergent;
  emitBlock(block);
  --divergent;
  Values results;
  for (mlir::Value result : block.getTerminator()->getOperands())
    results.push_back(scalar(result));
  return results;
}

Value *GpuLowering::convertFloat(Value *value, FloatFormat from, FloatFormat to,
                                 Rounding rounding) {
  if (Value *native = target.convert(builder, value, from, to, rounding))
    return native;
  return ElementwiseEmitter::convertFloat(value, from, to, rounding);
}

Value *GpuLowering::math(MathFunction function, llvm::ArrayRef<Value *> operands) {
  if (Value *native = target.math(builder, function, operands))
    return native;
  return ElementwiseEmitter::math(function, operands);
}

Value *GpuLowering::divide(Value *a, Value *b) {
  if (Value *native = target.divide(builder, a, b))
    return native;
  return ElementwiseEmitter::divide(a, b);
}

/// A call that the target resolves, from the vendor's library.
Value *GpuLowering::emitUnknownExtern(tt::ExternElementwiseOp operation,
                                      llvm::ArrayRef<Value *> operands) {
  llvm::StringRef symbol = operation.getSymbol();
  if (!target.isLibraryFunction(symbol))
    return ElementwiseEmitter::emitUnknownExtern(operation, operands);
  llvm::SmallVector<llvm::Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(registerTypeOf(operation.getType()), types, false);
  auto callee = module.getOrInsertFunction(symbol, type);
  auto *known = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  if (!known || known->getFunctionType() != type)
    unsupported(operation, "cannot call the function '" + symbol + "' with operands of two kinds");
  return builder.CreateCall(callee, operands);
}

// ---- Operations --------------------------------------------------------------------------------

void GpuLowering::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator()) {
    if (needsBoxes(&op))
      finishBoxes();
    emitOperation(&op);
  }
  finishBoxes();
}

void GpuLowering::emitOperation(mlir::Operation *op) {
  bool done =
      llvm::TypeSwitch<mlir::Operation *, bool>(op)
          .Case([&](arith::ConstantOp constantOp) {
            set(constantOp, constant(constantOp.getValue()));
            return true;
          })
          .Case([&](mlir::ub::PoisonOp poison) {
            set(poison, Values(registersOf(poison.getType()),
                               llvm::Constant::getNullValue(registerTypeOf(poison.getType()))));
            return true;
          })
          .Case([&](tt::GetProgramIdOp id) {
            set(id, {target.programId(builder, unsigned(id.getAxisAsInt()))});
            return true;
          })
          .Case([&](tt::GetNumProgramsOp count) {
            set(count, {target.programCount(builder, unsigned(count.getAxisAsInt()))});
            return true;
          })
          .Case([&](tt::LoadOp load) { return emitLoad(load), true; })
          .Case([&](tt::StoreOp store) { return emitStore(store), true; })
          .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicPollOp, tt::AtomicLoadOp,
                tt::AtomicStoreOp>(
              [&](mlir::Operation *atomic) { return emitAtomic(atomic), true; })
          .Case<tt::GridDependencyWaitOp, tt::GridDependencyLaunchDependentsOp>(
              [&](mlir::Operation *) { return true; })
          .Case([&](tt::ReduceOp reduce) { return emitReduce(reduce), true; })
          .Case([&](tt::ScanOp scan) { return emitScan(scan), true; })
          .Case([&](tt::HistogramOp histogram) { return emitHistogram(histogram), true; })
          .Case([&](tt::DotOp dot) { return emitDot(dot), true; })
          .Case([&](tt::DotScaledOp dot) { return emitDotScaled(dot), true; })
          .Case([&](mlir::scf::ForOp loop) { return emitFor(loop), true; })
          .Case([&](mlir::scf::WhileOp loop) { return emitWhile(loop), true; })
          .Case([&](mlir::scf::IfOp branch) { return emitIfOp(branch), true; })
          .Case([&](mlir::scf::ExecuteRegionOp) { return false; })
          .Case([&](ttg::BarrierOp) { return barrier(), true; })
          .Case([&](tt::GridBarrierOp) { return emitGridBarrier(), true; })
          .Case([&](tt::HintOp hint) { return set(hint, get(hint.getSrc())), true; })
          .Case([&](ttg::ConvertLayoutOp convert) { return emitConvert(convert), true; })
          .Case([&](ttg::LocalAllocOp alloc) { return emitLocalAlloc(alloc), true; })
          .Case([&](ttg::LocalLoadOp load) { return emitLocalLoad(load), true; })
          .Case([&](ttg::LocalStoreOp store) { return emitLocalStore(store), true; })
          .Case([&](tt::PrintOp print) { return emitPrint(print), true; })
          .Case([&](tt::AssertOp assertion) { return emitAssert(assertion), true; })
          .Case([&](tt::ElementwiseInlineAsmOp text) { return emitInlineAsm(text), true; })
          .Case([&](tt::MapElementwiseOp map) { return emitMap(map), true; })
          .Case([&](mlir::LLVM::AssumeOp assume) {
            builder.CreateAssumption(scalar(assume.getCond()));
            return true;
          })
          .Default([](mlir::Operation *) { return false; });
  if (done || emitShapeOperation(op) || emitView(op) || emitTransfer(op) || emitDescriptor(op))
    return;
  // Other calls have been replaced by what they call.
  if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      unsupported(op, "cannot call '" + call.getCallee() + "', which has no body");
    unsupported(op, "does not run recursive functions");
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    unsupported(op, "has no lowering for '" + op->getName().getStringRef() + "'");
  emitElementwiseTensor(op);
}

// ---- The entry ---------------------------------------------------------------------------------

GpuKernelCode lowerToLLVM(tt::FuncOp kernel, const GpuHooks &target,
                          const CompileOptions &options) {
  GpuKernelCode result;
  result.context = std::make_unique<llvm::LLVMContext>();
  // A name that assemblers take, and not one by which a library's functions are called.
  for (char c : kernel.getSymName())
    result.symbol += llvm::isAlnum(c) ? c : '_';
  if (!llvm::isAlpha(result.symbol.front()) || result.symbol == "vprintf" ||
      result.symbol == "WARP_SZ" || target.isLibraryFunction(result.symbol))
    result.symbol = "kernel_" + result.symbol;
  result.module = std::make_unique<llvm::Module>(result.symbol, *result.context);
  target.initialize(*result.module);
  AxisInfoAnalysis axes(kernel->getParentOfType<mlir::ModuleOp>());
  GpuLowering lowering(*result.module, kernel, target, options, axes);
  lowering.emitKernel(result.symbol);
  result.sharedBytes = lowering.sharedBytes();
  if (result.sharedBytes > target.maxSharedBytes()) {
    Error error = tt::errorAt(kernel,
                              "kernel '" + kernel.getSymName().str() + "' needs " +
                                  std::to_string(result.sharedBytes) +
                                  " bytes of shared memory in each program, the " + target.name() +
                                  " target has " + std::to_string(target.maxSharedBytes()),
                              TL_OUT_OF_RESOURCES);
    error.help = "use smaller blocks";
    error.required = result.sharedBytes;
    error.limit = target.maxSharedBytes();
    throw error;
  }
  result.hidden = lowering.takeHidden();
  result.assemblies = lowering.takeAssemblies();
  return result;
}

} // namespace tl::backend
