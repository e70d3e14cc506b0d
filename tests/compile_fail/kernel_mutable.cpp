// SPDX-License-Identifier: MIT
// A mutable lambda.
// expect: the lambda of a kernel is not mutable
#include <tl/tl.hpp>

#ifdef WRONG
constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) mutable { tl::store(x, 1); }};
#else
constexpr auto kernel = tl::kernel{[](tl::ptr<float> x) { tl::store(x, 1); }};
#endif

int main() { kernel.trace(); }
