// SPDX-License-Identifier: MIT
//
// Blocks whose extents are no powers of two. The compiler pads them; the interpreter does not, so
// that all of this also compares the padding with what it stands for. Kernels make the padding as
// bad as they can: infinite, NaN, false, or a number for which a loop does not end. Outputs lie
// between guard words, so that a store from the padding is seen. Floats are small integers, whose
// sums and products are exact.

#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace {

using tl::testing::allclose;
using tl::testing::guarded_buffer;

template <int... Extents> using s = tl::shape<Extents...>;

auto offsets(s<>) { return tl::program_id(0) * 0; }
template <int A> auto offsets(s<A>) { return tl::arange<A>() + 0; }
template <int A, int B> auto offsets(s<A, B>) {
  return tl::arange<A>()(tl::all, tl::newaxis) * B + tl::arange<B>()(tl::newaxis, tl::all);
}
template <int A, int B, int C> auto offsets(s<A, B, C>) {
  return tl::expand_dims<2>(offsets(s<A, B>())) * C +
         tl::arange<C>()(tl::newaxis, tl::newaxis, tl::all);
}

/// What K makes of a block, as a value.
template <class K, class T, class S>
using made = decltype(tl::tensor(std::declval<std::invoke_result_t<K, tl::tensor<T, S>>>()));

template <class K, class T, class S>
inline constexpr auto whole_block =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<typename made<K, T, S>::element_type> out) {
      tl::tensor result = K{}(tl::load(x + offsets(S())));
      tl::store(out + offsets(typename made<K, T, S>::shape_type()), result);
    }};

template <class T> std::vector<T> some_values(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] =
        T(static_cast<float>(static_cast<int>(i * 37 % 23) - (std::is_unsigned_v<T> ? 0 : 9)));
  return values;
}

/// Runs a kernel on one block of S on every device. `host` gives its result.
template <class S, class T = float, class K, class Host> void check(K, Host host) {
  using R = typename made<K, T, S>::element_type;
  const std::vector<T> values = some_values<T>(S::size);
  const std::vector<R> want = host(values);
  INFO("block of ", numeric::shape_text(S::extents, S::rank));
  REQUIRE(want.size() == std::size_t(made<K, T, S>::shape_type::size));
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, values);
    guarded_buffer<R> out(dev, want.size());
    numeric::seen(whole_block<K, T, S>[numeric::grid(1)](x, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

/// Applies `check` of one function to all of these shapes.
template <class... S> struct each {
  template <class K, class Host> static void run(K kernel, Host host) {
    (check<S>(kernel, [&](const std::vector<float> &x) { return host(S(), x); }), ...);
  }
};
using lines = each<s<1>, s<3>, s<5>, s<7>, s<17>, s<48>, s<80>, s<100>, s<1000>>;
using tiles = each<s<3, 5>, s<48, 80>, s<1, 100>, s<7, 16>, s<16, 7>, s<100, 1>>;
using boxes = each<s<3, 5, 7>, s<2, 17, 4>>;

/// The values along one axis, for all places on the others in order.
template <class S, class F>
std::vector<float> along(S, int axis, const std::vector<float> &x, F combine) {
  std::vector<float> results;
  int inner = 1;
  for (int i = axis + 1; i < S::rank; ++i)
    inner *= S::extents[i];
  const int extent = S::extents[axis], outer = int(S::size) / extent / inner;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < inner; ++j) {
      std::vector<float> line;
      for (int k = 0; k < extent; ++k)
        line.push_back(x[std::size_t((i * extent + k) * inner + j)]);
      results.push_back(float(combine(line)));
    }
  return results;
}

/// The same, of as many values, put back in their places.
template <class S, class F>
std::vector<float> lines_along(S, int axis, const std::vector<float> &x, F change) {
  std::vector<float> results(x.size());
  int inner = 1;
  for (int i = axis + 1; i < S::rank; ++i)
    inner *= S::extents[i];
  const int extent = S::extents[axis], outer = int(S::size) / extent / inner;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < inner; ++j) {
      std::vector<float> line;
      for (int k = 0; k < extent; ++k)
        line.push_back(x[std::size_t((i * extent + k) * inner + j)]);
      change(line);
      for (int k = 0; k < extent; ++k)
        results[std::size_t((i * extent + k) * inner + j)] = line[std::size_t(k)];
    }
  return results;
}

float total(const std::vector<float> &line) {
  return std::accumulate(line.begin(), line.end(), 0.0f);
}
float largest(const std::vector<float> &line) {
  return *std::max_element(line.begin(), line.end());
}

/// One of zero is infinite, and so is what the padding of a load becomes.
auto one_over(auto x) { return 1.0f / tl::where(x == 0.0f, 1.0f, x); }

/// Reduces along an axis by K of a block and a constant, for lines, tiles and boxes.
template <class K, class F> void check_reduction(K, F combine) {
  const auto first = [](auto x) { return K{}(x, std::integral_constant<int, 0>()); };
  const auto second = [](auto x) { return K{}(x, std::integral_constant<int, 1>()); };
  const auto third = [](auto x) { return K{}(x, std::integral_constant<int, 2>()); };
  const auto host = [&](int axis) {
    return [&, axis](auto shape, const auto &x) { return along(shape, axis, x, combine); };
  };
  lines::run(first, host(0));
  tiles::run(first, host(0));
  tiles::run(second, host(1));
  boxes::run(first, host(0));
  boxes::run(second, host(1));
  boxes::run(third, host(2));
}

template <class K, class F> void check_scan(K, F change) {
  const auto first = [](auto x) { return K{}(x, std::integral_constant<int, 0>()); };
  const auto second = [](auto x) { return K{}(x, std::integral_constant<int, 1>()); };
  const auto host = [&](int axis) {
    return [&, axis](auto shape, const auto &x) { return lines_along(shape, axis, x, change); };
  };
  lines::run(first, host(0));
  tiles::run(first, host(0));
  tiles::run(second, host(1));
  boxes::run(second, host(1));
}

} // namespace

TEST_CASE("blocks of any size are loaded, computed with and stored") {
  const auto kernel = [](auto x) { return x * 2.0f + 1.0f; };
  const auto host = [](auto, std::vector<float> x) {
    for (float &value : x)
      value = value * 2 + 1;
    return x;
  };
  lines::run(kernel, host);
  tiles::run(kernel, host);
  boxes::run(kernel, host);
}

namespace {
constexpr auto masked_copy = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n) {
  auto at = tl::program_id(0) * 100 + tl::arange<100>();
  tl::store(out + at, tl::load(x + at, at < n, -1.0f) + tl::load(x + at, at < n), at < n);
}};
} // namespace

TEST_CASE("programs of blocks of any size cover what is no multiple of them") {
  const std::vector<float> values = some_values<float>(253);
  std::vector<float> want;
  for (float value : values)
    want.push_back(2 * value);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, values);
    guarded_buffer<float> out(dev, values.size());
    masked_copy[numeric::grid(3)](x, out, 253);
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

TEST_CASE("reductions see nothing of the padding") {
  check_reduction([](auto x, auto axis) { return tl::sum<axis.value>(x); }, total);
  check_reduction([](auto x, auto axis) { return tl::max<axis.value>(x); }, largest);
  check_reduction([](auto x, auto axis) { return tl::min<axis.value>(-x); },
                  [](const auto &line) { return -largest(line); });
  check_reduction(
      [](auto x, auto axis) {
        return tl::cast<float>(tl::xor_sum<axis.value>(tl::cast<std::int32_t>(x)));
      },
      [](const auto &line) {
        int all = 0;
        for (float value : line)
          all ^= int(value);
        return all;
      });
}

TEST_CASE("reductions without a known identity see nothing of the padding") {
  check_reduction(
      [](auto x, auto axis) { return tl::cast<float>(tl::argmax<axis.value>(x)); },
      [](const auto &line) { return std::max_element(line.begin(), line.end()) - line.begin(); });
  check_reduction(
      [](auto x, auto axis) {
        auto [low, high] =
            tl::reduce<axis.value>(std::tuple(x, x * 3.0f), [](auto a, auto b, auto c, auto d) {
              return std::tuple(tl::minimum(a, c), tl::maximum(b, d));
            });
        return high - low;
      },
      [](const auto &line) {
        return 3 * largest(line) - *std::min_element(line.begin(), line.end());
      });
}

TEST_CASE("reductions of a whole block see nothing of the padding") {
  const auto sum = [](auto x) { return tl::sum(x); };
  const auto place = [](auto x) { return tl::cast<float>(tl::argmax(x)); };
  const auto host_sum = [](auto, const auto &x) { return std::vector{total(x)}; };
  const auto host_place = [](auto, const auto &x) {
    return std::vector{float(std::max_element(x.begin(), x.end()) - x.begin())};
  };
  tiles::run(sum, host_sum);
  tiles::run(place, host_place);
  boxes::run(sum, host_sum);
  boxes::run(place, host_place);
}

TEST_CASE("a maximum of NaN alone is NaN whatever the padding") {
  check<s<5>>(
      [](auto x) {
        tl::tensor top = tl::max<0>(x * std::numeric_limits<float>::quiet_NaN());
        return tl::cast<float>(top != top);
      },
      [](const auto &) { return std::vector{1.0f}; });
}

TEST_CASE("scans in both directions see nothing of the padding") {
  check_scan([](auto x, auto axis) { return tl::cumsum<axis.value>(x); },
             [](auto &line) { std::partial_sum(line.begin(), line.end(), line.begin()); });
  check_scan([](auto x, auto axis) { return tl::cumsum<axis.value>(x, {.reverse = true}); },
             [](auto &line) { std::partial_sum(line.rbegin(), line.rend(), line.rbegin()); });
  // x -> 2 x + 1 applied after another is neither commutative nor known to have an identity.
  check_scan(
      [](auto x, auto axis) {
        auto [factor, term] = tl::associative_scan<axis.value>(
            std::tuple(x * 0.0f - 1.0f, x),
            [](auto a, auto b, auto c, auto d) { return std::tuple(a * c, b * c + d); },
            {.reverse = true});
        return factor * 1000.0f + term;
      },
      [](auto &line) {
        float factor = -1, term = line.back();
        line.back() += -1000;
        for (std::size_t i = line.size() - 1; i-- > 0;) {
          factor = -factor;
          term = line[i] - term;
          line[i] = factor * 1000 + term;
        }
      });
}

TEST_CASE("moving elements moves none of the padding") {
  const auto same = [](auto, std::vector<float> x) { return x; };
  each<s<100>>::run([](auto x) { return tl::reshape<4, 25>(x); }, same);
  each<s<100>>::run([](auto x) { return tl::reshape<25, 4>(x); }, same);
  each<s<100>>::run([](auto x) { return tl::reshape<2, 5, 10>(x); }, same);
  each<s<3, 5>>::run([](auto x) { return tl::ravel(x); }, same);
  each<s<48, 80>>::run([](auto x) { return tl::reshape<60, 64>(x); }, same);
  each<s<3, 5, 7>>::run([](auto x) { return tl::reshape<7, 15>(x); }, same);
  tiles::run([](auto x) { return tl::trans(x); },
             [](auto shape, const auto &x) {
               std::vector<float> turned;
               for (int j = 0; j < shape.extents[1]; ++j)
                 for (int i = 0; i < shape.extents[0]; ++i)
                   turned.push_back(x[std::size_t(i * shape.extents[1] + j)]);
               return turned;
             });
  const auto twice = [](auto, const auto &x) {
    std::vector<float> both;
    for (float value : x)
      both.insert(both.end(), {value, -value});
    return both;
  };
  lines::run([](auto x) { return tl::join(x, -x); }, twice);
  lines::run([](auto x) { return tl::interleave(x, -x); }, twice);
  lines::run(
      [](auto x) {
        auto [left, right] = tl::split(tl::join(x, -x));
        return left - right;
      },
      [](auto, const auto &x) {
        std::vector<float> doubled;
        for (float value : x)
          doubled.push_back(value * 2);
        return doubled;
      });
  const auto after = [](auto, const auto &x) {
    std::vector<float> both = x;
    for (float value : x)
      both.push_back(-value);
    return both;
  };
  lines::run([](auto x) { return tl::cat(x, -x); }, after);
  tiles::run([](auto x) { return tl::cat<0>(x, -x); }, after);
  const auto flipped = [](auto shape, const auto &x) {
    return lines_along(shape, shape.rank - 1, x,
                       [](auto &line) { std::reverse(line.begin(), line.end()); });
  };
  lines::run([](auto x) { return tl::flip(x); }, flipped);
  tiles::run([](auto x) { return tl::flip(x); }, flipped);
  each<s<7>>::run([](auto x) { return tl::gather<0>(x, tl::arange<3>() * 2); },
                  [](auto, const auto &x) { return std::vector{x[0], x[2], x[4]}; });
  each<s<3, 1>>::run([](auto x) { return tl::broadcast_to<3, 5>(x); },
                     [](auto, const auto &x) {
                       std::vector<float> all;
                       for (float value : x)
                         all.insert(all.end(), 5, value);
                       return all;
                     });
  each<s<5>>::run([](auto x) { return tl::where(x > 0.0f, x, tl::zeros<float, 3, 5>()); },
                  [](auto, const auto &x) {
                    std::vector<float> all;
                    for (int row = 0; row < 3; ++row)
                      for (float value : x)
                        all.push_back(std::max(value, 0.0f));
                    return all;
                  });
}

TEST_CASE("rows of any length are sorted, and the first of them chosen") {
  const auto sorted = [](auto shape, const auto &x) {
    return lines_along(shape, shape.rank - 1, x,
                       [](auto &line) { std::sort(line.begin(), line.end()); });
  };
  each<s<1>, s<3>, s<7>, s<100>>::run([](auto x) { return tl::sort(x); }, sorted);
  each<s<3, 5>, s<16, 7>>::run([](auto x) { return tl::sort(x); }, sorted);
  each<s<3, 5>, s<7, 4>>::run([](auto x) { return -tl::sort(-x, {.descending = true}); }, sorted);
  const auto places = [](auto shape, const auto &x) {
    return lines_along(shape, shape.rank - 1, x, [](auto &line) {
      std::vector<float> order(line.size());
      std::iota(order.begin(), order.end(), 0.0f);
      std::sort(order.begin(), order.end(), [&](float a, float b) {
        const float x = line[std::size_t(a)], y = line[std::size_t(b)];
        return x < y || (x == y && a < b);
      });
      line = order;
    });
  };
  each<s<1>, s<7>, s<100>, s<3, 5>>::run([](auto x) { return tl::cast<float>(tl::argsort(x)); },
                                         places);
  const auto best = [](auto shape, const auto &x) {
    std::vector<float> chosen;
    lines_along(shape, shape.rank - 1, x, [&](auto line) {
      std::sort(line.begin(), line.end(), std::greater<>());
      chosen.insert(chosen.end(), line.begin(), line.begin() + 4);
    });
    return chosen;
  };
  each<s<5>, s<100>, s<3, 17>>::run([](auto x) { return tl::topk<4>(x); }, best);
}

TEST_CASE("sorted integers of any number stand where the largest stood, too") {
  const auto kernel = [](auto x) {
    auto [values, at] = tl::sort_with_indices(tl::where(x == x, 9223372036854775807, x));
    return values / 9223372036854775807 * 10 + tl::cast<std::int64_t>(at);
  };
  check<s<5>, std::int64_t>(
      kernel, [](const auto &) { return std::vector<std::int64_t>{10, 11, 12, 13, 14}; });
}

namespace {

/// The padding of the operands is infinite: 1 / 0.
template <class T, class C, int M, int N, int K>
constexpr auto product = tl::kernel{[](tl::ptr<const T> a, tl::ptr<const T> b, tl::ptr<C> out) {
  tl::tensor x = tl::load(a + offsets(s<M, K>()));
  tl::tensor y = tl::load(b + offsets(s<K, N>()));
  tl::tensor plain = tl::dot(x, y);
  if constexpr (std::is_same_v<T, std::int8_t>)
    tl::store(out + offsets(s<M, N>()), plain + tl::dot(x + T(1), y + T(1), plain));
  else
    tl::store(out + offsets(s<M, N>()),
              plain + tl::dot(tl::cast<T>(T(1) / x), tl::cast<T>(T(1) / y), plain));
}};

template <class T, class C, int M, int N, int K> void check_product() {
  std::vector<T> a(M * K), b(K * N);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = T(static_cast<float>(1 << (i * 7 % 3)));
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = T(static_cast<float>(1 << (i * 5 % 4)));
  std::vector<C> want;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k) {
        const double x = double(a[std::size_t(i * K + k)]), y = double(b[std::size_t(k * N + j)]);
        sum += 2 * x * y + (std::is_same_v<T, std::int8_t> ? (x + 1) * (y + 1) : 1 / (x * y));
      }
      want.push_back(C(sum));
    }
  INFO(M, "x", N, "x", K);
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<T> x(dev, a), y(dev, b);
    guarded_buffer<C> out(dev, want.size());
    numeric::seen(product<T, C, M, N, K>[numeric::grid(1)](x, y, out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

template <class T, class C> void check_products() {
  check_product<T, C, 3, 5, 7>();
  check_product<T, C, 16, 16, 17>();
  check_product<T, C, 17, 16, 16>();
  check_product<T, C, 16, 17, 16>();
  if constexpr (sizeof(T) < 4)
    check_product<T, C, 48, 80, 100>();
  else // as much as lies in the shared memory of every GPU
    check_product<T, C, 24, 20, 50>();
  check_product<T, C, 1, 1, 3>();
}

constexpr auto batched = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  tl::tensor v = tl::load(x + offsets(s<3, 5, 7>()));
  tl::store(out + offsets(s<3, 5, 5>()), tl::dot(v, tl::permute<0, 2, 1>(v)));
}};

} // namespace

TEST_CASE("products of matrices of any size see nothing of the padding") {
  check_products<float, float>();
  check_products<tl::float16, float>();
  check_products<tl::bfloat16, float>();
  check_products<double, double>();
  check_products<std::int8_t, std::int32_t>();
}

TEST_CASE("batches of any size are multiplied") {
  const std::vector<float> values = some_values<float>(3 * 5 * 7);
  std::vector<float> want;
  for (int batch = 0; batch < 3; ++batch)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        float sum = 0;
        for (int k = 0; k < 7; ++k)
          sum += values[std::size_t((batch * 5 + i) * 7 + k)] *
                 values[std::size_t((batch * 5 + j) * 7 + k)];
        want.push_back(sum);
      }
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<float> x(dev, values);
    guarded_buffer<float> out(dev, want.size());
    batched[numeric::grid(1)](x, out);
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

namespace {

/// All lanes meet in few words.
template <int N>
constexpr auto atomics = tl::kernel{[](tl::ptr<std::int32_t> words) {
  auto at = tl::arange<N>();
  tl::tensor old = tl::atomic_add(words + at % 2, 1);
  tl::atomic_max(words + 2 + at * 0, at);
  tl::atomic_add(words + 3 + at * 0, 1, old < N / 2);
  tl::atomic_xchg(words + 5 + at, at);
  tl::atomic_cas(words + 5 + at, at, at + 1);
  tl::store(words + 4, tl::sum<0>(tl::atomic_xor(words + 5 + at, 0)));
}};

template <int N> void check_atomics() {
  std::vector<std::int32_t> want{(N + 1) / 2, N / 2, N - 1, 0, N * (N + 1) / 2};
  for (int i = 0; i < N; ++i) {
    want.push_back(i + 1);
    want[3] += i / 2 < N / 2;
  }
  want.resize(want.size() + 100); // which no lane of the padding may touch
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> words(dev, std::vector<std::int32_t>(want.size()));
    numeric::seen(atomics<N>[numeric::grid(1)](words));
    CHECK(allclose(words, want));
  }
}

constexpr auto count = tl::kernel{[](tl::ptr<std::int32_t> out) {
  auto at = tl::arange<100>();
  tl::store(out + tl::arange<10>(), tl::histogram<10>(at % 11));
  tl::store(out + 10 + tl::arange<10>(), tl::histogram<10>(at % 11, at < 50));
}};

} // namespace

TEST_CASE("atomics leave the padding out") {
  check_atomics<1>();
  check_atomics<3>();
  check_atomics<17>();
  check_atomics<100>();
}

TEST_CASE("a histogram counts nothing of the padding, into any number of bins") {
  std::vector<std::int32_t> want(20);
  for (int i = 0; i < 100; ++i)
    if (i % 11 < 10) {
      ++want[std::size_t(i % 11)];
      want[std::size_t(10 + i % 11)] += i < 50;
    }
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<std::int32_t> out(dev, want.size());
    numeric::seen(count[numeric::grid(1)](out));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

namespace {

/// 0, which the padding is, is never halved to 1.
constexpr auto halve = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::ptr<std::int32_t> out) {
  tl::tensor v = tl::load(x + tl::arange<5>());
  tl::device_assert(v > 0, "is the padding");
  tl::tensor steps = tl::map_elementwise(
      [](tl::i32 value) {
        tl::tensor rest = value;
        tl::tensor count = tl::i32(0);
        tl::while_([&] { return rest != 1; },
                   [&] {
                     rest = rest / 2;
                     count = count + 1;
                   });
        return count;
      },
      v);
  tl::store(out + tl::arange<5>(), steps);
}};

constexpr auto carried = tl::kernel{[](tl::ptr<float> out, tl::i32 n) {
  tl::tensor sum = tl::zeros<float, 3, 5>();
  tl::tensor pointers = out + offsets(s<3, 5>());
  for (auto i : tl::range(0, n)) {
    tl::if_(
        i % 2 == 0, [&] { sum = sum + tl::full<float, 3, 5>(2); },
        [&] { sum = sum + tl::cast<float>(tl::arange<5>()); });
    tl::store(pointers, sum);
    pointers = pointers + 15;
  }
}};

} // namespace

TEST_CASE("assertions and code for single elements do not see the padding") {
  tl::launch_options options = numeric::grid(1);
  options.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, std::vector<std::int32_t>{1, 2, 7, 64, 100});
    guarded_buffer<std::int32_t> out(dev, 5);
    numeric::seen(halve[options](x, out));
    CHECK(allclose(out, std::vector<std::int32_t>{0, 1, 2, 6, 6}));
    CHECK(out.intact());
  }
}

TEST_CASE("loops and branches carry blocks of any size") {
  std::vector<float> want, sum(15, 0.0f);
  for (int i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 15; ++j)
      want.push_back(sum[j] += i % 2 == 0 ? 2.0f : float(j % 5));
  for (tl::device dev : tl::testing::devices()) {
    guarded_buffer<float> out(dev, want.size());
    numeric::seen(carried[numeric::grid(1)](out, 4));
    CHECK(allclose(out, want));
    CHECK(out.intact());
  }
}

namespace {
constexpr auto assembly = tl::kernel{[] {
  tl::inline_asm_elementwise<std::int32_t>("nop", "=r,r", {.pure = false}, tl::arange<3>());
}};
} // namespace

TEST_CASE("what would show the padding is refused by its name") {
  for (tl::device dev : tl::testing::devices("cpu")) {
    tl::launch_options options = numeric::grid(1);
    options.device = dev;
    CHECK_THROWS_WITH_AS(assembly[options](),
                         doctest::Contains("tl::inline_asm_elementwise takes blocks whose extents "
                                           "are powers of two, found 3"),
                         tl::compile_error);
  }
}
