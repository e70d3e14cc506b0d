// SPDX-License-Identifier: MIT
//
// How a text of assembly that the user wrote is found again in what a code generator or an
// assembler says of it. Next: Custom.cpp writes it, AssemblyErrors.h reads it.
#pragma once

namespace tl::backend {

/// Stands with a number, which counts from 0, before each text of assembly that the user wrote.
inline constexpr char assemblyComment[] = "// inline assembly ";

} // namespace tl::backend
