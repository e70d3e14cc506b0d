// SPDX-License-Identifier: MIT
//
// Mathematical functions of f32 on NVIDIA GPUs: polynomials and the approximate instructions, with
// a correction where those alone miss the error that docs/explanation/types.md states. Operands
// are scalars. What is not here is computed by lowering/Trigonometry.h and backend/arithmetic.
//
// The largest errors in units of the last place, over all floats (of pow 2^30 pairs) on an H100:
// exp 2.53, exp2 2.06 (the instruction), log 0.97, log2 1.02, log1p 1.48, sqrt 0.95, rsqrt 1.52,
// sin and cos 1.56, tanh 2.02, erf 1.16, atan 1.75, pow 2.07. tan is 2.75 away where the reciprocal
// is rounded once, below 4 by the instruction.
#pragma once

#include "arithmetic/MathBuilder.h"

namespace tl::backend::nvidia {

/// MathFunctions.cpp. The square roots and exp2 are one instruction, which counts operands and
/// results below 2^-126 as 0.
llvm::Value *emitSqrt(MathBuilder &m, llvm::Value *x);
llvm::Value *emitRsqrt(MathBuilder &m, llvm::Value *x);
llvm::Value *emitExp2(MathBuilder &m, llvm::Value *x);
llvm::Value *emitExp(MathBuilder &m, llvm::Value *x);
llvm::Value *emitLog(MathBuilder &m, llvm::Value *x);
llvm::Value *emitLog2(MathBuilder &m, llvm::Value *x);
llvm::Value *emitLog1p(MathBuilder &m, llvm::Value *x);
llvm::Value *emitTanh(MathBuilder &m, llvm::Value *x);
llvm::Value *emitErf(MathBuilder &m, llvm::Value *x);
llvm::Value *emitAtan(MathBuilder &m, llvm::Value *x);

/// Power.cpp: C's pow.
llvm::Value *emitPow(MathBuilder &m, llvm::Value *x, llvm::Value *y);

/// 1 / x within 1 ULP; 0 for |x| above 2^126, infinity below 2^-126.
llvm::Value *emitReciprocal(MathBuilder &m, llvm::Value *x);

/// Is it 1 + e^x or 1 + 2^x, and so not below 1? As in the logistic function.
bool isOnePlusExponential(const llvm::Value *y);
/// 1 / y within 1 ULP for y >= 1, down to the smallest results.
llvm::Value *emitReciprocalOfSum(MathBuilder &m, llvm::Value *y);

/// x = 2^exponent * mantissa for positive finite x, the mantissa between sqrt(1/2) and sqrt(2);
/// `scaled` is x or, below 2^-126, 2^23 * x.
struct Parts {
  llvm::Value *exponent, *mantissa, *scaled;
};
Parts decompose(MathBuilder &m, llvm::Value *x);

} // namespace tl::backend::nvidia
