// SPDX-License-Identifier: MIT
// A branch that returns a struct with a number of C++, of which none is known after it.
// expect: the functions given to tl::if_ return nothing, a tensor, or a structure of tensors
#include <tl/tl.hpp>

struct wrong_row {
  tl::f32 total;
  int count;
};
struct row {
  tl::f32 total;
  tl::i32 count;
};

[[maybe_unused]] constexpr auto kernel =
    tl::kernel{[]([[maybe_unused]] tl::ptr<float> x, [[maybe_unused]] tl::i32 n) {
      [[maybe_unused]] auto at = tl::arange<64>();
      [[maybe_unused]] tl::tensor v = tl::load(x + at);
#ifdef WRONG
      auto w = tl::if_(n > 0, [&] { return wrong_row{1, 2}; }, [&] { return wrong_row{3, 4}; });
#else
      auto w = tl::if_(n > 0, [&] { return row{1, 2}; }, [&] { return row{3, 4}; });
      (void)w;
#endif
    }};

int main() { kernel.trace(); }
