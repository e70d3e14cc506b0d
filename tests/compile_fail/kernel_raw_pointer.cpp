// SPDX-License-Identifier: MIT
// Raw pointers as parameters of a kernel.
// expect: a kernel parameter is a tl::ptr<T>, not a raw pointer: write tl::ptr<const float>
#include <tl/tl.hpp>

#ifdef WRONG
template <class T> using memory = T *;
#else
template <class T> using memory = tl::ptr<T>;
#endif

constexpr auto kernel = tl::kernel{[](memory<const float> x, memory<float> y, tl::i32 n) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  auto v = tl::load(x + at, at < n, 0.0f);
  tl::store(y + at, v * tl::load(x), at < n);
  tl::store(y, 1.0f);
  tl::atomic_add(y, 1.0f);
}};

int main() { kernel.trace(); }
