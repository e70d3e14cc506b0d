// SPDX-License-Identifier: MIT
#pragma once
// A kernel in a header that two files include, and a device function that one of them defines.

#include <tl/tl.hpp>

#include <string>

namespace two_files {

template <int Block>
inline constexpr auto twice = tl::kernel{"twice", [](tl::ptr<float> x) {
                                           auto p = x + tl::arange<Block>();
                                           tl::store(p, tl::load(p) * 2.0f);
                                         }};

/// Defined in the other file: traced into whichever kernel calls it.
tl::tensor<float, tl::shape<64>> halved(tl::tensor<float, tl::shape<64>> x);

std::string trace_in_the_other_file();

/// What each file's own `local` gives in that file.
std::string trace_of_the_other_files_local();
const void *kernel_in_the_other_file();

} // namespace two_files
