// SPDX-License-Identifier: MIT
//
// The values of `--arg`: an array from a file, a scalar with its type, or a null pointer; and the
// check that each is what the kernel's parameter takes. Next: Run.cpp.
#pragma once

#include "NpyFile.h"

#include <optional>
#include <string>

namespace tlc {

struct Argument {
  std::string spelling;          // as typed, for messages
  std::optional<NpyArray> array; // "@x.npy"
  bool isNull = false;           // "null"
  std::string type;              // of a scalar, in TTIR: "i32", "bf16"
  std::string typedAs;           // of a scalar, as typed: "u32", "fp32"
  uint64_t value = 0;            // of a scalar: its bytes, the low ones first
};

/// Reads "@FILE", "null" or "TYPE:VALUE". Throws Failure.
Argument parseArgument(const std::string &text);

/// Throws Failure unless `argument` fits parameter `index` of type `parameter`, as
/// tl_kernel_parameter_type spells it.
void checkArgument(size_t index, const Argument &argument, const std::string &parameter);

/// What `--help` says about the types of scalars.
const char *scalarTypeNames();

} // namespace tlc
