// SPDX-License-Identifier: MIT
// Two files with kernels in one program: one kernel in a header is one object, and device functions
// of the other file trace into the kernel that calls them.
#include "two_files.hpp"

#include <doctest/doctest.h>

namespace {

constexpr auto own = tl::kernel{"own", [](tl::ptr<float> x) {
                                  auto p = x + tl::arange<64>();
                                  tl::store(p, two_files::halved(tl::load(p)));
                                }};

TEST_CASE("a kernel in a header is the same in two files") {
  CHECK(two_files::trace_in_the_other_file() == two_files::twice<64>.trace());
  CHECK(two_files::kernel_in_the_other_file() == &two_files::twice<64>);
}

TEST_CASE("a device function of another file traces into the caller's kernel") {
  const std::string text = own.trace();
  CHECK(text.find("arith.mulf") != text.npos);
  CHECK(text.find("two_files_two.cpp") != text.npos);
}

} // namespace
