// SPDX-License-Identifier: MIT
//
// Memory operations of one program happen in the order of the text, also where addresses overlap. A
// fused loop runs element by element instead, so for each access and later write in one loop there
// is a test at run time that they do not meet; if they do, the loop is run apart.
//
// With the lanes in ascending order, x[i] being read before y[i] is written, the fused loop is
// right if the ranges are disjoint, or if the write stays at or after the access: y <= x as
// addresses of one dense dimension. Of several dimensions only the same addresses in the same order
// are accepted.
#include "targets/cpu/FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;
namespace arith = mlir::arith;

static bool findAffine(FunctionLowering &f, mlir::Value value);
static AffineForm findAffineForm(FunctionLowering &f, mlir::Value value, AffineForms &known);
static AffineForm makeAffineForm(FunctionLowering &f, mlir::Value value, AffineForms &known);

bool FunctionLowering::isAffine(mlir::Value value) {
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return true;
  if (auto known = affineValues.find(value); known != affineValues.end())
    return known->second;
  bool found = findAffine(*this, value);
  affineValues[value] = found;
  return found;
}

static bool findAffine(FunctionLowering &f, mlir::Value value) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return false;
  if (mlir::isa<tt::MakeRangeOp>(operation))
    return true;
  if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation)) {
    auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constantOp.getValue());
    return elements && elements.isSplat();
  }
  // Narrower numbers may well wrap; of wider ones noHazard finds out.
  auto extends = [&](mlir::Value narrow) {
    return elementType(narrow.getType()).getIntOrFloatBitWidth() >= 32 ||
           f.ramps.of(narrow).extends();
  };
  if (operation->hasTrait<tt::MovesAxes>())
    return f.isAffine(operation->getOperand(0));
  if (auto extend = mlir::dyn_cast<arith::ExtSIOp>(operation))
    return extends(extend.getIn()) && f.isAffine(extend.getIn());
  if (auto cast = mlir::dyn_cast<tt::BitcastOp>(operation))
    return mlir::isa<tt::PointerType>(elementType(cast.getType())) && f.isAffine(cast.getSrc());
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(operation))
    return extends(add.getOffset()) && f.isAffine(add.getPtr()) && f.isAffine(add.getOffset());
  if (mlir::isa<arith::AddIOp, arith::SubIOp>(operation))
    return f.isAffine(operation->getOperand(0)) && f.isAffine(operation->getOperand(1));
  if (mlir::isa<arith::MulIOp>(operation))
    return f.isAffine(operation->getOperand(0)) && f.isAffine(operation->getOperand(1)) &&
           (f.ramps.of(operation->getOperand(0)).isConstant() ||
            f.ramps.of(operation->getOperand(1)).isConstant());
  return false;
}

namespace {
/// The dimensions that have more than one element.
llvm::SmallVector<size_t> realDimensions(mlir::Value value) {
  llvm::SmallVector<size_t> result;
  for (auto [d, extent] : llvm::enumerate(shapeOf(value.getType())))
    if (extent > 1)
      result.push_back(d);
  return result;
}
} // namespace

/// Whether no element of a narrow affine form wraps; null if that is known, or taken for granted as
/// in FunctionLowering::address.
static Value *staysInside(FunctionLowering &f, const AffineForm &form, mlir::Value value) {
  llvm::IRBuilder<> &builder = f.builder;
  if (f.ramps.of(value).extends())
    return nullptr;
  llvm::Type *wide = builder.getInt64Ty(), *own = form.base->getType();
  Value *low = builder.CreateSExt(form.base, wide), *high = low, *zero = f.i64(0);
  auto shape = shapeOf(value.getType());
  bool neighbours = true;
  unsigned moving = 0;
  for (size_t d : realDimensions(value)) {
    if (!form.strides[d])
      continue;
    ++moving;
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(form.strides[d]);
    neighbours &= known && known->isOne();
    Value *span = builder.CreateMul(builder.CreateSExt(form.strides[d], wide), f.i64(shape[d] - 1));
    low = builder.CreateAdd(low, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, span, zero));
    high =
        builder.CreateAdd(high, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, span, zero));
  }
  if (moving == 0 || (moving == 1 && neighbours))
    return nullptr;
  auto inside = [&](Value *end) {
    return builder.CreateICmpEQ(builder.CreateSExt(builder.CreateTrunc(end, own), wide), end);
  };
  return builder.CreateAnd(inside(low), inside(high));
}

AffineForm FunctionLowering::affine(mlir::Value value) {
  AffineForms known;
  return findAffineForm(*this, value, known);
}

static AffineForm findAffineForm(FunctionLowering &f, mlir::Value value, AffineForms &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  AffineForm form = makeAffineForm(f, value, known);
  known[value] = form;
  return form;
}

/// The form of a value from those of its operands.
static AffineForm makeAffineForm(FunctionLowering &f, mlir::Value value, AffineForms &known) {
  llvm::IRBuilder<> &builder = f.builder;
  llvm::LLVMContext &context = f.context;
  AffineForm form;
  size_t rank = shapeOf(value.getType()).size();
  form.strides.assign(rank, nullptr);
  if (!mlir::isa<mlir::RankedTensorType>(value.getType())) {
    form.base = f.scalar(value);
    return form;
  }
  mlir::Operation *operation = value.getDefiningOp();
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(operation)) {
    form.base = f.scalar(splat.getSrc());
    return form;
  }
  mlir::Type element = elementType(value.getType());
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(operation)) {
    form.base = builder.getInt32(range.getStart());
    form.strides[0] = builder.getInt32(1);
    return form;
  }
  if (auto constantOp = mlir::dyn_cast<arith::ConstantOp>(operation)) {
    auto elements = mlir::cast<mlir::DenseElementsAttr>(constantOp.getValue());
    form.base = f.constant(elements.getSplatValue<mlir::Attribute>(), element);
    return form;
  }
  AffineForm a = findAffineForm(f, operation->getOperand(0), known);
  if (auto expand = mlir::dyn_cast<tt::ExpandDimsOp>(operation)) {
    a.strides.insert(a.strides.begin() + expand.getAxis(), nullptr);
    return a;
  }
  if (auto broadcast = mlir::dyn_cast<tt::BroadcastOp>(operation)) {
    for (auto [stride, extent] : llvm::zip(a.strides, shapeOf(broadcast.getSrc().getType())))
      if (extent == 1)
        stride = nullptr;
    return a;
  }
  if (auto trans = mlir::dyn_cast<tt::TransOp>(operation)) {
    form.base = a.base;
    form.isValid = a.isValid;
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      form.strides[to] = a.strides[from];
    return form;
  }
  auto both = [&](Value *x, Value *y) { return x && y ? builder.CreateAnd(x, y) : x ? x : y; };
  auto map = [&](llvm::function_ref<Value *(Value *)> change) {
    a.base = change(a.base);
    for (Value *&stride : a.strides)
      if (stride)
        stride = change(stride);
    return a;
  };
  if (auto extend = mlir::dyn_cast<arith::ExtSIOp>(operation)) {
    llvm::Type *type = registerType(context, element);
    a.isValid = both(a.isValid, staysInside(f, a, extend.getIn()));
    return map([&](Value *v) { return builder.CreateSExt(v, type); });
  }
  if (mlir::isa<tt::BitcastOp>(operation))
    return a;
  AffineForm b = findAffineForm(f, operation->getOperand(1), known);
  a.isValid = form.isValid = both(a.isValid, b.isValid);
  if (auto add = mlir::dyn_cast<tt::AddPtrOp>(operation)) {
    mlir::Type pointee = mlir::cast<tt::PointerType>(element).getPointeeType();
    auto bytes = [&](Value *elements) {
      return builder.CreateMul(builder.CreateSExtOrTrunc(elements, builder.getInt64Ty()),
                               f.i64(memoryBytes(pointee)));
    };
    if (elementType(add.getOffset().getType()).getIntOrFloatBitWidth() < 64)
      form.isValid = both(form.isValid, staysInside(f, b, add.getOffset()));
    form.base = builder.CreateGEP(memoryType(context, pointee), a.base,
                                  builder.CreateSExtOrTrunc(b.base, builder.getInt64Ty()));
    for (size_t d = 0; d < rank; ++d) {
      Value *own = b.strides[d] ? bytes(b.strides[d]) : nullptr;
      form.strides[d] = !own           ? a.strides[d]
                        : a.strides[d] ? builder.CreateAdd(a.strides[d], own)
                                       : own;
    }
    return form;
  }
  if (mlir::isa<arith::MulIOp>(operation)) {
    bool scaleIsFirst = llvm::all_of(a.strides, [](Value *stride) { return stride == nullptr; });
    if (scaleIsFirst)
      std::swap(a, b);
    a.isValid = form.isValid;
    Value *factor = b.base;
    return map([&](Value *v) { return builder.CreateMul(v, factor); });
  }
  bool subtract = mlir::isa<arith::SubIOp>(operation);
  auto combine = [&](Value *x, Value *y) -> Value * {
    if (!y)
      return x;
    if (!x)
      return subtract ? builder.CreateNeg(y) : y;
    return subtract ? builder.CreateSub(x, y) : builder.CreateAdd(x, y);
  };
  form.base = combine(a.base, b.base);
  for (size_t d = 0; d < rank; ++d)
    form.strides[d] = combine(a.strides[d], b.strides[d]);
  return form;
}

namespace {
mlir::Value pointerOf(mlir::Operation *operation) {
  if (auto load = mlir::dyn_cast<tt::LoadOp>(operation))
    return load.getPtr();
  return mlir::cast<tt::StoreOp>(operation).getPtr();
}
} // namespace

bool FunctionLowering::findHazards(llvm::ArrayRef<FusionRoot> roots, const Slice &slice,
                                   llvm::SmallVectorImpl<Hazard> &hazards,
                                   llvm::SmallVectorImpl<mlir::Value> &copied) {
  for (size_t s = 0; s < roots.size(); ++s) {
    if (roots[s].kind != FusionRoot::Kind::store)
      continue;
    mlir::Operation *write = roots[s].operation;
    bool writeAffine = isAffine(pointerOf(write));
    auto add = [&](mlir::Operation *first, bool sameIndex) {
      for (const Hazard &known : hazards)
        if (known.first == first && known.write == write && (sameIndex || !known.sameIndex))
          return;
      hazards.push_back({first, write, sameIndex});
    };
    for (const Slice::Use &use : slice.loads) {
      mlir::Operation *load = use.value.getDefiningOp();
      if (order.lookup(load) > order.lookup(write) || llvm::is_contained(copied, use.value))
        continue;
      if (writeAffine && isAffine(pointerOf(load))) {
        add(load, use.identity);
      } else {
        copied.push_back(use.value);
      }
    }
    for (size_t e = 0; e < s; ++e) {
      if (roots[e].kind != FusionRoot::Kind::store)
        continue;
      if (!writeAffine || !isAffine(pointerOf(roots[e].operation)))
        return false;
      add(roots[e].operation, true);
    }
  }
  return true;
}

Value *FunctionLowering::noHazard(const Hazard &hazard) {
  mlir::Value firstPointer = pointerOf(hazard.first), writePointer = pointerOf(hazard.write);
  AffineForm first = affine(firstPointer), write = affine(writePointer);
  auto bytes = [&](mlir::Value pointer) {
    return memoryBytes(
        mlir::cast<tt::PointerType>(elementType(pointer.getType())).getPointeeType());
  };
  Value *zero = i64(0);
  auto range = [&](mlir::Value pointer, const AffineForm &form) {
    Value *low = builder.CreatePtrToInt(form.base, builder.getInt64Ty());
    Value *high = builder.CreateAdd(low, i64(bytes(pointer)));
    for (auto [stride, extent] : llvm::zip(form.strides, shapeOf(pointer.getType()))) {
      if (!stride || extent == 1)
        continue;
      Value *span = builder.CreateMul(stride, i64(extent - 1));
      auto least = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, span, zero);
      auto most = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, span, zero);
      low = builder.CreateAdd(low, least);
      high = builder.CreateAdd(high, most);
    }
    return std::pair<Value *, Value *>(low, high);
  };
  auto isValid = [&](Value *safe) {
    for (Value *condition : {first.isValid, write.isValid})
      safe = condition ? builder.CreateAnd(safe, condition) : safe;
    return safe;
  };
  auto [firstLow, firstHigh] = range(firstPointer, first);
  auto [writeLow, writeHigh] = range(writePointer, write);
  Value *safe = builder.CreateOr(builder.CreateICmpULE(firstHigh, writeLow),
                                 builder.CreateICmpULE(writeHigh, firstLow));
  if (!hazard.sameIndex || bytes(firstPointer) != bytes(writePointer) ||
      shapeOf(firstPointer.getType()) != shapeOf(writePointer.getType()))
    return isValid(safe);
  auto dimensions = realDimensions(writePointer);
  Value *size = i64(bytes(writePointer));
  auto stride = [&](const AffineForm &form, size_t d) {
    return form.strides[d] ? form.strides[d] : zero;
  };
  if (dimensions.size() == 1) {
    Value *a = stride(first, dimensions[0]), *b = stride(write, dimensions[0]);
    Value *dense = builder.CreateAnd(builder.CreateICmpEQ(a, b), builder.CreateICmpSGE(b, size));
    Value *isAfter =
        builder.CreateICmpULE(builder.CreatePtrToInt(write.base, builder.getInt64Ty()),
                              builder.CreatePtrToInt(first.base, builder.getInt64Ty()));
    return isValid(builder.CreateOr(safe, builder.CreateAnd(dense, isAfter)));
  }
  Value *equal = builder.CreateICmpEQ(first.base, write.base);
  Value *needed = size;
  for (size_t k = dimensions.size(); k-- > 0;) {
    Value *a = stride(first, dimensions[k]), *b = stride(write, dimensions[k]);
    equal = builder.CreateAnd(equal, builder.CreateICmpEQ(a, b));
    equal = builder.CreateAnd(equal, builder.CreateICmpSGE(b, needed));
    needed = builder.CreateMul(b, i64(shapeOf(writePointer.getType())[dimensions[k]]));
  }
  return isValid(builder.CreateOr(safe, equal));
}

} // namespace tl::backend::cpu
