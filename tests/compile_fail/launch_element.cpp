// SPDX-License-Identifier: MIT
// A buffer of another element type.
// expect: the elements of the argument differ from those of the tl::ptr parameter
// expect clang: pointer_argument<0, tl::tensor<float *, tl::shape<>>, tl::buffer<int>>::same_element
// expect gcc: pointer_argument<0, tl::tensor<float*, tl::shape<> >, tl::buffer<int> >::same_element
#include <tl/tl.hpp>

constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> out, [[maybe_unused]] tl::ptr<const float> in,
                  [[maybe_unused]] tl::i32 n) {}};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  tl::buffer<std::int32_t> i(x.device(), 16);
#ifdef WRONG
  kernel[1](i, x, 16);
#else
  kernel[1](x, x, static_cast<int>(i.size()));
#endif
}
