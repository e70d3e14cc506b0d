// SPDX-License-Identifier: MIT
//
// The commands of tlc and their options. Each command is one function that returns when it has
// succeeded and throws a Failure or a tl::error when it has not.
#pragma once

#include "CommandLine.h"

#include "tl/c/tl.h"

#include <span>

namespace tlc {

/// The options of a command, those of compiling among them.
std::span<const Option> compileOptions();
std::span<const Option> runOptions();
std::span<const Option> layoutOptions();

void compile(const CommandLine &line);
void layout(const CommandLine &line);
void run(const CommandLine &line);

/// The options that both commands share, checked.
tl_compile_options parseCompileOptions(const CommandLine &line);

} // namespace tlc
