// SPDX-License-Identifier: MIT
//
// What libtl writes for its own bugs: the TTIR that broke it and the command that repeats
// it.
#pragma once

#include "targets/Target.h"

namespace tl::backend {

/// Writes `ttir` to a file in TL_REPRODUCER_DIR and names the file and the command in
/// `error.help`. Where the file cannot be written, the help says that instead. Never throws.
void attachReproducer(Error &error, std::string_view ttir, std::string_view entry,
                      std::string_view target, const CompileOptions &options) noexcept;

} // namespace tl::backend
