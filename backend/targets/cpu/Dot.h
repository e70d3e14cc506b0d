// SPDX-License-Identifier: MIT
//
// C += A * B on small tiles, as LLVM IR: the matrix product inside one program. Emitted as an
// internal function of the module, so that several dots of one shape share their code.
// Next: Dot.cpp for the blocking, DotPacking.cpp for operands that are not ready to use.
#pragma once

#include "arithmetic/FloatConversions.h"
#include "targets/cpu/HostFeatures.h"

#include <cstdint>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace tl::backend::cpu {

/// Element types of a dot, the floats in the order of FloatFormat. Formats of 8 and 16 bits are
/// stored as in FloatConversions.h.
enum class DotElement : uint8_t {
#define FLOAT(id, ...) id,
  TL_FLOAT_TYPES(FLOAT, FLOAT)
#undef FLOAT
      i8,
  u8,
  i32
};

/// What is multiplied. A is batch x m x k, B is batch x k x n, C is batch x m x n; every extent is
/// at least 1 and need not be a power of two.
///
/// | a, b (each)             | c        | arithmetic                                           |
/// |-------------------------|----------|------------------------------------------------------|
/// | any fp8, f16, bf16, f32 | f32, f16 | f32 sums; products of 8 and 16 bits are exact        |
/// | f64                     | f64      | f64                                                  |
/// | i8, u8                  | i32      | exact, sums wrap                                     |
///
/// A and B may differ in format. Input precisions (tf32, tf32x3, bf16x3, ieee) make no difference
/// here: f32 operands are always multiplied in full f32. With c = f16 the tile of C is read, summed
/// in f32 and rounded once when it is written. Where bf16 and fp8 operands go through AVX512-BF16,
/// denormal operands, products and sums count as zero: the instruction has no other mode.
struct DotSpec {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  DotElement a = DotElement::f32, b = DotElement::f32, c = DotElement::f32;
};

/// Where a matrix lies: a pointer and the distances between elements, in elements, as i64 values.
/// Constants give the best code. A transposed operand is the same memory with the strides
/// exchanged. `batchStride` may be null when the batch is 1.
struct DotOperand {
  llvm::Value *pointer = nullptr;
  llvm::Value *rowStride = nullptr;
  llvm::Value *columnStride = nullptr;
  llvm::Value *batchStride = nullptr;
};

/// Bytes of workspace (64-byte aligned, part of the program's scratch) that emitDot needs for
/// operands that it brings into another form first: converted, transposed, or gathered from rows
/// whose distance is not a constant. Small beside the work: A and B are read once, and used m or n
/// times.
uint64_t dotWorkspaceBytes(const DotSpec &spec, const DotOperand &a, const DotOperand &b,
                           const HostFeatures &features);

/// Emits C += A * B at the insertion point (a call of the internal function for this spec). C must
/// have unit column stride and must not overlap A, B or the workspace; A and B may be the same
/// memory. Fast-math flags of the builder are ignored: sums run over k in order for every element
/// of C (in pairs or quads for packed 16- and 8-bit products), whatever the blocking.
void emitDot(llvm::IRBuilderBase &builder, const DotSpec &spec, const DotOperand &a,
             const DotOperand &b, const DotOperand &c, llvm::Value *workspace,
             const HostFeatures &features);

} // namespace tl::backend::cpu
