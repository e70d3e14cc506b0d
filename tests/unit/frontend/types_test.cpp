// SPDX-License-Identifier: MIT
// Which type does an expression have? Checked by the C++ compiler; nothing here runs.
#include "trace.hpp"

namespace {

static_assert(tl::max_elements == 1048576);

using tl::shape;
template <class T, int... E> using block = tl::tensor<T, shape<E...>>;

template <class X, class T, int... E>
constexpr bool is = std::is_same_v<typename X::element_type, T> &&
                    std::is_same_v<typename X::shape_type, shape<E...>>;

#define TL_IS(expression, ...) static_assert(is<decltype(expression), __VA_ARGS__>)

block<float, 64> f;
block<double, 64> d;
block<tl::float16, 64> h;
block<tl::bfloat16, 64> b;
block<tl::float8e5, 64> q;
block<tl::float8e4nv, 64> r;
block<bool, 64> t;
block<std::int8_t, 64> i8;
block<std::int32_t, 64> i;
block<std::int64_t, 64> l;
block<std::uint8_t, 64> u8;
block<std::uint32_t, 64> u;
block<float *, 64> p;
block<float, 4, 1> column;
block<float, 1, 8> row;
tl::f32 s;
tl::i32 n;

// The wider type wins, floats win over integers.
TL_IS(f + d, double, 64);
TL_IS(f + h, float, 64);
TL_IS(f + i, float, 64);
TL_IS(h + i, tl::float16, 64);
TL_IS(h + b, tl::float16, 64);
TL_IS(b + b, tl::bfloat16, 64);
TL_IS(b + i, float, 64);
TL_IS(q + q, tl::float8e5, 64);
TL_IS(q + r, tl::float16, 64);
TL_IS(i + l, std::int64_t, 64);
TL_IS(i8 + i, std::int32_t, 64);
TL_IS(u8 + i, std::int32_t, 64);
TL_IS(u + i, std::uint32_t, 64);
TL_IS(t + i8, std::int8_t, 64);
// Division of small floats is in float, of integers it stays one.
TL_IS(h / h, float, 64);
TL_IS(b / b, float, 64);
TL_IS(h % h, float, 64);
TL_IS(d / h, double, 64);
TL_IS(i / n, std::int32_t, 64);
// Numbers are weak.
TL_IS(h * 2.0, tl::float16, 64);
TL_IS(h + 1, tl::float16, 64);
TL_IS(1 - h, tl::float16, 64);
TL_IS(h / 2, float, 64);
TL_IS(i8 + 1, std::int8_t, 64);
TL_IS(u8 + 1, std::uint8_t, 64);
TL_IS(l + 1, std::int64_t, 64);
TL_IS(i + 1.5, float, 64);
TL_IS(t + 1, std::int32_t, 64);
TL_IS(d * 2.0f, double, 64);
// A number that stands alone is a bool, an int32, a float, or as wide as its integer type.
TL_IS(tl::tensor(0.1), float);
TL_IS(tl::tensor(0.1f), float);
TL_IS(tl::tensor(1), std::int32_t);
TL_IS(tl::tensor(1u), std::uint32_t);
TL_IS(tl::tensor(1L), std::int64_t);
TL_IS(tl::tensor(std::int8_t(1)), std::int32_t);
TL_IS(tl::tensor(true), bool);
TL_IS(tl::tensor(tl::float16(1)), float);
TL_IS(tl::where(t, 0.1, 0.2), float, 64);
TL_IS(tl::where(t, tl::cast<double>(0.1), 0.2), double, 64);
// A scalar tensor is not weak.
TL_IS(h *s, float, 64);
TL_IS(i8 + n, std::int32_t, 64);
// Comparisons and bits.
TL_IS(f < d, bool, 64);
TL_IS(i == 3, bool, 64);
TL_IS(t &t, bool, 64);
TL_IS(!t, bool, 64);
TL_IS(~i, std::int32_t, 64);
TL_IS(-u8, std::uint8_t, 64);
TL_IS(i8 >> 1, std::int8_t, 64);
// Pointers.
TL_IS(p + i, float *, 64);
TL_IS(i + p, float *, 64);
TL_IS(p - 1, float *, 64);
// Shapes.
TL_IS(column + row, float, 4, 8);
TL_IS(row * 2, float, 1, 8);
TL_IS(f + s, float, 64);
TL_IS(s + s, float);
TL_IS(f(tl::all, tl::newaxis), float, 64, 1);
TL_IS(f(tl::newaxis, tl::all), float, 1, 64);
TL_IS(f(tl::newaxis, tl::all, tl::newaxis), float, 1, 64, 1);
TL_IS(s(tl::newaxis), float, 1);
TL_IS(tl::trans(column), float, 1, 4);
TL_IS((tl::permute<2, 0, 1>(block<float, 2, 4, 8>())), float, 8, 2, 4);
TL_IS((tl::reshape<8, 8>(f)), float, 8, 8);
TL_IS(tl::join(f, f), float, 64, 2);
TL_IS(tl::split(block<float, 8, 2>()).first, float, 8);
TL_IS(tl::split(block<float, 2>()).second, float);
TL_IS(tl::interleave(f, f), float, 128);
TL_IS(tl::cat(row, row), float, 2, 8);
TL_IS(tl::expand_dims<-1>(f), float, 64, 1);
TL_IS(tl::squeeze<0>(row), float, 8);
// Reductions.
TL_IS(tl::sum<0>(i8), std::int32_t);
TL_IS(tl::sum<0>(u8), std::uint32_t);
TL_IS(tl::sum<0>(h), tl::float16);
TL_IS((tl::sum<0, double>(f)), double);
TL_IS((tl::sum<1, tl::keep_dims>(row)), float, 1, 1);
TL_IS(tl::max<0>(h), float);
TL_IS(tl::max<0>(u8), std::int32_t);
TL_IS(tl::min<0>(l), std::int64_t);
TL_IS(tl::argmax<0>(f), std::int32_t);
TL_IS(tl::cumsum<0>(b), float, 64);
TL_IS(tl::topk<4>(f), float, 4);
TL_IS(tl::histogram<16>(i8), std::int32_t, 16);
// Products.
TL_IS((tl::dot(block<std::int8_t, 16, 32>(), block<std::int8_t, 32, 16>())), std::int32_t, 16, 16);
TL_IS((tl::dot(block<tl::float16, 4, 16, 32>(), block<tl::float16, 4, 32, 16>())), float, 4, 16,
      16);
TL_IS((tl::dot<tl::float16>(block<tl::float16, 16, 32>(), block<tl::float16, 32, 8>())),
      tl::float16, 16, 8);
TL_IS((tl::dot(block<tl::float8e5, 16, 32>(), block<tl::float8e4nv, 32, 8>())), float, 16, 8);
// Functions.
TL_IS(tl::maximum(b, b), float, 64);
TL_IS(tl::where(t, i, 1.0f), float, 64);
TL_IS(tl::where(t, 1, 2), std::int32_t, 64);
TL_IS(tl::minimum(n, 64), std::int32_t);
static_assert(std::is_same_v<decltype(tl::cdiv(7, 2)), int>);

// Device functions take tensors by type: expressions convert.
template <int N> block<float, N> twice(tl::tensor<float, shape<N>> x) { return x + x; }
TL_IS(twice(f + 1), float, 64);
struct overloads {
  static int chosen(tl::f32);
  static double chosen(tl::i32);
};
static_assert(std::is_same_v<decltype(overloads::chosen(s + s)), int>);
static_assert(std::is_same_v<decltype(overloads::chosen(n + 1)), double>);

// Nothing that should not converts.
static_assert(!std::is_convertible_v<tl::f32, tl::i32>);
static_assert(!std::is_convertible_v<tl::i32, bool>);
static_assert(!std::is_convertible_v<block<float, 64>, block<float, 32>>);
static_assert(std::is_convertible_v<tl::ptr<float>, tl::ptr<const float>>);
static_assert(!std::is_convertible_v<tl::ptr<const float>, tl::ptr<float>>);
static_assert(std::is_convertible_v<int, tl::f32>);

// The host's ceiling division is the kernel's.
static_assert(tl::cdiv(-36, 5) == -7 && tl::cdiv(-1, 2) == 0 && tl::cdiv(-8, 3) == -2);
static_assert(tl::cdiv(7, 2) == 4 && tl::cdiv(2147483647, 2) == 1073741824);
static_assert(tl::cdiv(7u, 2u) == 4 && tl::cdiv(0, 5) == 0);

TEST_CASE("a tensor outside of a kernel holds nothing and costs nothing") {
  block<float, 64> x, y = x;
  CHECK(y.raw_handle().empty());
}

} // namespace
