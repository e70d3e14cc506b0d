// SPDX-License-Identifier: MIT
//
// What compiled kernels may call in this process. An explicit list, so that a kernel links the same
// way in every program that loads the library.
#pragma once

#include <utility>
#include <vector>

namespace tl::backend::cpu {

/// Names and addresses: the hooks of Driver.h, memory functions, and the C library's mathematics.
const std::vector<std::pair<const char *, void *>> &jitSymbols();

} // namespace tl::backend::cpu
