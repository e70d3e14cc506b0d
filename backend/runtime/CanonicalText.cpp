// SPDX-License-Identifier: MIT
#include "runtime/CanonicalText.h"

#include "dialect/Context.h"
#include "dialect/ParsedSource.h"

std::string tl::backend::canonicalText(KernelSource &source) {
  return tt::canonicalText(*tt::parsedModule(source).module);
}
