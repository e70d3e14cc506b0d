// SPDX-License-Identifier: MIT
//
// The matrix products of bench/matmul at odd extents, on all devices, beside a sum in double. What
// is summed in float of K products of numbers up to 1 is off by less than K 2^-22, of 8 bits on
// NVIDIA GPUs by 2^-13 more for each 32 of them; tf32 and the results' types round by half of their
// last place.
#include "../../bench/matmul/batched.hpp"
#include "../../bench/matmul/block_scaled.hpp"
#include "../../bench/matmul/grouped.hpp"
#include "../../bench/matmul/int4_weights.hpp"
#include "../../bench/matmul/naive.hpp"
#include "../../bench/matmul/persistent.hpp"
#include "../../bench/matmul/split_k.hpp"
#include "../../bench/matmul/stream_k.hpp"
#include "../../bench/matmul/tuned.hpp"
#include "reference.hpp"

#include <cmath>
#include <limits>

using namespace bench::products;
using namespace reference;

namespace {

/// Half of the last place, relative.
template <class R> constexpr double rounding() {
  if constexpr (std::is_same_v<R, float>)
    return 0x1p-11; // of operands of float: tf32
  else if constexpr (std::is_integral_v<R>)
    return 0;
  else
    return 1.0 / double(1 << std::numeric_limits<R>::digits);
}
template <class R> double error_of(int K) { return 1.01 * rounding<R>() + K * 0x1p-22; }
/// Of a product of T in R. An H100 keeps 14 bits of a sum to which 32 products of 8 bits are added.
template <class T, class R> double error_of_product(int K, tl::device device) {
  const bool is_short =
      std::is_same_v<T, tl::float8e4nv> && std::string(device.name()).starts_with("cuda");
  return error_of<std::conditional_t<std::is_same_v<T, float>, float, R>>(K) +
         (is_short ? K / 32.0 * 0x1p-13 : 0);
}

struct extents {
  int M, N, K;
};

/// A B, with A by rows or by columns, and B.
template <class T>
std::vector<double> product(const operand<T> &a, const operand<T> &b, extents e,
                            bool turned_a = false, bool turned_b = false) {
  std::vector<double> c(std::size_t(e.M) * e.N);
  for (int m = 0; m < e.M; ++m)
    for (int k = 0; k < e.K; ++k) {
      const double factor = a[turned_a ? k * e.M + m : m * e.K + k];
      for (int n = 0; n < e.N; ++n)
        c[m * e.N + n] += factor * b[turned_b ? n * e.K + k : k * e.N + n];
    }
  return c;
}

template <class T> operand<T> matrix(int rows, int columns) {
  if constexpr (std::is_integral_v<T>)
    return operand<T>(std::size_t(rows) * columns, {-128, 128});
  else
    return operand<T>(std::size_t(rows) * columns);
}

/// Every kernel of the folder that takes two plain matrices.
template <class T, class R, tile_config C>
void check_products(extents e, bool turned_a, bool turned_b) {
  const auto [M, N, K] = e;
  const operand<T> a = matrix<T>(M, K), b = matrix<T>(K, N);
  const std::vector<double> want = product(a, b, e, turned_a, turned_b);
  const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_m > 64)
      continue;
    INFO(std::string(device.name()), " ", M, " x ", N, " x ", K, " tile ", C.block_m, " ",
         C.block_n, " ", C.block_k, " turned ", turned_a, " ", turned_b);
    tl::buffer<T> x = a.on(device), y = b.on(device);
    const int a_row = turned_a ? 1 : K, a_column = turned_a ? M : 1;
    const int b_row = turned_b ? 1 : N, b_column = turned_b ? K : 1;
    const auto checked = [&](const char *name, const auto &launch) {
      INFO(std::string(name));
      tl::testing::guarded_buffer<R> c(device, std::size_t(M) * N);
      launch(c);
      check_close(c, want, error_of_product<T, R>(K, device));
    };
    checked("matmul", [&](auto &c) {
      matmul<T, R, C>[on(device, tiles, C)](x, y, c, M, N, K, a_row, a_column, b_row, b_column, N);
    });
    checked("naive", [&](auto &c) {
      naive_matmul<T, R, C>[on(device, tiles, C)](x, y, c, M, N, K, a_row, a_column, b_row,
                                                  b_column, N);
    });
    for (int programs : {1, 3})
      checked("persistent", [&](auto &c) {
        persistent_matmul<T, R, C>[on(device, programs, C)](x, y, c, M, N, K, a_row, a_column,
                                                            b_row, b_column, N);
      });
    const auto needed = scratch_of(C, M, N);
    tl::buffer<sum_type<T>> sums(device, needed.sums);
    tl::buffer<std::int32_t> counters(device, std::vector<std::int32_t>(needed.counters));
    for (int time = 0; time < 2; ++time) // the counters are zeros again
      checked("split", [&](auto &c) {
        split_k_matmul<T, R, C>[on(device, {tiles, C.splits}, C)](
            x, y, c, M, N, K, a_row, a_column, b_row, b_column, N, sums, counters);
      });
    for (int programs : {1, 5}) {
      tl::buffer<sum_type<T>> parts(device, std::size_t(programs) * C.block_m * C.block_n);
      tl::buffer<std::int32_t> arrived(device, std::vector<std::int32_t>(std::size_t(programs)));
      for (int time = 0; time < 2; ++time)
        checked("stream", [&](auto &c) {
          stream_k_matmul<T, R, C>[on(device, programs, C)](x, y, c, M, N, K, a_row, a_column,
                                                            b_row, b_column, N, parts, arrived);
        });
    }
  }
}

/// By descriptors, whose rows are multiples of 16 bytes.
template <class T, class R, tile_config C, transposed Lie> void check_descriptors(extents e) {
  const auto [M, N, K] = e;
  const operand<T> a = matrix<T>(M, K), b = matrix<T>(K, N);
  const std::vector<double> want = product(a, b, e, Lie.a, Lie.b);
  using A = blocks_of<tl::tensor_descriptor, T, C.block_m, C.block_k, Lie.a>;
  using B = blocks_of<tl::tensor_descriptor, T, C.block_k, C.block_n, Lie.b>;
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_m > 64)
      continue;
    INFO(std::string(device.name()), " ", M, " x ", N, " x ", K, " tile ", C.block_m, " ",
         C.block_n, " ", C.block_k);
    tl::buffer<T> x = a.on(device), y = b.on(device);
    const A x_tiles = Lie.a ? A(x, {K, M}) : A(x, {M, K});
    const B y_tiles = Lie.b ? B(y, {N, K}) : B(y, {K, N});
    const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
    for (int programs : {0, 1, 3}) {
      tl::testing::guarded_buffer<R> c(device, std::size_t(M) * N);
      const tl::tensor_descriptor<R, C.block_m, C.block_n> c_tiles(c, {M, N});
      if (programs == 0)
        matmul_descriptors<T, R, C, Lie>[on(device, tiles, C)](x_tiles, y_tiles, c_tiles, M, N, K);
      else
        persistent_matmul_descriptors<T, R, C, Lie>[on(device, programs, C)](x_tiles, y_tiles,
                                                                             c_tiles, M, N, K);
      check_close(c, want, error_of_product<T, R>(K, device));
    }
  }
}

} // namespace

TEST_CASE("products of plain matrices are right however their operands lie") {
  for (bool turned_a : {false, true})
    for (bool turned_b : {false, true})
      check_products<tl::float16, tl::float16, tile_config{32, 16, 16, 2, 4, 3, 3}>(
          {70, 50, 81}, turned_a, turned_b);
}

TEST_CASE("products of every element type are right") {
  constexpr tile_config small{16, 32, 32, 2, 4, 3, 2};
  check_products<tl::bfloat16, tl::bfloat16, small>({33, 48, 80}, false, false);
  check_products<float, float, small>({33, 48, 80}, false, false);
  check_products<tl::float8e4nv, tl::float16, small>({33, 48, 80}, false, true);
  check_products<std::int8_t, std::int32_t, small>({33, 48, 80}, false, true);
}

TEST_CASE("products are right with the tiles of large matrices") {
  check_products<tl::float16, tl::float16, tile_config{64, 64, 64, 8, 4, 4, 2}>({96, 72, 136},
                                                                                false, false);
  check_products<tl::float16, tl::float16, tile_config{128, 256, 64, 8, 8, 3, 2}>({300, 520, 328},
                                                                                  false, false);
  check_products<tl::float16, tl::float16, tile_config{128, 128, 64, 8, 4, 4, 3}>({200, 264, 1000},
                                                                                  false, true);
  check_products<tl::float16, tl::float16, tile_config{16, 64, 128, 1, 4, 4, 4}>({1, 136, 1000},
                                                                                 false, false);
  check_products<tl::float16, tl::float16,
                 tile_config{.block_m = 64, .num_stages = 4, .whole = true}>({128, 256, 320}, false,
                                                                             false);
}

TEST_CASE("a tuned product is right, whichever configuration was chosen") {
  using T = tl::float16;
  const extents e{70, 50, 81};
  const operand<T> a = matrix<T>(e.M, e.K), b = matrix<T>(e.K, e.N);
  const std::vector<double> want = product(a, b, e);
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device)) // with all candidates many times
      continue;
    tl::buffer<T> x = a.on(device), y = b.on(device);
    tl::testing::guarded_buffer<T> c(device, want.size());
    tuned_matmul<T, T>()[{.grid = tiles_of(e.M, e.N), .device = device}](x, y, c, e.M, e.N, e.K,
                                                                         e.K, 1, e.N, 1, e.N);
    check_close(c, want, error_of<T>(e.K));
  }
}

TEST_CASE("products by descriptors are right") {
  constexpr tile_config small{32, 16, 32, 2, 4, 3}, large{128, 128, 64, 8, 8, 3};
  check_descriptors<tl::float16, tl::float16, small, transposed{}>({72, 56, 88});
  check_descriptors<tl::float16, tl::float16, small, transposed{.b = true}>({72, 56, 88});
  check_descriptors<tl::float16, tl::float16, small, transposed{.a = true}>({72, 56, 88});
  check_descriptors<tl::float16, tl::float16, large, transposed{}>({304, 264, 328});
  check_descriptors<tl::float16, tl::float16, large, transposed{.b = true}>({304, 264, 328});
  check_descriptors<tl::float16, tl::float16, large, transposed{.a = true}>({304, 264, 328});
  check_descriptors<tl::float16, tl::float16, large, transposed{.a = true, .b = true}>(
      {304, 264, 328});
  check_descriptors<tl::float16, tl::float16, tile_config{.num_stages = 4, .num_ctas = 2},
                    transposed{}>({300, 264, 328});
  check_descriptors<std::int8_t, std::int32_t, tile_config{128, 128, 128, 8, 8, 3},
                    transposed{.b = true}>({300, 264, 336});
  check_descriptors<tl::float8e4nv, tl::float16, tile_config{64, 128, 128, 8, 4, 3},
                    transposed{.b = true}>({300, 264, 336});
}

TEST_CASE("products of different extents run in one launch") {
  using T = tl::float16;
  constexpr tile_config C{32, 32, 16, 2};
  const extents problems[] = {{70, 40, 24}, {8, 16, 8}, {33, 64, 40}};
  for (tl::device device : tl::testing::devices()) {
    INFO(std::string(device.name()));
    std::vector<tl::buffer<T>> held;
    std::vector<tl::testing::guarded_buffer<T>> results;
    std::vector<std::vector<double>> wanted;
    std::vector<std::int64_t> addresses;
    std::vector<std::int32_t> sizes;
    results.reserve(3);
    for (const extents &e : problems) {
      const operand<T> a = matrix<T>(e.M, e.K), b = matrix<T>(e.K, e.N);
      wanted.push_back(product(a, b, e));
      held.push_back(a.on(device));
      addresses.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(held.back().data())));
      held.push_back(b.on(device));
      addresses.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(held.back().data())));
      results.emplace_back(device, std::size_t(e.M) * e.N);
      addresses.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(results.back().data())));
      sizes.insert(sizes.end(), {e.M, e.N, e.K});
    }
    const tl::buffer<std::int64_t> address_list(device, addresses);
    const tl::buffer<std::int32_t> size_list(device, sizes);
    for (int programs : {1, 4}) {
      grouped_matmul<T, T, C, 8>[on(device, programs, C)](address_list, size_list, 3);
      for (std::size_t i = 0; i < results.size(); ++i)
        check_close(results[i], wanted[i], error_of<T>(problems[i].K));
    }
  }
}

TEST_CASE("batches of products are right, large ones and small ones") {
  using T = tl::float16;
  constexpr tile_config C{16, 32, 16, 2};
  const int batch = 6;
  for (const extents e : {extents{13, 30, 41}, extents{13, 40, 56}}) {
    const std::size_t sizes[] = {std::size_t(e.M * e.K), std::size_t(e.K * e.N),
                                 std::size_t(e.M * e.N)};
    const operand<T> a(batch * sizes[0]), b(batch * sizes[1]);
    std::vector<double> want;
    const auto part = [](const operand<T> &of, int i, std::size_t size) {
      const auto first = of.values.begin() + std::ptrdiff_t(i * size);
      return operand<T>(std::vector<T>(first, first + std::ptrdiff_t(size)));
    };
    for (int i = 0; i < batch; ++i) {
      const auto one = product(part(a, i, sizes[0]), part(b, i, sizes[1]), e);
      want.insert(want.end(), one.begin(), one.end());
    }
    for (tl::device device : tl::testing::devices()) {
      INFO(std::string(device.name()));
      tl::buffer<T> x = a.on(device), y = b.on(device);
      tl::testing::guarded_buffer<T> c(device, want.size()), d(device, want.size());
      const int tiles = tl::cdiv(e.M, C.block_m) * tl::cdiv(e.N, C.block_n);
      batched_matmul<T, T, C>[on(device, {tiles, batch}, C)](x, y, c, e.M, e.N, e.K);
      check_close(c, want, error_of<T>(e.K));
      if (tiles == 1) {
        small_batched_matmul<T, T, C, 4>[on(device, tl::cdiv(batch, 4), C)](x, y, d, batch, e.M,
                                                                            e.N, e.K);
        check_close(d, want, error_of<T>(e.K));
      }
      if (e.N % 8 != 0 || e.K % 8 != 0)
        continue; // a descriptor's rows begin at multiples of 16 bytes
      const auto described = [&]<int Rows, int Columns>(auto &matrices, int rows, int columns) {
        return tl::tensor_descriptor<T, 1, Rows, Columns>(matrices, {batch, rows, columns},
                                                          {rows * columns, columns, 1});
      };
      tl::testing::guarded_buffer<T> f(device, want.size());
      for (int programs : {1, 5}) {
        batched_matmul_descriptors<T, T, C>[on(device, programs, C)](
            described.template operator()<C.block_m, C.block_k>(x, e.M, e.K),
            described.template operator()<C.block_k, C.block_n>(y, e.K, e.N),
            described.template operator()<C.block_m, C.block_n>(f, e.M, e.N), batch, e.M, e.N, e.K);
        check_close(f, want, error_of<T>(e.K));
      }
    }
  }
}

namespace {

/// Elements of a format, packed, and their values.
template <tl::scaled_format F> struct scaled_operand {
  std::vector<bytes_of<F>> bytes;
  std::vector<std::uint8_t> scales;
  std::vector<double> exact;

  scaled_operand(int rows, int K) {
    constexpr double small[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    scales = tl::testing::random_values<std::uint8_t>(std::size_t(rows) * K / 32, {124, 131});
    const auto raw = tl::testing::random_values<std::uint8_t>(std::size_t(rows) * K);
    exact.resize(raw.size());
    bytes.resize(raw.size() / packed<F>);
    const operand<tl::float8e4nv> numbers(raw.size(), {-4, 4});
    for (std::size_t i = 0; i < raw.size(); ++i) {
      double value;
      if constexpr (F == tl::e2m1) {
        const unsigned code = raw[i] & 15;
        bytes[i / 2] = std::uint8_t(bytes[i / 2] | code << i % 2 * 4);
        value = (code & 8 ? -1 : 1) * small[code & 7];
      } else {
        bytes[i] = bytes_of<F>(float(numbers[i]));
        value = double(float(bytes[i]));
      }
      exact[i] = std::ldexp(value, scales[i / 32] - 127);
    }
  }
};

template <tl::scaled_format FA, tl::scaled_format FB, tile_config C> void check_scaled(extents e) {
  const auto [M, N, K] = e;
  const scaled_operand<FA> a(M, K);
  const scaled_operand<FB> b(N, K);
  std::vector<double> want(std::size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k)
        want[m * N + n] += a.exact[m * K + k] * b.exact[n * K + k];
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_m > 64)
      continue;
    INFO(std::string(device.name()));
    const tl::buffer<bytes_of<FA>> x(device, a.bytes);
    const tl::buffer<bytes_of<FB>> y(device, b.bytes);
    const tl::buffer<std::uint8_t> x_scales(device, a.scales), y_scales(device, b.scales);
    tl::testing::guarded_buffer<float> c(device, want.size());
    const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
    block_scaled_matmul<FA, FB, float, C>[on(device, tiles, C)](x, x_scales, y, y_scales, c, M, N,
                                                                K);
    check_close(c, want, K * 0x1p-22);
  }
}

} // namespace

TEST_CASE("products of elements that share scales are right") {
  constexpr tile_config small{16, 16, 64, 2}, large{128, 128, 128, 8, 8, 3};
  check_scaled<tl::e4m3, tl::e4m3, small>({33, 20, 96});
  check_scaled<tl::e5m2, tl::e2m1, small>({33, 20, 96});
  check_scaled<tl::e2m1, tl::e2m1, small>({33, 20, 96});
  check_scaled<tl::e4m3, tl::e4m3, large>({150, 140, 352});
  check_scaled<tl::e4m3, tl::e2m1, large>({150, 140, 352});
}

namespace {

enum class int4_kernel { pointers, described, together };

template <class T, tile_config C, int Group, int4_kernel Kernel = int4_kernel::pointers>
void check_int4(extents e) {
  const auto [M, N, K] = e;
  const int packs = N / 8, groups = tl::cdiv(K, Group);
  const auto numbers = tl::testing::random_values<std::int32_t>(std::size_t(K) * N, {0, 16});
  const auto zeros = tl::testing::random_values<std::int32_t>(std::size_t(groups) * N, {0, 16});
  const operand<T> x(std::size_t(M) * K), scales(std::size_t(groups) * N, {0.01, 0.1});
  const auto pack = [&](const std::vector<std::int32_t> &from, int rows) {
    std::vector<std::int32_t> words(std::size_t(rows) * packs);
    for (int r = 0; r < rows; ++r)
      for (int n = 0; n < N; ++n) {
        const int j = n % 8;
        auto &word = words[std::size_t(r * packs + n / 8)];
        word = std::int32_t(std::uint32_t(word) | std::uint32_t(from[std::size_t(r * N + n)])
                                                      << (j / 2 + j % 2 * 4) * 4);
      }
    return words;
  };
  std::vector<double> want(std::size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k) {
        const int line = k / Group * N + n;
        const double w = (numbers[k * N + n] - zeros[line]) * scales[line];
        want[m * N + n] += x[m * K + k] * double(T(float(w)));
      }
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_n > 64)
      continue;
    INFO(std::string(device.name()));
    const tl::buffer<std::int32_t> words(device, pack(numbers, K)),
        zero_words(device, pack(zeros, groups));
    tl::buffer<T> values = x.on(device), scale_values = scales.on(device);
    const int tiles = tl::cdiv(M, C.block_m) * tl::cdiv(N, C.block_n);
    const auto needed = scratch_of(C, M, N);
    // Not a number where a program reads another one's sums too early.
    tl::buffer<float> sums(
        device, std::vector<float>(needed.sums, std::numeric_limits<float>::quiet_NaN()));
    tl::buffer<std::int32_t> counters(device, std::vector<std::int32_t>(needed.counters));
    tl::testing::guarded_buffer<T> c(device, want.size());
    const tl::launch_options options = on(device, {tiles, C.splits}, C);
    if constexpr (Kernel != int4_kernel::pointers)
      int4_matmul_described<T, C, Group, Kernel == int4_kernel::together>[options](
          tl::tensor_descriptor<T, C.block_m, C.block_k>(values, {M, K}, {K, 1}), words, zero_words,
          scale_values, c, M, packs, K, sums, counters);
    else
      int4_matmul<T, C, Group>[options](values, words, zero_words, scale_values, c, M, packs, K,
                                        sums, counters);
    // Each weight is rounded to T once, as the reference does.
    check_close(c, want, error_of<T>(K));
  }
}

} // namespace

TEST_CASE("products with weights of four bits are right") {
  check_int4<tl::float16, tile_config{16, 32, 32, 1, 4, 3, 1}, 32>({1, 40, 96});
  check_int4<tl::float16, tile_config{16, 32, 32, 1, 4, 3, 3}, 64>({17, 40, 160});
  check_int4<tl::bfloat16, tile_config{16, 64, 32, 1, 4, 3, 2}, 64>({20, 136, 100});
  check_int4<tl::float16, tile_config{64, 128, 64, 4, 4, 3, 1}, 128>({100, 264, 320});
  check_int4<tl::float16, tile_config{16, 64, 32, 1, 1, 3, 2}, 64>({3, 136, 96});
  check_int4<tl::float16, tile_config{16, 256, 64, 1, 4, 3, 2}, 64>({16, 264, 320});
  check_int4<tl::bfloat16, tile_config{64, 128, 64, 1, 2, 3, 1}, 64>({40, 136, 128});
  check_int4<tl::float16, tile_config{64, 256, 64, 1, 4, 3, 1}, 64>({40, 256, 192});
  check_int4<tl::float16, tile_config{64, 256, 64, 1, 4, 3, 2}, 128>({70, 264, 320});
  check_int4<tl::float16, tile_config{64, 256, 64, 1, 4, 3, 2}, 128, int4_kernel::described>(
      {70, 264, 384});
  check_int4<tl::float16, tile_config{16, 64, 64, 1, 4, 3, 1}, 64, int4_kernel::described>(
      {20, 136, 128});
  // A word's numbers are of two groups of warps, and of four.
  check_int4<tl::float16, tile_config{64, 128, 128, 1, 4, 3, 2}, 128, int4_kernel::described>(
      {40, 136, 512});
  check_int4<tl::float16, tile_config{64, 256, 128, 1, 8, 3, 2}, 128>({70, 264, 320});
  check_int4<tl::float16, tile_config{64, 128, 64, 1, 4, 3, 2}, 64>({40, 136, 256});
  check_int4<tl::float16, tile_config{64, 128, 64, 1, 8, 3, 1}, 64>({40, 136, 128});
  constexpr auto together = int4_kernel::together;
  check_int4<tl::float16, tile_config{64, 64, 64, 1, 4, 3, 2}, 64, together>({40, 136, 256});
  check_int4<tl::float16, tile_config{64, 256, 128, 1, 8, 4, 4}, 128, together>({64, 512, 2048});
}
