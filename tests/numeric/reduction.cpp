// SPDX-License-Identifier: MIT
//
// Reductions and scans along every axis. A float sum may be taken in any order: with n positive
// terms each of the n - 1 roundings is at most half a unit in the last place of the result, which
// is the tolerance.

#include "host.hpp"
#include "sweep.hpp"

using namespace numeric;

namespace {

// The data of a sweep along one axis: other axes are ragged and span programs, the axis is ragged
// within the block.
template <class S, int Axis> constexpr std::array<int, 3> extents_along() {
  std::array<int, 3> extents = ragged_extents<S>();
  const int block = S::extents[0];
  if (Axis == 0)
    extents[0] = block > 2 ? block - 1 - block / 8 : block;
  return extents;
}

template <class S, int Axis> struct without_axis;
template <int A> struct without_axis<tl::shape<A>, 0> {
  using type = tl::shape<>;
};
template <int A, int B> struct without_axis<tl::shape<A, B>, 0> {
  using type = tl::shape<B>;
};
template <int A, int B> struct without_axis<tl::shape<A, B>, 1> {
  using type = tl::shape<A>;
};
template <int A, int B, int C> struct without_axis<tl::shape<A, B, C>, 0> {
  using type = tl::shape<B, C>;
};
template <int A, int B, int C> struct without_axis<tl::shape<A, B, C>, 1> {
  using type = tl::shape<A, C>;
};
template <int A, int B, int C> struct without_axis<tl::shape<A, B, C>, 2> {
  using type = tl::shape<A, B>;
};

// A row: the kernel's side takes the axis as a constant, the host's side the values along it.
template <class Kernel, class Host> struct line_row {
  const char *name;
  Kernel kernel;
  Host host;   // line_row of a reduction: vector to value; of a scan: vector to vector
  double fill; // what masked-off elements are, so that they do not count
  tl::testing::interval range;
  double ulps_per_element = 0;
};

template <int Axis> using axis_constant = std::integral_constant<int, Axis>;

template <class K, class T, class S, int Axis>
using line_result =
    typename std::invoke_result_t<K, tl::tensor<T, S>, axis_constant<Axis>>::element_type;

template <class K, class T, class R, class S, int Axis, int Fill, bool Scan>
inline constexpr auto line_kernel =
    tl::kernel{"along_axis", [](tl::ptr<const T> x, tl::ptr<R> out, tl::i32 n0, tl::i32 n1,
                                tl::i32 n2, tl::i32 m0, tl::i32 m1) {
                 auto [at, mask] = block_place<S>(n0, n1, n2);
                 auto result = K{}(tl::load(x + at, mask, Fill), axis_constant<Axis>{});
                 if constexpr (Scan) {
                   tl::store(out + at, result, mask);
                 } else {
                   auto [to, there] =
                       block_place<typename without_axis<S, Axis>::type>(m0, m1, tl::i32(1));
                   tl::store(out + to, result, there);
                 }
               }};

// Applies `f` to the offsets of each line of the data along the axis.
void for_each_line(const std::array<int, 3> &n, int axis, auto &&f) {
  const int stride[3] = {n[1] * n[2], n[2], 1};
  const int others[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  std::vector<std::size_t> line(static_cast<std::size_t>(n[axis]));
  for (int i = 0; i < n[others[0]]; ++i)
    for (int j = 0; j < n[others[1]]; ++j) {
      for (int k = 0; k < n[axis]; ++k)
        line[std::size_t(k)] =
            std::size_t(i * stride[others[0]] + j * stride[others[1]] + k * stride[axis]);
      f(line);
    }
}

// Compares a kernel with the host's side of its row.
template <bool Scan, class T, class R, class Row>
void check_axis(const Row &row, const traced_kernel &kernel, int reduced, int rank) {
  const std::array<int, 3> &n = kernel.extents;
  const std::size_t count = std::size_t(n[0]) * n[1] * n[2];
  test_case c;
  c.name = std::string(row.name) + ' ' + info_of<T>().name + ' ' + kernel.shape + " axis " +
           std::to_string(reduced);
  c.ttir = kernel.ttir;
  c.programs = kernel.programs;
  c.result = &info_of<R>();
  c.extents.assign(n.begin(), n.end());
  std::vector<int> kept;
  for (int axis = 0; axis < rank; ++axis)
    if (axis != reduced)
      kept.push_back(n[axis]);
  kept.resize(2, 1);
  c.extents.insert(c.extents.end(), kept.begin(), kept.end());

  std::vector<unsigned char> bytes(count * sizeof(T));
  info_of<T>().fill(bytes.data(), count, row.range, row.range.low == row.range.high);
  c.inputs.push_back(bytes);
  const T *data = reinterpret_cast<const T *>(c.inputs[0].data());

  constexpr bool is_float = tl::impl::element<R>::is_float;
  using W = std::conditional_t<tl::impl::element<T>::is_float, double, T>;
  std::vector<W> values;
  std::vector<double> exact(Scan ? count : 0);
  std::vector<R> wanted(Scan ? count : 0);
  for_each_line(n, reduced, [&](const std::vector<std::size_t> &line) {
    values.clear();
    for (std::size_t at : line)
      values.push_back(static_cast<W>(data[at]));
    if constexpr (Scan) {
      const auto results = row.host(values);
      for (std::size_t k = 0; k < line.size(); ++k) {
        exact[line[k]] = static_cast<double>(results[k]);
        wanted[line[k]] = static_cast<R>(results[k]);
      }
    } else {
      const auto result = row.host(values);
      exact.push_back(static_cast<double>(result));
      wanted.push_back(static_cast<R>(result));
    }
  });
  c.results = wanted.size();
  if (is_float) {
    c.exact = exact;
    c.allowed.ulps = 1 + row.ulps_per_element * n[reduced];
    c.between_devices.ulps = 2 * row.ulps_per_element * n[reduced];
  } else {
    const auto *raw = reinterpret_cast<const unsigned char *>(wanted.data());
    c.wanted.assign(raw, raw + wanted.size() * sizeof(R));
  }
  run(c);
}

template <bool Scan, int Fill, class T, class S, int Axis, class Row>
void check_axis(const Row &row) {
  using K = decltype(row.kernel);
  using R = line_result<K, T, S, Axis>;
  check_axis<Scan, T, R>(
      row, traced<S>(line_kernel<K, T, R, S, Axis, Fill, Scan>.trace(), extents_along<S, Axis>()),
      Axis, S::rank);
}

template <bool Scan, int Fill, class First, class... Rest, class Row>
void sweep_lines(types<First, Rest...>, const Row &row) {
  check_axis<Scan, Fill, First, tl::shape<16>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<1>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<1024>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<8, 32>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<8, 32>, 1>(row);
  check_axis<Scan, Fill, First, tl::shape<8, 512>, 1>(row); // several rows in each thread
  check_axis<Scan, Fill, First, tl::shape<64, 1>, 1>(row);
  check_axis<Scan, Fill, First, tl::shape<1, 64>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<4, 8, 16>, 0>(row);
  check_axis<Scan, Fill, First, tl::shape<4, 8, 16>, 1>(row);
  check_axis<Scan, Fill, First, tl::shape<4, 8, 16>, 2>(row);
  (check_axis<Scan, Fill, Rest, tl::shape<16, 16>, 0>(row), ...);
  (check_axis<Scan, Fill, Rest, tl::shape<16, 16>, 1>(row), ...);
}

template <int Fill, class Types, class Kernel, class Host>
void sweep_reduction(Types over, const char *name, Kernel kernel, Host host,
                     tl::testing::interval range = {0, 0}, double ulps_per_element = 0) {
  sweep_lines<false, Fill>(
      over, line_row<Kernel, Host>{name, kernel, host, Fill, range, ulps_per_element});
}
template <int Fill, class Types, class Kernel, class Host>
void sweep_scan(Types over, const char *name, Kernel kernel, Host host,
                tl::testing::interval range = {0, 0}, double ulps_per_element = 0) {
  sweep_lines<true, Fill>(
      over, line_row<Kernel, Host>{name, kernel, host, Fill, range, ulps_per_element});
}

template <class T> T folded(const std::vector<T> &line, auto &&f) {
  T total = line[0];
  for (std::size_t i = 1; i < line.size(); ++i)
    total = f(total, line[i]);
  return total;
}
template <class T> std::vector<T> accumulated(const std::vector<T> &line, auto &&f) {
  std::vector<T> out = line;
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i] = f(out[i - 1], out[i]);
  return out;
}

// Sums of narrow integers are taken in 32 bits.
constexpr types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t> wide_integers;
constexpr types<std::int8_t, std::int16_t, std::uint8_t, std::uint16_t> narrow_integers;

} // namespace

TEST_CASE("a sum of floats errs by half a unit per term at most") {
  sweep_reduction<0>(
      floats, "sum", [](auto x, auto axis) { return tl::sum<axis.value>(x); },
      [](const auto &line) { return folded(line, [](double a, double b) { return a + b; }); },
      {0.5, 1}, 0.5);
}

TEST_CASE("a sum of integers wraps, narrow ones are widened first") {
  sweep_reduction<0>(
      wide_integers, "sum", [](auto x, auto axis) { return tl::sum<axis.value>(x); },
      [](const auto &line) {
        return folded(line, [](auto a, auto b) { return host::add(a, b); });
      });
  sweep_reduction<0>(
      narrow_integers, "sum", [](auto x, auto axis) { return tl::sum<axis.value>(x); },
      [](const auto &line) {
        std::int64_t total = 0;
        for (auto value : line)
          total += value;
        return total;
      });
}

TEST_CASE("a maximum and a minimum are exact") {
  sweep_reduction<0>(
      numbers, "max", [](auto x, auto axis) { return tl::max<axis.value>(x); },
      [](const auto &line) { return folded(line, [](auto a, auto b) { return a < b ? b : a; }); },
      {0, 100});
  sweep_reduction<100>(
      numbers, "min", [](auto x, auto axis) { return tl::min<axis.value>(x); },
      [](const auto &line) { return folded(line, [](auto a, auto b) { return b < a ? b : a; }); },
      {0, 100});
}

TEST_CASE("the place of a maximum is the first of equals") {
  sweep_reduction<0>(
      types<float, std::int32_t, tl::float16, std::int8_t>{}, "argmax",
      [](auto x, auto axis) { return tl::argmax<axis.value>(x); },
      [](const auto &line) {
        std::int32_t best = 0;
        for (std::size_t i = 1; i < line.size(); ++i)
          if (line[i] > line[std::size_t(best)])
            best = std::int32_t(i);
        return best;
      },
      {0, 5});
}

TEST_CASE("an exclusive or of integers is exact") {
  sweep_reduction<0>(
      integers, "xor_sum", [](auto x, auto axis) { return tl::xor_sum<axis.value>(x); },
      [](const auto &line) {
        return folded(line, [](auto a, auto b) { return decltype(a)(a ^ b); });
      });
}

TEST_CASE("a reduction takes any associative function") {
  sweep_reduction<1>(
      types<float, double, std::int32_t, std::uint64_t>{}, "product",
      [](auto x, auto axis) {
        return tl::reduce<axis.value>(x, [](auto a, auto b) { return a * b; });
      },
      [](const auto &line) { return folded(line, [](auto a, auto b) { return host::mul(a, b); }); },
      {0.9, 1.1}, 0.75);
}

TEST_CASE("a cumulative sum is right at every place") {
  sweep_scan<0>(
      types<float, double, std::int32_t, std::int64_t, std::uint32_t>{}, "cumsum",
      [](auto x, auto axis) { return tl::cumsum<axis.value>(x); },
      [](const auto &line) {
        return accumulated(line, [](auto a, auto b) { return host::add(a, b); });
      },
      {0.5, 1}, 0.5);
}

TEST_CASE("a cumulative product is right at every place") {
  sweep_scan<1>(
      types<float, double, std::int32_t>{}, "cumprod",
      [](auto x, auto axis) { return tl::cumprod<axis.value>(x); },
      [](const auto &line) {
        return accumulated(line, [](auto a, auto b) { return host::mul(a, b); });
      },
      {0.9, 1.1}, 0.75);
}

TEST_CASE("a scan takes any associative function") {
  sweep_scan<0>(
      types<float, std::int32_t>{}, "running maximum",
      [](auto x, auto axis) {
        return tl::associative_scan<axis.value>(x,
                                                [](auto a, auto b) { return tl::maximum(a, b); });
      },
      [](const auto &line) {
        return accumulated(line, [](auto a, auto b) { return a < b ? b : a; });
      },
      {0, 100});
}

namespace {
constexpr auto branching_sum =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
      auto at = tl::arange<16>();
      auto v = tl::load(x + at, at < n, 0.0f);
      tl::store(out, tl::reduce<0>(v, [](tl::f32 a, tl::f32 b) {
                  return tl::if_(a < b, [&] { return a + b; }, [&] { return b + a; });
                }));
    }};
} // namespace

TEST_CASE("a reduction by a function with branches sees what the mask lets through") {
  std::vector<float> x;
  for (int i = 1; i <= 16; ++i)
    x.push_back(float(i));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> in(dev, x), out(dev, 1);
    numeric::seen(branching_sum[numeric::grid(1)](in, out, 5));
    CHECK(out.to_vector()[0] == 15);
  }
}
