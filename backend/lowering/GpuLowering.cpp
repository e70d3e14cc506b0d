// SPDX-License-Identifier: MIT
//
// A kernel as a whole: limits, parameters, the entry block, and the table of all operations.
#include "lowering/GpuLowering.h"

#include "dialect/Context.h"
#include "dialect/ProducerWarps.h"
#include "lowering/ControlFlow.h"
#include "lowering/Descriptors.h"
#include "lowering/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"

namespace tl::backend {

using llvm::Value;

namespace {

const OperationTable &operationTable() {
  static const OperationTable &table = []() -> OperationTable & {
    auto &made = *new OperationTable;
    registerAtomics(made);
    registerControlFlow(made);
    registerConversions(made);
    registerCounting(made);
    registerCreation(made);
    registerCustomCode(made);
    registerDebug(made);
    registerDescriptors(made);
    registerElementwise(made);
    registerLinearAlgebra(made);
    registerMemory(made);
    registerProducerWarps(made);
    registerReduction(made);
    registerMultiplyAdds(made);
    registerScan(made);
    registerShaping(made);
    registerSharedTensors(made);
    registerTransfers(made);
    registerWarpGroupProducts(made);
    return made;
  }();
  return table;
}

// ---- Limits

/// A thread has at most 255 registers, and the rest is spilled. Far beyond that, kernels are not
/// only slow: assemblers need minutes for them.
constexpr uint64_t mostRegisters = 1024;

/// Registers of one element.
uint64_t wordsOf(mlir::RankedTensorType type) {
  return std::max(1u, memoryBytes(type.getElementType()) / 4);
}

void checkSizes(const KernelLowering &kernel) {
  constexpr uint64_t most = mostRegisters;
  // The largest tensor says most to the user, and one that has a line.
  std::optional<Error> worst;
  std::pair<bool, int64_t> rank;
  kernel.function->walk([&](mlir::Operation *op) {
    for (mlir::Value result : op->getResults()) {
      auto type = mlir::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!type)
        continue;
      // Addresses have one base, nearly always, and what is added to it is computed where it is
      // used.
      const bool areAddresses = mlir::isa<tt::PointerType>(type.getElementType());
      uint64_t needed = registersOf(type) * (areAddresses ? 1 : wordsOf(type));
      if (needed <= most)
        continue;
      Error error =
          tt::errorAt(op,
                      "a tensor of " + std::to_string(type.getNumElements()) + " elements needs " +
                          std::to_string(needed) + " registers in each thread of " +
                          std::to_string(kernel.warps) + (kernel.warps == 1 ? " warp" : " warps") +
                          ", the " + kernel.target.program.name() + " target gives it at most " +
                          std::to_string(most),
                      TL_OUT_OF_RESOURCES)
              .exceeding(needed, most);
      error.help = "use smaller blocks";
      std::pair<bool, int64_t> other(error.line != 0, type.getNumElements());
      if (worst && other <= rank)
        continue;
      worst = std::move(error);
      rank = other;
    }
  });
  if (worst)
    throw *worst;
}

/// Those that the launcher adds count too.
void checkParameters(KernelLowering &kernel, llvm::ArrayRef<llvm::Type *> types) {
  size_t maps = kernel.hidden.tensorMaps.size();
  uint64_t needed = 0;
  for (llvm::Type *type : types.drop_back(maps)) {
    uint64_t bytes = kernel.module.getDataLayout().getTypeStoreSize(type);
    needed = llvm::alignTo(needed, bytes) + bytes;
  }
  if (maps) // handed over by value, at a multiple of 64
    needed = llvm::alignTo(needed, 64) + 128 * maps;
  const GpuProgram &program = kernel.target.program;
  const uint64_t most = program.maxParameterBytes();
  if (needed <= most)
    return;
  throw tt::errorAt(kernel.function,
                    "kernel '" + kernel.function.getSymName().str() + "' has " +
                        std::to_string(needed) + " bytes of parameters, the " + program.name() +
                        " target takes at most " + std::to_string(most),
                    TL_OUT_OF_RESOURCES)
      .withHelp("put values into a buffer and pass a pointer to it")
      .exceeding(needed, most);
}

void checkSharedMemory(const KernelLowering &kernel) {
  const GpuProgram &program = kernel.target.program;
  uint64_t needed = kernel.shared.bytes(), most = program.maxSharedBytes();
  if (needed <= most)
    return;
  tt::FuncOp function = kernel.function;
  throw tt::errorAt(function,
                    "kernel '" + function.getSymName().str() + "' needs " + std::to_string(needed) +
                        " bytes of shared memory in each program, the " + program.name() +
                        " target has " + std::to_string(most),
                    TL_OUT_OF_RESOURCES)
      .withHelp("use smaller blocks")
      .exceeding(needed, most);
}

// ---- The kernel

/// Warps that the block has beside the program's.
unsigned warpsBeside(tt::FuncOp function) {
  return function.getBody().front().getOps<ttg::ProducerWarpsOp>().empty() ? 0 : ttg::producerWarps;
}

/// The part of the workspace that this program has: programs are numbered x fastest.
Value *workspaceOf(KernelLowering &kernel, Value *whole) {
  auto &b = kernel.builder;
  const GpuProgram &program = kernel.target.program;
  Value *number = nullptr;
  for (unsigned axis : {2, 1, 0}) {
    Value *id = b.CreateZExt(program.programId(b, axis), b.getInt64Ty());
    if (number)
      id = b.CreateAdd(
          id, b.CreateMul(number, b.CreateZExt(program.programCount(b, axis), b.getInt64Ty())));
    number = id;
  }
  return b.CreateGEP(b.getInt8Ty(), whole,
                     b.CreateMul(number, b.getInt64(kernel.hidden.globalBytes)));
}

/// Makes the function one whose instructions have lines; nothing of it is written.
void keepLines(llvm::Function &function, const SourceLocation &where) {
  llvm::Module &module = *function.getParent();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder debug(module);
  llvm::DIFile *file = debug.createFile(where.file, "");
  debug.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C_plus_plus), file, "tl",
                          true, "", 0, "", llvm::DICompileUnit::NoDebug);
  auto *type = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
  function.setSubprogram(debug.createFunction(file, function.getName(), "", file, where.line, type,
                                              where.line, llvm::DINode::FlagZero,
                                              llvm::DISubprogram::SPFlagDefinition));
  debug.finalize();
}

/// The whole function. Parameters are the user's, then those of HiddenParameters.h in its order.
void emitKernel(KernelLowering &kernel, llvm::StringRef symbol, bool lines) {
  auto &b = kernel.builder;
  HiddenParameters &hidden = kernel.hidden;
  tt::FuncOp function = kernel.function;
  checkSizes(kernel);
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Type type : function.getArgumentTypes())
    types.push_back(type.isInteger(1) ? b.getInt8Ty() : kernel.registerTypeOf(type));
  bool asserts = false;
  function.walk([&](tt::AssertOp) { asserts = true; });
  function.walk([&](tt::GridBarrierOp) { hidden.gridBarrier = true; });
  kernel.descriptors->listMaps(kernel);
  unsigned next = unsigned(types.size());
  types.append(hidden.gridBarrier + asserts + (hidden.globalBytes != 0) + hidden.tensorMaps.size(),
               b.getPtrTy());
  checkParameters(kernel, types);
  kernel.code = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                       llvm::Function::ExternalLinkage, symbol, kernel.module);
  if (lines)
    keepLines(*kernel.code, tt::sourceLocationOf(function.getLoc()));
  const GpuProgram &program = kernel.target.program;
  const unsigned beside = warpsBeside(kernel.function);
  unsigned most = unsigned(kernel.options.maxRegisters);
  if (beside) {
    kernel.shared.standApart();
    const ttg::GpuAttr gpu = ttg::gpuOf(function->getParentOfType<mlir::ModuleOp>());
    most = ttg::registersBesideProducers(gpu)->atFirst;
  }
  program.markKernel(*kernel.code, (kernel.warps + beside) * program.lanes(), most);

  auto *entry = kernel.newBlock("entry");
  b.SetInsertPoint(entry);
  kernel.threads.enter(kernel.target.threads, program.threadId(b), program.lanes(), kernel.warps);
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    Value *value = kernel.code->getArg(unsigned(index));
    if (argument.getType().isInteger(1))
      value = b.CreateICmpNE(value, b.getInt8(0));
    kernel.set(argument, {value});
  }
  if (hidden.gridBarrier)
    kernel.gridCounter = kernel.code->getArg(next++);
  if (asserts)
    kernel.failureRecord = kernel.code->getArg(next++);
  if (hidden.globalBytes)
    kernel.workspace = workspaceOf(kernel, kernel.code->getArg(next++));
  kernel.descriptors->enter(kernel, next);

  auto *body = kernel.newBlock("body");
  b.SetInsertPoint(body);
  kernel.descriptors->keepPlaces(kernel);
  emitRegionBlocks(kernel, function.getBody(), [&](mlir::Operation *) {
    kernel.descriptors->leave(kernel);
    b.CreateRetVoid();
  });
  b.SetInsertPoint(entry);
  b.CreateBr(body);
  kernel.shared.plan(*kernel.code);
}

/// A name that assemblers take, and not one by which a library's functions are called.
std::string symbolOf(tt::FuncOp kernel, const GpuTarget &target) {
  std::string symbol;
  for (char c : kernel.getSymName())
    symbol += llvm::isAlnum(c) ? c : '_';
  // Mathematics is called as in the C library, and what that lacks as ours.
  if (!llvm::isAlpha(symbol.front()) || symbol == "vprintf" || symbol == "WARP_SZ" ||
      target.arithmetic.isLibraryFunction(symbol) || llvm::StringRef(symbol).starts_with("tl_") ||
      mathFunctionOfSymbol("__nv_" + symbol))
    symbol = "kernel_" + symbol;
  return symbol;
}

} // namespace

void inlineEverything(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    if (mlir::isa<tt::FuncOp, tt::CallOp>(op))
      op->removeAttr("noinline");
  });
}

void checkConstants(mlir::ModuleOp module, const std::string &target) {
  module.walk([&](mlir::arith::ConstantOp constant) {
    if (mlir::isa<mlir::ShapedType>(constant.getType()) &&
        !mlir::isa<mlir::DenseElementsAttr>(constant.getValue()))
      throw tt::errorAt(constant, "the " + target + " target takes only dense tensor constants",
                        TL_UNSUPPORTED);
  });
}

unsigned warpsFor(tt::FuncOp kernel, unsigned asked, unsigned lanes) {
  const unsigned mostWarps = 1024 / lanes;
  constexpr uint64_t enoughRegisters = 256;
  uint64_t words = 0;
  for (auto function : kernel->getParentOfType<mlir::ModuleOp>().getOps<tt::FuncOp>())
    if (function == kernel || function.isPrivate())
      function.walk([&](mlir::Operation *op) {
        for (mlir::Type result : op->getResultTypes())
          if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(result))
            words = std::max(words, uint64_t(type.getNumElements()) * wordsOf(type));
      });
  if (words <= mostRegisters * lanes * asked)
    return asked;
  while (asked < mostWarps && words > enoughRegisters * lanes * asked)
    asked *= 2;
  return asked;
}

GpuKernelCode lowerToLLVM(tt::FuncOp kernel, const GpuTarget &target, const CompileOptions &options,
                          bool lines) {
  GpuKernelCode result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.symbol = symbolOf(kernel, target);
  result.module = std::make_unique<llvm::Module>(result.symbol, *result.context);
  target.program.initialize(*result.module);
  AxisInfoAnalysis axes(kernel->getParentOfType<mlir::ModuleOp>());
  KernelLowering lowering(*result.module, kernel, target, options, axes, operationTable());
  emitKernel(lowering, result.symbol, lines);
  checkSharedMemory(lowering);
  result.sharedBytes = lowering.shared.bytes();
  result.producerWarps = warpsBeside(kernel);
  result.hidden = std::move(lowering.hidden);
  result.inlineAsm = std::move(lowering.inlineAsm);
  return result;
}

} // namespace tl::backend
