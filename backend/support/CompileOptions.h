// SPDX-License-Identifier: MIT
//
// What a launch may ask of the compiler, as all layers pass it on.
#pragma once

namespace tl::backend {

struct CompileOptions {
  int numWarps = 4;
  int numStages = 3;
  int numCtas = 1;
  int maxRegisters = 0; // 0: the compiler's choice
  bool fpFusion = true;
  bool debug = false;
};

} // namespace tl::backend
