// SPDX-License-Identifier: MIT
//
// What the shared lowering of TTGIR asks of a vendor: the few things that LLVM IR cannot say by
// itself. Everything else (layouts, reductions, control flow, arithmetic) is written once for all
// GPUs. Each interface below is one capability and can be implemented by itself; a GpuTarget hands
// them over together, with null for what the hardware lacks.
//
// All of them write code of one thread at the builder's insertion point. Pointers are generic
// unless a function says that they point to shared memory; sizes are bytes unless it says
// elements. Next: KernelLowering.h for who asks, targets/nvidia/NvidiaGpu.h for an implementation.
#pragma once

#include "arithmetic/FloatConversions.h"
#include "arithmetic/Math.h"
#include "dialect/Dialect.h"
#include "layout/Queries.h"
#include "lowering/HiddenParameters.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace tl::backend {

using GpuBuilder = llvm::IRBuilderBase;

// ---- Programs

/// A kernel as a whole, and where a thread stands in it: names, limits, special registers.
class GpuProgram {
public:
  virtual ~GpuProgram() = default;

  /// Of the code generation target: "sm_90a". Messages call the target by it.
  virtual std::string name() const = 0;
  /// Threads of a warp, a power of two.
  virtual unsigned lanes() const = 0;
  /// Bytes of shared memory that a program may have.
  virtual uint64_t maxSharedBytes() const = 0;
  /// Banks of 4 bytes that shared memory has.
  virtual unsigned sharedBanks() const { return 32; }
  /// Bytes of parameters that a kernel may have.
  virtual uint64_t maxParameterBytes() const = 0;

  /// Sets triple and data layout; called before anything else.
  virtual void initialize(llvm::Module &module) const = 0;
  /// Makes a function the entry of a kernel of `threads` threads. `maxRegisters` is a thread's
  /// limit, 0 for none.
  virtual void markKernel(llvm::Function &function, unsigned threads,
                          unsigned maxRegisters) const = 0;

  /// i32: the number of the thread in its program, lanes of a warp next to each other.
  virtual llvm::Value *threadId(GpuBuilder &b) const = 0;
  /// i32: the program's coordinate along an axis (0 to 2) of the grid, and the grid's extent.
  virtual llvm::Value *programId(GpuBuilder &b, unsigned axis) const = 0;
  virtual llvm::Value *programCount(GpuBuilder &b, unsigned axis) const = 0;

  /// i64: nanoseconds that count up, by a clock that all programs share.
  virtual llvm::Value *nanoseconds(GpuBuilder &b) const = 0;
  /// Prints one line; `format` is C's, arguments are i32, i64 or double.
  virtual void print(GpuBuilder &b, llvm::StringRef format,
                     llvm::ArrayRef<llvm::Value *> arguments) const = 0;
};

// ---- Threads

/// What the threads of one program do together. Barriers and votes are reached by all threads of
/// the program, shuffles and warp barriers by all lanes of the warp: the lowering never puts them
/// under a condition that threads may see differently.
class GpuThreads {
public:
  virtual ~GpuThreads() = default;

  /// Returns in no thread of the program before all have come; shared and global memory that any
  /// of them has written before is what all of them read after.
  virtual void barrier(GpuBuilder &b) const = 0;
  /// The same among the lanes of each warp.
  virtual void warpBarrier(GpuBuilder &b) const = 0;
  /// Brings the lanes of each warp together after a loop in which only some of them waited, before
  /// anything that all of them have to do at once.
  virtual void reconverge(GpuBuilder &) const {}
  /// Of some threads, a multiple of a warp: those that wait at barrier number `id` (i32, from 0,
  /// which is that of `barrier`, to 15) go on when, with those that only arrive there, `threads`
  /// have come.
  virtual void waitAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const = 0;
  /// The same, where those that wait for each other do so in different places of the code.
  virtual void meetAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const = 0;
  virtual void arriveAtBarrier(GpuBuilder &b, llvm::Value *id, unsigned threads) const = 0;
  /// From here on each thread of a group of four warps has `count` registers, more or less than it
  /// had.
  virtual void setRegisters(GpuBuilder &b, unsigned count, bool more) const = 0;
  /// i1: true in one lane of the warp, whichever, of which the code generator knows that it is the
  /// only one. All lanes of the warp come to it.
  virtual llvm::Value *electLane(GpuBuilder &b) const = 0;
  /// i1: whether the condition holds in any thread of the program; a barrier.
  virtual llvm::Value *anyThread(GpuBuilder &b, llvm::Value *condition) const = 0;
  /// An integer with a bit for each lane of the warp: whether the condition, an i1, holds there.
  virtual llvm::Value *ballot(GpuBuilder &b, llvm::Value *condition) const = 0;

  /// A pointer to shared memory that is `pointer` in the thread whose number `thread` is 0, for
  /// code that only this one goes through; so that the code generator does not tell it from the
  /// addresses that all threads have alike.
  virtual llvm::Value *pointerInFirstThread(GpuBuilder &, llvm::Value *pointer,
                                            llvm::Value * /*thread*/) const {
    return pointer;
  }
  /// An i32 that is the same in all lanes of a warp, so that the code generator knows it.
  virtual llvm::Value *uniform(GpuBuilder &, llvm::Value *value) const { return value; }
  /// The i32 that lane `lane ^ mask` holds.
  virtual llvm::Value *shuffleXor(GpuBuilder &b, llvm::Value *value, unsigned mask) const = 0;
  /// The i32 that another lane holds, whose number is less than the number of lanes.
  virtual llvm::Value *shuffleIndex(GpuBuilder &b, llvm::Value *value, llvm::Value *lane) const = 0;
};

// ---- Global memory

/// One access of global memory by one thread: `elements` neighbours of `elementBytes` bytes each,
/// aligned to the whole. Values are integers of the element's width.
struct GlobalAccess {
  llvm::Value *pointer = nullptr;
  llvm::Value *predicate = nullptr; // null: always
  /// Where `base` is not null: the pointer is `offset` bytes (an i32) after `base`, which is
  /// uniform, and the access ends within `extent` bytes of it, where the predicate holds.
  llvm::Value *base = nullptr, *offset = nullptr;
  uint64_t extent = 0;
  unsigned elementBytes = 4, elements = 1;
  tt::CacheModifier cache = tt::CacheModifier::NONE;
  tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL;
  bool isVolatile = false;
};

/// Plain loads and stores of global memory. Where the predicate is false nothing is accessed, so
/// the pointer may be anything there.
class GpuMemory {
public:
  virtual ~GpuMemory() = default;

  /// One value an element; where the predicate is false those of `others` (one an element, or empty
  /// for zeros).
  virtual llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, const GlobalAccess &access,
                                                llvm::ArrayRef<llvm::Value *> others) const = 0;
  virtual void store(GpuBuilder &b, const GlobalAccess &access,
                     llvm::ArrayRef<llvm::Value *> values) const = 0;
  /// Whether an access with a predicate is better off if it knows its base. It is one of `accesses`
  /// that a thread makes for an operation; `isFilled` if others than zeros are loaded where the
  /// predicate is false.
  virtual bool wantsBase(const GlobalAccess &, unsigned /*accesses*/, bool /*isFilled*/) const {
    return false;
  }
};

/// One atomic operation of one thread on one element, or on neighbours each for itself.
struct AtomicAccess {
  llvm::Value *pointer = nullptr;
  llvm::Value *predicate = nullptr; // null: always
  tt::MemSemantic semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  tt::MemSyncScope scope = tt::MemSyncScope::GPU;
};

/// Atomic operations on global memory, with the order and scope of the access; values are integers
/// of the element's width. The order holds for the calling thread alone: the lowering adds the
/// barriers that make it hold for its program.
class GpuAtomics {
public:
  virtual ~GpuAtomics() = default;

  /// The old value, 0 where the predicate is false. Null if the target has no such instruction; the
  /// lowering then makes a loop of `compareAndSwap`. `element` is the type in TTIR, and `used` says
  /// whether anybody reads the old value.
  virtual llvm::Value *readModifyWrite(GpuBuilder &b, const AtomicAccess &access,
                                       tt::RMWOp operation, llvm::Value *value, mlir::Type element,
                                       bool used) const = 0;
  /// How many neighbours one instruction changes, at an address aligned to all of them; a power of
  /// two, 1 if there is no such instruction.
  virtual unsigned vectorWidth(tt::RMWOp operation, mlir::Type element) const = 0;
  /// Changes at most `vectorWidth` neighbours, each for itself. See `readModifyWrite`.
  virtual llvm::SmallVector<llvm::Value *>
  readModifyWriteVector(GpuBuilder &b, const AtomicAccess &access, tt::RMWOp operation,
                        llvm::ArrayRef<llvm::Value *> values, mlir::Type element,
                        bool used) const = 0;
  /// The old value, of 8, 16, 32 or 64 bits; the predicate is ignored. With 8 and 16 bits it may
  /// fail although the old value was as expected, and then returns another one.
  virtual llvm::Value *compareAndSwap(GpuBuilder &b, const AtomicAccess &access,
                                      llvm::Value *expected, llvm::Value *value) const = 0;
  /// The value, of `bits` bits, 0 where the predicate is false.
  virtual llvm::Value *load(GpuBuilder &b, const AtomicAccess &access, unsigned bits) const = 0;
  virtual void store(GpuBuilder &b, const AtomicAccess &access, llvm::Value *value) const = 0;
  /// What the thread did before, and what it learned of others, comes before its relaxed atomic
  /// operations that follow. Of `access` only the scope and the predicate count.
  virtual void release(GpuBuilder &b, const AtomicAccess &access) const = 0;
  /// Adds an i32 to shared memory, relaxed, where the predicate holds.
  virtual void addShared(GpuBuilder &b, llvm::Value *shared, llvm::Value *value,
                         llvm::Value *predicate) const = 0;
};

// ---- Arithmetic

/// Conversions and functions for which the hardware has instructions. Whatever answers null or
/// nothing is computed by backend/arithmetic instead, so an implementation may begin with none.
/// Instructions must keep to what the language promises: denormals are kept, NaN stays NaN.
class GpuArithmetic {
public:
  virtual ~GpuArithmetic() = default;

  /// Floats of 8 and 16 bits are integers in registers.
  virtual llvm::Value *convert(GpuBuilder &b, llvm::Value *value, FloatFormat from, FloatFormat to,
                               Rounding rounding) const = 0;
  /// An integer as a float of 8 or 16 bits, rounded once to nearest even.
  virtual llvm::Value *convertInteger(GpuBuilder &b, llvm::Value *value, bool isSigned,
                                      FloatFormat to) const = 0;
  /// Two conversions as one.
  virtual std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertPair(GpuBuilder &b, llvm::Value *first, llvm::Value *second, FloatFormat from,
              FloatFormat to, Rounding rounding) const = 0;
  /// Two integers as floats, for which there is something better than two conversions.
  virtual std::optional<std::pair<llvm::Value *, llvm::Value *>>
  convertIntegers(GpuBuilder &b, llvm::Value *first, llvm::Value *second, bool isSigned,
                  FloatFormat to) const = 0;
  virtual llvm::Value *math(GpuBuilder &b, MathFunction function,
                            llvm::ArrayRef<llvm::Value *> operands) const = 0;
  /// A quotient at most 2 ULP away, for any operands.
  virtual llvm::Value *divide(GpuBuilder &b, llvm::Value *x, llvm::Value *y) const = 0;
  /// Whether the vendor's library of mathematical functions has names like this.
  virtual bool isLibraryFunction(llvm::StringRef name) const = 0;
};

/// An instruction by which the matrix units compute D = A B + C, for tiles of m x k and k x n.
struct MatrixInstruction {
  unsigned m = 16, n = 8, k = 16;
  mlir::Type element; // of both factors, as the instruction takes them: f16, bf16, tf32, f64, i8
  mlir::Type sum;     // of C and D: f32, f64, i32
};

/// A factor as an instruction takes it. Instructions of one warp (mma.sync) have each lane's
/// elements in registers, packed into i32 with the first element lowest; elements of f64 are
/// doubles, those of tf32 are f32 whose lowest bits do not count. An instruction that reads a
/// factor from shared memory adds here what describes it.
///
/// An instruction that scales its factors takes bytes (one of 8 bits or two of 4) of a format that
/// each factor names. A scale (e8m0) multiplies 32 elements along k: byte `scaleByte` of the lane's
/// word `scales`, of the row or column that is the lane's number in its group and of the 32 that
/// are the group's.
struct MatrixFactor {
  llvm::ArrayRef<llvm::Value *> registers;
  mlir::Type format = {};
  llvm::Value *scales = nullptr;
  unsigned scaleByte = 0;
};

/// Products by the matrix units. Which elements of the tiles a lane holds is said by the layouts of
/// NamedLayouts.h that were chosen with the instruction.
class GpuMatrixProducts {
public:
  virtual ~GpuMatrixProducts() = default;

  /// D, in as many registers as C; all lanes of the warp take part.
  virtual llvm::SmallVector<llvm::Value *> multiply(GpuBuilder &b,
                                                    const MatrixInstruction &instruction,
                                                    const MatrixFactor &a, const MatrixFactor &bs,
                                                    llvm::ArrayRef<llvm::Value *> c) const = 0;
};

/// What goes between shared memory and the registers of a warp as factors of products have it, in
/// one of two forms.
///
/// Tiles (ldmatrix, stmatrix) have 8 rows of 16 bytes. Lane 8 i + j points to row j of tile i. Of
/// each tile a lane has one word of 32 bits: lane l word l % 4 of row l / 4. Transposed, a row is 8
/// elements of 16 bits, and lane l has element l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1.
///
/// Columns (ds_read_b64_tr) are words of 64 bits, always transposed, one a lane: see columnReading
/// in Queries.h. There are no stores of this form.
class GpuMatrixAccess {
public:
  virtual ~GpuMatrixAccess() = default;

  virtual MatrixForm form() const = 0;
  /// A word for each of `tiles` tiles (1, 2 or 4, and 1 of columns); all lanes of the warp take
  /// part. `transposedBytes`: those of an element if rows are transposed, or else 0.
  virtual llvm::SmallVector<llvm::Value *> load(GpuBuilder &b, llvm::Value *row, unsigned tiles,
                                                unsigned transposedBytes) const = 0;
  /// Whether `store` works.
  virtual bool canStore() const = 0;
  /// Stores 1, 2 or 4 tiles; all lanes of the warp take part.
  virtual void store(GpuBuilder &b, llvm::Value *row, llvm::ArrayRef<llvm::Value *> words,
                     bool transposed) const = 0;
};

/// Instructions of a group of four warps: 64 x n x k.
struct WarpGroupInstruction {
  mlir::Type a, b, sum; // elements
  unsigned n = 8, k = 16;
  bool transposedA = false, transposedB = false; // in shared memory: rows, columns run fastest
};

/// The results of one instruction, and all steps over k that add to them.
struct WarpGroupTile {
  struct Step {
    llvm::SmallVector<llvm::Value *, 4> a; // a descriptor (i64), or four registers of 32 bits
    llvm::Value *b = nullptr;              // a descriptor
  };
  llvm::SmallVector<llvm::Value *> sums; // n / 2 registers
  llvm::SmallVector<Step> steps;
};

/// Products that read operands from shared memory and go on while the threads do something else
/// (wgmma). All warps of the program take part. A descriptor is what wgmma's is; another vendor's
/// instructions of this kind will need one of their own.
class GpuWarpGroupProducts {
public:
  virtual ~GpuWarpGroupProducts() = default;

  /// What this thread has written to shared memory is read by products that start after the next
  /// barrier.
  virtual void fence(GpuBuilder &b) const = 0;
  /// Starts products; the sums, all tiles' one after the other, which are not there before a wait.
  /// Between the instructions nothing else is computed. `endsGroup`: these and those started since
  /// the last such call are waited for as one.
  virtual llvm::SmallVector<llvm::Value *> start(GpuBuilder &b,
                                                 const WarpGroupInstruction &instruction,
                                                 llvm::ArrayRef<WarpGroupTile> tiles,
                                                 bool endsGroup) const = 0;
  /// Waits until all groups but the last `pendings` are done. The values of `sums`, to be used
  /// instead of them.
  virtual llvm::SmallVector<llvm::Value *> wait(GpuBuilder &b, unsigned pendings,
                                                llvm::ArrayRef<llvm::Value *> sums) const = 0;
};

// ---- Asynchronous copies

/// Copies from global to shared memory that each thread starts for itself and waits for in groups
/// (cp.async). A thread that has waited sees its own copies; others see them after a barrier.
class GpuAsyncCopies {
public:
  virtual ~GpuAsyncCopies() = default;

  /// Whether a thread can start a copy of `bytes` bytes.
  virtual bool canCopy(unsigned bytes) const = 0;
  /// Starts a copy to shared memory. Where the predicate is false, zeros are written.
  virtual void copy(GpuBuilder &b, llvm::Value *shared, const GlobalAccess &access) const = 0;
  /// Makes a group of the copies that were started since the last one.
  virtual void commit(GpuBuilder &b) const = 0;
  /// Waits until all groups of this thread but the last `groups` are done.
  virtual void wait(GpuBuilder &b, unsigned groups) const = 0;
  /// Arrives once at a barrier in shared memory (GpuSharedBarriers) when all copies of this thread
  /// have come.
  virtual void arrive(GpuBuilder &b, llvm::Value *barrier) const = 0;
};

/// Copies from global to shared memory in lane order (loads to LDS): the lanes of a warp write one
/// piece, lane l after those before it. There are no groups; what is waited for is how many copies
/// of the thread go on. Who sees them is as with GpuAsyncCopies.
class GpuLaneCopies {
public:
  virtual ~GpuLaneCopies() = default;

  /// Whether each lane can copy `bytes` bytes.
  virtual bool canCopy(unsigned bytes) const = 0;
  /// Starts a copy; `shared` is where the first lane of the warp writes. Where the predicate is
  /// false nothing is written.
  virtual void copy(GpuBuilder &b, llvm::Value *shared, const GlobalAccess &access) const = 0;
  /// Waits until all copies of this thread but the last `copies` are done.
  virtual void wait(GpuBuilder &b, unsigned copies) const = 0;
};

/// Barriers that are objects of 8 bytes in shared memory (mbarrier). A phase ends when the
/// number of threads that it was made for has arrived and all bytes that were announced have been
/// copied; the first phase is 0, then they alternate. All pointers point to shared memory.
class GpuSharedBarriers {
public:
  virtual ~GpuSharedBarriers() = default;

  /// Makes a barrier for `count` arrivals.
  virtual void init(GpuBuilder &b, llvm::Value *barrier, unsigned count) const = 0;
  /// Makes the barriers that this thread has made known to tensor copies.
  virtual void publish(GpuBuilder &b) const = 0;
  /// The memory may be used for something else after it.
  virtual void invalidate(GpuBuilder &b, llvm::Value *barrier) const = 0;
  /// Arrives once and announces `bytes` bytes.
  virtual void expect(GpuBuilder &b, llvm::Value *barrier, unsigned bytes) const = 0;
  /// Arrives `count` times.
  virtual void arrive(GpuBuilder &b, llvm::Value *barrier, unsigned count) const = 0;
  /// Waits for the end of a phase, i32 of 0 or 1. What was written before the arrivals, and what
  /// the announced copies have written, is what this thread reads after.
  virtual void wait(GpuBuilder &b, llvm::Value *barrier, llvm::Value *phase) const = 0;
};

/// A tensor in global memory as tensor copies want to know it; axes from the last to the first.
struct TensorMap {
  llvm::Value *base = nullptr;
  llvm::SmallVector<llvm::Value *> extents; // i32, at least 1
  llvm::SmallVector<llvm::Value *> strides; // i64, in bytes, without the last axis
  llvm::SmallVector<unsigned> box;          // extents, in elements
  TensorElement element;
  bool padWithNan = false;
  unsigned swizzleBytes = 0;
};

/// Copies of boxes of a tensor between global and shared memory that one thread starts (TMA). The
/// tensor is described by a tensor map of 128 bytes, `map` points to it. Elements outside of the
/// tensor are read as padding and not written. Coordinates are i32, from the last axis to the
/// first; a box is dense in shared memory, at a multiple of 128 bytes. Needs GpuSharedBarriers.
class GpuTensorCopies {
public:
  virtual ~GpuTensorCopies() = default;

  /// Marks a kernel's parameter, a pointer, as a map that is handed over by value.
  virtual void markMap(llvm::Argument &parameter) const = 0;
  /// Says that a map will be used.
  virtual void prefetchMap(GpuBuilder &b, llvm::Value *map) const = 0;

  /// What this thread has read and written in shared memory so far comes before copies that start
  /// from here on; with `global`, which is expensive, what it has done to global memory too.
  virtual void order(GpuBuilder &b, bool global) const = 0;
  /// Copies a box to shared memory and counts its bytes at the barrier.
  virtual void load(GpuBuilder &b, llvm::Value *shared, llvm::Value *map,
                    llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier) const = 0;
  /// Copies a box to global memory, or combines it with what is there by `kind`; a group of its
  /// own.
  virtual void store(GpuBuilder &b, llvm::Value *map, llvm::ArrayRef<llvm::Value *> coordinates,
                     llvm::Value *shared, std::optional<tt::DescriptorReduceKind> kind) const = 0;
  /// Waits until all stores of this thread but the last `groups` are done, or, with `onlyRead`,
  /// until they have read shared memory.
  virtual void waitForStores(GpuBuilder &b, unsigned groups, bool onlyRead) const = 0;
  /// What stores that were waited for have written is what this thread reads from here on.
  virtual void acceptStores(GpuBuilder &b) const = 0;
};

/// Blocks of threads that run at the same time, a cluster, and reach each other's shared memory.
/// What lies in one of them lies in the same place of all. Needs GpuTensorCopies.
class GpuClusters {
public:
  virtual ~GpuClusters() = default;

  /// i32: the number of this block in its cluster.
  virtual llvm::Value *block(GpuBuilder &b) const = 0;
  /// Returns in no thread before all of the cluster that have not ended have come. Barriers in
  /// shared memory that any of them has made are known to all.
  virtual void barrier(GpuBuilder &b) const = 0;
  /// Arrives once at another block's barrier in shared memory. Copies after the phase may overwrite
  /// what this warp has read; what it has written is not made known.
  virtual void arrive(GpuBuilder &b, llvm::Value *barrier, llvm::Value *block) const = 0;
  /// As GpuTensorCopies' load, to the shared memory of the first `blocks` blocks, each of which
  /// counts the bytes at its own barrier.
  virtual void load(GpuBuilder &b, llvm::Value *shared, llvm::Value *map,
                    llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *barrier,
                    unsigned blocks) const = 0;
};

/// Tensor maps that kernels make themselves.
class GpuTensorMaps {
public:
  virtual ~GpuTensorMaps() = default;

  /// Writes a map to global memory, by way of 128 bytes of shared memory. All lanes of one warp
  /// come here, and only their threads start copies by it.
  virtual void write(GpuBuilder &b, llvm::Value *map, llvm::Value *shared, llvm::Value *lane,
                     const TensorMap &parts) const = 0;
};

// ---- All together

/// What a GPU can do. The objects live as long as the vendor's object that hands this over.
struct GpuTarget {
  const GpuProgram &program;
  const GpuThreads &threads;
  const GpuMemory &memory;
  const GpuAtomics &atomics;
  const GpuArithmetic &arithmetic;
  // Null: the hardware has no such thing. Without matrix products, products are multiply-adds;
  // without asynchronous copies, threads load and store; tensor copies have no replacement.
  const GpuMatrixProducts *matrixProducts = nullptr;
  const GpuMatrixAccess *matrixAccess = nullptr;
  const GpuWarpGroupProducts *warpGroupProducts = nullptr;
  const GpuAsyncCopies *asyncCopies = nullptr;
  const GpuLaneCopies *laneCopies = nullptr;
  const GpuSharedBarriers *sharedBarriers = nullptr;
  const GpuTensorCopies *tensorCopies = nullptr;
  const GpuTensorMaps *tensorMaps = nullptr;
  const GpuClusters *clusters = nullptr;
};

} // namespace tl::backend
