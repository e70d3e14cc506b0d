// SPDX-License-Identifier: MIT
//
// The module of a KernelSource, which is parsed once however many layers look at it: first the
// cache for its key, then the target that compiles it.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/KernelSource.h"

namespace tl::tt {

/// A module with a context of its own, since what a context interns is not freed while it lives.
/// Both serve one thread at a time, but not always the same one.
struct ParsedSource final : backend::ParsedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; // dies before the context
  double milliseconds = 0;                  // that it took to parse
};

/// Parses the text unless that has been done. Throws Error as tt::parse does.
ParsedSource &parsedModule(backend::KernelSource &source);

/// The same for a compilation, which owns the module from then on.
std::unique_ptr<ParsedSource> takeModule(backend::KernelSource source);

} // namespace tl::tt
