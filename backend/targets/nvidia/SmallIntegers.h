// SPDX-License-Identifier: MIT
#pragma once
// Integers of few bits as floats of 16 bits, two at a time and without a conversion, of which a
// multiprocessor makes 16 a cycle where it multiplies 256 floats: the weights of a product that are
// widened as it goes. With the exponent of 2^10 (f16; 2^7 for bf16), the bits of a float's fraction
// are a number from there on:
//
//     word of two integers      0 0 0 f   0 0 0 7
//     with an exponent          6 4 0 f   6 4 0 7      1024 + 15, 1024 + 7
//     less 1024                                        15, 7
//
// Where both integers are the same field of two words, the halves of the words that have it are
// brought together first, which then serve all fields in them, and the field stays where it is: at
// bit p it counts 2^p, and fma(x, 2^-p, -1024 * 2^-p) is exact as well.
#include "arithmetic/FloatConversions.h"

#include "llvm/IR/IRBuilder.h"

#include <optional>
#include <utility>

namespace tl::backend::nvidia {

/// The two integers, which may be differences of such, as floats of the format; nothing if it is
/// not known that they are small enough, or the format has not 16 bits.
std::optional<std::pair<llvm::Value *, llvm::Value *>>
convertSmallIntegers(llvm::IRBuilderBase &b, llvm::Value *first, llvm::Value *second, bool isSigned,
                     FloatFormat to);

} // namespace tl::backend::nvidia
