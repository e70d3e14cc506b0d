// SPDX-License-Identifier: MIT
#include "dialect/ParsedSource.h"

#include "dialect/Context.h"

#include <chrono>

namespace tl::tt {

ParsedSource &parsedModule(backend::KernelSource &source) {
  if (!source.parsed) {
    auto made = std::make_unique<ParsedSource>();
    auto start = std::chrono::steady_clock::now();
    made->context = makeContext();
    made->module = parse(source.text, *made->context);
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    made->milliseconds = spent.count();
    source.parsed = std::move(made);
  }
  return static_cast<ParsedSource &>(*source.parsed);
}

std::unique_ptr<ParsedSource> takeModule(backend::KernelSource source) {
  parsedModule(source);
  return std::unique_ptr<ParsedSource>(static_cast<ParsedSource *>(source.parsed.release()));
}

} // namespace tl::tt
