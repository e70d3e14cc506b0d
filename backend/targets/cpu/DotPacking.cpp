// SPDX-License-Identifier: MIT
//
// Brings operands into the form that the micro-kernel reads: dense rows of units (DotBuilder.h),
// converted, grouped and, where the operand lies the other way round, transposed in registers.
#include "targets/cpu/DotBuilder.h"

#include <algorithm>

namespace tl::backend::cpu {

using llvm::Type;
using llvm::Value;

namespace {

bool isFloat(DotElement element) { return element <= DotElement::f64; }

Type *memoryType(llvm::LLVMContext &context, DotElement element) {
  if (isFloat(element))
    return storageType(context, FloatFormat(element));
  return Type::getIntNTy(context, element == DotElement::i32 ? 32 : 8);
}

int64_t powerBelow(int64_t limit, int64_t extent) {
  int64_t power = 1;
  while (power * 2 <= limit && power * 2 <= extent)
    power *= 2;
  return power;
}

} // namespace

/// An operand seen as a matrix of units: `k` counts units along k, `other` rows of A or columns of
/// B.
struct DotBuilder::Source {
  DotBuilder &build;
  DotElement element;
  Value *pointer;
  Value *strideK, *strideOther; // in elements
  bool shifted;                 // signed int8 made unsigned

  llvm::IRBuilderBase &b() { return build.b; }

  Value *address(Value *k, Value *other) {
    Value *index = build.add(build.mul(k, strideK), build.mul(other, strideOther));
    return build.elementAt(memoryType(b().getContext(), element), pointer, index);
  }

  /// Elements as they are in memory -> elements of a unit.
  Value *convert(Value *x) {
    unsigned lanes = 1;
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
      lanes = vector->getNumElements();
    const HostFeatures &features = build.plan.features;
    auto to = [&](FloatFormat format) {
      return emitFloatConversion(b(), x, FloatFormat(element), format, Rounding::toNearestEven,
                                 features);
    };
    switch (build.plan.arithmetic) {
    case DotArithmetic::f32:
      return to(FloatFormat::f32);
    case DotArithmetic::f64:
      return to(FloatFormat::f64);
    case DotArithmetic::bf16Pair:
      return to(FloatFormat::bf16);
    case DotArithmetic::i8Quad:
      return shifted ? b().CreateXor(x, llvm::ConstantInt::get(x->getType(), 0x80)) : x;
    case DotArithmetic::i16Pair:
    case DotArithmetic::i32: {
      Type *type = vectorOf(build.plan.group == 2 ? b().getInt16Ty() : b().getInt32Ty(), lanes);
      return element == DotElement::u8 ? b().CreateZExt(x, type) : b().CreateSExt(x, type);
    }
    }
    llvm_unreachable("every arithmetic is handled");
  }

  /// `count` units that follow each other along k, from elements that do so in memory.
  Value *alongK(Value *k, Value *other, unsigned count) {
    unsigned elements = count * unsigned(build.plan.group);
    Type *type = memoryType(b().getContext(), element);
    Value *first = build.mul(k, build.i64(build.plan.group));
    Value *x = build.load(vectorOf(type, elements), address(first, other), 1);
    return b().CreateBitCast(convert(x), vectorOf(build.unitType(), count));
  }

  /// `count` units that follow each other along the other dimension: lanes of `group` rows, put
  /// together lane by lane.
  Value *alongOther(Value *k, Value *other, unsigned count) {
    Type *type = vectorOf(memoryType(b().getContext(), element), count);
    llvm::SmallVector<Value *, 4> rows;
    Value *first = build.mul(k, build.i64(build.plan.group));
    for (int64_t i = 0; i < build.plan.group; ++i)
      rows.push_back(convert(build.load(type, address(build.add(first, build.i64(i)), other), 1)));
    Value *x = rows[0];
    if (rows.size() == 2)
      x = zip(rows[0], rows[1]);
    if (rows.size() == 4)
      x = zip(zip(rows[0], rows[2]), zip(rows[1], rows[3]));
    return b().CreateBitCast(x, vectorOf(build.unitType(), count));
  }

  /// One unit of which only the first `valid` elements exist.
  Value *partial(Value *k, Value *other, int64_t valid) {
    Type *type = memoryType(b().getContext(), element);
    Value *first = build.mul(k, build.i64(build.plan.group));
    Value *unit = nullptr;
    for (int64_t i = 0; i < build.plan.group; ++i) {
      Value *x = i < valid ? build.load(type, address(build.add(first, build.i64(i)), other), 1)
                           : llvm::Constant::getNullValue(type);
      x = convert(x);
      if (build.plan.group == 1)
        return x;
      if (!unit)
        unit = llvm::PoisonValue::get(vectorOf(x->getType(), unsigned(build.plan.group)));
      unit = b().CreateInsertElement(unit, x, uint64_t(i));
    }
    return b().CreateBitCast(unit, build.unitType());
  }

  Value *zip(Value *x, Value *y) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    if (!vector) { // scalars become a vector of two
      Value *pair = llvm::PoisonValue::get(vectorOf(x->getType(), 2));
      return b().CreateInsertElement(b().CreateInsertElement(pair, x, uint64_t(0)), y, uint64_t(1));
    }
    llvm::SmallVector<int> lanes;
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      lanes.push_back(int(i));
      lanes.push_back(int(i + vector->getNumElements()));
    }
    return b().CreateShuffleVector(x, y, lanes);
  }
};

namespace {

/// Transposes a square of vectors: log2(n) rounds that exchange halves of ever smaller blocks.
void transpose(llvm::IRBuilderBase &b, llvm::MutableArrayRef<Value *> rows) {
  const int n = int(rows.size());
  for (int block = n / 2; block >= 1; block /= 2) {
    llvm::SmallVector<int> upper, lower;
    for (int lane = 0; lane < n; ++lane) {
      bool right = lane & block;
      upper.push_back(right ? n + lane - block : lane);
      lower.push_back(right ? n + lane : lane + block);
    }
    for (int i = 0; i < n; ++i) {
      if (i & block)
        continue;
      Value *x = rows[i], *y = rows[i + block];
      rows[i] = b.CreateShuffleVector(x, y, upper);
      rows[i + block] = b.CreateShuffleVector(x, y, lower);
    }
  }
}

} // namespace

/// Writes a dense matrix of units, rows x columns. `columnsAlongK`: its columns are those along k
/// (A), or its rows are (B).
void DotBuilder::packRows(Source source, int64_t rows, int64_t columns, bool columnsAlongK,
                          Value *destination) {
  const int64_t valid = plan.spec.k % plan.group; // elements of an incomplete last unit
  const int64_t fullRows = !columnsAlongK && valid ? rows - 1 : rows;
  const int64_t fullColumns = columnsAlongK && valid ? columns - 1 : columns;
  Type *unit = unitType();
  auto unitAt = [&](Value *row, Value *column) {
    return elementAt(unit, destination, add(mul(row, i64(columns)), column));
  };
  auto put = [&](Value *value, Value *row, Value *column) {
    store(value, unitAt(row, column), plan.unitBytes);
  };
  auto kOf = [&](Value *row, Value *column) { return columnsAlongK ? column : row; };
  auto otherOf = [&](Value *row, Value *column) { return columnsAlongK ? row : column; };
  auto scalars = [&](int64_t row0, int64_t rowCount, int64_t column0, int64_t columnCount,
                     int64_t validElements) {
    loop(rowCount, 1, [&](Value *i) {
      Value *row = add(i, i64(row0));
      loop(columnCount, 1, [&](Value *j) {
        Value *column = add(j, i64(column0));
        put(source.partial(kOf(row, column), otherOf(row, column), validElements), row, column);
      });
    });
  };

  const bool contiguousK = isOne(source.strideK), contiguousOther = isOne(source.strideOther);
  const bool straight = columnsAlongK ? contiguousK : contiguousOther;
  const bool crossed = columnsAlongK ? contiguousOther : contiguousK;
  int64_t doneRows = 0, doneColumns = 0;
  if (straight) {
    doneRows = fullRows;
    // Whole vectors, then powers of two of what is left.
    for (int64_t width = plan.lanes; width >= 1; width /= 2) {
      int64_t count = (fullColumns - doneColumns) / width * width;
      if (count == 0)
        continue;
      loop(fullRows, 1, [&](Value *row) {
        loop(count, width, [&](Value *j) {
          Value *column = add(j, i64(doneColumns));
          put(columnsAlongK ? source.alongK(column, row, unsigned(width))
                            : source.alongOther(row, column, unsigned(width)),
              row, column);
        });
      });
      doneColumns += count;
    }
  } else if (crossed) {
    // Squares: vectors along the rows of the destination, transposed. Squares of 16 would be no
    // faster and twice the code.
    int64_t side = powerBelow(std::min(plan.lanes, 8u), std::min(fullRows, fullColumns));
    if (side > 1) {
      doneRows = fullRows / side * side;
      doneColumns = fullColumns / side * side;
      loop(doneRows, side, [&](Value *row) {
        loop(doneColumns, side, [&](Value *column) {
          llvm::SmallVector<Value *, 16> vectors;
          for (int64_t i = 0; i < side; ++i) {
            Value *line = add(column, i64(i));
            vectors.push_back(columnsAlongK ? source.alongOther(line, row, unsigned(side))
                                            : source.alongK(row, line, unsigned(side)));
          }
          transpose(b, vectors);
          for (int64_t i = 0; i < side; ++i)
            put(vectors[size_t(i)], add(row, i64(i)), column);
        });
      });
    }
  }
  // What is left of the full units: below and to the right.
  if (doneRows < fullRows)
    scalars(doneRows, fullRows - doneRows, 0, fullColumns, plan.group);
  if (doneRows > 0 && doneColumns < fullColumns)
    scalars(0, doneRows, doneColumns, fullColumns - doneColumns, plan.group);
  // The incomplete units.
  if (fullRows < rows)
    scalars(fullRows, 1, 0, columns, valid);
  if (fullColumns < columns)
    scalars(0, rows, fullColumns, 1, valid);
}

bool DotPlan::readsInPlaceA(Value *rowStride, Value *columnStride) const {
  // Rows at constant distance, so that the micro-kernel needs one pointer for all of them.
  auto *distance = constantOf(rowStride);
  if (!distance || !constantOf(columnStride))
    return false;
  if (arithmetic == DotArithmetic::f32 || arithmetic == DotArithmetic::f64)
    return spec.a == (arithmetic == DotArithmetic::f32 ? DotElement::f32 : DotElement::f64);
  const bool asIs = arithmetic == DotArithmetic::bf16Pair
                        ? spec.a == DotElement::bf16
                        : arithmetic == DotArithmetic::i8Quad && !shiftA;
  return asIs && spec.k % group == 0 && isOne(columnStride) &&
         distance->getSExtValue() % group == 0;
}

bool DotPlan::readsInPlaceB(Value *rowStride, Value *columnStride) const {
  // Rows of vectors at constant distance. Other distances may be a power of two that maps all rows
  // to the same lines of the cache.
  const bool asIs = (arithmetic == DotArithmetic::f32 && spec.b == DotElement::f32) ||
                    (arithmetic == DotArithmetic::f64 && spec.b == DotElement::f64);
  return asIs && isOne(columnStride) && constantOf(rowStride);
}

DotMatrix DotBuilder::packedA(const DotMatrix &a, Value *workspace) {
  if (plan.readsInPlaceA(a.rowStride, a.columnStride)) {
    if (plan.group == 1)
      return a;
    return {a.pointer, i64(constantOf(a.rowStride)->getSExtValue() / plan.group), i64(1)};
  }
  packRows({*this, plan.spec.a, a.pointer, a.columnStride, a.rowStride, plan.shiftA}, plan.spec.m,
           plan.units, true, workspace);
  return {workspace, i64(plan.units), i64(1)};
}

DotMatrix DotBuilder::packedB(const DotMatrix &matrix, Value *workspace) {
  if (plan.readsInPlaceB(matrix.rowStride, matrix.columnStride))
    return matrix;
  packRows({*this, plan.spec.b, matrix.pointer, matrix.rowStride, matrix.columnStride, false},
           plan.units, plan.spec.n, false, workspace);
  return {workspace, i64(plan.spec.n), i64(1)};
}

} // namespace tl::backend::cpu
