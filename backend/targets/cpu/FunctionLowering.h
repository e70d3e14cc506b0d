// SPDX-License-Identifier: MIT
//
// The lowering of one tt.func to LLVM IR: the state that its parts share. The ideas are explained
// in Lowering.h. Each group of member functions is defined in the file named above it.
#pragma once

#include "targets/cpu/Driver.h"
#include "targets/cpu/ElementTypes.h"
#include "targets/cpu/Fusion.h"
#include "targets/cpu/HostFeatures.h"
#include "targets/cpu/Index.h"
#include "targets/cpu/Scratch.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>

namespace tl::backend::cpu {

/// What the functions of one module share.
struct ModuleLowering {
  llvm::Module &module;
  const HostFeatures &features;
  const CompileOptions &options;
  std::string kernelName;
  std::vector<Site> sites;

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
/// Fills file, line and column from the innermost place in the user's source.
void setLocation(Error &error, mlir::Location location);
/// A site of a run-time failure or a print; returns its number.
uint32_t addSite(ModuleLowering &module, Site site, mlir::Location location);

/// One loop of a nest, or what is outside of all loops (level 0).
struct Level {
  /// Values that depend on no deeper loop are computed here once: before the deeper loops begin.
  llvm::BasicBlock *setup = nullptr;
  /// Where the code of this level goes on, after the deeper loops emitted so far.
  llvm::BasicBlock *tail = nullptr;
  /// What has been evaluated at this level.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Index, Lanes>, 1>> values;
  /// Digits that have been cut: (digit, number of low bits) -> high and low value.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, std::pair<llvm::Value *, llvm::Value *>> cuts;
};

/// How masks of the form "index < bound" are treated in the loop that is being emitted.
enum class MaskMode : uint8_t {
  tested, ///< they are evaluated
  full,   ///< all lanes are true
  dead    ///< no lane is true
};

/// A mask that is true for a prefix of the innermost loop.
struct PrefixMask {
  mlir::Value mask;
  llvm::SmallVector<unsigned, 4> digits; // which digits of the nest are its index
  llvm::Value *count = nullptr;          // i64: how many positions are true
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
};

struct Loop {
  llvm::PHINode *variable = nullptr;
  llvm::BasicBlock *header = nullptr;
  llvm::BasicBlock *exit = nullptr;
  llvm::Value *step = nullptr;
};

/// A pointer or integer as base + sum of stride * coordinate over the dimensions of its tensor.
struct AffineForm {
  llvm::Value *base = nullptr;              // pointer, or i64
  llvm::SmallVector<llvm::Value *> strides; // i64 for each dimension (bytes for pointers); null: 0
};

class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &module, tt::FuncOp function);

  /// Function.cpp. The code of a kernel or callee; the scratch that it needs is `scratchBytes()`.
  llvm::Function *emitKernel(llvm::StringRef symbol);
  llvm::Function *emitCallee(llvm::StringRef symbol);
  uint64_t scratchBytes() const { return scratch.bytes(); }

private:
  using Values = llvm::SmallVector<llvm::Value *, 4>;

  // ---- Function.cpp: the program as a whole, scalars
  void emitBody(std::function<void()> onReturn);
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *operation);
  void emitScalar(mlir::Operation *operation);
  llvm::Value *scalar(mlir::Value value);
  void setScalar(mlir::Value value, llvm::Value *to) { scalars[value] = to; }
  llvm::Value *constant(mlir::Attribute attribute, mlir::Type element);
  llvm::AllocaInst *stackVariable(llvm::Type *type, const llvm::Twine &name);
  llvm::Value *i64(int64_t value) { return builder.getInt64(value); }
  void emitCall(tt::CallOp call);
  void numberOperations();
  void findSinks();

  // ---- ControlFlow.cpp
  void emitFor(mlir::scf::ForOp loop);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void emitBranches(mlir::Region &region, std::function<void()> onReturn);
  void enterBlock(llvm::BasicBlock *block) { builder.SetInsertPoint(block); }
  /// Copies values into the slots or stack variables of what they are passed to, all at once.
  struct Passed {
    mlir::Value from, to;
  };
  void pass(llvm::ArrayRef<Passed> values, mlir::Operation *terminator);
  void prepareRegions(mlir::Operation *operation);
  Slot *carriedSlot(mlir::Value initial, mlir::Value carried, mlir::Operation *owner);
  bool hasWrites(mlir::Operation *operation);

  // ---- Evaluate.cpp: elements of tensors at an index
  Lanes evaluate(Nest &nest, mlir::Value value, const Index &index);
  Lanes compute(Nest &nest, mlir::Value value, const Index &index);
  Lanes evaluateElementwise(Nest &nest, mlir::OpResult result, const Index &index);
  Lanes evaluateSlot(Nest &nest, Slot &slot, mlir::Type element, const Index &index);
  Lanes evaluateConstant(Nest &nest, mlir::Value value, const Index &index);
  Lanes evaluateJoin(Nest &nest, mlir::Value low, mlir::Value high, Lanes which,
                     const Index &index);
  void storeSlot(Nest &nest, Slot &slot, mlir::Type element, const Index &index, Lanes value);
  /// For an operation that only moves elements: the operand and the index that it is read at.
  std::optional<std::pair<mlir::Value, Index>> source(Nest &nest, mlir::Value value,
                                                      const Index &index);
  llvm::Value *toVector(Nest &nest, const Lanes &lanes);
  llvm::Value *toVector(Nest &nest, const Lanes &lanes, unsigned count);
  Lanes affineOf(mlir::Operation *operation, llvm::ArrayRef<Lanes> operands);

  // ---- Digits.cpp: arithmetic on indices
  llvm::SmallVector<Digits> split(Nest &nest, const Index &index, llvm::ArrayRef<int64_t> shape);
  std::pair<Digit, Digit> cut(Nest &nest, const Digit &digit, unsigned lowBits);
  Lanes linear(Nest &nest, const Index &index);
  Index zeroIndex(mlir::Type type);
  void at(Nest &nest, unsigned level);
  void atTail(Nest &nest);

  // ---- Elementwise.cpp: one operation on scalars or vectors of registers
  llvm::Value *emitElementwise(mlir::Operation *operation, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *emitFloat(mlir::Operation *operation, llvm::ArrayRef<llvm::Value *> operands,
                         llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> emit);
  llvm::Value *emitDivision(mlir::Operation *operation, llvm::Value *a, llvm::Value *b);
  llvm::Value *emitShift(mlir::Operation *operation, llvm::Value *a, llvm::Value *b);
  llvm::Value *emitCast(mlir::Operation *operation, llvm::Value *value);
  llvm::Value *emitExtern(tt::ExternElementwiseOp operation,
                          llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *widen(llvm::Value *value, FloatFormat from);
  llvm::Value *narrow(llvm::Value *value, FloatFormat to);
  /// Emits a region of scalars on scalars or, if `isVectorisable`, on vectors.
  Values emitRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);
  static bool isVectorisable(mlir::Region &region);

  // ---- Memory.cpp
  Lanes evaluateLoad(Nest &nest, tt::LoadOp load, const Index &index);
  void emitStore(Nest &nest, tt::StoreOp store, const Lanes &pointer, const Lanes &value,
                 const Lanes &mask);
  void emitScalarLoad(tt::LoadOp load);
  void emitScalarStore(tt::StoreOp store);
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  Slot *loadInOrder(tt::LoadOp load);
  void beforeWrite(mlir::Operation *operation);

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
  bool isDeferred(mlir::Value value);
  bool isLive(mlir::Value value, llvm::ArrayRef<Sink> sinks);
  Slot *slotInPlace(mlir::Value value);

  // ---- Loops.cpp: the loop nest of a group
  void emitGroup(Group &group);
  void emitNest(llvm::ArrayRef<Sink> sinks, const Slice &slice,
                const llvm::DenseMap<mlir::Value, Slot *> &copies, bool small);
  void emitRows(Nest &nest, llvm::ArrayRef<Sink> sinks, const Slice &slice, unsigned digit,
                unsigned unroll, bool small);
  void emitInnermost(Nest &nest, llvm::ArrayRef<Sink> sinks, const Slice &slice, unsigned unroll,
                     bool small);
  void emitPoint(Nest &nest, llvm::ArrayRef<Sink> sinks, unsigned accumulator);
  void emitCounted(Nest &nest, llvm::Value *begin, llvm::Value *end, int64_t step,
                   int64_t constantTrips, llvm::function_ref<void(llvm::Value *)> body);
  Loop beginLoop(Nest &nest, llvm::Value *begin, llvm::Value *end, llvm::Value *step);
  void endLoop(Nest &nest, const Loop &loop);
  Nest newNest(unsigned lanes);
  void leaveNest(Nest &nest);
  unsigned lanesFor(const Slice &slice, int64_t count);
  void forEachElement(mlir::Type type, llvm::function_ref<void(Nest &, const Index &)> body);

  // ---- Masks.cpp
  llvm::Value *prefixCount(Nest &nest, mlir::Value mask, const Index &index, int64_t extent);
  std::optional<Lanes> knownMask(Nest &nest, mlir::Value mask, const Index &index);
  llvm::Value *allTrue(Nest &nest, const Slice &slice);
  int growth(mlir::Value value);
  bool isPrefixInAllDigits(mlir::Value mask);

  // ---- Hazards.cpp
  std::optional<AffineForm> affine(mlir::Value value);
  bool addHazards(const Group &group, llvm::SmallVectorImpl<Hazard> &hazards);
  llvm::Value *noHazard(const Hazard &hazard);

  // ---- Reduction.cpp
  struct Accumulators;
  void emitReduce(tt::ReduceOp reduce);
  bool reducesInnermost(tt::ReduceOp reduce);
  void emitColumns(llvm::ArrayRef<Sink> sinks, const Slice &slice);
  void beginReduce(Nest &nest, const Sink &sink, unsigned unroll);
  void accumulate(Nest &nest, const Sink &sink, llvm::ArrayRef<Lanes> values, unsigned accumulator,
                  llvm::Value *first);
  void endReduce(Nest &nest, const Sink &sink, const Index &index);
  llvm::Value *identity(tt::ReduceOp reduce);
  bool hasIdentity(tt::ReduceOp reduce);
  Values horizontal(mlir::Region &region, Values vectors, unsigned lanes);

  // ---- Scan.cpp
  void emitScan(tt::ScanOp scan);
  void emitHistogram(tt::HistogramOp histogram);
  void emitMap(tt::MapElementwiseOp map);

  // ---- LinearAlgebra.cpp
  void emitDotOperation(tt::DotOp dot);
  void emitDotScaled(tt::DotScaledOp dot);

  // ---- Debug.cpp
  void emitPrint(tt::PrintOp print);
  void emitAssert(tt::AssertOp assertion);
  void emitReport(uint32_t site, llvm::Value *element);

  ModuleLowering &lowering;
  tt::FuncOp function;
  llvm::LLVMContext &context;
  const HostFeatures &features;
  llvm::IRBuilder<> builder;
  llvm::Function *code = nullptr;
  llvm::BasicBlock *entry = nullptr;
  Scratch scratch;
  std::function<void()> onReturn;
  mlir::Operation *returned = nullptr;

  llvm::Value *programId[3] = {};
  llvm::Value *gridPointer = nullptr;
  llvm::Value *program = nullptr;
  llvm::SmallVector<llvm::Value *> resultPointers; // of a callee

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, Slot *> slots;
  llvm::DenseMap<mlir::Operation *, unsigned> order;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 4>> sinks; // order numbers, sorted
  llvm::DenseMap<mlir::Value, unsigned> costs;
  llvm::DenseSet<unsigned> emitted;
  llvm::SmallVector<tt::LoadOp> deferredLoads;
  llvm::SmallVector<mlir::Operation *> regionsOpen; // loops around the present operation
  Group open;
  llvm::DenseMap<mlir::Operation *, Accumulators *> accumulators;
};

} // namespace tl::backend::cpu
