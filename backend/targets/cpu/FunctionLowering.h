// SPDX-License-Identifier: MIT
//
// The lowering of one tt.func to LLVM IR: the state that its parts share. The ideas are explained
// in Lowering.h. Each group of member functions is defined in the file named above it.
#pragma once

#include "arithmetic/ElementTypes.h"
#include "arithmetic/Elementwise.h"
#include "targets/cpu/Dot.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/Fusion.h"
#include "targets/cpu/HostFeatures.h"
#include "targets/cpu/Index.h"
#include "targets/cpu/Ramps.h"
#include "targets/cpu/Scratch.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <functional>

namespace tl::backend::cpu {

/// What the functions of one module share.
struct ModuleLowering {
  ModuleLowering(llvm::Module &module, const HostFeatures &features, const CompileOptions &options)
      : module(module), features(features), options(options) {}

  llvm::Module &module;
  const HostFeatures &features;
  const CompileOptions &options;
  std::vector<Site> sites;
  bool hasAtomics = false; // or calls of functions that may have them

  /// A function that is called (noinline): its code and the scratch it needs.
  struct Callee {
    llvm::Function *function = nullptr;
    uint64_t scratchBytes = 0;
    bool inProgress = false;
  };
  llvm::DenseMap<mlir::Operation *, Callee> callees;

  /// The callee's code, emitted on first use.
  const Callee &callee(tt::FuncOp function);
};

/// The error of an operation that the CPU target does not offer, with the user's line.
[[noreturn]] void unsupported(mlir::Operation *operation, const llvm::Twine &message);
/// A site of a run-time failure or a print; returns its number.
uint32_t addSite(ModuleLowering &module, Site site, mlir::Location location);

/// One loop of a nest, or what is outside of all loops (level 0).
struct Level {
  /// Values that depend on no deeper loop are computed here once: before the deeper loops begin.
  llvm::BasicBlock *setup = nullptr;
  /// Where the code of this level goes on, after the deeper loops emitted so far.
  llvm::BasicBlock *tail = nullptr;
  /// What has been evaluated at this level.
  using Evaluated = llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, Lanes>, 1>>;
  Evaluated values, addresses;
  /// Digits that have been cut: (digit, number of low bits) -> high and low value.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, std::pair<llvm::Value *, llvm::Value *>> cuts;
};

/// How masks of the form "index < bound" are treated in the loop that is being emitted.
enum class MaskMode : uint8_t {
  tested, ///< they are evaluated
  full,   ///< all lanes are true
  dead    ///< no lane is true
};

/// How far a mask is true along the innermost loop: i64. All positions before `least` are, and none
/// from `most` on. They differ only for a mask of numbers that wrap.
struct Prefix {
  llvm::Value *least = nullptr, *most = nullptr;
};

/// A mask that is true for a prefix of the innermost loop.
struct PrefixMask {
  mlir::Value mask;
  llvm::SmallVector<unsigned, 4> digits; // which digits of the nest are its index
  Prefix prefix;
};

/// A loop nest that is being emitted.
struct Nest {
  unsigned lanes = 1;
  Digits digits; // the current point
  llvm::SmallVector<Level, 4> levels;
  MaskMode mode = MaskMode::tested;
  llvm::SmallVector<PrefixMask, 4> masks;
  /// Values that this nest stores into their slots: computed here, not read back.
  llvm::DenseSet<mlir::Value> producing;
  /// Loads whose elements were copied to scratch because of a hazard.
  llvm::DenseMap<mlir::Value, Slot *> copies;
  /// Stores go past the caches: their addresses are whole vectors, see Streaming.cpp.
  bool streaming = false;
  /// What prefixCount has found in the innermost loop that is being emitted.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, Prefix>, 1>> prefixes;
  /// Masks that have been found true for the whole tensor.
  llvm::DenseSet<mlir::Value> trueMasks;
};

using Copies = llvm::DenseMap<mlir::Value, Slot *>;

/// The accumulators and results of a reduction that is being emitted.
struct Accumulators {
  llvm::SmallVector<llvm::SmallVector<llvm::AllocaInst *, 2>, 4> parts; // [accumulator][source]
  bool quick = false;                                                   // see quickExtremum
};

/// What a loop nest is to do.
struct NestPlan {
  llvm::SmallVector<Sink> sinks;
  Slice slice;
  unsigned lanes = 1, unroll = 1;
  bool small = false; // little code rather than fast code
  /// The digits of the nest that need a loop, in loop order, as indices into Nest::digits; the last
  /// one carries the lanes if any does.
  llvm::SmallVector<unsigned, 4> loops;
  /// For each digit of the nest its lowest bit in the linear index.
  llvm::SmallVector<unsigned, 4> lowBit;
  /// Reductions over the innermost axis: its bits; 0 if there are none.
  unsigned reducedBits = 0;
  llvm::SmallVector<Accumulators> accumulators; // for each sink
};

/// A pointer or integer as base + sum of stride * coordinate over the dimensions of its tensor.
struct AffineForm {
  llvm::Value *base = nullptr;              // pointer, or i64
  llvm::SmallVector<llvm::Value *> strides; // i64 for each dimension (bytes for pointers); null: 0
  llvm::Value *holds = nullptr;             // whether it does: that no offset wraps; null: always
};

using AffineForms = llvm::DenseMap<mlir::Value, AffineForm>;

class FunctionLowering : private ElementwiseEmitter {
public:
  FunctionLowering(ModuleLowering &module, tt::FuncOp function);

  /// Function.cpp. The code of a kernel or callee; the scratch that it needs is `scratchBytes()`.
  llvm::Function *emitKernel(llvm::StringRef symbol);
  llvm::Function *emitCallee(llvm::StringRef symbol);
  uint64_t scratchBytes() const { return scratch.bytes(); }

private:
  using Values = llvm::SmallVector<llvm::Value *, 4>;

  // ---- Function.cpp: the program as a whole, scalars
  void emitBody(std::function<void()> whenDone);
  void emitBlock(mlir::Block &entered, llvm::function_ref<void(mlir::Operation *)> terminate);
  void emitOperation(mlir::Operation *operation);
  void emitScalar(mlir::Operation *operation);
  llvm::Value *scalar(mlir::Value value);
  void setScalar(mlir::Value value, llvm::Value *to) { scalars[value] = to; }
  llvm::Value *constant(mlir::Attribute attribute, mlir::Type element);
  llvm::AllocaInst *stackVariable(llvm::Type *type, const llvm::Twine &name);
  llvm::Value *i64(int64_t value) { return builder.getInt64(value); }
  void emitCall(tt::CallOp call);
  void numberOperations();

  // ---- ControlFlow.cpp
  void emitFor(mlir::scf::ForOp loop);
  void emitGridBarrier(tt::GridBarrierOp barrier);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void emitBranches(mlir::Region &region, llvm::function_ref<void(mlir::Operation *)> leave);
  void enterBlockForPhis(llvm::BasicBlock *target, mlir::Block &from);
  void keepForOtherBlocks(mlir::Block &from);
  void enterBlock(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }
  /// Copies values into the slots or stack variables of what they are passed to, all at once.
  struct Passed {
    mlir::Value from;
    Slot *to;
  };
  void pass(llvm::ArrayRef<Passed> all);
  Values passOn(llvm::ArrayRef<Slot *> carried, mlir::ValueRange values);
  Slot *carriedSlot(mlir::Value initial, mlir::Operation *loop);
  void prepareRegions(mlir::Operation *operation);
  /// A region of scalars with branches, run inline.
  Values emitBranchingRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);
  bool hasWrites(mlir::Operation *operation);

  // ---- Evaluate.cpp: elements of tensors at an index
  Lanes evaluate(Nest &nest, mlir::Value value, const Index &index);
  Lanes compute(Nest &nest, mlir::Value value, const Index &index);
  Lanes evaluateElementwise(Nest &nest, mlir::OpResult result, const Index &index);
  Lanes evaluateSlot(Nest &nest, Slot &slot, mlir::Type element, const Index &index);
  Lanes evaluateConstant(Nest &nest, mlir::Value value, const Index &index);
  Lanes evaluateJoin(Nest &nest, mlir::Value low, mlir::Value high, Lanes which, const Index &index,
                     unsigned level);
  void storeSlot(Nest &nest, Slot &slot, mlir::Type element, const Index &index, Lanes value);
  /// For an operation that only moves elements: the operand and the index that it is read at.
  std::optional<std::pair<mlir::Value, Index>> source(Nest &nest, mlir::Value value,
                                                      const Index &index);
  llvm::Value *toVector(Nest &nest, const Lanes &lanes);
  llvm::Value *divideByUniform(Nest &nest, const Lanes &dividend, llvm::Value *divisor);
  Lanes affineOf(mlir::Operation *operation, llvm::ArrayRef<Lanes> operands, bool goesOn);
  Lanes spreadOf(Nest &nest, tt::AddPtrOp add, const Lanes &pointer, const Lanes &offset);

  // ---- Digits.cpp: arithmetic on indices
  llvm::SmallVector<Digits> split(Nest &nest, const Index &index, llvm::ArrayRef<int64_t> shape);
  std::pair<Digit, Digit> cut(Nest &nest, const Digit &digit, unsigned lowBits);
  Lanes linear(Nest &nest, const Index &index);
  Index indexOf(mlir::Type type, int64_t position);
  Index zeroIndex(mlir::Type type);
  Index lastIndex(mlir::Type type);
  void at(Nest &nest, unsigned level);
  void atTail(Nest &nest);

  // ---- Regions.cpp
  /// Emits a region of scalars on scalars or, if `isVectorisable`, on vectors.
  Values emitRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);
  static bool isVectorisable(mlir::Region &region);

  // ---- Memory.cpp
  Lanes evaluateLoad(Nest &nest, tt::LoadOp load, const Index &index);
  Lanes address(Nest &nest, mlir::Value value, const Index &index);
  Lanes pointerAt(Nest &nest, mlir::Value pointer, const Index &index);
  void emitStore(Nest &nest, tt::StoreOp store, const Lanes &pointer, const Lanes &value,
                 const Lanes &mask);
  void emitScalarLoad(tt::LoadOp load);
  void emitScalarStore(tt::StoreOp store);
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  /// `own`: also what the operation itself reads.
  void beforeWrite(mlir::Operation *operation, bool own);

  // ---- Atomics.cpp
  void emitAtomic(mlir::Operation *operation);
  llvm::Value *emitAtomicElement(mlir::Operation *operation,
                                 llvm::ArrayRef<llvm::Value *> operands);
  void emitPoll(tt::AtomicPollOp poll);

  // ---- Fusion.cpp: which values are materialised, and which sinks share a loop nest
  void addSink(Sink sink);
  void flush();
  Slot *materialise(mlir::Value value, Slot *target = nullptr);
  bool canJoin(const Sink &sink, const Slice &slice);
  Slice sliceOf(llvm::ArrayRef<Sink> sinks);
  void walk(Slice &slice, mlir::Value value, Bits bits);
  void addTees(Group &group);
  llvm::SmallVector<mlir::Value> replicated(const Group &group);
  unsigned cost(mlir::Value value);
  void walkDefinition(Slice &slice, mlir::Value value, const Bits &bits);
  void walkSink(Slice &slice, const Sink &sink);
  /// Whether an operation that has not been emitted and is not in the group needs the value.
  bool isWanted(mlir::Value value, const Group *group = nullptr);
  Slot *slotInPlace(mlir::Value value);
  uint64_t slotBytes(mlir::Type type);
  /// Forgets slots that hold outer values only in the block that is being left.
  struct BlockScope;

  // ---- Groups.cpp
  void emitGroup(Group &group);
  Slot *copyLoaded(mlir::Value value, const Copies &copies);
  void forEachElement(mlir::Type type, llvm::function_ref<void(Nest &, const Index &)> body);

  // ---- Loops.cpp: the loop nest of a group
  void emitNest(llvm::ArrayRef<Sink> sinks, const Copies &copies, bool small);
  void emitRows(Nest &nest, NestPlan &plan, unsigned depth);
  void emitInnermost(Nest &nest, NestPlan &plan, unsigned depth);
  void emitPoint(Nest &nest, NestPlan &plan, unsigned accumulator);
  NestPlan planNest(llvm::ArrayRef<Sink> sinks, bool small);
  void inNewLevel(Nest &nest, llvm::function_ref<void()> body);
  void splitByMasks(Nest &nest, llvm::Value *inside, const llvm::DenseSet<mlir::Value> &masks,
                    llvm::function_ref<void(Nest &)> emit);
  void emitCounted(Nest &nest, llvm::Value *begin, llvm::Value *end, int64_t step, unsigned cost,
                   llvm::function_ref<void(llvm::Value *)> body);
  Nest newNest(unsigned lanes);
  void leaveNest(Nest &nest);

  // ---- Masks.cpp
  Prefix prefixCount(Nest &nest, mlir::Value mask, const Index &index, int64_t extent);
  Prefix findPrefix(Nest &nest, mlir::Value mask, const Index &index, int64_t extent);
  std::optional<Lanes> knownMask(Nest &nest, mlir::Value mask, const Index &index);
  llvm::Value *allTrue(Nest &nest, const Slice &slice, llvm::DenseSet<mlir::Value> &masks);
  bool isPrefix(mlir::Value mask, llvm::SmallVectorImpl<mlir::Value> &found);
  bool fallsOnce(mlir::arith::CmpIOp compare, llvm::SmallVectorImpl<mlir::Value> &found);
  mlir::Value unextended(mlir::Value value);

  // ---- Streaming.cpp
  /// Whether the stores of the innermost loop may and should go past the caches; null: never.
  llvm::Value *shouldStream(Nest &nest, const NestPlan &plan, unsigned digit);
  void markStreaming(llvm::StoreInst *store);
  void fenceStreams();

  // ---- Hazards.cpp
  bool isAffine(mlir::Value value);
  bool findAffine(mlir::Value value);
  AffineForm affine(mlir::Value value);
  AffineForm findAffineForm(mlir::Value value, AffineForms &known);
  AffineForm makeAffineForm(mlir::Value value, AffineForms &known);
  llvm::Value *staysInside(const AffineForm &form, mlir::Value value);
  /// The hazards of the sinks; loads that conflict in a way that no test can decide go to `copied`.
  bool findHazards(llvm::ArrayRef<Sink> sinks, const Slice &slice,
                   llvm::SmallVectorImpl<Hazard> &hazards,
                   llvm::SmallVectorImpl<mlir::Value> &copied);
  llvm::Value *noHazard(const Hazard &hazard);

  // ---- Reduction.cpp
  void emitReduce(tt::ReduceOp reduce);
  bool reducesInnermost(tt::ReduceOp reduce);
  void emitColumns(llvm::ArrayRef<Sink> sinks, const Copies &copies);
  void beginReduce(Nest &nest, const Sink &sink, Accumulators &accumulators, unsigned unroll);
  void accumulate(Nest &nest, const Sink &sink, Accumulators &accumulators,
                  llvm::ArrayRef<Lanes> values, unsigned accumulator, llvm::Value *first);
  void endReduce(Nest &nest, const Sink &sink, Accumulators &accumulators, const Index &index);
  void finishReduce(const Sink &sink, const Copies &copies);
  bool quickExtremum(llvm::ArrayRef<Sink> sinks, const Sink &sink);
  llvm::Constant *identity(tt::ReduceOp reduce);
  void reducedField(tt::ReduceOp reduce, unsigned &low, unsigned &high);
  Values emitScalarRegion(Nest &nest, mlir::Region &region,
                          llvm::ArrayRef<llvm::Value *> arguments);
  Values horizontal(Values vectors, unsigned lanes,
                    llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> combine);
  llvm::Constant *neutralElement(tt::ReduceOp reduce, const Accumulators &accumulators);
  Values quickCombine(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);

  // ---- Scan.cpp
  void emitScan(tt::ScanOp scan);
  void emitHistogram(tt::HistogramOp histogram);
  void emitMap(tt::MapElementwiseOp map);

  // ---- LinearAlgebra.cpp
  void emitDotOperation(tt::DotOp dot);
  std::optional<size_t> unitDimension(mlir::Value value);
  std::optional<size_t> findUnitDimension(mlir::Value value);
  DotOperand dotOperand(mlir::Value value, Slot *&slot);
  Values denseStrides(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  Slot *copyUnless(llvm::Value *holds, mlir::Value value, llvm::ArrayRef<int64_t> permutation,
                   llvm::Value *&pointer, Values &strides);
  Slot *dotAccumulator(mlir::Operation *operation, mlir::Value initial, mlir::Value result,
                       llvm::ArrayRef<Slot *> operands);
  void emitProduct(const DotSpec &spec, const DotOperand &a, const DotOperand &b, Slot *c);
  bool loadsColumns(tt::LoadOp load);
  void layOperandsAsLoaded();

  // ---- ScaledProducts.cpp
  void emitDotScaled(tt::DotScaledOp dot);
  llvm::Value *decodeE2m1(llvm::Value *nibble);
  Slot *decodeScaled(tt::DotScaledOp dot, mlir::Value value, mlir::Value scales,
                     tt::ScaleDotElemType type, bool packLast, bool depthLast, int64_t batch,
                     int64_t rows, int64_t columns);

  // ---- Debug.cpp
  void emitPrint(tt::PrintOp print);
  void emitAssert(tt::AssertOp assertion);
  void reportIf(llvm::Value *condition, uint32_t site, llvm::Value *element);

  ModuleLowering &lowering;
  const HostFeatures &features;
  tt::FuncOp function;
  llvm::Function *code = nullptr;
  llvm::BasicBlock *entry = nullptr;
  Scratch scratch;
  std::function<void()> onReturn;

  llvm::Value *programId[3] = {};
  llvm::Value *gridPointer = nullptr;
  llvm::Value *program = nullptr;
  llvm::SmallVector<llvm::Value *> resultPointers; // of a callee

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, Slot *> slots;
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  unsigned current = 0; // operations numbered below have been emitted or are in the open group
  llvm::DenseMap<mlir::Value, unsigned> costs;
  Ramps ramps;
  llvm::DenseMap<mlir::Value, bool> affineValues;
  llvm::DenseMap<mlir::Value, std::optional<size_t>> unitDimensions;
  mlir::Block *block = nullptr;            // that is being emitted
  llvm::SmallVector<mlir::Value> borrowed; // outer values that were given a slot in it
  llvm::SmallVector<tt::LoadOp> deferredLoads;
  Group open;
  llvm::SmallVector<const Group *> waiting; // being emitted, once what they need is there
  /// Scalar results of reductions on their way out of the nest.
  llvm::DenseMap<mlir::Value, llvm::AllocaInst *> reduced;
  bool streams = false;                    // some store goes past the caches
  llvm::DenseSet<mlir::Operation *> quick; // reductions whose result must be looked at
};

/// An operation whose tensor results are computed where they are used.
bool isDeferred(mlir::Operation *operation);

} // namespace tl::backend::cpu
