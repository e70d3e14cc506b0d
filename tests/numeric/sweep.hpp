// SPDX-License-Identifier: MIT
#pragma once
// Is every operation right, for every element type and shape, on every device? A row says what an
// operation is: the kernel's side, the host's side, the tolerance. A sweep traces one kernel per
// type and shape, runs it on all devices and makes three comparisons: the interpreter with the
// host, each other device with the host, and each other device with the interpreter. Outputs lie
// between guard words and start as poison; masked-off elements must stay so. Elementwise operations
// are also tried with constants as operands, which the compiler folds.
//
//     TEST_CASE("a sum is rounded once") {
//       sweep(floats, elementwise<2>("add", [](auto a, auto b) { return a + b; },
//                                           [](auto a, auto b) { return a + b; }));
//     }
//
// GPUs run with the number of warps that TL_TEST_NUM_WARPS says, 4 without it.
// Only the tracing depends on the type and the shape; everything else is in sweep.cpp, on bytes.

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace numeric {

// ---- Types and shapes

template <class... T> struct types {};
template <class... S> struct shapes {};

inline constexpr types<float, double> wide_floats;
inline constexpr types<float, double, tl::float16, tl::bfloat16> floats;
inline constexpr types<std::int32_t, std::int8_t, std::int16_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t>
    integers;
inline constexpr types<float, double, tl::float16, tl::bfloat16, std::int32_t, std::int8_t,
                       std::int16_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                       std::uint64_t>
    numbers;

/// The block that every type is tried with; the first type of a sweep is tried with all of them.
using usual_shape = tl::shape<256>;
using all_shapes =
    shapes<tl::shape<>, tl::shape<1>, tl::shape<16>, tl::shape<1024>, tl::shape<8, 32>,
           tl::shape<64, 1>, tl::shape<1, 64>, tl::shape<4, 8, 16>, tl::shape<2, 1, 8>>;

/// The extents of the data for a block: not multiples of it, so that masks matter, and more than
/// one block along the first axis.
template <class S> constexpr std::array<int, 3> ragged_extents() {
  std::array<int, 3> extents{1, 1, 1};
  for (int axis = 0; axis < S::rank; ++axis) {
    const int block = S::extents[axis];
    const int whole = axis == 0 ? 2 * block : 0;
    extents[axis] = whole + (block > 2 ? block - 1 - block / 8 : block);
  }
  if (S::rank == 0)
    extents[0] = 5; // one program each
  return extents;
}

/// How many programs the data need, split along the first axis.
template <class S> constexpr int programs_for(const std::array<int, 3> &extents) {
  const int block = S::rank == 0 ? 1 : S::extents[0];
  return (extents[0] + block - 1) / block;
}

std::string shape_text(const int *extents, int rank);

/// What the host's side needs to know of a kernel and its block: code that does not depend on them
/// is not compiled once more for each.
struct traced_kernel {
  std::string ttir;
  std::string shape;          // "<4x8>"
  std::array<int, 3> extents; // of the data
  int programs;
};
template <class S>
traced_kernel traced(std::string ttir, const std::array<int, 3> &extents = ragged_extents<S>()) {
  return {std::move(ttir), shape_text(S::extents, S::rank), extents, programs_for<S>(extents)};
}

// ---- Kernels

/// The part of the data that this program handles: offsets and mask of the block S.
template <class S> auto block_place(tl::i32 n0, tl::i32 n1, tl::i32 n2) {
  auto p = tl::program_id(0);
  if constexpr (S::rank == 0) {
    return std::pair(p + 0, p < n0);
  } else if constexpr (S::rank == 1) {
    auto i = p * S::extents[0] + tl::arange<S::extents[0]>();
    return std::pair(i + 0, i < n0);
  } else if constexpr (S::rank == 2) {
    auto i = (p * S::extents[0] + tl::arange<S::extents[0]>())(tl::all, tl::newaxis);
    auto j = tl::arange<S::extents[1]>()(tl::newaxis, tl::all);
    return std::pair(i * n1 + j, (i < n0) & (j < n1));
  } else {
    auto i = (p * S::extents[0] + tl::arange<S::extents[0]>())(tl::all, tl::newaxis, tl::newaxis);
    auto j = tl::arange<S::extents[1]>()(tl::newaxis, tl::all, tl::newaxis);
    auto k = tl::arange<S::extents[2]>()(tl::newaxis, tl::newaxis, tl::all);
    return std::pair((i * n1 + j) * n2 + k, (i < n0) & (j < n1) & (k < n2));
  }
}

/// The element type that the kernel's side of a row gives.
template <class K, int Arity, class T> struct result_element;
template <class K, class T> struct result_element<K, 1, T> {
  using x = tl::tensor<T, usual_shape>;
  using type = typename std::invoke_result_t<K, x>::element_type;
};
template <class K, class T> struct result_element<K, 2, T> {
  using x = tl::tensor<T, usual_shape>;
  using type = typename std::invoke_result_t<K, x, x>::element_type;
};
template <class K, class T> struct result_element<K, 3, T> {
  using x = tl::tensor<T, usual_shape>;
  using type = typename std::invoke_result_t<K, x, x, x>::element_type;
};

template <class K, int Arity, class T, class R, class S>
inline constexpr auto elementwise_kernel =
    tl::kernel{"elementwise", [](tl::ptr<const T> x, tl::ptr<const T> y, tl::ptr<const T> z,
                                 tl::ptr<R> out, tl::i32 n0, tl::i32 n1, tl::i32 n2) {
                 auto [at, mask] = block_place<S>(n0, n1, n2);
                 auto a = tl::load(x + at, mask);
                 if constexpr (Arity == 1) {
                   tl::store(out + at, K{}(a), mask);
                 } else {
                   auto b = tl::load(y + at, mask);
                   if constexpr (Arity == 2)
                     tl::store(out + at, K{}(a, b), mask);
                   else
                     tl::store(out + at, K{}(a, b, tl::load(z + at, mask)), mask);
                 }
               }};

// ---- Type-erased cases

/// How an element type is read, written and compared, without its C++ type.
struct element_info {
  const char *name;
  int bytes;
  bool is_float;
  int mantissa_bits;     // with the hidden one
  int smallest_exponent; // of the smallest normal number 2^e
  double (*as_double)(const void *);
  std::string (*as_text)(const void *);
  void (*fill)(void *first, std::size_t count, tl::testing::interval range, bool any);
};

/// With all digits that count.
std::string float_text(double value);

template <class T> const element_info &info_of() {
  using E = tl::impl::element<T>;
  static const element_info info{
      E::short_name.data(),
      sizeof(T),
      E::is_float,
      E::is_float ? std::numeric_limits<T>::digits : 0,
      E::is_float ? std::numeric_limits<T>::min_exponent - 1 : 0,
      [](const void *p) { return static_cast<double>(*static_cast<const T *>(p)); },
      [](const void *p) {
        const T value = *static_cast<const T *>(p);
        if constexpr (std::is_integral_v<T>)
          return std::to_string(value);
        else
          return float_text(static_cast<double>(value));
      },
      [](void *first, std::size_t count, tl::testing::interval range, bool any) {
        const auto values = any ? tl::testing::random_values<T>(count)
                                : tl::testing::random_values<T>(count, range);
        for (std::size_t i = 0; i < count; ++i)
          static_cast<T *>(first)[i] = values[i];
      }};
  return info;
}

/// How far a result may be from what is expected. Zero asks for the same bits, NaN for NaN.
struct tolerance {
  double ulps = 0;     ///< units in the last place of the result's type
  double absolute = 0; ///< for results near zero, where the inputs' rounding is larger
};

/// A kernel, its inputs and what must come out.
struct test_case {
  std::string name; // "add fp16 <256>"
  std::string ttir;
  int programs = 1;
  std::vector<std::vector<unsigned char>> inputs;
  const element_info *result = nullptr;
  std::size_t results = 0;
  std::vector<int> extents;          // the kernel's trailing i32 parameters
  std::vector<unsigned char> wanted; // results of the result's type, unless there are exact values
  std::vector<double> exact;         // results before rounding
  tolerance allowed;                 // from the host's reference
  tolerance between_devices;         // from the interpreter
  std::optional<tolerance> on_gpus;  // of a GPU instead of both, where it promises less
  const element_info *operand = nullptr; // of elementwise cases, to show inputs in messages
};

/// Runs the case on every device and makes the comparisons, with doctest's CHECK.
void run(const test_case &c);
/// The same with that number of blocks of threads a program, which only some GPUs have.
void run_in_blocks(const test_case &c, int num_ctas);
/// The same; a device with less shared memory than `tiles` bytes, the operands of one product, may
/// refuse the kernel.
void run_where_it_fits(const test_case &c, std::size_t tiles);

/// The case of the first `count` elements, one program's block, with what the kernel loads as
/// constants in its text: what the compiler computes beforehand. Inputs are loaded in their order.
test_case with_constants(test_case c, std::size_t count);

/// How many warps this run launches with; only GPUs have any.
int num_warps();

/// tl::grid with that number of warps, for a kernel that is launched without a sweep.
template <class... Extents> tl::launch_options grid(Extents... extents) {
  tl::launch_options options;
  options.grid = tl::grid(extents...);
  options.num_warps = num_warps();
  return options;
}

/// Takes note of the operations of a kernel that was launched without a sweep, for the check that
/// every operation has a row: with TL_NUMERIC_OPS set, the names are printed.
void seen(const tl::compiled_kernel &kernel);

/// Some values that go wrong more often than random ones: zeros, extremes, infinities, NaN, the
/// smallest numbers, in all pairs at the start of the inputs.
template <class T> std::vector<T> awkward_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return {false, true};
  else if constexpr (std::is_integral_v<T>)
    return {T(0), T(1), T(-1), limits::min(), limits::max(), T(2), T(limits::max() / 2 + 1)};
  else
    return {T(0.0f),
            T(-0.0f),
            T(1.0f),
            T(-1.5f),
            limits::infinity(),
            T(-limits::infinity()),
            limits::quiet_NaN(),
            limits::max(),
            limits::min(),
            limits::denorm_min()};
}

// ---- Elementwise sweeps

/// A row: an operation of `Arity` tensors of one type. `Host` takes host values of the operands'
/// type, or doubles where `ulps` allows an error, and gives the exact or nearly exact result.
template <int Arity, class Kernel, class Host> struct elementwise_row {
  const char *name;
  Kernel kernel;
  Host host;
  tl::testing::interval range{0, 0}; ///< of the inputs; without one, any value and the awkward ones
  tolerance allowed{};
  tolerance between_devices{};
  std::optional<tolerance> on_gpus{};
};

struct row_options {
  tl::testing::interval range{0, 0};
  tolerance allowed{};
  tolerance between_devices{};
  std::optional<tolerance> on_gpus{};
};

template <int Arity, class Kernel, class Host>
auto elementwise(const char *name, Kernel kernel, Host host, row_options o = {}) {
  return elementwise_row<Arity, Kernel, Host>{
      name, kernel, host, o.range, o.allowed, o.between_devices, o.on_gpus};
}

/// What the host computes with: the type itself, float for the small floats (which is exact enough
/// to be rounded again), double for what has a tolerance.
template <class T, bool Exact>
using host_value = std::conditional_t<
    tl::impl::element<T>::is_float && !Exact, double,
    std::conditional_t<tl::impl::element<T>::is_float && sizeof(T) < 4, float, T>>;

/// Compares a kernel with the host's side of its row.
template <int Arity, class T, class R, class Kernel, class Host>
void check(const elementwise_row<Arity, Kernel, Host> &row, const traced_kernel &kernel) {
  const std::array<int, 3> &extents = kernel.extents;
  const std::size_t count = std::size_t(extents[0]) * extents[1] * extents[2];
  test_case c;
  c.name = std::string(row.name) + ' ' + info_of<T>().name + ' ' + kernel.shape;
  c.ttir = kernel.ttir;
  c.programs = kernel.programs;
  c.result = &info_of<R>();
  c.operand = &info_of<T>();
  c.results = count;
  c.extents.assign(extents.begin(), extents.end());
  c.allowed = row.allowed;
  c.between_devices = row.between_devices;
  c.on_gpus = row.on_gpus;

  const bool any = row.range.low == row.range.high;
  for (int i = 0; i < 3; ++i) {
    std::vector<unsigned char> bytes(count * sizeof(T));
    info_of<T>().fill(bytes.data(), count, row.range, any);
    if (any) {
      const std::vector<T> awkward = awkward_values<T>();
      for (std::size_t j = 0, stride = 1; j < count; ++j) {
        stride = i == 0 ? 1 : i == 1 ? awkward.size() : awkward.size() + 1;
        if (j < awkward.size() * awkward.size())
          reinterpret_cast<T *>(bytes.data())[j] = awkward[j / stride % awkward.size()];
      }
    }
    c.inputs.push_back(std::move(bytes));
  }

  const bool exact = row.allowed.ulps == 0 && row.allowed.absolute == 0;
  auto value = [&](int input, std::size_t j) {
    return reinterpret_cast<const T *>(c.inputs[input].data())[j];
  };
  auto compute = [&]<class W>(std::type_identity<W>, std::size_t j) {
    if constexpr (Arity == 1)
      return row.host(W(value(0, j)));
    else if constexpr (Arity == 2)
      return row.host(W(value(0, j)), W(value(1, j)));
    else
      return row.host(W(value(0, j)), W(value(1, j)), W(value(2, j)));
  };
  if (exact) {
    c.wanted.resize(count * sizeof(R));
    for (std::size_t j = 0; j < count; ++j)
      reinterpret_cast<R *>(c.wanted.data())[j] =
          static_cast<R>(compute(std::type_identity<host_value<T, true>>{}, j));
  } else {
    c.exact.resize(count);
    for (std::size_t j = 0; j < count; ++j)
      c.exact[j] = static_cast<double>(compute(std::type_identity<host_value<T, false>>{}, j));
  }
  run(c);
  if (kernel.shape == shape_text(usual_shape::extents, 1))
    run(with_constants(std::move(c), usual_shape::extents[0]));
}

template <int Arity, class T, class S, class Kernel, class Host>
void check(const elementwise_row<Arity, Kernel, Host> &row) {
  using R = typename result_element<Kernel, Arity, T>::type;
  check<Arity, T, R>(row, traced<S>(elementwise_kernel<Kernel, Arity, T, R, S>.trace()));
}

/// All types with the usual block, and the first type with all blocks.
template <class First, class... Rest, int Arity, class Kernel, class Host>
void sweep(types<First, Rest...>, const elementwise_row<Arity, Kernel, Host> &row) {
  check<Arity, First, usual_shape>(row);
  [&]<class... S>(shapes<S...>) { (check<Arity, First, S>(row), ...); }(all_shapes{});
  (check<Arity, Rest, usual_shape>(row), ...);
}

} // namespace numeric
