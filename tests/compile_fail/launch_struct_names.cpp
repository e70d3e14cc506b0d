// SPDX-License-Identifier: MIT
// Members with other names, where both sides have names.
// expect: a struct parameter takes a structure whose members have the same names
#include <tl/structures.hpp>
#include <tl/tl.hpp>

struct vector {
  BOOST_HANA_DEFINE_STRUCT(vector, (tl::ptr<float>, out), (tl::i32, n));
};
struct host_vector {
#ifdef WRONG
  BOOST_HANA_DEFINE_STRUCT(host_vector, (int, size), (float *, out));
#else
  BOOST_HANA_DEFINE_STRUCT(host_vector, (int, n), (float *, out));
#endif
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  kernel[1](host_vector{1, x.data()});
}
