// SPDX-License-Identifier: MIT
//
// What a kernel tells its host: printed values, and assertions that do not hold. The first failure
// of a launch writes a record (FailureRecord.h); the whole program then ends, so that nothing
// is done with what the assertion guards.
#include "dialect/Context.h"
#include "dialect/Hints.h"
#include "layout/NamedLayouts.h"
#include "lowering/KernelLowering.h"
#include "passes/Passes.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

static void emitPrint(KernelLowering &kernel, tt::PrintOp op) {
  auto &b = kernel.builder;
  std::string prefix;
  for (char c : op.getPrefix())
    prefix += c == '%' ? std::string("%%") : std::string(1, c);
  Values program;
  for (unsigned axis = 0; axis < 3; ++axis)
    program.push_back(kernel.target.program.programId(b, axis));
  // In the function of a reduction or scan each thread prints what it has.
  const bool isEachThread =
      op->getParentOfType<tt::ReduceOp>() || op->getParentOfType<tt::ScanOp>();
  Value *oneThread = isEachThread ? b.getTrue() : kernel.threads.isFirstThread();
  if (op.getArgs().empty()) {
    kernel.emitIf(oneThread, [&] {
      kernel.target.program.print(b, "pid (%u, %u, %u) idx ()" + prefix + "\n", program);
    });
    return;
  }
  llvm::ArrayRef<int32_t> isSigned = op.getIsSigned();
  for (auto [number, value] : llvm::enumerate(op.getArgs())) {
    mlir::Type element = elementType(value.getType());
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    const Values registers = kernel.get(value);
    const llvm::SmallVector<int64_t> printed = op.getPrintedShape(unsigned(number));
    Value *holder = type ? kernel.threads.isFirstHolder(ttg::layoutOf(type)) : oneThread;
    bool asSigned = number >= isSigned.size() || isSigned[number] != 0;
    std::string shown;
    unsigned bytes = memoryBytes(element);
    auto format = floatFormat(element);
    if (mlir::isa<tt::PointerType>(element))
      shown = "0x%016llx";
    else if (op.getHex())
      shown = "0x%0" + std::to_string(bytes * 2) + (bytes == 8 ? "llx" : "x");
    else if (format)
      shown = bytes == 8 ? "%.17g" : "%.9g";
    else if (bytes == 8)
      shown = asSigned ? "%lld" : "%llu";
    else
      shown = asSigned && !element.isInteger(1) ? "%d" : "%u";
    auto argument = [&](Value *v) -> Value * {
      if (mlir::isa<tt::PointerType>(element) || (op.getHex() && bytes == 8))
        return kernel.toMemory(v, element);
      if (op.getHex())
        return b.CreateZExt(kernel.toMemory(v, element), b.getInt32Ty());
      if (format)
        return b.CreateFPCast(kernel.scalars.widen(v, *format), b.getDoubleTy());
      if (bytes == 8)
        return v;
      return asSigned && !element.isInteger(1) ? b.CreateSExt(v, b.getInt32Ty())
                                               : b.CreateZExt(v, b.getInt32Ty());
    };
    std::string operand =
        op.getArgs().size() > 1 ? "(operand " + std::to_string(number) + ") " : "";
    kernel.emitIf(holder, [&] {
      for (unsigned reg = 0; reg < registers.size(); ++reg) {
        if (type && isCopy(ttg::layoutOf(type), reg))
          continue;
        Values arguments = program;
        std::string text = "pid (%u, %u, %u) idx (";
        Value *isPrinted = nullptr;
        if (type)
          for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
            text += axis ? ", %u" : "%u";
            Value *at = kernel.threads.coordinate(ttg::layoutOf(type), reg, dimName(axis));
            arguments.push_back(at);
            if (printed[axis] == type.getDimSize(axis))
              continue;
            Value *isInside = b.CreateICmpULT(at, kernel.i32(unsigned(printed[axis])));
            isPrinted = isPrinted ? b.CreateAnd(isPrinted, isInside) : isInside;
          }
        text += ")" + prefix + operand + shown + "\n";
        arguments.push_back(argument(registers[reg]));
        kernel.emitIf(isPrinted, [&] { kernel.target.program.print(b, text, arguments); });
      }
    });
  }
}

static void emitAssert(KernelLowering &kernel, tt::AssertOp op) {
  auto &b = kernel.builder;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op.getCondition().getType());
  const char *who = op->hasAttr(tt::alwaysCheckedName) ? "" : "tl::device_assert failed: ";
  std::vector<AssertSite> &sites = kernel.hidden.sites;
  sites.push_back({who + op.getMessage().str(), tt::sourceLocationOf(op.getLoc()), {}});
  if (type)
    sites.back().shape.assign(type.getShape().begin(), type.getShape().end());
  unsigned site = unsigned(sites.size() - 1);
  const Values conditions = kernel.get(op.getCondition());
  Value *failed = b.getFalse();
  Value *element = kernel.i32(-1);
  for (unsigned reg = 0; reg < conditions.size(); ++reg) {
    Value *bad = b.CreateNot(conditions[reg]);
    failed = b.CreateOr(failed, bad);
    if (type)
      element = b.CreateSelect(
          bad, kernel.threads.flatElement(ttg::layoutOf(type), reg, type.getShape()), element);
  }
  Value *reports = failed;
  if (!type)
    reports = b.CreateAnd(failed, kernel.threads.isFirstThread());
  kernel.emitIf(reports, [&] {
    llvm::Type *word = b.getInt32Ty();
    auto field = [&](unsigned index) {
      return b.CreateConstGEP1_32(word, kernel.failureRecord, index);
    };
    AtomicAccess access;
    access.pointer = field(0);
    // The record lies in the host's memory, where only the GPU's own atomics are sure to work; the
    // host reads it when the kernel has ended.
    access.scope = tt::MemSyncScope::GPU;
    access.semantic = tt::MemSemantic::RELAXED;
    Value *taken = kernel.target.atomics.compareAndSwap(b, access, kernel.i32(0), kernel.i32(1));
    kernel.emitIf(b.CreateICmpEQ(taken, kernel.i32(0)), [&] {
      b.CreateStore(kernel.i32(site), field(1));
      for (unsigned axis = 0; axis < 3; ++axis) {
        Value *program = kernel.target.program.programId(b, axis);
        if (unsigned blocks = tt::blocksOf(kernel.function, tt::blocksName);
            axis == 0 && blocks > 1)
          program = b.CreateUDiv(program, kernel.i32(blocks));
        b.CreateStore(program, field(2 + axis));
      }
      b.CreateStore(element, field(5));
    });
  });
  auto *leave = kernel.newBlock("leave"), *holds = kernel.newBlock("holds");
  // All threads know a scalar.
  b.CreateCondBr(type ? kernel.target.threads.anyThread(b, failed) : failed, leave, holds);
  b.SetInsertPoint(leave);
  b.CreateRetVoid();
  b.SetInsertPoint(holds);
  if (type)
    kernel.shared.mark({SharedEventKind::Barrier}); // asking every thread was one
}

void registerDebug(OperationTable &table) {
  table.add<emitAssert>();
  table.add<emitPrint>();
}

} // namespace tl::backend
