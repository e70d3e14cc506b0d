// SPDX-License-Identifier: MIT
//
// Casts: between all element types, with one rounding; and bitcasts.

#include "host.hpp"
#include "sweep.hpp"

using namespace numeric;

namespace {

// The host's conversion: what tl::float16 and its like do among floats, and the stated rules to
// integers.
template <class To, class From> To convert(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return static_cast<bool>(value != From(0));
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return host::saturate<To>(value);
  else
    return static_cast<To>(value);
}

template <class To> auto cast_row(const char *name) {
  return elementwise<1>(
      name, [](auto x) { return tl::cast<To>(x); }, [](auto x) { return convert<To>(x); });
}

constexpr types<float, double, tl::float16, tl::bfloat16, bool, std::int8_t, std::int16_t,
                std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                std::uint64_t>
    everything;

} // namespace

TEST_CASE("casts to float types round once") {
  sweep(everything, cast_row<float>("to fp32"));
  sweep(everything, cast_row<double>("to fp64"));
}

TEST_CASE("casts to small floats round once") {
  sweep(types<float, tl::float16, tl::bfloat16>{}, cast_row<tl::float16>("to fp16"));
  sweep(types<float, tl::float16, tl::bfloat16>{}, cast_row<tl::bfloat16>("to bf16"));
}

TEST_CASE("casts to and from 8-bit floats saturate") {
  sweep(types<float, tl::float16, tl::bfloat16>{}, cast_row<tl::float8e4nv>("to fp8e4nv"));
  sweep(types<float, tl::float16, tl::bfloat16>{}, cast_row<tl::float8e5>("to fp8e5"));
  sweep(types<float, tl::float16>{}, cast_row<tl::float8e4b8>("to fp8e4b8"));
  sweep(types<float, tl::float16>{}, cast_row<tl::float8e5b16>("to fp8e5b16"));
  sweep(types<tl::float8e4nv, tl::float8e5, tl::float8e4b8, tl::float8e5b16>{},
        cast_row<float>("to fp32"));
  sweep(types<tl::float8e4nv, tl::float8e5>{}, cast_row<tl::float16>("to fp16"));
  sweep(types<tl::float8e4nv, tl::float8e5>{}, cast_row<tl::bfloat16>("to bf16"));
}

TEST_CASE("casts to integers truncate, saturate and take NaN to 0") {
  sweep(everything, cast_row<std::int8_t>("to int8"));
  sweep(everything, cast_row<std::int32_t>("to int32"));
  sweep(everything, cast_row<std::int64_t>("to int64"));
  sweep(everything, cast_row<std::uint8_t>("to uint8"));
  sweep(everything, cast_row<std::uint32_t>("to uint32"));
  sweep(everything, cast_row<std::uint64_t>("to uint64"));
}

TEST_CASE("casts to bool ask whether the value differs from zero") {
  sweep(everything, cast_row<bool>("to bool"));
}

TEST_CASE("bitcasts keep every bit") {
  sweep(types<float>{}, elementwise<1>(
                            "to int32", [](auto x) { return tl::bitcast<std::int32_t>(x); },
                            [](float x) { return std::bit_cast<std::int32_t>(x); }));
  sweep(types<std::uint64_t>{}, elementwise<1>(
                                    "to fp64", [](auto x) { return tl::bitcast<double>(x); },
                                    [](std::uint64_t x) { return std::bit_cast<double>(x); }));
  sweep(types<std::int16_t>{},
        elementwise<1>(
            "to bf16", [](auto x) { return tl::bitcast<tl::bfloat16>(x); },
            [](std::int16_t x) { return tl::bfloat16::from_bits(std::uint16_t(x)); }));
}
