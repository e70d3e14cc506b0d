// SPDX-License-Identifier: MIT
//
// How a kernel on a GPU tells the host that an assertion does not hold: code and launch agree on
// what stands here. No LLVM header is needed. Next: Debug.cpp for the code that writes it.
#pragma once

#include "support/Error.h"
#include "support/SourceLocation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tl::backend {

/// A line of the user's source where a kernel may find that an assertion does not hold. Code names
/// it by its index among the kernel's.
struct AssertSite {
  std::string message;
  SourceLocation location;
  std::vector<int64_t> shape; // of the condition; empty for a scalar
};

/// What a failed assertion leaves for the host: the first one of a launch wins `taken` and writes
/// the rest. It lies in host memory that the GPU can write. A kernel with assertions gets its
/// address as a hidden parameter.
struct FailureRecord {
  uint32_t taken = 0;
  uint32_t site = 0;
  uint32_t program[3] = {};
  uint32_t element = 0; // of the tensor, row by row; all ones for a scalar
};

static_assert(sizeof(FailureRecord) == sizeof(tl_failure_record), "the C API knows it, too");

/// "tl::device_assert failed: text, at lane (3, 0) in program (1, 0, 0)", as on every device, with
/// the user's line.
inline Error errorOf(const FailureRecord &record, const AssertSite &site) {
  std::string message = site.message;
  if (!site.shape.empty()) {
    std::string lane;
    uint64_t element = record.element;
    for (size_t axis = site.shape.size(); axis-- > 0;) {
      const uint64_t extent = uint64_t(site.shape[axis]);
      lane = std::to_string(element % extent) + (lane.empty() ? "" : ", ") + lane;
      element /= extent;
    }
    message += ", at lane (" + lane + ")";
  }
  message += " in program (" + std::to_string(record.program[0]) + ", " +
             std::to_string(record.program[1]) + ", " + std::to_string(record.program[2]) + ")";
  return Error(TL_RUNTIME_ERROR, message).at(site.location);
}

} // namespace tl::backend
