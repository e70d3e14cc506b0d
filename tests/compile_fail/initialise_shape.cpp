// SPDX-License-Identifier: MIT
// A block initialised by a scalar.
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
      tl::tensor<float, tl::shape<64>> b = tl::load(x);
#else
      tl::tensor<float, tl::shape<64>> b = tl::full<float, 64>(tl::load(x));
      tl::store(x + at, b);
#endif
    }};

int main() { kernel.trace(); }
