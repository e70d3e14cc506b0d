// SPDX-License-Identifier: MIT
// Names that Boost.Hana has for an aggregate, of what a function computes.
// expect: the names that Boost.Hana has for an aggregate must be those of members
#include <tl/structures.hpp>
#include <tl/tl.hpp>

struct vector {
  BOOST_HANA_DEFINE_STRUCT(vector, (tl::ptr<float>, out), (tl::i32, n));
};
struct get_last {
#ifdef WRONG
  constexpr int operator()(const auto &vector) const { return vector.size - 1; }
#else
  constexpr auto &operator()(auto &vector) const { return vector.size; }
#endif
};
struct get_out {
  constexpr auto &operator()(auto &vector) const { return vector.out; }
};
struct host_vector {
  int size;
  float *out;
  struct hana_accessors_impl {
    static constexpr auto apply() {
      return boost::hana::make_tuple(boost::hana::make_pair(BOOST_HANA_STRING("n"), get_last()),
                                     boost::hana::make_pair(BOOST_HANA_STRING("out"), get_out()));
    }
  };
};

constexpr auto kernel = tl::kernel{[](vector v) { tl::store(v.out + v.n, 1.0f); }};

int main() {
  tl::buffer<float> x(tl::device::best(), 16);
  kernel[1](host_vector{1, x.data()});
}
