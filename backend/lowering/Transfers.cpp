// SPDX-License-Identifier: MIT
//
// Copies that go on by themselves. Each thread's own copies go in groups, and a thread sees only
// its own when it has waited: the barrier that others need comes from the plan (Barriers.cpp),
// which takes a wait for a write. Boxes are started by one thread and counted by a barrier in
// shared memory; whoever waits there sees them, so no other barrier is needed.
#include "lowering/GpuLowering.h"

#include "dialect/Transfers.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"

namespace tl::backend {

using llvm::Value;

static unsigned bufferOf(uint64_t address) { return unsigned(address >> 32); }

/// Copies as wide as neighbours lie together on both sides; what no copy can do is loaded and
/// stored.
void GpuLowering::emitAsyncCopy(ttg::AsyncCopyOp op) {
  orderAccess(op.getSrc(), false);
  auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  mlir::Type element = type.getElementType();
  unsigned bytes = memoryBytes(element);
  const LinearLayout &layout = ttg::layoutOf(op.getSrc().getType());
  LinearLayout places = placesInShared(layout, type.getLayout().getMap());
  LocalMemory memory = locals.lookup(op.getDst());
  mark(accessOf(SharedEventKind::Start, memory.scratch.begin, memory.scratch.end, false));

  const Values pointers = get(op.getSrc());
  Values masks, others;
  if (op.getMask())
    masks = get(op.getMask());
  if (op.getOther())
    others = get(op.getOther());
  Grouping global = groupsOf(op.getSrc(), op.getMask());
  SharedAccess shared = sharedAccess(layout, type.getLayout().getMap(), bytes);
  while (global.bits.size() > shared.registerBits.size())
    global.bits.pop_back();
  for (unsigned i = 0; i < global.bits.size(); ++i)
    if (global.bits[i] != shared.registerBits[i])
      global.bits.truncate(i);
  while (global.width() * bytes > 16)
    global.bits.pop_back();
  bool copies = target.hasAsyncCopy(global.width() * bytes);
  emitIf(isFirstHolder(layout), [&] {
    for (unsigned first = 0; first < pointers.size(); ++first) {
      if (!global.isFirst(first) || isCopy(layout, first))
        continue;
      GlobalAccess access;
      access.pointer = pointers[first];
      access.elementBytes = bytes;
      access.elements = global.width();
      access.predicate = masks.empty() ? nullptr : masks[first];
      auto *own = access.predicate ? llvm::dyn_cast<llvm::ConstantInt>(access.predicate) : nullptr;
      if (own && own->isOne())
        access.predicate = nullptr;
      llvm::Type *type = builder.getIntNTy(bytes * 8);
      Value *to = builder.CreateGEP(type, sharedPointer(memory.scratch.begin, memory.moved),
                                    coordinate(places, first, "offset"));
      Values fill;
      bool zeros = true;
      if (access.predicate && !others.empty())
        for (unsigned i = 0; i < access.elements; ++i) {
          fill.push_back(toMemory(others[global.registerOf(first, i)], element));
          auto *constant = llvm::dyn_cast<llvm::Constant>(fill.back());
          zeros &= constant && constant->isNullValue();
        }
      if (zeros)
        fill.clear();
      if (copies && fill.empty()) {
        target.asyncCopy(builder, to, access);
        continue;
      }
      auto loaded = target.load(builder, access, fill);
      Value *vector = loaded[0];
      if (access.elements > 1) {
        vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, access.elements));
        for (unsigned i = 0; i < access.elements; ++i)
          vector = builder.CreateInsertElement(vector, loaded[i], uint64_t(i));
      }
      builder.CreateAlignedStore(vector, to, llvm::Align(uint64_t(bytes) * access.elements));
    }
  });
}

bool GpuLowering::emitTransfer(mlir::Operation *op) {
  auto pointerTo = [&](mlir::Value memory) {
    LocalMemory local = locals.lookup(memory);
    return sharedPointer(local.scratch.begin, local.moved);
  };
  auto oneThread = [&](llvm::function_ref<void()> body) { emitIf(isFirstThread(), body); };
  auto needTensorCopies = [&] {
    if (!target.hasTensorCopies())
      unsupported(op, "has no barriers in shared memory and no copies of boxes");
  };
  return llvm::TypeSwitch<mlir::Operation *, bool>(op)
      .Case([&](ttg::AsyncCopyOp copy) { return emitAsyncCopy(copy), true; })
      .Case([&](ttg::AsyncCommitGroupOp) { return target.asyncCommit(builder), true; })
      .Case([&](ttg::AsyncWaitOp wait) {
        target.asyncWait(builder, wait.getNum());
        SharedEvent event{SharedEventKind::Wait};
        event.remaining = wait.getNum();
        mark(event);
        return true;
      })
      .Case([&](ttg::InitBarrierOp init) {
        needTensorCopies();
        writes(locals.lookup(init.getBarrier()).scratch);
        oneThread(
            [&] { target.barrierInit(builder, pointerTo(init.getBarrier()), init.getCount()); });
        return true;
      })
      .Case([&](ttg::InvalBarrierOp inval) {
        needTensorCopies();
        writes(locals.lookup(inval.getBarrier()).scratch);
        oneThread([&] { target.barrierInvalidate(builder, pointerTo(inval.getBarrier())); });
        return true;
      })
      .Case([&](ttg::BarrierExpectOp expect) {
        needTensorCopies();
        reads(locals.lookup(expect.getBarrier()).scratch);
        oneThread([&] {
          target.barrierExpect(builder, pointerTo(expect.getBarrier()), expect.getBytes());
        });
        return true;
      })
      .Case([&](ttg::ArriveBarrierOp arrive) {
        needTensorCopies();
        barrier(); // all threads have come this far
        oneThread([&] {
          target.barrierArrive(builder, pointerTo(arrive.getBarrier()), arrive.getCount());
        });
        return true;
      })
      .Case([&](ttg::WaitBarrierOp wait) {
        needTensorCopies();
        Scratch scratch = locals.lookup(wait.getBarrier()).scratch;
        reads(scratch);
        target.barrierWait(builder, pointerTo(wait.getBarrier()), scalar(wait.getPhase()));
        for (unsigned buffer : arriving[bufferOf(scratch.begin)]) {
          SharedEvent event{SharedEventKind::Arrive};
          event.buffer = buffer;
          mark(event);
        }
        return true;
      })
      .Case([&](ttg::TmaLoadOp load) {
        needTensorCopies();
        LocalMemory memory = locals.lookup(load.getDst());
        Scratch barrier = locals.lookup(load.getBarrier()).scratch;
        arriving[bufferOf(barrier.begin)].insert(bufferOf(memory.scratch.begin));
        // What was read or written there before is done, for the copy unit too.
        target.orderTensorCopies(builder, true);
        reads(barrier);
        mark(accessOf(SharedEventKind::Start, memory.scratch.begin, memory.scratch.end, false));
        oneThread([&] {
          Values coordinates;
          for (mlir::Value coordinate : llvm::reverse(load.getCoordinates()))
            coordinates.push_back(scalar(coordinate));
          target.tensorLoad(builder, pointerTo(load.getDst()), scalar(load.getMap()), coordinates,
                            pointerTo(load.getBarrier()));
        });
        return true;
      })
      .Case<ttg::TmaStoreOp, ttg::TmaReduceOp>([&](auto store) {
        needTensorCopies();
        LocalMemory memory = locals.lookup(store.getSrc());
        target.orderTensorCopies(builder, true);
        reads(memory.scratch);
        leaving.insert(bufferOf(memory.scratch.begin));
        std::optional<tt::DescriptorReduceKind> kind;
        if (auto reduce = mlir::dyn_cast<ttg::TmaReduceOp>(op))
          kind = reduce.getKind();
        oneThread([&] {
          Values coordinates;
          for (mlir::Value coordinate : llvm::reverse(store.getCoordinates()))
            coordinates.push_back(scalar(coordinate));
          target.tensorStore(builder, scalar(store.getMap()), coordinates,
                             pointerTo(store.getSrc()), kind);
        });
        return true;
      })
      .Case([&](ttg::TmaStoreWaitOp wait) {
        needTensorCopies();
        // Threads that did not start copies have none to wait for.
        target.tensorStoreWait(builder, wait.getNum(), false);
        for (unsigned buffer : leaving)
          reads({uint64_t(buffer) << 32, (uint64_t(buffer) << 32) + bufferSizes[buffer].bytes});
        return true;
      })
      .Default([](mlir::Operation *) { return false; });
}

} // namespace tl::backend
