// SPDX-License-Identifier: MIT
#include "lowering/KernelLowering.h"

#include "dialect/Context.h"
#include "lowering/Access.h"
#include "lowering/Descriptors.h"
#include "lowering/SharedTensors.h"

#include "llvm/IR/DebugInfoMetadata.h"

namespace tl::backend {

using llvm::Value;

unsigned registersOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return 1u << ttg::layoutOf(tensor).inBits("register");
  return 1;
}

KernelLowering::KernelLowering(llvm::Module &module, tt::FuncOp function, const GpuTarget &target,
                               const CompileOptions &options, const AxisInfoAnalysis &axes,
                               const OperationTable &operations)
    : module(module), context(module.getContext()), function(function), target(target),
      options(options), axes(axes), warps(unsigned(options.numWarps)), scalars(module, target),
      builder(scalars.builder), threads(builder), shared(module, builder, target, warps),
      descriptors(std::make_unique<DescriptorLowering>()), locals(std::make_unique<LocalTensors>()),
      operations(operations) {}

KernelLowering::~KernelLowering() = default;

void KernelLowering::unsupported(mlir::Operation *op, const llvm::Twine &message) const {
  throw tt::errorAt(op, ("the " + target.program.name() + " target " + message).str(),
                    TL_UNSUPPORTED);
}

// ---- Operations

void KernelLowering::emitOperation(mlir::Operation *op) {
  llvm::DISubprogram *lines = code->getSubprogram();
  if (!lines)
    return operations.find(op)(*this, op);
  // Where the code of an operation comes from, if that is asked for: see GpuLowering.h.
  const llvm::DebugLoc outer = builder.getCurrentDebugLocation();
  if (const SourceLocation where = tt::sourceLocationOf(op->getLoc()); where.line != 0) {
    auto *file = llvm::DIFile::get(context, where.file, "");
    llvm::DIScope *scope = llvm::DILexicalBlockFile::get(context, lines, file, 0);
    builder.SetCurrentDebugLocation(
        llvm::DILocation::get(context, where.line, where.column, scope));
  }
  operations.find(op)(*this, op);
  builder.SetCurrentDebugLocation(outer);
}

void KernelLowering::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator()) {
    if (descriptors->needsBoxes(&op))
      descriptors->finishBoxes(*this);
    if (mlir::isa<mlir::RegionBranchOpInterface>(op))
      finishCopies(*this);
    emitOperation(&op);
  }
  descriptors->finishBoxes(*this);
  finishCopies(*this);
}

/// Threads cannot wait for each other in such a region, nor share a tensor.
void KernelLowering::enterScalars(mlir::Region &region) {
  region.walk([&](mlir::Operation *op) {
    auto isTensor = [](mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) ||
        llvm::any_of(op->getResultTypes(), isTensor))
      unsupported(op, "takes only scalars in the function of a reduction, a scan or "
                      "tl::map_elementwise");
    if (auto load = mlir::dyn_cast<tt::LoadOp>(op))
      orderAccess(*this, load.getPtr(), false);
  });
}

Values KernelLowering::emitScalars(mlir::Region &region, llvm::ArrayRef<Value *> arguments) {
  mlir::Block &block = region.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    set(argument, {value});
  {
    SharedMemory::Divergence each(shared);
    emitBlock(block);
  }
  Values results;
  for (mlir::Value result : block.getTerminator()->getOperands())
    results.push_back(scalar(result));
  return results;
}

// ---- Values

const Values &KernelLowering::get(mlir::Value value) const {
  auto found = values.find(value);
  if (found == values.end())
    throw tt::errorAt(value.getDefiningOp() ? value.getDefiningOp()
                                            : value.getParentBlock()->getParentOp(),
                      "a value is used before it was computed", TL_INTERNAL_ERROR);
  return found->second;
}

llvm::Type *KernelLowering::registerTypeOf(mlir::Type type) const {
  return registerType(context, elementType(type));
}

Value *KernelLowering::toMemory(Value *value, mlir::Type element) {
  llvm::Type *type = value->getType();
  if (type->isIntegerTy(1))
    return builder.CreateZExt(value, builder.getInt8Ty());
  if (type->isIntegerTy())
    return value;
  llvm::Type *bits = builder.getIntNTy(memoryBytes(element) * 8);
  return type->isPointerTy() ? builder.CreatePtrToInt(value, bits)
                             : builder.CreateBitCast(value, bits);
}

Value *KernelLowering::fromMemory(Value *bits, mlir::Type element) {
  if (element.isInteger(1))
    return builder.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
  llvm::Type *type = registerTypeOf(element);
  if (type->isIntegerTy())
    return bits;
  return type->isPointerTy() ? builder.CreateIntToPtr(bits, type)
                             : builder.CreateBitCast(bits, type);
}

// ---- Code

llvm::BasicBlock *KernelLowering::newBlock(const char *name) {
  return llvm::BasicBlock::Create(context, name, code);
}

void KernelLowering::emitIf(Value *condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto *then = newBlock("then"), *after = newBlock("after");
  builder.CreateCondBr(condition, then, after);
  builder.SetInsertPoint(then);
  {
    SharedMemory::Divergence some(shared);
    body();
  }
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

/// Where a lane was elected the code generator knows that one lane is there alone.
void KernelLowering::emitInFirstThread(Value *pointer, llvm::function_ref<void(Value *)> body) {
  Value *own = threads.elected
                   ? pointer
                   : target.threads.pointerInFirstThread(builder, pointer, threads.thread);
  emitIf(threads.isFirstThread(), [&] { body(own); });
}

} // namespace tl::backend
