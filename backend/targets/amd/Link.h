// SPDX-License-Identifier: MIT
//
// From an object file to a code object that HIP loads (hsaco), by LLD inside this process. Next:
// CodeObject.h, what a code object says of its kernel.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tl::backend::amd {

/// Links one object file. Throws Error.
std::string linkCodeObject(llvm::StringRef object);

} // namespace tl::backend::amd
