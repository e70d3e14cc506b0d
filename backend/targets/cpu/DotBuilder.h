// SPDX-License-Identifier: MIT
//
// What Dot.cpp and DotPacking.cpp share: the arithmetic of a dot, and loops in IR.
#pragma once

#include "targets/cpu/Dot.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tl::backend::cpu {

/// How products are summed. Elements of A and B are put together in *units* of `group()` neighbours
/// along k, as wide as an accumulator: one instruction multiplies a unit of A with a vector of
/// units of B and adds the products to a vector of accumulators.
///
/// For int8 with VNNI, four at a time, C of one row and four columns, k = 8:
///
///   units of B, packed:   { b[0..3][0], b[0..3][1], b[0..3][2], b[0..3][3] }
///                         { b[4..7][0], b[4..7][1], b[4..7][2], b[4..7][3] }
///   c[0..3] = dot4(dot4(c[0..3], splat(a[0..3]), first), splat(a[4..7]), second)
enum class DotArithmetic : uint8_t {
  f32,      // multiply-add
  f64,      //
  bf16Pair, // AVX512-BF16
  i8Quad,   // VNNI: u8 x s8; signed A is shifted by 128 and the sum corrected
  i16Pair,  // pmaddwd on widened int8
  i32,      // anywhere: widened multiply and add
};

/// A product of fixed shape on one processor.
struct DotPlan {
  DotSpec spec;
  const HostFeatures &features;
  DotArithmetic arithmetic;
  int64_t group = 1; // elements in a unit
  int64_t units = 0; // along k, the last one padded with zeros
  unsigned unitBytes = 4;
  unsigned lanes = 4;   // accumulators in a vector
  unsigned rows = 4;    // of the micro-kernel
  unsigned vectors = 2; // of the micro-kernel, side by side
  bool shiftA = false;  // i8Quad with signed A
  bool narrowC = false; // C is f16: summed in an f32 copy

  DotPlan(const DotSpec &spec, const HostFeatures &features);

  bool isInteger() const { return arithmetic >= DotArithmetic::i8Quad; }

  /// Whether units can be read where the operand lies.
  bool readsInPlaceA(llvm::Value *rowStride, llvm::Value *columnStride) const;
  bool readsInPlaceB(llvm::Value *rowStride, llvm::Value *columnStride) const;

  // The parts of the workspace, in order and as far as they are needed; each a multiple of 64
  // bytes. Batches use it one after the other.
  uint64_t bytesA() const { return part(uint64_t(spec.m) * units * unitBytes); }
  uint64_t bytesB() const { return part(uint64_t(spec.n) * units * unitBytes); }
  uint64_t bytesCorrection() const { return shiftA ? part(uint64_t(spec.n) * 4) : 0; }
  uint64_t bytesC() const { return narrowC ? part(uint64_t(spec.m) * spec.n * 4) : 0; }

private:
  static uint64_t part(uint64_t bytes) { return (bytes + 63) / 64 * 64; }
};

/// Where the elements or units of a matrix lie.
struct DotMatrix {
  llvm::Value *pointer, *rowStride, *columnStride;
};

/// Builds the body of one dot function.
class DotBuilder {
public:
  DotBuilder(llvm::IRBuilderBase &b, const DotPlan &plan) : b(b), plan(plan) {}

  llvm::IRBuilderBase &b;
  const DotPlan &plan;

  llvm::Value *i64(int64_t value) { return b.getInt64(uint64_t(value)); }
  llvm::Value *mul(llvm::Value *x, llvm::Value *y) { return b.CreateMul(x, y); }
  llvm::Value *add(llvm::Value *x, llvm::Value *y) { return b.CreateAdd(x, y); }

  /// f32, f64 or i32.
  llvm::Type *accumulatorType();
  /// The type in which units are loaded and splatted: f32, f64 or i32.
  llvm::Type *unitType() {
    return accumulatorType()->isFloatTy() && plan.group > 1 ? b.getInt32Ty() : accumulatorType();
  }
  static llvm::Type *vectorOf(llvm::Type *element, unsigned lanes) {
    return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
  }

  llvm::Value *elementAt(llvm::Type *type, llvm::Value *pointer, llvm::Value *index) {
    return b.CreateGEP(type, pointer, index);
  }
  llvm::Value *load(llvm::Type *type, llvm::Value *pointer, unsigned alignment);
  void store(llvm::Value *value, llvm::Value *pointer, unsigned alignment);

  /// for (i = 0; i < count; i += step) with values carried from one iteration to the next. No loop
  /// is made for a single iteration.
  using Carried = llvm::SmallVector<llvm::Value *>;
  Carried loop(int64_t count, int64_t step, Carried initial,
               llvm::function_ref<Carried(llvm::Value *, const Carried &)> body);
  void loop(int64_t count, int64_t step, llvm::function_ref<void(llvm::Value *)> body) {
    loop(count, step, {}, [&](llvm::Value *i, const Carried &) {
      body(i);
      return Carried();
    });
  }

  // ---- DotPacking.cpp
  /// The matrix of units: m rows of A, or as many rows of B as there are units. It is the operand
  /// itself if that can be read in place, else a dense copy in the workspace.
  DotMatrix packedA(const DotMatrix &a, llvm::Value *workspace);
  DotMatrix packedB(const DotMatrix &b, llvm::Value *workspace);

private:
  struct Source;
  void packRows(Source source, int64_t rows, int64_t columns, bool columnsAlongK,
                llvm::Value *destination);
};

/// A constant that says so, or null.
inline const llvm::ConstantInt *constantOf(llvm::Value *value) {
  return llvm::dyn_cast<llvm::ConstantInt>(value);
}
inline bool isOne(llvm::Value *value) {
  auto *constant = constantOf(value);
  return constant && constant->isOne();
}

} // namespace tl::backend::cpu
