// SPDX-License-Identifier: MIT
//
// What a text must be to count as TTIR, beyond what the verifiers of single operations ask.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string_view>

namespace tl::tt {

/// Throws backend::Error if the text could harm the parser: binary bytes, absurd size or nesting.
/// The parser is recursive, so nesting is bounded before it sees the text.
void checkText(std::string_view ttir, std::string_view file);

/// Fails (with a diagnostic) if the module holds an operation that TTIR does not have, or a value
/// of a type that TTIR does not have.
mlir::LogicalResult verifyLegality(mlir::ModuleOp module);

/// Replaces operations that only earlier releases wrote.
void modernize(mlir::ModuleOp module);

} // namespace tl::tt
