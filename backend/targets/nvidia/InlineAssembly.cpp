// SPDX-License-Identifier: MIT
#include "targets/nvidia/InlineAssembly.h"

#include "lowering/AssemblyComment.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tl::backend::nvidia {

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
