// SPDX-License-Identifier: MIT
// A float initialised by an integer tensor.
// expect clang: a tl::tensor is initialised by a value of its own shape and element type
// expect gcc: takes_its_own_shape_and_element_type
#include <tl/tl.hpp>

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::ptr<int> y,
                  [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
      [[maybe_unused]] tl::tensor i = tl::load(y + at);
#ifdef WRONG
      tl::f32 f = n;
#else
      tl::f32 f = tl::cast<float>(n);
      tl::store(x, f);
#endif
    }};

int main() { kernel.trace(); }
