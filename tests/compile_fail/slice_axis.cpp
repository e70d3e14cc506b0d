// SPDX-License-Identifier: MIT
// A slice along an axis that there is not.
// expect: the axis of descriptor.slice is not one of the tensor's
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto d = tl::make_tensor_descriptor<64>(x, {n}, {1});
      auto w = d.slice<1>(0, n);
#else
      auto d = tl::make_tensor_descriptor<64>(x, {n}, {1});
      auto w = d.slice<0>(0, n);
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
