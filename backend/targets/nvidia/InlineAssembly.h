// SPDX-License-Identifier: MIT
//
// What NVIDIA's assembler says of the assembly that users write. Next: lowering/AssemblyErrors.h
// for what the code generator says.
#pragma once

#include "lowering/AssemblyErrors.h"
#include "targets/Target.h"

#include <optional>

namespace tl::backend::nvidia {

/// What the assembler said of the PTX, as an Error at the user's text; nothing if it is not about
/// one of them.
std::optional<Error> userAssemblyError(const Error &fromAssembler, const std::string &ptx,
                                       const std::vector<SourceLocation> &locations);

} // namespace tl::backend::nvidia
