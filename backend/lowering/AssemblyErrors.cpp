// SPDX-License-Identifier: MIT
#include "lowering/AssemblyErrors.h"

#include "lowering/AssemblyComment.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/SourceMgr.h"

namespace tl::backend {

bool ThrowAssemblyErrors::handleDiagnostics(const llvm::DiagnosticInfo &info) {
  if (info.getSeverity() == llvm::DS_Error) {
    if (auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
      if (uint64_t number = assembly->getLocCookie())
        throw AssemblyError{unsigned(number - 1), assembly->getMsgStr().str()};
    if (auto *source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info))
      if (uint64_t number = source->getLocCookie())
        throw AssemblyError{unsigned(number - 1), source->getSMDiag().getMessage().str()};
  }
  return ThrowErrors::handleDiagnostics(info);
}

Error assemblyErrorAt(const SourceLocation &where, const std::string &message) {
  std::string shown = message; // without the number
  if (size_t at = shown.find(assemblyComment); at != shown.npos)
    if (size_t end = shown.find('\t', at); end != shown.npos)
      shown.erase(at, end + 1 - at);
  return Error(TL_COMPILE_ERROR, "the assembly of tl::inline_asm_elementwise is refused: " + shown)
      .at(where);
}

std::optional<Error> userTemplateError(const Error &fromCodegen,
                                       const std::vector<SourceLocation> &locations) {
  // "Invalid $ operand number in inline asm string: '// inline assembly 0\n\tadd …'"
  auto [before, after] = llvm::StringRef(fromCodegen.message).split(assemblyComment);
  unsigned number = 0;
  if (after.consumeInteger(10, number) || number >= locations.size())
    return std::nullopt;
  before.consume_front("the code generator gave up: ");
  return assemblyErrorAt(locations[number], before.str() + assemblyComment + after.str());
}

} // namespace tl::backend
