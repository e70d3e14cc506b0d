// SPDX-License-Identifier: MIT
#include "lowering/SharedMemory.h"

#include "arithmetic/ElementTypes.h"
#include "support/Error.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace tl::backend {

using llvm::Value;

namespace {

SharedEvent accessOf(SharedEventKind kind, Scratch scratch, bool withinWarp) {
  SharedEvent event{kind};
  event.buffer = scratch.buffer();
  event.begin = uint32_t(scratch.begin);
  event.end = event.begin + (scratch.end - scratch.begin);
  event.withinWarp = withinWarp;
  return event;
}

} // namespace

void SharedMemory::mark(SharedEvent event) {
  if (!isPlanned)
    return;
  if (divergent && event.kind == SharedEventKind::InsertionPoint)
    return;
  if (divergent)
    raise(TL_INTERNAL_ERROR, "threads would have to wait where not all of them come past");
  events.push_back({builder.CreateIntrinsic(llvm::Intrinsic::donothing, {}), event});
}

void SharedMemory::barrier() {
  mark({SharedEventKind::Barrier});
  emitBarrier();
}

void SharedMemory::emitBarrier() {
  if (isApart)
    target.threads.waitAtBarrier(builder, builder.getInt32(0), warps * target.program.lanes());
  else
    target.threads.barrier(builder);
}

Scratch SharedMemory::acquire(uint64_t bytes, uint64_t alignment, bool withinWarp, bool written) {
  bytes = llvm::alignTo(std::max<uint64_t>(bytes, 1), 16);
  auto *type = llvm::ArrayType::get(builder.getInt8Ty(), bytes);
  auto *buffer = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), "scratch", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, 3);
  buffer->setAlignment(llvm::Align(alignment));
  uint64_t begin = uint64_t(buffers.size()) << 32;
  buffers.push_back(buffer);
  sizes.push_back({bytes, alignment});
  Scratch scratch{begin, begin + bytes};
  SharedEvent open{SharedEventKind::Open};
  open.buffer = scratch.buffer();
  mark(open);
  if (written)
    writes(scratch, withinWarp);
  return scratch;
}

void SharedMemory::mark(SharedEventKind kind, Scratch scratch) {
  mark(accessOf(kind, scratch, false));
}

void SharedMemory::reads(Scratch scratch, bool withinWarp) {
  mark(accessOf(SharedEventKind::Read, scratch, withinWarp));
}

void SharedMemory::writes(Scratch scratch, bool withinWarp) {
  mark(accessOf(SharedEventKind::Write, scratch, withinWarp));
}

Scratch SharedMemory::whole(unsigned buffer) const {
  uint64_t begin = uint64_t(buffer) << 32;
  return {begin, begin + sizes[buffer].bytes};
}

Value *SharedMemory::pointer(uint64_t address, Value *moved) {
  llvm::Type *byte = builder.getInt8Ty();
  Value *pointer = buffers[address >> 32];
  if (uint64_t offset = uint32_t(address))
    pointer = builder.CreateConstInBoundsGEP1_64(byte, pointer, offset);
  return moved ? builder.CreateGEP(byte, pointer, moved) : pointer;
}

Value *SharedMemory::element(Scratch scratch, Value *index, mlir::Type element) {
  return builder.CreateGEP(memoryType(module.getContext(), element), pointer(scratch.begin), index);
}

void SharedMemory::plan(llvm::Function &code) {
  llvm::DenseMap<llvm::Instruction *, unsigned> eventAt;
  for (auto [i, event] : llvm::enumerate(events))
    eventAt[event.first] = unsigned(i);
  SharedProgram program;
  program.buffers = sizes;
  // What threads leave unused when a GPU is full of them.
  program.freeBytes = std::max<uint64_t>(4096, uint64_t(64) * target.program.lanes() * warps);
  llvm::DenseMap<llvm::BasicBlock *, unsigned> numbers;
  for (llvm::BasicBlock &block : code)
    numbers[&block] = unsigned(numbers.size());
  std::vector<std::vector<llvm::Instruction *>> markers;
  for (llvm::BasicBlock &block : code) {
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
    raise(TL_INTERNAL_ERROR, "the plan of shared memory does not hold");
#endif
  llvm::SmallVector<llvm::BasicBlock *> withBarriers;
  for (const SharedPlan::Barrier &barrier : plan.barriers)
    if (!barrier.warp)
      withBarriers.push_back(markers[barrier.block][barrier.event]->getParent());
  for (auto &[marker, event] : events)
    if (event.kind == SharedEventKind::Barrier)
      withBarriers.push_back(marker->getParent());
  dropTurns(code, withBarriers);
  for (const SharedPlan::Barrier &barrier : plan.barriers) {
    builder.SetInsertPoint(markers[barrier.block][barrier.event]);
    if (barrier.warp || warps == 1)
      target.threads.warpBarrier(builder);
    else
      emitBarrier();
  }
  for (auto &[marker, event] : events)
    marker->eraseFromParent();
  events.clear();
  if (!buffers.empty())
    placeBuffers(plan);
}

void SharedMemory::dropTurns(llvm::Function &code,
                             llvm::ArrayRef<llvm::BasicBlock *> withBarriers) {
  if (turns.empty())
    return;
  llvm::DominatorTree tree(code);
  llvm::LoopInfo loops(tree);
  llvm::DenseSet<const llvm::Loop *> waiting;
  for (llvm::BasicBlock *block : withBarriers)
    for (const llvm::Loop *loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop())
      waiting.insert(loop);
  for (auto &[number, instructions] : turns) {
    const llvm::Loop *loop = loops.getLoopFor(instructions.front()->getParent());
    if (!loop || waiting.contains(loop))
      for (llvm::Instruction *instruction : instructions)
        instruction->eraseFromParent();
  }
  turns.clear();
}

/// The buffers become offsets in one arena.
void SharedMemory::placeBuffers(const SharedPlan &plan) {
  llvm::Type *byte = builder.getInt8Ty();
  auto *arena = new llvm::GlobalVariable(
      module, llvm::ArrayType::get(byte, 0), false, llvm::GlobalValue::ExternalLinkage, nullptr,
      "shared_memory", nullptr, llvm::GlobalValue::NotThreadLocal, 3);
  uint64_t alignment = 16;
  for (auto [buffer, size, offset] : llvm::zip_equal(buffers, sizes, plan.offsets)) {
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
