// SPDX-License-Identifier: MIT
//
// From TTIR text to a Program. This header is plain C++; Decoder.h, Decode*.cpp behind it are the
// only files of the interpreter that know MLIR.
#pragma once

#include "interpreter/Program.h"
#include "targets/Target.h"

#include <string_view>

namespace tl::backend::interpreter {

struct DecodedKernel {
  Program program;
  std::vector<Parameter> parameters;
  std::string text; // the module as it was understood
  double parseMilliseconds = 0, decodeMilliseconds = 0;
};

/// Parses and verifies the module, and decodes `entry` (empty: the only public function) and the
/// functions that it calls. The module is run as it is written, but that products and sums are
/// rounded together as by the pass FuseMultiplyAdd where the kernel is compiled with `fpFusion`.
/// Throws Error.
DecodedKernel decode(KernelSource source, std::string_view entry, const CompileOptions &options);

} // namespace tl::backend::interpreter
