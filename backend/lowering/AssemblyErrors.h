// SPDX-License-Identifier: MIT
//
// Errors in the assembly that users write. The code generator and the assembler see them last and
// know nothing of sources: each text carries a number, in a comment and as metadata of its call
// (lowering/Custom.cpp), and here the number becomes the user's line again.
#pragma once

#include "codegen/CodeGenerators.h"
#include "support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tl::backend {

/// Thrown by the code generator for the text of this number.
struct AssemblyError {
  unsigned number;
  std::string message;
};

/// Of a context: errors in users' texts are AssemblyError, all others what ThrowErrors makes of
/// them.
class ThrowAssemblyErrors final : public ThrowErrors {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override;
};

Error assemblyErrorAt(const SourceLocation &where, const std::string &message);

/// What the code generator said of a `$` that it cannot replace, as an Error at the user's text;
/// nothing if it said something else.
std::optional<Error> userTemplateError(const Error &fromCodegen,
                                       const std::vector<SourceLocation> &locations);

} // namespace tl::backend
