// SPDX-License-Identifier: MIT
//
// What a kernel tells its host: printed values, and assertions that do not hold. The first failure
// of a launch writes a record (FailureRecord.h); the whole program then
// ends, so that nothing is done with what the assertion guards.
#include "lowering/GpuLowering.h"

#include "dialect/Context.h"
#include "layout/NamedLayouts.h"
#include "passes/Passes.h"

#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

void GpuLowering::emitPrint(tt::PrintOp op) {
  std::string prefix;
  for (char c : op.getPrefix())
    prefix += c == '%' ? std::string("%%") : std::string(1, c);
  Values program;
  for (unsigned axis = 0; axis < 3; ++axis)
    program.push_back(target.programId(builder, axis));
  if (op.getArgs().empty()) {
    emitIf(isFirstThread(),
           [&] { target.print(builder, "pid (%u, %u, %u) idx ()" + prefix + "\n", program); });
    return;
  }
  llvm::ArrayRef<int32_t> isSigned = op.getIsSigned();
  for (auto [number, value] : llvm::enumerate(op.getArgs())) {
    mlir::Type element = elementType(value.getType());
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    const Values registers = get(value);
    Value *holder = type ? isFirstHolder(ttg::layoutOf(type)) : isFirstThread();
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
        return toMemory(v, element);
      if (op.getHex())
        return builder.CreateZExt(toMemory(v, element), builder.getInt32Ty());
      if (format)
        return builder.CreateFPCast(widen(v, *format), builder.getDoubleTy());
      if (bytes == 8)
        return v;
      return asSigned && !element.isInteger(1) ? builder.CreateSExt(v, builder.getInt32Ty())
                                               : builder.CreateZExt(v, builder.getInt32Ty());
    };
    std::string operand =
        op.getArgs().size() > 1 ? "(operand " + std::to_string(number) + ") " : "";
    emitIf(holder, [&] {
      for (unsigned reg = 0; reg < registers.size(); ++reg) {
        if (type && isCopy(ttg::layoutOf(type), reg))
          continue;
        Values arguments = program;
        std::string text = "pid (%u, %u, %u) idx (";
        if (type)
          for (unsigned axis = 0; axis < unsigned(type.getRank()); ++axis) {
            text += axis ? ", %u" : "%u";
            arguments.push_back(coordinate(ttg::layoutOf(type), reg, dimName(axis)));
          }
        text += ")" + prefix + operand + shown + "\n";
        arguments.push_back(argument(registers[reg]));
        target.print(builder, text, arguments);
      }
    });
  }
}

bool GpuLowering::isChecked(tt::AssertOp op) const {
  return options.debug || op->hasAttr(tt::alwaysCheckedName);
}

void GpuLowering::emitAssert(tt::AssertOp op) {
  if (!isChecked(op))
    return;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op.getCondition().getType());
  const char *who = op->hasAttr(tt::alwaysCheckedName) ? "" : "tl::device_assert failed: ";
  std::vector<AssertSite> &sites = hidden.sites;
  sites.push_back({who + op.getMessage().str(), tt::sourceLocationOf(op.getLoc()), {}});
  if (type)
    sites.back().shape.assign(type.getShape().begin(), type.getShape().end());
  unsigned site = unsigned(sites.size() - 1);
  const Values conditions = get(op.getCondition());
  Value *failed = builder.getFalse();
  Value *element = i32(-1);
  for (unsigned reg = 0; reg < conditions.size(); ++reg) {
    Value *bad = builder.CreateNot(conditions[reg]);
    failed = builder.CreateOr(failed, bad);
    if (type)
      element = builder.CreateSelect(bad, flatElement(ttg::layoutOf(type), reg, type.getShape()),
                                     element);
  }
  Value *reports = failed;
  if (!type)
    reports = builder.CreateAnd(failed, isFirstThread());
  emitIf(reports, [&] {
    llvm::Type *word = builder.getInt32Ty();
    auto field = [&](unsigned index) { return builder.CreateConstGEP1_32(word, record, index); };
    AtomicAccess access;
    access.pointer = field(0);
    // The record lies in the host's memory, where only the GPU's own atomics are sure to work; the
    // host reads it when the kernel has ended.
    access.scope = tt::MemSyncScope::GPU;
    access.semantic = tt::MemSemantic::RELAXED;
    Value *taken = target.compareAndSwap(builder, access, i32(0), i32(1));
    emitIf(builder.CreateICmpEQ(taken, i32(0)), [&] {
      builder.CreateStore(i32(site), field(1));
      for (unsigned axis = 0; axis < 3; ++axis)
        builder.CreateStore(target.programId(builder, axis), field(2 + axis));
      builder.CreateStore(element, field(5));
    });
  });
  auto *leave = newBlock("leave"), *holds = newBlock("holds");
  // All threads know a scalar.
  builder.CreateCondBr(type ? target.anyThread(builder, failed) : failed, leave, holds);
  builder.SetInsertPoint(leave);
  builder.CreateRetVoid();
  builder.SetInsertPoint(holds);
  if (type)
    mark({SharedEventKind::Barrier}); // asking every thread was one
}

} // namespace tl::backend
