// SPDX-License-Identifier: MIT
//
// Mathematical functions as LLVM IR on scalars and vectors of f32 and f64. The reason to have our
// own: LLVM turns a vector `llvm.exp` into a library call per lane. Callers widen f16 and bf16 to
// f32 first (FloatConversions.h). Next: Exponential.cpp and its neighbours, one file a family.
#pragma once

#include "arithmetic/Features.h"
#include "arithmetic/MathFunctions.h"

namespace llvm {
class IRBuilderBase;
class Value;
template <typename T> class ArrayRef;
} // namespace llvm

namespace tl::backend {

/// Emits `function` at the insertion point. The operands have one type: float, double or a fixed
/// vector of them with any number of lanes; the result has it too. Fast-math flags of the builder
/// are ignored, rounding and denormals are IEEE's, and NaN gives NaN (except in minNum and maxNum).
/// The errors stand in MathFunctions.h, the times in docs/explanation/design_decisions.md.
///
/// Short functions come inline. Long ones (trigonometry, erf, pow, …) become internal functions
/// of the module, one for each vector type, so that code stays small: give whole native vectors,
/// not single lanes. Functions without an own polynomial call the C library once a lane.
///
///   Value *y = emitMath(builder, MathFunction::exp, {x}, features);
llvm::Value *emitMath(llvm::IRBuilderBase &builder, MathFunction function,
                      llvm::ArrayRef<llvm::Value *> operands, const ArithmeticFeatures &features);

} // namespace tl::backend
