// SPDX-License-Identifier: MIT
//
// Attributes of any operation or parameter: what the author or the launcher knows of its value.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace tl::tt {

/// What the values of a tensor are, one number for all axes or one each: the first of each run is a
/// multiple, runs count up by one, runs are equal.
inline constexpr llvm::StringLiteral divisibilityName = "tt.divisibility";
inline constexpr llvm::StringLiteral contiguityName = "tt.contiguity";
inline constexpr llvm::StringLiteral constancyName = "tt.constancy";

/// On pointer parameters: they may lead to the same memory. Parameters without it lead to memory of
/// their own, as far as one of the two is written.
inline constexpr llvm::StringLiteral mayAliasName = "tt.may_alias";

/// On pointer parameters: with 32, what is accessed through them ends within 2^31 bytes after them.
inline constexpr llvm::StringLiteral pointerRangeName = "tt.pointer_range";

/// On a descriptor that was pointers in the text, which may be null where nothing is loaded: the
/// numbers of the parameters that have been taken for 0 to mostCount (analysis/TensorMapRecipe.h).
inline constexpr llvm::StringLiteral fromPointersName = "tt.from_pointers";

/// On an assertion that does not depend on the compile option debug.
inline constexpr llvm::StringLiteral alwaysCheckedName = "tt.always_checked";

/// On loops: copies may run ahead from one iteration to the next, in loops within it as well; warps
/// of their own start them.
inline constexpr llvm::StringLiteral flattenName = "tt.flatten";
inline constexpr llvm::StringLiteral warpSpecializeName = "tt.warp_specialize";

/// On a kernel: of how many blocks of threads, a cluster, each of its programs is; without it, of
/// one. On an access or a barrier: which all blocks of a program share.
inline constexpr llvm::StringLiteral blocksName = "tt.blocks";
inline constexpr llvm::StringLiteral multicastName = "tt.multicast";

/// The number that one of these two has; 1 without it.
unsigned blocksOf(mlir::Operation *op, llvm::StringRef name);

/// Whether a loop has a flag, and not that it is off.
bool isSet(mlir::Operation *loop, llvm::StringRef flag);

/// Whether the attribute is one of the first three.
bool isHint(mlir::NamedAttribute attribute);

/// The numbers of a hint, none if it is null or holds none.
llvm::SmallVector<int64_t, 4> hintNumbers(mlir::Attribute hint);

} // namespace tl::tt
