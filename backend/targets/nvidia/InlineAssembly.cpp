// SPDX-License-Identifier: MIT
#include "targets/nvidia/InlineAssembly.h"

#include "lowering/AssemblyComment.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tl::backend::nvidia {

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

std::optional<Error> userAssemblyError(const Error &fromAssembler, const std::string &ptx,
                                       const std::vector<SourceLocation> &locations) {
  // "ptxas FILE, line 26; error   : Not a name of any known instruction: 'add'"
  llvm::StringRef rest = llvm::StringRef(fromAssembler.message).split(", line ").second;
  size_t line = 0;
  if (rest.consumeInteger(10, line) || line == 0)
    return std::nullopt;
  llvm::StringRef message = rest.split(": ").second.split('\n').first.trim();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(ptx).split(lines, '\n');
  // A missing semicolon is found in the statement that follows.
  constexpr size_t linesAfter = 3;
  for (size_t at = std::min(line, lines.size()); at-- > 0;) {
    llvm::StringRef text = lines[at].trim();
    unsigned number = 0;
    if (text.consume_front(assemblyComment) && !text.getAsInteger(10, number))
      return number < locations.size()
                 ? std::optional(assemblyErrorAt(locations[number], message.str()))
                 : std::nullopt;
    if (text == "// end inline asm" && line - at > linesAfter)
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace tl::backend::nvidia
