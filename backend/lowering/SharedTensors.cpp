// SPDX-License-Identifier: MIT
#include "lowering/SharedTensors.h"

#include "dialect/MatrixProducts.h"
#include "layout/NamedLayouts.h"
#include "layout/Queries.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tl::backend {

using llvm::Value;

// ---- Tensors

namespace {

/// Registers that go together: their numbers differ in these bits.
struct BitGroup {
  const std::vector<unsigned> &bits;

  unsigned size() const { return 1u << bits.size(); }
  bool isFirst(unsigned reg) const {
    return llvm::none_of(bits, [&](unsigned bit) { return reg >> bit & 1; });
  }
  unsigned member(unsigned first, unsigned number) const {
    for (unsigned bit = 0; bit < bits.size(); ++bit)
      if (number >> bit & 1)
        first |= 1u << bits[bit];
    return first;
  }
};

/// Registers in the order of accesses: each group of `elements` goes together.
struct AccessGroups {
  SharedAccess access;
  llvm::SmallVector<unsigned> firsts; // register numbers without the bits of the access
  unsigned registerOf(unsigned first, unsigned element) const {
    return BitGroup{access.registerBits}.member(first, element);
  }
};

AccessGroups groupsFor(const LinearLayout &distributed, const LinearLayout &shared,
                       unsigned bytes) {
  AccessGroups groups{sharedAccess(distributed, shared, bytes), {}};
  const BitGroup together{groups.access.registerBits};
  for (unsigned reg = 0; reg < 1u << distributed.inBits("register"); ++reg)
    if (together.isFirst(reg))
      groups.firsts.push_back(reg);
  return groups;
}

} // namespace

Values loadNeighbours(KernelLowering &kernel, Value *pointer, unsigned count, mlir::Type element) {
  auto &b = kernel.builder;
  unsigned bytes = memoryBytes(element);
  Value *vector = b.CreateAlignedLoad(llvm::FixedVectorType::get(b.getIntNTy(bytes * 8), count),
                                      pointer, llvm::Align(uint64_t(bytes) * count));
  Values values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(kernel.fromMemory(b.CreateExtractElement(vector, uint64_t(i)), element));
  return values;
}

std::optional<MatrixAccess> tilesOf(KernelLowering &kernel, const LinearLayout &registers,
                                    const LinearLayout &shared, unsigned bytes, bool storing) {
  const GpuMatrixAccess *access = kernel.target.matrixAccess;
  if (!access || (storing && !access->canStore()))
    return std::nullopt;
  // All lanes take part, so none may have copies that it does not store.
  if (storing)
    for (const auto &[name, bits] : registers.freeBits())
      if (bits)
        return std::nullopt;
  std::optional<MatrixAccess> tiles =
      matrixAccess(registers, shared, bytes, access->form(), kernel.target.program.sharedBanks());
  unsigned count = 1u << registers.inBits("register");
  if (tiles &&
      tiles->instructions(count) >= count / sharedAccess(registers, shared, bytes).elements)
    return std::nullopt;
  return tiles;
}

/// Calls `body` for each instruction with the pointer to the lane's row and the registers of the
/// words: one after the other those of a word.
static void forEachInstruction(
    KernelLowering &kernel, const LinearLayout &layout, const MatrixAccess &tiles, uint64_t address,
    Value *moved, unsigned bytes,
    llvm::function_ref<void(Value *row, const std::vector<std::vector<unsigned>> &words)> body) {
  auto &b = kernel.builder;
  Value *begin = kernel.shared.pointer(address, moved);
  const BitGroup word{tiles.wordBits}, instruction{tiles.tileBits};
  for (unsigned first = 0; first < 1u << layout.inBits("register"); ++first) {
    if (!word.isFirst(first) || !instruction.isFirst(first))
      continue;
    std::vector<std::vector<unsigned>> words(instruction.size());
    for (unsigned tile = 0; tile < instruction.size(); ++tile)
      for (unsigned i = 0; i < word.size(); ++i)
        words[tile].push_back(word.member(instruction.member(first, tile), i));
    Value *offset = kernel.threads.coordinate(tiles.rows, first, "offset");
    body(b.CreateGEP(b.getIntNTy(bytes * 8), begin, offset), words);
  }
}

static Values loadTiles(KernelLowering &kernel, const LinearLayout &to, const MatrixAccess &tiles,
                        uint64_t address, mlir::Type element, Value *moved) {
  auto &b = kernel.builder;
  unsigned bytes = memoryBytes(element);
  Values registers(1u << to.inBits("register"), nullptr);
  forEachInstruction(
      kernel, to, tiles, address, moved, bytes,
      [&](Value *row, const std::vector<std::vector<unsigned>> &words) {
        auto loaded = kernel.target.matrixAccess->load(b, row, unsigned(words.size()),
                                                       tiles.transposed ? bytes : 0);
        for (auto [word, members] : llvm::zip(loaded, words)) {
          unsigned count = unsigned(members.size());
          Value *parts =
              b.CreateBitCast(word, llvm::FixedVectorType::get(b.getIntNTy(bytes * 8), count));
          for (unsigned i = 0; i < count; ++i)
            registers[members[i]] =
                kernel.fromMemory(b.CreateExtractElement(parts, uint64_t(i)), element);
        }
      });
  return registers;
}

static void storeTiles(KernelLowering &kernel, llvm::ArrayRef<Value *> registers,
                       const LinearLayout &from, const MatrixAccess &tiles, uint64_t address,
                       mlir::Type element, Value *moved) {
  auto &b = kernel.builder;
  unsigned bytes = memoryBytes(element);
  forEachInstruction(kernel, from, tiles, address, moved, bytes,
                     [&](Value *row, const std::vector<std::vector<unsigned>> &words) {
                       Values stored;
                       for (const auto &members : words) {
                         Value *parts = llvm::PoisonValue::get(llvm::FixedVectorType::get(
                             b.getIntNTy(bytes * 8), unsigned(members.size())));
                         for (unsigned i = 0; i < members.size(); ++i)
                           parts = b.CreateInsertElement(
                               parts, kernel.toMemory(registers[members[i]], element), uint64_t(i));
                         stored.push_back(b.CreateBitCast(parts, b.getInt32Ty()));
                       }
                       kernel.target.matrixAccess->store(b, row, stored, tiles.transposed);
                     });
}

void storeShared(KernelLowering &kernel, llvm::ArrayRef<Value *> registers,
                 const LinearLayout &from, const LinearLayout &layout, uint64_t address,
                 mlir::Type element, Value *moved) {
  auto &b = kernel.builder;
  unsigned bytes = memoryBytes(element);
  if (!kernel.shared.isDivergent())
    if (auto tiles = tilesOf(kernel, from, layout, bytes, /*storing=*/true))
      return storeTiles(kernel, registers, from, *tiles, address, element, moved);
  AccessGroups groups = groupsFor(from, layout, bytes);
  LinearLayout offsets = sharedOffsets(from, layout);
  llvm::Type *type = b.getIntNTy(bytes * 8);
  unsigned count = groups.access.elements;
  auto body = [&] {
    for (unsigned first : groups.firsts) {
      if (isCopy(from, first))
        continue;
      Value *index = kernel.threads.coordinate(offsets, first, "offset");
      Value *pointer = b.CreateGEP(type, kernel.shared.pointer(address, moved), index);
      Value *vector = nullptr;
      if (count == 1) {
        vector = kernel.toMemory(registers[first], element);
      } else {
        vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, count));
        for (unsigned i = 0; i < count; ++i)
          vector = b.CreateInsertElement(
              vector, kernel.toMemory(registers[groups.registerOf(first, i)], element),
              uint64_t(i));
      }
      b.CreateAlignedStore(vector, pointer, llvm::Align(uint64_t(bytes) * count));
    }
  };
  kernel.emitIf(kernel.threads.isFirstHolder(from), body);
}

Values loadShared(KernelLowering &kernel, const LinearLayout &to, const LinearLayout &layout,
                  uint64_t address, mlir::Type element, Value *moved) {
  auto &b = kernel.builder;
  unsigned bytes = memoryBytes(element);
  if (auto tiles = tilesOf(kernel, to, layout, bytes, /*storing=*/false))
    return loadTiles(kernel, to, *tiles, address, element, moved);
  AccessGroups groups = groupsFor(to, layout, bytes);
  LinearLayout offsets = sharedOffsets(to, layout);
  llvm::Type *type = b.getIntNTy(bytes * 8);
  unsigned count = groups.access.elements;
  Values registers(1u << to.inBits("register"), nullptr);
  for (unsigned first : groups.firsts) {
    Value *pointer = b.CreateGEP(type, kernel.shared.pointer(address, moved),
                                 kernel.threads.coordinate(offsets, first, "offset"));
    llvm::Type *access = count == 1 ? type : llvm::FixedVectorType::get(type, count);
    Value *vector = b.CreateAlignedLoad(access, pointer, llvm::Align(uint64_t(bytes) * count));
    for (unsigned i = 0; i < count; ++i)
      registers[groups.registerOf(first, i)] = kernel.fromMemory(
          count == 1 ? vector : b.CreateExtractElement(vector, uint64_t(i)), element);
  }
  return registers;
}

Value *broadcastFromFirstThread(KernelLowering &kernel, Value *value) {
  auto &b = kernel.builder;
  uint64_t bytes = kernel.module.getDataLayout().getTypeStoreSize(value->getType());
  Scratch scratch = kernel.shared.acquire(bytes);
  kernel.emitInFirstThread(kernel.shared.pointer(scratch.begin),
                           [&](Value *pointer) { b.CreateStore(value, pointer); });
  kernel.shared.reads(scratch);
  Value *result = b.CreateLoad(value->getType(), kernel.shared.pointer(scratch.begin));
  kernel.shared.release(scratch);
  return result;
}

// ---- Memory that a kernel asks for

static void emitLocalAlloc(KernelLowering &kernel, ttg::LocalAllocOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getType());
  const LinearLayout &layout = type.getLayout().getMap();
  uint64_t bytes = (uint64_t(1) << layout.inBits("offset")) * memoryBytes(type.getElementType());
  if (type.getShape().size() > layout.outs().size())
    bytes *= uint64_t(type.getShape().front());
  // The hardware's swizzle counts from multiples of 1024 bytes.
  uint64_t alignment = std::clamp<uint64_t>(llvm::bit_floor(bytes), 16, 1024);
  Scratch memory = kernel.shared.acquire(bytes, alignment, false, op.getSrc() || op.getOrdered());
  kernel.locals->tensors[op.getResult()] = {memory, nullptr, op.getOrdered()};
  if (op.getSrc())
    storeShared(kernel, kernel.get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()), layout,
                memory.begin, type.getElementType());
  if (op.getSrc() && kernel.target.warpGroupProducts && ttg::isReadByProducts(op.getResult()))
    kernel.target.warpGroupProducts->fence(kernel.builder);
}

static void emitLocalDealloc(KernelLowering &kernel, ttg::LocalDeallocOp op) {
  kernel.shared.release(kernel.locals->tensors.lookup(op.getSrc()).scratch);
}

static void emitLocalLoad(KernelLowering &kernel, ttg::LocalLoadOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getSrc().getType());
  LocalTensor memory = kernel.locals->tensors.lookup(op.getSrc());
  if (!memory.ordered)
    kernel.shared.reads(memory.scratch);
  kernel.set(op, loadShared(kernel, ttg::layoutOf(op.getType()), type.getLayout().getMap(),
                            memory.scratch.begin, type.getElementType(), memory.moved));
}

static void emitLocalStore(KernelLowering &kernel, ttg::LocalStoreOp op) {
  auto type = mlir::cast<ttg::MemDescType>(op.getDst().getType());
  LocalTensor memory = kernel.locals->tensors.lookup(op.getDst());
  if (!memory.ordered)
    kernel.shared.writes(memory.scratch);
  storeShared(kernel, kernel.get(op.getSrc()), ttg::layoutOf(op.getSrc().getType()),
              type.getLayout().getMap(), memory.scratch.begin, type.getElementType(), memory.moved);
}

/// A part that is chosen when the kernel runs counts as the whole where threads wait for each
/// other.
static void emitIndex(KernelLowering &kernel, ttg::MemDescIndexOp op) {
  auto &b = kernel.builder;
  auto type = mlir::cast<ttg::MemDescType>(op.getType());
  uint64_t bytes = (uint64_t(1) << type.getLayout().getMap().inBits("offset")) *
                   memoryBytes(type.getElementType());
  LocalTensor tensor = kernel.locals->tensors.lookup(op.getSrc());
  Value *number = kernel.scalar(op.getIndex());
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(number); constant && !tensor.moved) {
    tensor.scratch.begin += constant->getZExtValue() * bytes;
    tensor.scratch.end = tensor.scratch.begin + bytes;
  } else {
    Value *more = b.CreateMul(number, kernel.i32(int64_t(bytes)), "", true, true);
    tensor.moved = tensor.moved ? b.CreateAdd(tensor.moved, more, "", true, true) : more;
  }
  kernel.locals->tensors[op.getResult()] = tensor;
}

static void emitSubview(KernelLowering &kernel, ttg::MemDescSubviewOp op) {
  const LinearLayout &whole = op.getSrc().getType().getLayout().getMap();
  auto type = mlir::cast<ttg::MemDescType>(op.getType());
  unsigned bytes = memoryBytes(type.getElementType());
  LinearLayout::Index at;
  for (auto [axis, offset] : llvm::enumerate(op.getOffsets()))
    at.push_back({dimName(unsigned(axis)), uint64_t(offset)});
  uint64_t first = 0;
  for (const auto &[name, value] : whole.rightInverse()->apply(at))
    if (name == "offset")
      first = value;
  LocalTensor tensor = kernel.locals->tensors.lookup(op.getSrc());
  tensor.scratch.begin += first * bytes;
  if (!tensor.moved)
    tensor.scratch.end =
        tensor.scratch.begin + (uint64_t(1) << type.getLayout().getMap().inBits("offset")) * bytes;
  kernel.locals->tensors[op.getResult()] = tensor;
}

/// Another name for the same memory.
static void emitTrans(KernelLowering &kernel, ttg::MemDescTransOp op) {
  LocalTensor tensor = kernel.locals->tensors.lookup(op.getSrc());
  kernel.locals->tensors[op.getResult()] = tensor;
}

void registerSharedTensors(OperationTable &table) {
  table.add<emitLocalAlloc>();
  table.add<emitLocalDealloc>();
  table.add<emitLocalLoad>();
  table.add<emitLocalStore>();
  table.add<emitIndex>();
  table.add<emitSubview>();
  table.add<emitTrans>();
}

} // namespace tl::backend
