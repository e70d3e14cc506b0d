// SPDX-License-Identifier: MIT
// A kernel that lets no exception pass.
// expect: the lambda of a kernel is not noexcept
#include <tl/tl.hpp>

#ifdef WRONG
constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) noexcept { tl::store(x, 1); }};
#else
constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) { tl::store(x, 1); }};
#endif

int main() { kernel.trace(); }
