// SPDX-License-Identifier: MIT
//
// Rings of buffers in shared memory: what a loop loads for later iterations lies there until it is
// read. Tensors that are read first, and last, by the same operations are a *group*, which comes
// and goes together. There are two ways to say that a buffer is full, and that it is free again.
//
// By the barrier of the program. Each iteration commits one group of copies, empty or not, and
// begins by waiting for those of `distance` iterations ago.
//   - What is read has arrived. When iteration i waits, distance + i groups have been committed,
//     and group i must be complete: so distance - 1 may go on. A thread waits for its own copies;
//     the barrier makes them everybody's, and the fence before it shows them to instructions that
//     read through another proxy.
//   - Nobody reads a buffer that is being written. A thread starts the copies of iteration
//     i + distance after the barrier of iteration i. All threads have come to that barrier, so all
//     have waited for their products of iteration i - 1, or, if products stay in flight for one
//     iteration, of i - 2. The buffer that is written now was last read in iteration
//     i + distance - buffers: with buffers = distance + 1 that is i - 1, with distance + 2 it is
//     i - 2.
//   - Products that stay in flight need the longer ring only as long as their readers are not known
//     to have read. In a short ring, of distance + 1 buffers, the threads meet once more in an
//     iteration, when all have waited for their products of i - 1, before they start the copies.
//
// By two barriers in shared memory for each buffer, where the readers are products of groups of
// warps. No group of warps waits for another one, so one multiplies while another does something
// else: they drift apart by themselves, as far as the ring reaches.
//   - `full` counts the threads, each of which arrives when its copies have come, or the bytes that
//     TMA brings. Who reads waits for it.
//   - `empty` counts the warps, each of which arrives when products that read the buffer are done.
//     Who writes waits for it, but the first time.
//   - In a short ring the copies of iteration i + distance wait for the products of i - 1, which
//     all warps wait for, and say so, before the end of iteration i, where the copies are: so
//     nobody waits for what comes after himself.
//   - Both go through their phases once in each turn of the ring: the parity of the turn is what
//     `full` is waited for with, and the other one `empty`, which is why the first wait passes.
//     Copies before the loop, at most as many as there are buffers, do without it.
//   - All threads of the program meet once barriers have been made, before any condition, so that
//     no later operation has to see to it.
//   - Nobody waits for what does not come: copies, and their arrivals, happen for iterations that
//     the loop has, and for these the readers wait and arrive as well. The copies of iteration i
//     wait for the readers of i - buffers, who wait for copies of i - buffers alone.
//
// Where a loop around the one with the copies asks for it (tt.flatten, tt.warp_specialize), its
// iterations share the rings, and copies by warps of their own (SpecializeWarps.cpp) go on to the
// next tile while the others store this one:
//
//     ring = ...; barriers                   one ring, as if both loops were one
//     for tile iter_args(p = 0)
//       for i iter_args(q = p)               positions go on where the tile before has ended
//         wait for full[q]; products; arrive at empty[q - 1]
//       arrive at empty[p' - 1]              p' is q after the loop
//       store
//       yield p'
//
//   - All that is said above of iterations is said of those of all tiles, numbered on from tile to
//     tile: copies and readers count the same, as each goes through the iterations that the loop
//     has, in order; a tile without iterations leaves the position as it is.
//   - Nothing is left over from a tile: the loop waits for all products when it ends, and then
//     says that what the last one has read is free, if products stay in flight, or are late
//     (LateProduct.h).
//   - Copies of the next tile may come before all else that this one does: nothing in the loop
//     around writes what is copied, or orders memory.
//
// Loops of a block that come one after the other share rings in the same way, if their groups are
// of described blocks of the same types: the second one's positions go on where the first one's
// have ended, and what the first one has read last becomes free after it. So nobody waits between
// them until all have come to the end of the first, and warps of their own start the copies for the
// second while the first one runs. Nothing from the first loop on writes what is copied, or orders
// memory; and there is room for the rings beside what lies between the loops.
//
// Where the blocks of a program (SplitPrograms.cpp) make the same copies at the same time, each
// brings a part of the rows to all of them. Their rings lie in the same place of each block.
//   - `full` of a block counts the bytes that come to it, whoever has sent them. Those of the next
//     turn do not come before this one's have been waited for: see `empty`.
//   - `empty` of a block counts the warps of all blocks: who copies to all waits until all have
//   read
//     what lay there.
//   - Nobody waits for what does not come, as all blocks have the same iterations: copies of
//     iteration i wait, in all blocks, for readers of i - buffers, who wait for copies of that one.
//   - All blocks meet where barriers have been made, and before one of them ends their life: none
//     is written to, or arrived at, before or after.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/Gpu.h"
#include "dialect/MatrixProducts.h"
#include "passes/StagedLoop.h"

#include <optional>

namespace tl::ttg {

/// A load whose tensor goes to shared memory.
struct PipelinedLoad {
  mlir::Operation *load; // tt.load or tt.descriptor_load
  LocalAllocOp alloc;

  bool isDescribed() const { return mlir::isa<tt::DescriptorLoadOp>(load); }
};

/// The width in bytes of the hardware's swizzle if TMA can bring blocks into memory of this type;
/// nothing otherwise.
std::optional<unsigned> swizzleOfBlocks(MemDescType type);

struct RingGroup {
  llvm::SmallVector<PipelinedLoad> loads;
  mlir::Operation *firstReader = nullptr; // of all
  WarpGroupDotWaitOp lastWait;            // after which nobody reads; null: readers are no products
  unsigned distance = 1;                  // of the copies from what reads them
  Stage stage = Stage::main;              // of the readers
  StagedLoop::Rank waitsRank = StagedLoop::mainRank;   // where readers wait for a full buffer
  StagedLoop::Rank releasesRank = StagedLoop::endRank; // where it becomes free
  /// TMA brings them.
  bool isDescribed() const { return loads[0].isDescribed(); }
  /// How many blocks of a cluster copy parts of some of them for each other.
  unsigned blocks() const;
  /// The last wait is for the products of the iteration before.
  bool isInFlight = false;
  /// Its ring has no buffer more where products stay in flight (see above).
  bool isShort = false;
  /// Who waits must know whether later copies have been started.
  bool areCopiesCounted = false;

  /// The loads of both.
  RingGroup with(const RingGroup &other) const {
    RingGroup both = *this;
    both.loads.append(other.loads);
    return both;
  }
  unsigned buffers() const { return distance + (isInFlight && !isShort ? 2 : 1); }
};

uint64_t bytesOf(MemDescType type);
/// Through which a conversion, or a store by TMA, moves its tensor; of any other operation 0.
uint64_t bytesMovedThrough(mlir::Operation *op);
/// Which a store or a sum by TMA has for itself, as it goes on while the kernel does; of any other
/// operation 0.
uint64_t bytesKeptBy(mlir::Operation *op);
uint64_t bytesOf(const RingGroup &group); // of one buffer

/// Whether shared memory, with views of it, is read by products of groups of warps alone, or for
/// them: what they take from registers.
bool isReadByWarpGroupProducts(LocalAllocOp alloc);

/// Whether the memory is that of barriers.
bool areBarriers(LocalAllocOp alloc);
/// Leaves the last barriers of a kernel as they are: they are made once, and their memory is theirs
/// until the kernel ends. All others must become invalid before it gets something else.
void keepLastBarriers(mlir::ModuleOp module);
/// Whether barriers do not become invalid.
bool stayValid(LocalAllocOp barriers);

/// The rings of a loop, with which later loops can go on.
struct LoopRings {
  /// Of a group: what must be the same for another loop.
  struct Shape {
    llvm::SmallVector<MemDescType> types; // of the memory of the loads
    Stage stage;
    unsigned blocks;
    bool isInFlight;

    bool operator==(const Shape &) const = default;
  };
  /// Nothing if threads wait for each other at barriers of the program.
  static std::optional<llvm::SmallVector<Shape>> shapesOf(llvm::ArrayRef<RingGroup> groups);
  /// Whether a loop with these groups comes after the last one in the same block, and asks for as
  /// many stages.
  bool fits(mlir::scf::ForOp loop, llvm::ArrayRef<RingGroup> groups, unsigned stages) const;

  std::optional<llvm::SmallVector<Shape>> shapes;
  unsigned stages = 0;   // that have been asked for
  unsigned distance = 0; // that there was room for
  bool areShort = false;
  mlir::scf::ForOp around; // whose iterations share the rings; null: there is none
  llvm::SmallVector<mlir::Value> memory;
  mlir::Value barriers;

  mlir::Operation *first = nullptr; // loop that uses them

  // Of the last loop that uses them.
  mlir::Operation *end = nullptr;   // the last operation that reads
  mlir::Value lower, upper;         // it has iterations if lower < upper
  RingPosition start, main, late;   // of the first iteration; of the stages' next ones
  std::optional<RingPosition> next; // where another loop begins
  llvm::SmallVector<mlir::Operation *> endsOfLife; // after it, or the loop around it
};

class BufferRings {
public:
  /// Makes copies into rings of the loads of a loop. `threads` of `warps` warps are the program's.
  /// `rings`: those of a loop before this one, which fit, or new ones, where `around` may say whose
  /// iterations share them, all of described blocks.
  BufferRings(StagedLoop &loop, llvm::ArrayRef<RingGroup> groups, unsigned warps, unsigned threads,
              LoopRings &rings);

  /// Gives an operation of the loop a condition, as StagedLoop::expand asks for it.
  static mlir::Operation *withCondition(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                        mlir::Value condition);
  /// Ends the life of the rings after the loops, and of what the last products have read, where all
  /// have been waited for.
  void finish(mlir::OpBuilder &b);

private:
  RingPosition startOfLoop();
  mlir::Operation *begin() { return rings.around ? rings.around : loop.get(); }
  mlir::Value numberBefore(mlir::OpBuilder &b, mlir::Location where, mlir::Value number) const;
  void goOn();
  mlir::Value startedUntil(mlir::OpBuilder &b, const RingGroup &group);
  void useProgramBarrier(const RingGroup &group);
  mlir::Value describe(const PipelinedLoad &load, MemDescType type);
  void useSharedBarriers(const RingGroup &group);
  llvm::SmallVector<mlir::Value> ringsOf(const RingGroup &group);
  void makeBarriers(llvm::ArrayRef<RingGroup> groups, unsigned warps, unsigned threads);
  void dropFirstWaits();
  mlir::Value barrierAt(mlir::OpBuilder &b, mlir::Location where, unsigned first,
                        mlir::Value number);
  void setStageOfViews(mlir::Operation *buffer, mlir::Value memory, Stage stage);
  void readFromRings(mlir::OpBuilder &b, const RingGroup &group, mlir::ValueRange rings);
  void copy(mlir::OpBuilder &b, const PipelinedLoad &load, mlir::Value ring, mlir::Value number,
            mlir::Value barrier);

  StagedLoop &loop;
  LoopRings &rings;
  const bool goesOn;      // with rings of a loop before this one
  const unsigned buffers; // of each group
  unsigned nextBarrier = 0, nextMemory = 0;
  bool areInClusters = false;
  bool copiesGoOn = false; // some may be on their way after the loop
};

} // namespace tl::ttg
