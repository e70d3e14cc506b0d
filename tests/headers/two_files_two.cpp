// SPDX-License-Identifier: MIT
// The other file of the program; see two_files_one.cpp.
#include "two_files.hpp"

namespace two_files {

tl::tensor<float, tl::shape<64>> halved(tl::tensor<float, tl::shape<64>> x) { return x * 0.5f; }

std::string trace_in_the_other_file() { return twice<64>.trace(); }
const void *kernel_in_the_other_file() { return &twice<64>; }

// Another kernel than that of the other file, though of the same name and type.
template <int Block>
constexpr auto local = tl::kernel{"local", [](tl::ptr<float> x) {
                                    auto p = x + tl::arange<Block>();
                                    tl::store(p, tl::exp(tl::load(p)));
                                  }};

std::string trace_of_the_other_files_local() { return local<64>.trace(); }

} // namespace two_files
