// SPDX-License-Identifier: MIT
//
// What emulated kernels print: a format of C's and its arguments, as each vendor's code leaves
// them. NVIDIA's calls a function with a list in memory; AMD's writes records into a buffer, which
// is printed when the launch has ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tl::backend::simt {

/// The formats of a kernel, by the hash that records name them by.
using PrintFormats = std::map<uint64_t, std::string>;

/// NVIDIA's: each argument lies at a multiple of its own size.
void printList(const char *format, const char *list);

/// AMD's buffer: how many bytes are taken, how many there are, and records.
struct PrintBuffer {
  static constexpr uint32_t mostBytes = uint32_t(4) << 20;
  uint32_t taken = 0, bytes = 0;
};
void printRecords(const PrintBuffer &buffer, const PrintFormats &formats);

} // namespace tl::backend::simt
