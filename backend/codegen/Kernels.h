// SPDX-License-Identifier: MIT
//
// What every compiling target says of a kernel: its parameters as the launcher sees them, and the
// time of each step. Next: targets/<t>/Pipeline.cpp, the steps.
#pragma once

#include "dialect/Dialect.h"
#include "support/Fork.h"
#include "support/Parameter.h"

#include <chrono>

namespace tl::backend {

/// Appends the milliseconds since the last lap, or since it was made. Between steps nothing is half
/// done: a fork that waits passes.
class Timer {
public:
  explicit Timer(std::vector<std::pair<std::string, double>> &times) : times(times) {}
  void lap(const char *step) {
    auto now = std::chrono::steady_clock::now();
    times.push_back({step, std::chrono::duration<double, std::milli>(now - start).count()});
    letForkPass();
    start = std::chrono::steady_clock::now();
  }

private:
  std::vector<std::pair<std::string, double>> &times;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// Throws Error with the kernel's line for a type that no target can receive; `target` is named.
std::vector<Parameter> parametersOf(tt::FuncOp kernel, const std::string &target);

/// Throws Error at the operation that makes or takes elements that no target has; `target` is
/// named.
void checkElementTypes(tt::FuncOp kernel, const std::string &target);

} // namespace tl::backend
