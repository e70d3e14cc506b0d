// SPDX-License-Identifier: MIT
//
// The lowering of one tt.func to LLVM IR: the state that its parts share. The ideas are explained
// in Lowering.h. Each group of member functions is defined in the file named above it; operations
// that are carried out where they stand have functions of their own, see Operations.h.
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
struct PrefixBound {
  llvm::Value *least = nullptr, *most = nullptr;
};

/// A mask that is true for a prefix of the innermost loop.
struct PrefixMask {
  mlir::Value mask;
  llvm::SmallVector<unsigned, 4> digits; // which digits of the nest are its index
  PrefixBound prefix;
};

/// A loop nest that is being emitted.
struct Nest {
  unsigned lanes = 1;
  Digits digits; // the current point
  llvm::SmallVector<Level, 4> levels;
  MaskMode mode = MaskMode::tested;
  llvm::SmallVector<PrefixMask, 4> masks;
  /// Values that this nest stores into their buffers: computed here, not read back.
  llvm::DenseSet<mlir::Value> producing;
  /// Loads whose elements were copied to scratch because of a hazard.
  llvm::DenseMap<mlir::Value, ScratchBuffer *> copies;
  /// Stores go past the caches: their addresses are whole vectors, see Streaming.cpp.
  bool streaming = false;
  /// What prefixCount has found in the innermost loop that is being emitted.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, PrefixBound>, 1>> prefixes;
  /// Masks that have been found true for the whole tensor.
  llvm::DenseSet<mlir::Value> trueMasks;
};

using Copies = llvm::DenseMap<mlir::Value, ScratchBuffer *>;

/// The accumulators and results of a reduction that is being emitted.
struct Accumulators {
  llvm::SmallVector<llvm::SmallVector<llvm::AllocaInst *, 2>, 4> parts; // [accumulator][source]
  bool fast = false;                                                    // see isFastExtremum
};

/// What a loop nest is to do.
struct NestPlan {
  llvm::SmallVector<FusionRoot> roots;
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
  unsigned partials = 0;                        // of these, see fixedPartials
  llvm::SmallVector<Accumulators> accumulators; // for each fusion root
};

/// A pointer or integer as base + sum of stride * coordinate over the dimensions of its tensor.
struct AffineForm {
  llvm::Value *base = nullptr;              // pointer, or i64
  llvm::SmallVector<llvm::Value *> strides; // i64 for each dimension (bytes for pointers); null: 0
  llvm::Value *isValid = nullptr;           // whether it does: that no offset wraps; null: always
};

using Values = llvm::SmallVector<llvm::Value *, 4>;
using AffineForms = llvm::DenseMap<mlir::Value, AffineForm>;

class FunctionLowering : public ElementwiseEmitter {
public:
  FunctionLowering(ModuleLowering &module, tt::FuncOp function);

  /// Function.cpp. The code of a kernel or callee; the scratch that it needs is `scratchBytes()`.
  llvm::Function *emitKernel(llvm::StringRef symbol);
  llvm::Function *emitCallee(llvm::StringRef symbol);
  uint64_t scratchBytes() const { return scratch.bytes(); }

  // What the functions of operations use; see arithmetic/Elementwise.h.
  using ElementwiseEmitter::builder;
  using ElementwiseEmitter::context;
  using ElementwiseEmitter::emitElementwise;
  using ElementwiseEmitter::emitTripCount;
  using ElementwiseEmitter::narrow;
  using ElementwiseEmitter::widen;

  // ---- Function.cpp: the program as a whole, scalars
  void emitBody(std::function<void()> whenDone);
  void emitBlock(mlir::Block &entered, llvm::function_ref<void(mlir::Operation *)> terminate);
  void emitOperation(mlir::Operation *operation);
  llvm::Value *scalar(mlir::Value value);
  void setScalar(mlir::Value value, llvm::Value *to) { scalars[value] = to; }
  llvm::Value *constant(mlir::Attribute attribute, mlir::Type element);
  llvm::AllocaInst *stackVariable(llvm::Type *type, const llvm::Twine &name);
  llvm::Value *i64(int64_t value) { return builder.getInt64(value); }

  // ---- ControlFlow.cpp
  void enterBlock(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }

  // ---- Evaluate.cpp: elements of tensors at an index
  Lanes evaluate(Nest &nest, mlir::Value value, const Index &index);
  Lanes loadBuffer(Nest &nest, ScratchBuffer &buffer, mlir::Type element, const Index &index);
  void storeBuffer(Nest &nest, ScratchBuffer &buffer, mlir::Type element, const Index &index,
                   Lanes value);
  /// For an operation that only moves elements: the operand and the index that it is read at.
  std::optional<std::pair<mlir::Value, Index>> source(Nest &nest, mlir::Value value,
                                                      const Index &index);
  llvm::Value *toVector(Nest &nest, const Lanes &lanes);
  /// Affine.cpp. The lanes of integer or pointer arithmetic whose operands are uniform or affine
  /// lanes, one at least affine; no value where the result is not affine, or not known to be: a
  /// product of two affine operands, or an extension of numbers that may wrap. Operands 100 + 4 *
  /// lane and 7 give for arith.addi 107 + 4 * lane. With `assumesNoWrap`, neighbours of at least 32
  /// bits are taken not to wrap, which is right only for addresses; the result says whether that
  /// was used.
  Lanes affineOf(mlir::Operation *operation, llvm::ArrayRef<Lanes> operands, bool assumesNoWrap);

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
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  /// `own`: also what the operation itself reads.
  void beforeWrite(mlir::Operation *operation, bool own);

  // ---- Fusion.cpp: which values are materialised, and which fusion roots share a loop nest
  void addRoot(FusionRoot root);
  void flush();
  ScratchBuffer *materialise(mlir::Value value, ScratchBuffer *target = nullptr);
  Slice sliceOf(llvm::ArrayRef<FusionRoot> roots);
  unsigned cost(mlir::Value value);
  /// Whether an operation that has not been emitted and is not in the group needs the value.
  bool isWanted(mlir::Value value, const Group *group = nullptr);
  ScratchBuffer *bufferInPlace(mlir::Value value);
  uint64_t bufferBytes(mlir::Type type);
  /// Forgets buffers that hold outer values only in the block that is being left.
  struct BlockScope;
  /// While it lives, code comes before the group: what the group is to store is computed where it
  /// is needed.
  struct NotYetStored {
    NotYetStored(FunctionLowering &owner, const Group &group);
    NotYetStored(const NotYetStored &) = delete;
    NotYetStored &operator=(const NotYetStored &) = delete;
    ~NotYetStored();
    FunctionLowering &owner;
    llvm::SmallVector<std::pair<mlir::Value, ScratchBuffer *>> stored;
  };

  // ---- Groups.cpp
  void emitGroup(Group &group);
  ScratchBuffer *copyLoaded(mlir::Value value, const Copies &copies);
  void forEachElement(mlir::Type type, llvm::function_ref<void(Nest &, const Index &)> body);

  // ---- Loops.cpp: the loop nest of a group
  void emitNest(llvm::ArrayRef<FusionRoot> roots, const Copies &copies, bool small);
  void emitPoint(Nest &nest, NestPlan &plan, unsigned accumulator);
  NestPlan planNest(llvm::ArrayRef<FusionRoot> roots, bool small);
  void splitByMasks(Nest &nest, llvm::Value *inside, const llvm::DenseSet<mlir::Value> &masks,
                    llvm::function_ref<void(Nest &)> emit);
  void emitCounted(Nest &nest, llvm::Value *begin, llvm::Value *end, int64_t step, unsigned cost,
                   llvm::function_ref<void(llvm::Value *)> body);
  Nest newNest(unsigned lanes);
  void leaveNest(Nest &nest);

  // ---- Masks.cpp
  PrefixBound prefixCount(Nest &nest, mlir::Value mask, const Index &index, int64_t extent);
  std::optional<Lanes> knownMask(Nest &nest, mlir::Value mask, const Index &index);
  llvm::Value *allTrue(Nest &nest, const Slice &slice, llvm::DenseSet<mlir::Value> &masks);

  // ---- Streaming.cpp
  /// Whether the stores of the innermost loop may and should go past the caches; null: never.
  llvm::Value *shouldStream(Nest &nest, const NestPlan &plan, unsigned digit);
  void markStreaming(llvm::StoreInst *store);
  void fenceStreams();

  // ---- Hazards.cpp
  bool isAffine(mlir::Value value);
  AffineForm affine(mlir::Value value);
  /// The hazards of the fusion roots; loads that conflict in a way that no test can decide go to
  /// `copied`.
  bool findHazards(llvm::ArrayRef<FusionRoot> roots, const Slice &slice,
                   llvm::SmallVectorImpl<Hazard> &hazards,
                   llvm::SmallVectorImpl<mlir::Value> &copied);
  llvm::Value *noHazard(const Hazard &hazard);

  // ---- Reduction.cpp
  bool reducesInnermost(tt::ReduceOp reduce);
  /// How many partial results a deterministic launch keeps along the innermost axis: element i is
  /// combined into number i modulo that. 0: as many as are fast, or the axis is another one.
  unsigned fixedPartials(tt::ReduceOp reduce);
  unsigned fixedPartials(llvm::ArrayRef<FusionRoot> roots);
  /// Whether an index of the slice changes its form within that many neighbours.
  static bool cutsPartials(unsigned partials, const Slice &slice);
  void emitColumns(llvm::ArrayRef<FusionRoot> roots, const Copies &copies);
  void beginReduce(Nest &nest, const FusionRoot &root, Accumulators &accumulators, unsigned unroll);
  void accumulate(Nest &nest, const FusionRoot &root, Accumulators &accumulators,
                  llvm::ArrayRef<Lanes> values, unsigned accumulator, llvm::Value *first);
  void endReduce(Nest &nest, const FusionRoot &root, Accumulators &accumulators,
                 const Index &index);
  void finishReduce(const FusionRoot &root, const Copies &copies);
  bool isFastExtremum(llvm::ArrayRef<FusionRoot> roots, const FusionRoot &root);
  llvm::Constant *identity(tt::ReduceOp reduce);
  void reducedField(tt::ReduceOp reduce, unsigned &low, unsigned &high);
  Values emitScalarRegion(Nest &nest, mlir::Region &region,
                          llvm::ArrayRef<llvm::Value *> arguments);

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
  llvm::DenseMap<mlir::Value, ScratchBuffer *> buffers;
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  unsigned current = 0; // operations numbered below have been emitted or are in the open group
  llvm::DenseMap<mlir::Value, unsigned> costs;
  Ramps ramps;
  llvm::DenseMap<mlir::Value, bool> affineValues;
  llvm::DenseMap<mlir::Value, std::optional<size_t>> unitDimensions;
  mlir::Block *block = nullptr;            // that is being emitted
  llvm::SmallVector<mlir::Value> borrowed; // outer values that were given a buffer in it
  llvm::SmallVector<tt::LoadOp> deferredLoads;
  Group open;
  llvm::SmallVector<const Group *> waiting; // being emitted, once what they need is there
  /// Scalar results of reductions on their way out of the nest.
  llvm::DenseMap<mlir::Value, llvm::AllocaInst *> reduced;
  bool streams = false;                   // some store goes past the caches
  llvm::DenseSet<mlir::Operation *> fast; // reductions whose result must be looked at
};

/// An operation whose tensor results are computed where they are used.
bool isDeferred(mlir::Operation *operation);
/// Whether affineOf knows the operation.
bool hasAffineRule(mlir::Operation *operation);
/// Calls the report hook if the condition holds. `element` null: no element. (Debug.cpp)
void reportIf(FunctionLowering &f, llvm::Value *condition, uint32_t site, llvm::Value *element);

} // namespace tl::backend::cpu
