// SPDX-License-Identifier: MIT
//
// One short way for the runtime to report a mistake of the caller.
#pragma once

#include "targets/Target.h"

namespace tl::backend {

[[noreturn]] inline void raise(tl_status status, std::string message, std::string help = {}) {
  Error error;
  error.status = status;
  error.message = std::move(message);
  error.help = std::move(help);
  throw error;
}

} // namespace tl::backend
