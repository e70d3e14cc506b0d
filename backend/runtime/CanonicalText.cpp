// SPDX-License-Identifier: MIT
#include "runtime/CanonicalText.h"

#include "dialect/Context.h"

std::string tl::backend::canonicalText(std::string_view ttir) {
  // A context of its own, since what it interns is never freed while it lives.
  std::unique_ptr<mlir::MLIRContext> context = tt::makeContext();
  return tt::canonicalText(*tt::parse(ttir, *context));
}
