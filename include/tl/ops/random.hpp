// SPDX-License-Identifier: MIT
#pragma once
// Where do random numbers come from? From a counter and a key (Philox 4x32): element i of a block
// is a function of the seed and of offsets[i] alone, on every device and bit for bit as upstream
// has it. Part of the creation group.

#include "tl/ops/creation.hpp"
#include "tl/ops/elementwise.hpp"

#include <tuple>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl {

inline constexpr int philox_rounds = 10;

namespace impl {

template <class T> struct philox_constants;
template <> struct philox_constants<std::uint32_t> {
  static constexpr std::uint32_t round_a = 0xD2511F53, round_b = 0xCD9E8D57;
  static constexpr std::uint32_t key_a = 0x9E3779B9, key_b = 0xBB67AE85;
};
template <> struct philox_constants<std::uint64_t> {
  static constexpr std::uint64_t round_a = 0xD2E7470EE14C6C93, round_b = 0xCA5A826395121157;
  static constexpr std::uint64_t key_a = 0x9E3779B97F4A7C15, key_b = 0xBB67AE8584CAA73B;
};

} // namespace impl

/// The Philox function: four words of a counter, c0 to c3, scrambled with the key (k0, k1). All are
/// uint32, or all uint64, and broadcast together; the four results have the common shape. Upstream:
/// tl.philox_impl.
///
///     auto counter = tl::cast<std::uint32_t>(offsets);
///     auto zero = tl::zeros_like(counter);
///     auto [a, b, c, d] = tl::philox_impl(counter, zero, zero, zero, tl::u32(1), tl::u32(2));
template <int Rounds = philox_rounds, tensor_like C0, tensor_like C1, tensor_like C2,
          tensor_like C3, tensor_like K0, tensor_like K1>
auto philox_impl(const C0 &c0, const C1 &c1, const C2 &c2, const C3 &c3, const K0 &k0, const K1 &k1,
                 impl::location where = std::source_location::current()) {
  using T = typename C0::element_type;
  static_assert(std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>,
                "tl::philox_impl counts in uint32 or uint64");
  using S = impl::broadcast_t<impl::computed_shape<C0, C1>, impl::computed_shape<C2, C3>>;
  using constants = impl::philox_constants<T>;
  impl::tracer &t = impl::active(where, "tl::philox_impl");
  const auto spread = [&](const auto &x) {
    return tensor<T, S>(impl::coerce(t, {.value = x.raw_handle()}, impl::type_of<T, S>, where));
  };
  tensor<T, S> a = spread(c0), b = spread(c1), c = spread(c2), d = spread(c3);
  tensor<T, typename K0::shape_type> key0 = k0;
  tensor<T, typename K1::shape_type> key1 = k1;
  for (int round = 0; round < Rounds; ++round) {
    const tensor<T, S> a_before = a, c_before = c;
    a = umulhi(c_before, constants::round_b, where) ^ b ^ key0;
    c = umulhi(a_before, constants::round_a, where) ^ d ^ key1;
    b = c_before * constants::round_b;
    d = a_before * constants::round_a;
    key0 += constants::key_a;
    key1 += constants::key_b;
  }
  return std::tuple(a, b, c, d);
}

/// The Philox function with a key made of a 64-bit seed: its lower and upper half for uint32
/// counters. Upstream: tl.philox.
///
///     auto counter = tl::cast<std::uint32_t>(offsets);
///     auto zero = tl::zeros_like(counter);
///     auto [a, b, c, d] = tl::philox(seed, counter, zero, zero, zero);
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like C0, tensor_like C1,
          tensor_like C2, tensor_like C3>
auto philox(const Seed &seed, const C0 &c0, const C1 &c1, const C2 &c2, const C3 &c3,
            impl::location where = std::source_location::current()) {
  using T = typename C0::element_type;
  tensor key = cast<std::uint64_t>(seed, {}, where);
  if constexpr (std::same_as<T, std::uint64_t>) {
    return philox_impl<Rounds>(c0, c1, c2, c3, key, full_like(key, 0, where), where);
  } else {
    return philox_impl<Rounds>(c0, c1, c2, c3, cast<std::uint32_t>(key, {}, where),
                               cast<std::uint32_t>(key >> 32, {}, where), where);
  }
}

/// Four blocks of random uint32 for a seed and integer offsets, as a tuple; the cheapest way to
/// many. The seed is a number or a scalar. A 64-bit offset counts with all its bits. Upstream:
/// tl.randint4x.
///
///     auto [a, b, c, d] = tl::randint4x(seed, offsets);
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto randint4x(const Seed &seed, const O &offsets,
               impl::location where = std::source_location::current()) {
  using T = typename O::element_type;
  static_assert(!impl::item<T>::is_pointer &&
                    !impl::element<typename impl::item<T>::element_t>::is_float,
                "random numbers are counted by integer offsets");
  auto low = cast<std::uint32_t>(offsets, {}, where);
  auto zero = zeros_like(low, where);
  if constexpr (sizeof(T) == 8)
    return philox<Rounds>(
        seed, low, cast<std::uint32_t>(cast<std::uint64_t>(offsets, {}, where) >> 32, {}, where),
        zero, zero, where);
  else
    return philox<Rounds>(seed, low, zero, zero, zero, where);
}

/// A block of random uint32. Upstream: tl.randint.
///
///     auto word = tl::randint(seed, offsets);
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto randint(const Seed &seed, const O &offsets,
             impl::location where = std::source_location::current()) {
  return std::get<0>(randint4x<Rounds>(seed, offsets, where));
}

/// Random integers as floats, evenly in [0, 1). Of 32- or 64-bit integers; float. Upstream:
/// tl.uint_to_uniform_float.
///
///     auto u = tl::uint_to_uniform_float(tl::randint(seed, offsets));
template <tensor_like X>
auto uint_to_uniform_float(const X &x, impl::location where = std::source_location::current()) {
  using T = typename X::element_type;
  static_assert(impl::argument_element<T>::has_32_or_64_bit_integers,
                "tl::uint_to_uniform_float takes integers of 32 or 64 bits");
  using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  auto bits = cast<I>(x, {}, where);
  constexpr float scale = sizeof(T) == 4 ? 4.6566127342e-10f : 1.0842020432385337e-19f;
  return cast<float>(tl::where(bits < 0, ~bits, bits, where), {}, where) * scale;
}

/// Random floats, evenly in [0, 1): one block, or four as a tuple. Upstream: tl.rand, tl.rand4x.
///
///     auto keep = tl::rand(seed, offsets) > 0.5f;
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto rand(const Seed &seed, const O &offsets,
          impl::location where = std::source_location::current()) {
  return uint_to_uniform_float(randint<Rounds>(seed, offsets, where), where);
}
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto rand4x(const Seed &seed, const O &offsets,
            impl::location where = std::source_location::current()) {
  return std::apply(
      [&](const auto &...each) { return std::tuple(uint_to_uniform_float(each, where)...); },
      randint4x<Rounds>(seed, offsets, where));
}

/// Two blocks of even random floats as two of normal ones (Box and Muller). Upstream:
/// tl.pair_uniform_to_normal.
///
///     auto [u1, u2, u3, u4] = tl::rand4x(seed, offsets);
///     auto [n1, n2] = tl::pair_uniform_to_normal(u1, u2);
template <tensor_like U, tensor_like V>
auto pair_uniform_to_normal(const U &u, const V &v,
                            impl::location where = std::source_location::current()) {
  auto angle = v * 6.283185307179586f;
  auto radius = tl::sqrt(tl::log(maximum(u, 1.0e-7f, {}, where), where) * -2.0f, where);
  return std::pair(radius * tl::cos(angle, where), radius * tl::sin(angle, where));
}

/// Random floats of the normal distribution with mean 0 and deviation 1: one block, or four as a
/// tuple. Upstream: tl.randn, tl.randn4x.
///
///     auto noisy = x + 0.1f * tl::randn(seed, offsets);
///     auto [a, b, c, d] = tl::randn4x(seed, offsets);
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto randn(const Seed &seed, const O &offsets,
           impl::location where = std::source_location::current()) {
  auto words = randint4x<Rounds>(seed, offsets, where);
  return pair_uniform_to_normal(uint_to_uniform_float(std::get<0>(words), where),
                                uint_to_uniform_float(std::get<1>(words), where), where)
      .first;
}
template <int Rounds = philox_rounds, impl::operand_like Seed, tensor_like O>
auto randn4x(const Seed &seed, const O &offsets,
             impl::location where = std::source_location::current()) {
  auto [a, b, c, d] = rand4x<Rounds>(seed, offsets, where);
  auto [w, x] = pair_uniform_to_normal(a, b, where);
  auto [y, z] = pair_uniform_to_normal(c, d, where);
  return std::tuple(w, x, y, z);
}

} // namespace tl

TL_IMPL_UNOPTIMIZED_END
