// SPDX-License-Identifier: MIT
//
// From TTGIR to LLVM IR for one thread of a GPU.
//
// A tensor with a layout is, for a thread, one LLVM value for each register of the layout: register
// r of this thread holds the element at layout(r, lane, warp). So an elementwise operation is the
// same scalar operation once a register, a broadcast is a renaming of registers, and a load is a
// few vector loads, as wide as the layout puts neighbours into neighbouring registers. Coordinates
// are linear in the bits of lane and warp: they are computed once for each layout in the entry
// block, and each register adds a constant.
//
// Data move between threads in three operations only: conversions of layouts, reductions, and
// whatever goes through shared memory by an index (gather, histogram, products by plain
// arithmetic). All say when they write and read scratch (Barriers.cpp); where it lies and where
// threads wait is decided once the whole kernel is known (analysis/SharedPlan.h).
//
// Layouts may hold elements more than once (small tensors, many threads). Copies are equal, so only
// what is seen from outside (stores, atomics, printing) is done by one holder: the one whose *free
// bits* are zero.
#pragma once

#include "analysis/AxisInfo.h"
#include "analysis/SharedPlan.h"
#include "arithmetic/Elementwise.h"
#include "dialect/Context.h"
#include "dialect/Gpu.h"
#include "layout/LinearLayout.h"
#include "layout/Queries.h"
#include "lowering/GpuHooks.h"
#include "lowering/HiddenParameters.h"
#include "support/CompileOptions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace tl::backend {

/// Stands with a number, which counts from 0, before each text of assembly that the user wrote.
inline constexpr char assemblyComment[] = "// inline assembly ";

struct GpuKernelCode {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string symbol;
  uint64_t sharedBytes = 0;
  HiddenParameters hidden;
  std::vector<SourceLocation> assemblies; // of the texts of assembly, by number
};

/// Throws Error with a place unless every tensor has a layout for so many lanes and warps, and
/// operations get what they can take.
void verifyLayouts(tt::FuncOp kernel, unsigned lanes, unsigned warps, const std::string &target);

/// Lowers a kernel whose tensors have layouts. Throws Error with the user's line.
GpuKernelCode lowerToLLVM(tt::FuncOp kernel, const GpuHooks &target, const CompileOptions &options);

class GpuLowering final : private ElementwiseEmitter {
public:
  GpuLowering(llvm::Module &module, tt::FuncOp function, const GpuHooks &target,
              const CompileOptions &options, const AxisInfoAnalysis &axes);

  void emitKernel(llvm::StringRef symbol);
  uint64_t sharedBytes() const { return arenaBytes; }
  HiddenParameters takeHidden() { return std::move(hidden); }
  std::vector<SourceLocation> takeAssemblies() { return std::move(assemblies); }

private:
  using Values = llvm::SmallVector<llvm::Value *, 8>;
  using Indices = llvm::SmallVector<llvm::Value *, 4>;

  // ---- GpuLowering.cpp: functions, values, dispatch
  void checkSizes();
  void checkParameters(llvm::ArrayRef<llvm::Type *> types);
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  bool emitShapeOperation(mlir::Operation *op);
  unsigned constantBits(mlir::Value value);
  void emitElementwiseTensor(mlir::Operation *op);
  llvm::Function *routineFor(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands,
                             llvm::Type *result);
  bool emitPairedConversion(mlir::Operation *op);
  const Values &get(mlir::Value value);
  llvm::Value *scalar(mlir::Value value);
  void set(mlir::Value value, Values registers);
  Values constant(mlir::TypedAttr attribute);
  llvm::Value *scalarConstant(mlir::Attribute attribute, mlir::Type element);
  llvm::Type *registerTypeOf(mlir::Type type);
  /// The region on scalars; several registers at once are several calls.
  Values emitRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments);
  void enterScalars(mlir::Region &region);
  [[noreturn]] void unsupported(mlir::Operation *op, const llvm::Twine &message);
  llvm::Value *i32(int64_t value) { return builder.getInt32(uint32_t(value)); }
  llvm::BasicBlock *newBlock(const char *name);
  /// Runs `body` in a block of its own if the condition holds (null: always).
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> body);

  // ---- Coordinates.cpp: which element a register holds
  llvm::Value *coordinate(const LinearLayout &layout, unsigned reg, llvm::StringRef out);
  Indices coordinates(const LinearLayout &layout, unsigned reg, unsigned rank);
  llvm::Value *flatElement(const LinearLayout &layout, unsigned reg, mlir::ArrayRef<int64_t> shape);
  /// True in the one thread that speaks for its elements; null if that is every thread.
  llvm::Value *isFirstHolder(const LinearLayout &layout);
  static bool isCopy(const LinearLayout &layout, unsigned reg);
  llvm::Value *isFirstThread();

  // ---- Conversions.cpp
  void emitConvert(ttg::ConvertLayoutOp op);
  Values convert(llvm::ArrayRef<llvm::Value *> registers, const LinearLayout &from,
                 const LinearLayout &to, mlir::Type element);
  Values chooseByThread(Values values, const LinearLayout &places);
  Values shuffleByPlan(llvm::ArrayRef<llvm::Value *> registers, const ShufflePlan &plan,
                       Movement movement);
  llvm::Value *shuffle(llvm::Value *value,
                       llvm::function_ref<llvm::Value *(llvm::Value *)> shuffleWord);

  // ---- Barriers.cpp: see analysis/SharedPlan.h
  /// Shared memory, by addresses that stand for real ones until all is planned.
  struct Scratch {
    uint64_t begin = 0, end = 0;
  };
  void mark(SharedEvent event);
  static SharedEvent accessOf(SharedEventKind kind, uint64_t begin, uint64_t end, bool withinWarp);
  /// Memory that is about to be written.
  Scratch acquire(uint64_t bytes, uint64_t alignment = 16, bool withinWarp = false,
                  bool written = true);
  /// Called before accesses, at points that all threads pass. `withinWarp`: each warp has a part of
  /// its own.
  void reads(Scratch scratch, bool withinWarp = false);
  void writes(Scratch scratch, bool withinWarp = false);
  /// Accesses end here.
  void release(Scratch scratch, bool withinWarp = false) { reads(scratch, withinWarp); }
  /// A barrier in any case.
  void barrier();
  void planMemory();

  // ---- Shared.cpp
  llvm::Value *sharedPointer(uint64_t offset, llvm::Value *moved = nullptr);
  llvm::Value *sharedElement(Scratch scratch, llvm::Value *index, mlir::Type element);
  /// `moved`: bytes to add to the offset, known when the kernel runs; null: none.
  void storeShared(llvm::ArrayRef<llvm::Value *> registers, const LinearLayout &from,
                   const LinearLayout &shared, uint64_t offset, mlir::Type element,
                   llvm::Value *moved = nullptr);
  /// `count` neighbours in shared memory by one access, to whose size the pointer is aligned.
  Values loadNeighbours(llvm::Value *pointer, unsigned count, mlir::Type element);
  Values loadShared(const LinearLayout &to, const LinearLayout &shared, uint64_t offset,
                    mlir::Type element, llvm::Value *moved = nullptr);
  void emitLocalAlloc(ttg::LocalAllocOp op);
  void emitLocalLoad(ttg::LocalLoadOp op);
  void emitLocalStore(ttg::LocalStoreOp op);
  bool emitView(mlir::Operation *op);

  // ---- Descriptors.cpp
  bool emitDescriptor(mlir::Operation *op);
  void emitTensorMap(ttg::TensorMapOp op);
  void emitMakeDescriptor(tt::MakeTensorDescOp op);
  void emitDescriptorLoad(tt::DescriptorLoadOp op);
  struct BoxUnderWay {
    tt::DescriptorLoadOp op;
    Scratch box, arrival; // the latter a barrier
  };
  void finishBox(const BoxUnderWay &load);
  void finishBoxes();
  bool needsBoxes(mlir::Operation *op);
  void emitDescriptorStore(mlir::Operation *op);
  Values boxCoordinates(mlir::Value descriptor, mlir::ValueRange indices);
  TensorMap startTensorMap(mlir::Value base, mlir::ValueRange strides, mlir::Type element);
  void writeTensorMap(llvm::Value *map, const TensorMap &parts);
  void listTensorMaps();

  // ---- Transfers.cpp
  bool emitTransfer(mlir::Operation *op);
  void emitAsyncCopy(ttg::AsyncCopyOp op);

  // ---- Memory.cpp
  void emitLoad(tt::LoadOp load);
  void emitStore(tt::StoreOp store);
  /// Says that global memory is about to be accessed.
  void orderAccess(mlir::Value pointer, bool writes);
  /// Registers that one access moves: those whose numbers differ in `bits`, in this order.
  struct Grouping {
    llvm::SmallVector<unsigned> bits;
    unsigned count = 1; // registers of the layout

    unsigned width() const { return 1u << bits.size(); }
    unsigned registerOf(unsigned first, unsigned i) const {
      for (unsigned bit = 0; bit < bits.size(); ++bit)
        if (i >> bit & 1)
          first |= 1u << bits[bit];
      return first;
    }
    bool isFirst(unsigned reg) const {
      return llvm::none_of(bits, [&](unsigned bit) { return reg >> bit & 1; });
    }
  };
  Grouping groupsOf(mlir::Value pointer, mlir::Value mask);
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element);
  llvm::Value *fromMemory(llvm::Value *bits, mlir::Type element);

  // ---- Atomics.cpp
  void emitAtomic(mlir::Operation *op);
  llvm::Value *emitAtomicElement(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands,
                                 llvm::Value *predicate);
  /// Registers that one instruction changes together.
  Grouping atomicGroups(mlir::Operation *op, mlir::Value mask);
  Values emitAtomicVector(tt::AtomicRMWOp op, llvm::Value *pointer,
                          llvm::ArrayRef<llvm::Value *> values, llvm::Value *predicate);
  llvm::Value *emitCasLoop(tt::AtomicRMWOp op, const AtomicAccess &access, llvm::Value *value);
  llvm::Value *emitPoll(tt::AtomicPollOp poll);
  llvm::Value *broadcastFromFirstThread(llvm::Value *value);

  // ---- Reduction.cpp, Scan.cpp
  void emitReduce(tt::ReduceOp op);
  void emitScan(tt::ScanOp op);
  void emitHistogram(tt::HistogramOp op);
  Values combine(mlir::Region &region, llvm::ArrayRef<llvm::Value *> a,
                 llvm::ArrayRef<llvm::Value *> b);

  // ---- Shaping.cpp
  void emitBroadcast(tt::BroadcastOp op);
  void emitGather(tt::GatherOp op);
  void emitSplit(tt::SplitOp op);
  void emitJoin(tt::JoinOp op);

  // ---- LinearAlgebra.cpp
  void emitDot(tt::DotOp op);
  void emitMatrixProduct(tt::DotOp op, llvm::ArrayRef<unsigned> warps);
  void emitPlainProduct(tt::DotOp op);
  void emitDotScaled(tt::DotScaledOp op);
  llvm::Value *decodeE2m1(llvm::Value *nibble);
  llvm::Value *decodeScale(llvm::Value *bits, mlir::Type element);
  llvm::Value *flatIndex(llvm::Value *batch, llvm::Value *row, llvm::Value *column, int64_t rows,
                         int64_t columns);
  /// Neighbours in a row of an operand, the first at (batch, row, column), within a loop over k.
  using Fetch = std::function<Values(llvm::Value *, llvm::Value *, llvm::Value *, unsigned)>;
  struct Factor {
    mlir::Type element; // of what is fetched
    Fetch fetch;
    unsigned neighbours; // that are fetched at once, at most
  };
  /// `initial` plus the product a b, by multiply-adds of each thread for its own elements.
  Values multiplyAdd(mlir::RankedTensorType type, const Values initial, int64_t extentK, Factor a,
                     Factor b);
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> parts);

  // ---- ControlFlow.cpp
  void emitFor(mlir::scf::ForOp loop);
  void emitGridBarrier();
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIfOp(mlir::scf::IfOp branch);
  void emitRegionBlocks(mlir::Region &region, llvm::function_ref<void(mlir::Operation *)> leave);
  llvm::SmallVector<llvm::PHINode *> makePhis(mlir::ValueRange values);
  void addIncoming(llvm::ArrayRef<llvm::PHINode *> phis, llvm::ArrayRef<llvm::Value *> values);
  Values flatten(mlir::ValueRange values);
  unsigned registersOf(mlir::Type type);

  // ---- Debug.cpp, Custom.cpp
  void emitPrint(tt::PrintOp op);
  void emitAssert(tt::AssertOp op);
  bool isChecked(tt::AssertOp op) const;
  void emitInlineAsm(tt::ElementwiseInlineAsmOp op);
  void emitMap(tt::MapElementwiseOp op);

  // ---- ElementwiseEmitter
  llvm::Value *convertFloat(llvm::Value *value, FloatFormat from, FloatFormat to,
                            Rounding rounding) override;
  llvm::Value *math(MathFunction function, llvm::ArrayRef<llvm::Value *> operands) override;
  llvm::Value *divide(llvm::Value *a, llvm::Value *b) override;

  llvm::Value *emitUnknownExtern(tt::ExternElementwiseOp operation,
                                 llvm::ArrayRef<llvm::Value *> operands) override;

  llvm::Module &module;
  tt::FuncOp function;
  const GpuHooks &target;
  const CompileOptions &options;
  const AxisInfoAnalysis &axes;

  llvm::Function *code = nullptr;
  llvm::BasicBlock *entry = nullptr; // ends in a branch to the body
  llvm::Value *thread = nullptr, *lane = nullptr, *warp = nullptr;
  llvm::Value *counter = nullptr;   // of arrivals at the grid's barrier
  llvm::Value *record = nullptr;    // of failed assertions
  llvm::Value *workspace = nullptr; // of this program, in global memory
  HiddenParameters hidden;
  /// Of the descriptors whose map the launch makes: the parameter that holds it.
  llvm::DenseMap<mlir::Operation *, unsigned> givenMaps;
  unsigned firstMap = 0;    // the first parameter that is a map
  unsigned writtenMaps = 0; // maps that the kernel makes itself, so far
  struct Descriptor {
    llvm::Value *map = nullptr; // 128 bytes
    Values isEmpty;             // of each axis from the last one: whether its extent is 0 or less
    mlir::Value base;
  };
  llvm::DenseMap<mlir::Value, Descriptor> descriptors;
  std::vector<BoxUnderWay> boxesUnderWay; // in the order of the loads
  std::vector<Scratch> lasting;           // shared memory that is in use until the end
  llvm::DenseMap<mlir::Value, Values> values;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, llvm::Value *> firstHolders;
  std::map<std::vector<uint64_t>, llvm::Value *> bases; // of coordinates, by images
  /// A tensor in shared memory: bytes of the arena, and what is added when the kernel runs.
  struct LocalMemory {
    Scratch scratch;
    llvm::Value *moved = nullptr;
  };
  llvm::DenseMap<mlir::Value, LocalMemory> locals;
  std::map<unsigned, std::set<unsigned>> arriving; // buffer of a barrier: buffers of copies for it
  std::set<unsigned> leaving;                      // buffers that copies still read
  std::vector<std::pair<llvm::Instruction *, SharedEvent>> events; // before which instruction
  std::vector<llvm::GlobalVariable *> buffers;                     // stand for places in the arena
  std::vector<SharedBuffer> bufferSizes;
  llvm::DenseMap<mlir::Value, unsigned> pointerNumbers;
  mlir::Value aliasing;   // the parameter that stands for all that may alias
  unsigned divergent = 0; // conditions that threads may see differently, around the current point
  uint64_t arenaBytes = 0;
  std::vector<SourceLocation> assemblies;
};

} // namespace tl::backend
