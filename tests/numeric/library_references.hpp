// SPDX-License-Identifier: MIT
#pragma once
// What does a function of CUDA's device library give, as the host computes it? What has an error is
// computed in long double; what has none, in the function's own types.

#include <tl/impl/libdevice_functions.hpp>

#include <cstdint>
#include <optional>

namespace numeric {

/// An operand: its encoding, and its value.
struct host_operand {
  std::uint64_t bits;
  long double real;
};

/// The result before it is rounded; nothing for a function that is not known here.
std::optional<long double> reference(const tl::impl::library_function &function,
                                     const host_operand *x);

/// The encoding of the result of a function that is exact, or rounded once.
std::optional<std::uint64_t> exact_reference(const tl::impl::library_function &function,
                                             const host_operand *x);

} // namespace numeric
