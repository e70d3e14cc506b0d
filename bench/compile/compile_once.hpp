// SPDX-License-Identifier: MIT
#pragma once
// The other half of the compile benchmark: what the program does when the benchmark starts it.

#include <tl/device.hpp>

#include <string>

namespace bench {

/// Compiles the TTIR file for the device and prints the milliseconds it took.
int compile_once(tl::device device, const std::string &path);

} // namespace bench
