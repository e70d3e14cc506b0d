// SPDX-License-Identifier: MIT
//
// From text to a module and back. `parse` is the only way in: whatever the text is, it gives either
// a module that holds nothing but TTIR, or an Error with a location. Nothing here keeps global
// state; a context serves one thread at a time.
#pragma once

#include "dialect/Dialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Error.h"

#include <memory>
#include <string>
#include <string_view>

namespace tl::tt {

/// A context that knows the dialects of TTIR (loaded when first met) and uses no threads. A
/// lowering that needs more dialects adds them with `appendDialectRegistry`.
std::unique_ptr<mlir::MLIRContext> makeContext();
/// The dialects of TTIR: tt, ttg (for its barrier), arith, math, scf, cf, ub, gpu, llvm.
void registerDialects(mlir::DialectRegistry &registry);

/// Parses and verifies. Operations of earlier releases are brought up to date: `gpu.barrier`
/// becomes `ttg.barrier all`, `tt.cat` becomes join, trans and reshape, and a tensor without axes
/// that is splatted becomes its element. Throws backend::Error (TL_COMPILE_ERROR) with the location
/// in the user's source, if the text has locations, or else in the text, whose name is `file`.
mlir::OwningOpRef<mlir::ModuleOp> parse(std::string_view ttir, mlir::MLIRContext &context,
                                        std::string_view file = "<ttir>");

/// The kernel called `name`, or the only public function if the name is empty. Throws Error.
FuncOp findEntry(mlir::ModuleOp module, std::string_view name);

/// The text of a module, with locations or without.
std::string print(mlir::Operation *op, bool locations = false);
/// The text that the cache hashes: without locations, names of values or anything else that does
/// not change what the kernel does.
std::string canonicalText(mlir::ModuleOp module);

/// The innermost line of a location.
backend::SourceLocation sourceLocationOf(mlir::Location loc);
/// ", called from k.cpp:9:1" for a location inside inlined helpers, innermost call first; else "".
std::string callsOf(mlir::Location loc);

/// An Error at an operation: how passes and lowerings refuse a kernel.
backend::Error errorAt(mlir::Operation *op, const std::string &message,
                       tl_status status = TL_COMPILE_ERROR);

/// How a pass refuses what is legal but not offered by the target: an error of the operation that
/// `raise` throws as TL_UNSUPPORTED.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op);

/// Turns MLIR's diagnostics into Errors. While it lives it collects what the context reports;
/// `raise` throws the first error, or `fallback` if none was reported.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context, std::string fallbackFile = {});
  /// Throws what was reported, or an Error of the given message. The status is that of what does
  /// not say otherwise.
  [[noreturn]] void raise(tl_status status, const std::string &fallback) const;
  bool hasError() const { return found; }

private:
  mlir::LogicalResult collect(mlir::Diagnostic &diagnostic);

  mlir::ScopedDiagnosticHandler handler;
  backend::Error first;
  bool found = false;
};

} // namespace tl::tt
