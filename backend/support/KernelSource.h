// SPDX-License-Identifier: MIT
//
// A kernel's TTIR on its way to a target. Next: dialect/ParsedSource.h, who parses it.
#pragma once

#include <memory>
#include <string_view>

namespace tl::backend {

/// What parsing has made of a text. Only the dialect knows what that is, and layers without MLIR
/// hand it on.
class ParsedModule {
public:
  virtual ~ParsedModule() = default;
};

/// The text, and the module where somebody has parsed it before. A compilation changes the module,
/// so whoever compiles takes it; a second compilation parses the text again.
struct KernelSource {
  std::string_view text;
  std::unique_ptr<ParsedModule> parsed = nullptr;
  bool isGeneral = false; ///< the code has to take any arguments; else most that are likely will do
};

} // namespace tl::backend
