// SPDX-License-Identifier: MIT
//
// The one exception of the backend: a diagnostic on its way to the C API, which catches it.
//
//     throw Error(TL_OUT_OF_RESOURCES, "the kernel needs 300 KB of shared memory, there are 227")
//         .withHelp("use smaller blocks")
//         .inKernel(name)
//         .exceeding(needed, limit);
#pragma once

#include "support/SourceLocation.h"
#include "tl/c/tl.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tl::backend {

/// Thrown by value. Fields that are empty or 0 are unknown.
struct Error {
  tl_status status = TL_INTERNAL_ERROR;
  std::string message; // one sentence, in lower case, without a full stop
  std::string help;    // how to fix it, or empty
  std::string file;    // the user's source location
  uint32_t line = 0;
  uint32_t column = 0;
  std::string kernel;
  std::string device;
  uint64_t required = 0; // of TL_OUT_OF_RESOURCES: what was needed, and what there is
  uint64_t limit = 0;

  Error() = default;
  Error(tl_status status, std::string message, std::string help = {})
      : status(status), message(std::move(message)), help(std::move(help)) {}

  Error withHelp(std::string text) && { return help = std::move(text), std::move(*this); }
  Error inKernel(std::string name) && { return kernel = std::move(name), std::move(*this); }
  Error onDevice(std::string_view name) && { return device = name, std::move(*this); }
  Error at(SourceLocation where) && {
    file = std::move(where.file), line = where.line, column = where.column;
    return std::move(*this);
  }
  Error exceeding(uint64_t needed, uint64_t available) && {
    required = needed, limit = available;
    return std::move(*this);
  }
};

[[noreturn]] inline void raise(tl_status status, std::string message, std::string help = {}) {
  throw Error(status, std::move(message), std::move(help));
}

} // namespace tl::backend
