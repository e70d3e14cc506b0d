// SPDX-License-Identifier: MIT
//
// The text of `device_print`.
#pragma once

#include "targets/cpu/Driver.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::backend::cpu {

/// "(0, 1, 0)".
std::string programText(const std::array<uint32_t, 3> &program);

/// "(3, 17)" for an element of a tensor in row-major order; the plain number if the shape is not
/// known.
std::string positionText(uint64_t element, const std::vector<int64_t> &shape);

/// Writes one line an element to the standard output, in row-major order, as upstream does:
///
///   pid (0, 1, 0) idx (3, 17) x: 1.5
///   pid (0, 1, 0) idx (3, 17) x: (operand 1) 7      when several values are printed at once
///
/// Lines of one call stay together. operands[i] points to the values of operand i.
void printSite(const Site &site, const std::array<uint32_t, 3> &program,
               const void *const *operands);

/// In a forked child: another thread of the parent may have been printing.
void freePrintingLock();

} // namespace tl::backend::cpu
