// SPDX-License-Identifier: MIT
//
// Matrix products. The accumulator is updated in place in its buffer; an operand that is a plain
// load of affine addresses is read where it lies, any other one is computed into scratch first,
// which is the packing that a fast product wants anyway.
#include "targets/cpu/Matrices.h"
#include "targets/cpu/Operations.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"

namespace tl::backend::cpu {

using llvm::Value;

namespace {
DotElement dotElement(mlir::Operation *operation, mlir::Type element) {
  if (auto format = floatFormat(element))
    return DotElement(*format);
  if (element.isInteger(8))
    return DotElement::i8;
  if (element.isInteger(32))
    return DotElement::i32;
  unsupported(operation, "the cpu target multiplies no matrices of this element type");
}
} // namespace

static std::optional<size_t> findUnitDimension(FunctionLowering &f, mlir::Value value);

/// The dimension along which a tensor of pointers or offsets moves by one element, found without
/// writing code: that of a range which no other one is added to.
static std::optional<size_t> unitDimension(FunctionLowering &f, mlir::Value value) {
  if (auto known = f.unitDimensions.find(value); known != f.unitDimensions.end())
    return known->second;
  auto dimension = findUnitDimension(f, value);
  f.unitDimensions[value] = dimension;
  return dimension;
}

static std::optional<size_t> findUnitDimension(FunctionLowering &f, mlir::Value value) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation || !mlir::isa<mlir::RankedTensorType>(value.getType()))
    return std::nullopt;
  if (mlir::isa<tt::MakeRangeOp>(operation))
    return shapeOf(value.getType())[0] > 1 ? std::optional<size_t>(0) : std::nullopt;
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(operation)) {
    auto inner = unitDimension(f, expand.getSrc());
    if (inner && *inner >= size_t(expand.getAxis()))
      ++*inner;
    return inner;
  }
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(operation)) {
    auto inner = unitDimension(f, broadcast.getSrc());
    return inner && shapeOf(broadcast.getSrc().getType())[*inner] > 1 ? inner : std::nullopt;
  }
  if (mlir::isa<mlir::arith::ExtSIOp>(operation))
    return unitDimension(f, operation->getOperand(0));
  if (mlir::isa<mlir::arith::AddIOp, tt::AddPtrOp>(operation)) {
    auto a = unitDimension(f, operation->getOperand(0)),
         b = unitDimension(f, operation->getOperand(1));
    // Two unit strides along one dimension make a stride of two.
    if (a && b)
      return *a == *b ? std::nullopt : std::max(a, b);
    return a ? a : b;
  }
  return std::nullopt;
}

/// Whether a load of matrices finds the elements of a column as neighbours.
static bool loadsColumns(FunctionLowering &f, tt::LoadOp load) {
  size_t rank = shapeOf(load.getType()).size();
  return unitDimension(f, load.getPtr()) == std::optional<size_t>(rank - 2);
}

/// Operands that are loaded with their columns as neighbours are stored that way too: a product
/// takes a transposed operand, and loading it needs no gathers then. Written as a transposition of
/// a transposition, of which only the inner one is computed.
void layOperandsAsLoaded(FunctionLowering &f) {
  llvm::SmallVector<std::pair<tt::DotOp, unsigned>> found;
  f.function.getBody().walk([&](tt::DotOp dot) {
    for (unsigned k = 0; k < 2; ++k) {
      auto load = dot->getOperand(k).getDefiningOp<tt::LoadOp>();
      if (load && isDeferred(load) && shapeOf(load.getType()).back() > 1 && loadsColumns(f, load))
        found.push_back({dot, k});
    }
  });
  for (auto [dot, k] : found) {
    mlir::OpBuilder ir(dot);
    mlir::Value load = dot->getOperand(k);
    ir.setInsertionPointAfterValue(load);
    auto type = mlir::cast<mlir::RankedTensorType>(load.getType());
    const int32_t rank = type.getRank();
    llvm::SmallVector<int64_t> shape(type.getShape());
    auto order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::swap(shape[rank - 1], shape[rank - 2]);
    std::swap(order[rank - 1], order[rank - 2]);
    auto turned = type.clone(shape);
    mlir::Value inner = tt::TransOp::create(ir, load.getLoc(), turned, load, order);
    mlir::Value outer = tt::TransOp::create(ir, load.getLoc(), type, inner, order);
    dot->setOperand(k, outer);
  }
}

/// In elements, of a value in a buffer whose dimensions are permuted.
static Values denseStrides(FunctionLowering &f, mlir::Value value,
                           llvm::ArrayRef<int64_t> permutation) {
  auto shape = shapeOf(value.getType());
  llvm::SmallVector<int64_t> dense(shape.size(), 1);
  for (size_t d = shape.size() - 1; d-- > 0;)
    dense[d] = dense[d + 1] * shape[d + 1];
  Values strides;
  for (int64_t d : permutation)
    strides.push_back(f.i64(dense[d]));
  return strides;
}

/// Leaves an operand in global memory where its offsets do not wrap; else it is copied, and pointer
/// and strides become those of the copy.
static ScratchBuffer *copyUnless(FunctionLowering &f, Value *isValid, mlir::Value value,
                                 llvm::ArrayRef<int64_t> permutation, Value *&pointer,
                                 Values &strides) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  f.flush(); // what waits belongs to both ways
  auto *wrapped = llvm::BasicBlock::Create(context, "wrapped", f.code);
  auto *after = llvm::BasicBlock::Create(context, "operand", f.code);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  builder.CreateCondBr(isValid, after, wrapped,
                       llvm::MDBuilder(context).createBranchWeights(1000, 1));
  f.enterBlock(wrapped);
  ScratchBuffer *buffer = f.copyLoaded(value, Copies());
  wrapped = builder.GetInsertBlock();
  builder.CreateBr(after);
  f.enterBlock(after);
  auto either = [&](Value *direct, Value *copied) -> Value * {
    if (direct == copied)
      return direct;
    auto *phi = builder.CreatePHI(direct->getType(), 2);
    phi->addIncoming(direct, before);
    phi->addIncoming(copied, wrapped);
    return phi;
  };
  pointer = either(pointer, buffer->pointer);
  for (auto [stride, dense] : llvm::zip_equal(strides, denseStrides(f, value, permutation)))
    stride = either(stride, dense);
  return buffer;
}

/// Where an operand lies: in global memory if it can be read there, else in scratch.
static DotOperand dotOperand(FunctionLowering &f, mlir::Value value, ScratchBuffer *&buffer) {
  llvm::IRBuilder<> &builder = f.builder;
  auto shape = shapeOf(value.getType());
  size_t rank = shape.size();
  unsigned bytes = memoryBytes(elementType(value.getType()));
  // The operand may be a transposed view of what is loaded or stored.
  llvm::SmallVector<int64_t> permutation;
  for (size_t d = 0; d < rank; ++d)
    permutation.push_back(d);
  mlir::Value root = value, view = value;
  llvm::SmallVector<int64_t> viewPermutation = permutation;
  while (!f.buffers.contains(root)) {
    auto trans = root.getDefiningOp<tt::TransOp>();
    if (!trans)
      break;
    // The inner one of two says how the operand is to be stored, unless it can stay where it is.
    auto inside = trans.getSrc().getDefiningOp<tt::LoadOp>();
    if (inside && loadsColumns(f, inside) && !f.buffers.contains(inside.getResult()) &&
        inside.getMask())
      break;
    view = root;
    viewPermutation = permutation;
    llvm::SmallVector<int64_t> next;
    for (int64_t d : permutation)
      next.push_back(trans.getOrder()[d]);
    permutation = next;
    root = trans.getSrc();
  }
  DotOperand operand;
  Values strides(rank);
  auto load = root.getDefiningOp<tt::LoadOp>();
  if (load && !f.buffers.contains(root) && !load.getMask() && !load.getIsVolatile() &&
      load->getBlock() == f.block && f.isAffine(load.getPtr())) {
    AffineForm form = f.affine(load.getPtr());
    operand.pointer = form.base;
    for (size_t d = 0; d < rank; ++d) {
      Value *stride = form.strides[permutation[d]];
      strides[d] = stride ? builder.CreateExactSDiv(stride, f.i64(bytes)) : f.i64(0);
    }
    // A copy has its neighbours where the memory has them, so that their stride stays a constant.
    const bool turned = loadsColumns(f, load);
    if (form.isValid)
      buffer = copyUnless(f, form.isValid, turned ? view : root,
                          turned ? viewPermutation : permutation, operand.pointer, strides);
  } else {
    buffer = f.materialise(root);
    f.flush();
    operand.pointer = buffer->pointer;
    strides = denseStrides(f, root, permutation);
  }
  operand.rowStride = strides[rank - 2];
  operand.columnStride = strides[rank - 1];
  operand.batchStride = rank == 3 ? strides[0] : nullptr;
  return operand;
}

/// The accumulator in a buffer that may be overwritten; it becomes the buffer of the result.
ScratchBuffer *dotAccumulator(FunctionLowering &f, mlir::Operation *operation, mlir::Value initial,
                              mlir::Value result, llvm::ArrayRef<ScratchBuffer *> operands) {
  Scratch &scratch = f.scratch;
  unsigned before = f.current;
  f.current = f.order.lookup(operation) + 1;
  ScratchBuffer *buffer = nullptr;
  if (auto known = f.buffers.find(initial); known != f.buffers.end()) {
    bool shared = llvm::any_of(f.buffers, [&](auto &entry) {
      return entry.second == known->second && f.isWanted(entry.first);
    });
    if (known->second->address && initial.getParentBlock() == f.block && !shared &&
        !llvm::is_contained(operands, known->second))
      buffer = known->second;
  }
  f.current = before;
  if (!buffer) {
    bool owned = !f.buffers.contains(initial) && initial.getParentBlock() == f.block &&
                 initial.hasOneUse() && !initial.getDefiningOp<mlir::arith::ConstantOp>();
    buffer = owned ? f.bufferInPlace(initial) : nullptr;
    if (!buffer || llvm::is_contained(operands, buffer))
      buffer = scratch.allocate(f.bufferBytes(initial.getType()));
    FusionRoot root;
    root.value = initial;
    root.buffer = buffer;
    root.copy = true;
    f.addRoot(root);
  }
  f.flush();
  scratch.use(*buffer);
  f.buffers[result] = buffer;
  return buffer;
}

void emitProduct(FunctionLowering &f, const DotSpec &spec, const DotOperand &a, const DotOperand &b,
                 ScratchBuffer *c) {
  llvm::IRBuilder<> &builder = f.builder;
  Scratch &scratch = f.scratch;
  DotOperand accumulator;
  accumulator.pointer = c->pointer;
  accumulator.rowStride = f.i64(spec.n);
  accumulator.columnStride = f.i64(1);
  accumulator.batchStride = f.i64(spec.m * spec.n);
  Value *workspace = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (uint64_t bytes = dotWorkspaceBytes(spec, a, b, f.features)) {
    ScratchBuffer *buffer = scratch.allocate(bytes);
    scratch.use(*buffer);
    workspace = buffer->pointer;
  }
  emitDot(builder, spec, a, b, accumulator, workspace, f.features);
  scratch.tick();
}

static void emitDotOperation(FunctionLowering &f, tt::DotOp dot) {
  Scratch &scratch = f.scratch;
  auto aShape = shapeOf(dot.getA().getType()), bShape = shapeOf(dot.getB().getType());
  size_t rank = aShape.size();
  DotSpec spec;
  spec.batch = rank == 3 ? aShape[0] : 1;
  spec.m = aShape[rank - 2];
  spec.k = aShape[rank - 1];
  spec.n = bShape[rank - 1];
  spec.a = dotElement(dot, elementType(dot.getA().getType()));
  spec.b = dotElement(dot, elementType(dot.getB().getType()));
  spec.c = dotElement(dot, elementType(dot.getC().getType()));
  if (spec.c != DotElement::f32 && spec.c != DotElement::f64 && spec.c != DotElement::f16 &&
      spec.c != DotElement::i32)
    unsupported(dot, "tl::dot accumulates in f32, f64, f16 or i32 on the cpu target");
  ScratchBuffer *aBuffer = nullptr, *bBuffer = nullptr;
  DotOperand a = dotOperand(f, dot.getA(), aBuffer);
  DotOperand b = dotOperand(f, dot.getB(), bBuffer);
  ScratchBuffer *c = dotAccumulator(f, dot, dot.getC(), dot.getD(), {aBuffer, bBuffer});
  // The operands must outlive what was computed since.
  for (ScratchBuffer *buffer : {aBuffer, bBuffer})
    if (buffer)
      scratch.use(*buffer);
  emitProduct(f, spec, a, b, c);
}

void addLinearAlgebra(EmitterTable &table) { table.add<emitDotOperation>(); }

} // namespace tl::backend::cpu
