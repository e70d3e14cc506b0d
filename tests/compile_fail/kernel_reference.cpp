// SPDX-License-Identifier: MIT
// A parameter by reference.
// expect: a kernel takes its parameters by value
#include <tl/tl.hpp>

#ifdef WRONG
constexpr auto kernel = tl::kernel{[](tl::ptr<float> &x) { tl::store(x, 1); }};
#else
constexpr auto kernel = tl::kernel{[](const tl::ptr<float> &x) { tl::store(x, 1); }};
#endif

int main() { kernel.trace(); }
