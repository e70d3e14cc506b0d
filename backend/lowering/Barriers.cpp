// SPDX-License-Identifier: MIT
//
// Shared memory and barriers, in two halves. While the kernel is emitted, operations say what they
// are about to do: each event is a marker in the code, each piece of scratch a global variable of
// its own. At the end the events of the finished flow graph are planned (analysis/SharedPlan.h),
// barriers are put before the markers that need them, and the variables become places in one arena.
//
// Markers stand only where all threads of the program come past together: inside a condition that
// threads may see differently, recording one is an error of the lowering.
#include "lowering/GpuLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tl::backend {

using llvm::Value;

void GpuLowering::mark(SharedEvent event) {
  if (divergent && event.kind == SharedEventKind::Place)
    return;
  if (divergent)
    llvm::report_fatal_error("threads would have to wait where not all of them come past");
  events.push_back({builder.CreateIntrinsic(llvm::Intrinsic::donothing, {}), event});
}

void GpuLowering::barrier() {
  mark({SharedEventKind::Barrier});
  target.barrier(builder);
}

/// The number of the buffer is in the upper half of an address.
GpuLowering::Scratch GpuLowering::acquire(uint64_t bytes, uint64_t alignment, bool withinWarp,
                                          bool written) {
  bytes = llvm::alignTo(std::max<uint64_t>(bytes, 1), 16);
  auto *type = llvm::ArrayType::get(builder.getInt8Ty(), bytes);
  auto *buffer = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), "scratch", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, 3);
  buffer->setAlignment(llvm::Align(alignment));
  uint64_t begin = uint64_t(buffers.size()) << 32;
  buffers.push_back(buffer);
  bufferSizes.push_back({bytes, alignment});
  Scratch scratch{begin, begin + bytes};
  SharedEvent open{SharedEventKind::Open};
  open.buffer = unsigned(begin >> 32);
  mark(open);
  if (written)
    writes(scratch, withinWarp);
  return scratch;
}

SharedEvent GpuLowering::accessOf(SharedEventKind kind, uint64_t begin, uint64_t end,
                                  bool withinWarp) {
  SharedEvent event{kind};
  event.buffer = unsigned(begin >> 32);
  event.begin = uint32_t(begin);
  event.end = event.begin + (end - begin);
  event.withinWarp = withinWarp;
  return event;
}

void GpuLowering::reads(Scratch scratch, bool withinWarp) {
  mark(accessOf(SharedEventKind::Read, scratch.begin, scratch.end, withinWarp));
}

void GpuLowering::writes(Scratch scratch, bool withinWarp) {
  mark(accessOf(SharedEventKind::Write, scratch.begin, scratch.end, withinWarp));
}

Value *GpuLowering::sharedPointer(uint64_t address, Value *moved) {
  llvm::Type *byte = builder.getInt8Ty();
  Value *pointer = buffers[address >> 32];
  if (uint64_t offset = uint32_t(address))
    pointer = builder.CreateConstInBoundsGEP1_64(byte, pointer, offset);
  return moved ? builder.CreateGEP(byte, pointer, moved) : pointer;
}

void GpuLowering::planMemory() {
  llvm::DenseMap<llvm::Instruction *, unsigned> eventAt;
  for (auto [i, event] : llvm::enumerate(events))
    eventAt[event.first] = unsigned(i);
  SharedProgram program;
  program.buffers = bufferSizes;
  // What threads leave unused when a GPU is full of them.
  program.freeBytes = std::max<uint64_t>(4096, 64 * target.lanes() * uint64_t(options.numWarps));
  llvm::DenseMap<llvm::BasicBlock *, unsigned> numbers;
  for (llvm::BasicBlock &block : *code)
    numbers[&block] = unsigned(numbers.size());
  std::vector<std::vector<llvm::Instruction *>> markers;
  for (llvm::BasicBlock &block : *code) {
    auto &made = program.blocks.emplace_back();
    auto &own = markers.emplace_back();
    for (llvm::Instruction &instruction : block)
      if (auto found = eventAt.find(&instruction); found != eventAt.end()) {
        made.events.push_back(events[found->second].second);
        own.push_back(&instruction);
      }
    for (llvm::BasicBlock *to : llvm::successors(&block))
      made.successors.push_back(numbers[to]);
  }
  SharedPlan plan = planShared(program);
#ifdef TL_CHECK_IR
  if (!isSharedPlanValid(program, plan))
    llvm::report_fatal_error("the plan of shared memory does not hold");
#endif
  for (const SharedPlan::Barrier &barrier : plan.barriers) {
    builder.SetInsertPoint(markers[barrier.block][barrier.event]);
    if (barrier.warp || options.numWarps == 1)
      target.warpBarrier(builder);
    else
      target.barrier(builder);
  }
  for (auto &[marker, event] : events)
    marker->eraseFromParent();
  events.clear();

  llvm::Type *byte = builder.getInt8Ty();
  if (buffers.empty())
    return;
  auto *arena = new llvm::GlobalVariable(
      module, llvm::ArrayType::get(byte, 0), false, llvm::GlobalValue::ExternalLinkage, nullptr,
      "shared_memory", nullptr, llvm::GlobalValue::NotThreadLocal, 3);
  uint64_t alignment = 16;
  for (auto [buffer, size, offset] : llvm::zip_equal(buffers, bufferSizes, plan.offsets)) {
    alignment = std::max(alignment, size.alignment);
    buffer->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(
        byte, arena, llvm::ConstantInt::get(builder.getInt64Ty(), offset)));
    buffer->eraseFromParent();
  }
  arena->setAlignment(llvm::Align(alignment));
  buffers.clear();
  arenaBytes = plan.bytes;
}

} // namespace tl::backend
