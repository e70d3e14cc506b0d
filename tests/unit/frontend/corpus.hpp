// SPDX-License-Identifier: MIT
#pragma once
// Kernels that together use every function of the language. print_corpus.cpp prints their TTIR,
// which upstream's parser and ours must take; the unit tests look at what single functions become.

#include <tl/tl.hpp>

#include <functional>
#include <string>
#include <vector>

namespace corpus {

inline constexpr auto vector_add = tl::kernel{
    "vector_add",
    [](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * 1024 + tl::arange<1024>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};

inline constexpr auto creation = tl::kernel{
    "creation", [](tl::ptr<float> out, tl::ptr<std::int32_t> ints, tl::f32 s, tl::i32 seed) {
      auto at = tl::arange<64>();
      tl::store(out + at, tl::zeros<float, 64>());
      tl::store(out + at, tl::full<float, 64>(s));
      tl::store(out + at, tl::full<float, 64>(-tl::inf));
      tl::store(out + at, tl::full_like(tl::zeros_like(tl::cast<float>(at)), 3));
      tl::store(out + tl::arange<16, 48>(), 1.5f);
      tl::store(ints, tl::num_programs(2) + tl::program_id(1));
      tl::store(out + tl::arange<128>(), tl::cat(tl::cast<float>(at), tl::zeros<float, 64>()));
      tl::store(out + at, tl::rand(seed, at) + tl::randn(7, at));
      tl::store(ints + at, tl::cast<std::int32_t>(tl::randint(seed, tl::cast<std::int64_t>(at))));
      auto [a, b, c, d] = tl::randn4x(seed, at);
      tl::store(out + at, a + b + c + d);
      auto [w, x, y, z] = tl::rand4x<7>(seed, at);
      tl::store(out + at, w + x + y + z);
      auto wide = tl::cast<std::uint64_t>(at);
      auto [p, q, r, t] = tl::philox(3, wide, wide, wide, wide);
      tl::store(out + at, tl::uint_to_uniform_float(p ^ q ^ r ^ t));
    }};

inline constexpr auto memory = tl::kernel{
    "memory", [](tl::ptr<float> x, tl::ptr<const bool> flags, tl::ptr<bool> out_flags, tl::i32 n) {
      auto at = tl::arange<64>();
      auto mask = at < n;
      tl::store(x, tl::load(x));
      auto v = tl::load(x + at, {.cache = tl::cache::cg, .evict = tl::evict::first});
      v += tl::load(x + at, mask, {.is_volatile = true});
      v += tl::load(x + at, mask, 0, {.cache = tl::cache::ca});
      v += tl::load(x + at, mask, v);
      v += tl::reshape<64>(tl::load(x, mask(tl::newaxis, tl::all), 1.0f));
      tl::store(x + at, v, {.cache = tl::cache::wt});
      tl::store(x + at, v, mask, {.evict = tl::evict::last});
      auto f = tl::load(flags + at, mask, false);
      tl::store(out_flags + at, !f, mask);
      tl::store(x - n + at, 1);
      tl::store(x + tl::cast<std::uint8_t>(at), 1);
      tl::store(x + tl::cast<std::int64_t>(at) * 5000000000, 1);
    }};

inline constexpr auto atomics = tl::kernel{
    "atomics", [](tl::ptr<float> f, tl::ptr<std::int32_t> i, tl::ptr<std::uint64_t> u,
                  tl::ptr<tl::float16> h, tl::ptr<tl::bfloat16> b, tl::ptr<double> d, tl::i32 n) {
      auto at = tl::arange<64>();
      auto mask = at < n;
      auto old =
          tl::atomic_add(f + at, 1.0f, mask, {.sem = tl::sem::relaxed, .scope = tl::scope::cta});
      tl::store(f + at, old);
      tl::atomic_add(h + at, 1);
      tl::atomic_add(b + at, 1, {.scope = tl::scope::sys});
      tl::atomic_and(i, 1);
      tl::atomic_or(i + at, at, mask);
      tl::atomic_xor(u + at, 1);
      tl::atomic_min(i, 1);
      tl::atomic_max(u + at, 1u);
      tl::atomic_max(f + at, 1.0f, mask);
      tl::atomic_min(d, -1.0);
      tl::atomic_xchg(f + at, old);
      tl::i32 seen = tl::atomic_cas(i, 0, 1);
      tl::while_([&] { return seen == 1; }, [&] { seen = tl::atomic_cas(i, 0, 1); });
      tl::atomic_store(i, tl::atomic_load(i) + 1);
      tl::atomic_store(i + at, at, mask, {.sem = tl::sem::relaxed});
      tl::store(i + at, tl::atomic_load(i + at, mask));
      tl::i1 ready = tl::atomic_poll(i, 1, {.sem = tl::sem::relaxed, .timeout_ns = 1000});
      tl::store(i, ready | tl::atomic_poll(i, 2));
    }};

inline constexpr auto descriptors =
    tl::kernel{"descriptors", [](tl::descriptor<tl::float16, 8, 64> in, tl::ptr<float> base,
                                 tl::ptr<std::int32_t> ints, tl::i32 rows, tl::i32 cols) {
                 auto out = tl::make_tensor_descriptor<8, 64>(base, {rows, cols}, {cols, 1},
                                                              {.padding = tl::padding::nan});
                 auto tile = in.load({0, cols}, {.cache = tl::cache::cg});
                 out.store({rows, 0}, tile);
                 out.atomic_add({0, 0}, tl::cast<float>(tile));
                 auto line = tl::make_tensor_descriptor<1, 64>(ints, {rows, cols}, {cols, 1});
                 auto picked = line.gather(tl::arange<8>(), cols);
                 line.scatter(picked, tl::arange<8>(), 0);
                 auto cube =
                     tl::make_tensor_descriptor<2, 4, 16>(ints, {2, rows, cols}, {64, 16, 1});
                 cube.atomic_or({0, 0, 0}, cube.load({1, rows, 2}));
                 cube.atomic_max({0, 0, 0}, cube.load({1, rows, 2}));
                 auto other = tl::make_tensor_descriptor<8, 64>(base, {cols, rows}, {rows, 1});
                 for (auto i : tl::range(0, rows)) {
                   out.store({i, 0}, tile);
                   std::swap(out, other);
                 }
                 tl::if_(rows > cols, [&] { other = out; });
                 other.store({0, 0}, tile);
                 auto coarse = tl::make_tensor_descriptor<8, 64>(base, {rows, cols}, {cols, 1},
                                                                 {.round_f32_to_tf32 = true});
                 auto part = coarse.slice(cols, rows);
                 part.store({part.shape(0) - 8, tl::cast<std::int32_t>(part.stride(0))},
                            tl::round_to_tf32(coarse.load({8, 0})));
               }};

inline constexpr auto arithmetic =
    tl::kernel{"arithmetic",
               [](tl::ptr<std::int32_t> i, tl::ptr<float> f, tl::ptr<std::uint8_t> u, tl::i32 n) {
                 auto at = tl::arange<64>();
                 auto x = tl::load(i + at);
                 auto y = tl::load(f + at);
                 auto z = tl::load(u + at);
                 tl::store(i + at, (x + 3) * n - x / 3 % 5);
                 tl::store(i + at, (-x & ~x) | (x ^ 7));
                 tl::store(i + at, x << 2 >> 1);
                 tl::store(u + at, z >> 1);
                 tl::store(f + at, -y * 2.0 / 3 + 1);
                 tl::store(f + at, y % 2.0f + x);
                 tl::store(i + at, (x < 3) + (x <= n) + (x > 1) + (x >= 2) + (x == 3) + (x != 4));
                 tl::store(i + at, ((y < 3) & (y == 0.5f)) | !(1.0f >= y));
                 tl::store(i + at, (z < 3) | (3 < z) | (z == z));
                 tl::tensor v = y;
                 v += 1;
                 v -= y;
                 v *= y;
                 v /= 2;
                 tl::store(f + at, v);
               }};

inline constexpr auto elementwise = tl::kernel{
    "elementwise", [](tl::ptr<float> f, tl::ptr<std::int32_t> i, tl::ptr<tl::bfloat16> b,
                      tl::ptr<double> d, tl::ptr<const float> c, tl::i32 n) {
      auto at = tl::arange<64>();
      auto x = tl::load(f + at);
      auto k = tl::load(i + at);
      tl::store(f + at, tl::exp(x) + tl::exp2(x) + tl::log(x) + tl::log2(x));
      tl::store(f + at, tl::sin(x) + tl::cos(x) + tl::sqrt(x) + tl::rsqrt(x) + tl::erf(x));
      tl::store(f + at, tl::floor(x) + tl::ceil(x) + tl::abs(x) + tl::sqrt_rn(x));
      tl::store(d + at, tl::exp(tl::load(d + at)));
      tl::store(i + at, tl::abs(k));
      tl::store(f + at, tl::fma(x, 2.0f, x) + tl::fdiv(x, 3.0f) +
                            tl::fdiv(x, x, {.ieee_rounding = true}) + tl::div_rn(1.0f, x) +
                            tl::fdiv(x, x, {.approximate = true}));
      tl::store(i + at, tl::add(k, tl::mul(k, tl::sub(k, 1), {.sanitize_overflow = false})));
      tl::store(f + at, tl::minimum(x, 0.0f) + tl::maximum(1, x, {.propagate_nan = true}));
      tl::store(i + at, tl::minimum(k, n) + tl::maximum(k, 0) + tl::clamp(k, 0, 9));
      tl::store(f + at, tl::clamp(x, 0, 1) + tl::clamp(x, -1, 1, {.propagate_nan = true}));
      tl::store(b + at, tl::clamp(tl::load(b + at), 0, 1));
      tl::store(i + at, tl::umulhi(k, 12345) + tl::cdiv(k, 3) + tl::cdiv(n, k));
      tl::store(f + at, tl::sigmoid(x) + tl::softmax(x));
      tl::store(f + at, tl::where(k > 0, x, 0.0f));
      tl::store(f + at, tl::where(k, 1, x));
      tl::store(f + at, tl::where(n > 0, x, x + 1));
      tl::store(f + at, tl::load(tl::where(k > 0, f + at, c + at)));
      auto [p, q] = tl::swizzle2d(tl::program_id(0), tl::program_id(1), n, 8, 4);
      tl::store(i + p, q);
      tl::store(i + tl::max_contiguous<64>(tl::multiple_of<16>(n * 16 + at)),
                tl::max_constancy<4>(k + 1));
    }};

/// Each place where an operation has its attributes.
inline constexpr auto hints = tl::kernel{
    "hints",
    [](tl::ptr<float> f, tl::ptr<std::int32_t> i, tl::ptr<tl::float8e5> r, tl::i32 n, tl::u32 m) {
      auto at = tl::multiple_of<64>(tl::arange<64>());
      auto k = tl::multiple_of<1>(n * tl::multiple_of<1>(at));
      auto x = tl::max_constancy<1>(tl::load(f + at, {.cache = tl::cache::cg}));
      auto y = tl::max_constancy<1>(tl::load(f + k, k < n, 0.0f));
      tl::store(f + at, tl::max_constancy<1>(x + y));
      tl::store(r + at, tl::max_constancy<1>(tl::cast<tl::float8e5>(x)));
      tl::store(f + at, tl::max_constancy<1>(tl::cast<float>(tl::load(r + at))));
      tl::store(f + at, tl::max_constancy<1>(tl::inline_asm_elementwise<float>(
                            "{ mov.b32 $0, $1; } /* } : */", "=r,r", {}, x)));
      tl::store(f + at, tl::max_constancy<1>(tl::extern_elementwise<float>("__nv_sinhf", "", x)));
      tl::store(f + at, tl::max_constancy<1>(tl::clamp(x, y, 1.0f)));
      tl::store(f + at, tl::max_constancy<1>(tl::full<float, 64>(2)));
      tl::store(i + at + tl::multiple_of<1>(tl::program_id(0)), tl::multiple_of<1>(k));
      tl::store(i + tl::multiple_of<4>(tl::i32(32)), tl::multiple_of<1>(tl::sum(k)));
      tl::store(i + at, tl::multiple_of<1>(tl::atomic_add(i + at, 1)));
      tl::store(i + at, tl::multiple_of<1>(tl::where(k < n, k, n)));
      auto square = tl::multiple_of<1, 1>(tl::reshape<8, 8>(k));
      auto turned = tl::multiple_of<1, 1>(tl::trans(square));
      auto spread = tl::multiple_of<1, 1, 1>(tl::expand_dims<0>(turned));
      tl::store(i + at, tl::multiple_of<1>(tl::ravel(spread)));
      tl::store(i + at, tl::multiple_of<1>(tl::gather<0>(k, at)));
      auto [a, b] = tl::split(tl::reshape<32, 2>(k));
      tl::store(i + tl::arange<32>(), tl::multiple_of<1>(a) + tl::multiple_of<1>(b));
      tl::store(i + at, tl::multiple_of<1>(tl::histogram<64>(k)));
      for (auto j : tl::range(0u, m))
        tl::store(i + j, 1);
    }};

inline constexpr auto casts =
    tl::kernel{"casts", [](tl::ptr<float> f, tl::ptr<std::int8_t> i, tl::ptr<tl::float8e4b15> q,
                           tl::ptr<tl::float8e5> r, tl::ptr<bool> t) {
                 auto at = tl::arange<64>();
                 auto x = tl::load(f + at);
                 tl::store(f + at, tl::cast<tl::float16>(x));
                 tl::store(f + at, tl::cast<tl::bfloat16>(x, {.rounding = tl::rtz}));
                 tl::store(f + at, tl::cast<double>(tl::cast<tl::float16>(x)));
                 tl::store(f + at, tl::cast<tl::bfloat16>(tl::cast<tl::float16>(x)));
                 tl::store(f + at, tl::cast<tl::float8e4nv>(x));
                 tl::store(f + at, tl::cast<tl::float8e5>(tl::cast<tl::float8e4nv>(x)));
                 tl::store(f + at, tl::cast<tl::float8e4b8>(tl::cast<tl::float8e5b16>(x)));
                 tl::store(q + at, x);
                 tl::store(f + at, tl::load(q + at) * 2.0f);
                 tl::store(r + at, tl::load(r + at) + tl::load(r + at));
                 tl::store(r + at, tl::cast<tl::float8e5>(at));
                 tl::store(i + at, x);
                 tl::store(f + at, tl::load(i + at));
                 tl::store(f + at, tl::cast<std::uint16_t>(x));
                 tl::store(f + at, tl::cast<std::uint64_t>(tl::cast<std::int8_t>(at)));
                 tl::store(t + at, x);
                 tl::store(t + at, tl::load(t + at) | (tl::cast<bool>(at)));
                 tl::store(f + at, tl::bitcast<float>(tl::bitcast<std::uint32_t>(x) & 0x7FFFFFFFu));
                 tl::store(tl::cast<float *>(tl::cast<std::int64_t>(f) + 16), 1.0f);
                 tl::store(tl::bitcast<std::int32_t *>(f) + at, 3);
               }};

inline constexpr auto shaping = tl::kernel{
    "shaping", [](tl::ptr<float> f) {
      auto at = tl::arange<64>();
      auto x = tl::load(f + at);
      auto tile = tl::reshape<4, 16>(x);
      auto cols =
          tl::arange<4>()(tl::all, tl::newaxis) * 16 + tl::arange<16>()(tl::newaxis, tl::all);
      tl::store(f + cols, tile);
      tl::store(f + tl::trans(cols), tl::trans(tile));
      tl::store(f + tl::permute<1, 0>(cols), tl::trans<1, 0>(tile));
      tl::store(f + at, tl::ravel(tile));
      tl::store(f + tl::expand_dims<0>(at), tl::unsqueeze<-2>(x));
      tl::store(f + tl::squeeze<0>(at(tl::newaxis, tl::all)), x);
      tl::store(f + tl::broadcast_to<4, 16>(tl::expand_dims<0>(tl::arange<16>())), 1);
      auto [a, b] = tl::broadcast(tl::arange<4>()(tl::all, tl::newaxis), tl::arange<8>());
      tl::store(f + a, tl::cast<float>(b));
      auto pairs = tl::join(x, x + 1);
      auto [low, high] = tl::split(pairs);
      tl::store(f + at, low + high);
      tl::store(f + tl::arange<128>(), tl::interleave(low, high));
      tl::f32 s = tl::load(f);
      auto two = tl::join(s, s);
      auto [s0, s1] = tl::split(two);
      tl::store(f, s0 + s1);
      tl::store(f, tl::reshape<>(tl::reshape<1, 1>(s)));
      tl::store(f + at, tl::gather<0>(x, 63 - at));
      tl::store(f + cols, tl::gather<1>(tile, tl::zeros<std::int64_t, 4, 16>()));
      tl::store(f + at, tl::flip(x));
      tl::store(f + cols, tl::flip<0>(tile));
      tl::store(f + tl::arange<1>(), s(tl::newaxis));
      auto deep = tl::reshape<2, 2, 4, 4>(x);
      tl::store(f + tl::reshape<4, 2, 4, 2>(at), tl::permute<2, 0, 3, 1>(deep));
      tl::store(f + tl::expand_dims<0, -1>(at), tl::unsqueeze<0, 2>(x));
      tl::store(f + tl::reshape<4, 32>(tl::arange<128>()), tl::cat<1>(tile, tile));
      tl::store(f, tl::sum(tl::view<8, 8>(x)) + tl::sum(tl::ravel(tile, {.can_reorder = true})));
    }};

inline constexpr auto reductions = tl::kernel{
    "reductions", [](tl::ptr<float> f, tl::ptr<std::int32_t> i, tl::ptr<tl::float16> h,
                     tl::ptr<std::uint8_t> u, tl::i32 n) {
      auto rows = tl::arange<8>();
      auto at = rows(tl::all, tl::newaxis) * 16 + tl::arange<16>()(tl::newaxis, tl::all);
      auto x = tl::load(f + at);
      auto k = tl::load(i + at);
      auto small = tl::load(h + at);
      auto bytes = tl::load(u + at);
      tl::store(f + rows, tl::sum<1>(x) + tl::max<-1>(x) + tl::min<1>(small));
      tl::store(f + rows(tl::all, tl::newaxis), tl::sum<1, tl::keep_dims>(x));
      tl::store(f, tl::sum(x) + tl::max(k) + tl::min(bytes) + tl::sum(small));
      tl::store(f, tl::sum<0, double>(tl::ravel(x)));
      tl::store(f, tl::sum<double>(x) + tl::argmax(x) +
                       tl::reduce(k, [](auto a, auto b) { return tl::maximum(a, b); }));
      tl::store(f + tl::zeros<std::int32_t, 1, 1>(),
                tl::sum<tl::keep_dims>(x) + tl::max<tl::keep_dims>(x));
      tl::store(i + tl::arange<16>(), tl::sum<0>(bytes) + tl::xor_sum<0>(k) + tl::reduce_or<0>(k));
      auto [top, where] = tl::max_with_index<1>(x);
      tl::store(f + rows, top + where);
      tl::store(i + rows, tl::argmax<1>(x) + tl::argmin<1>(k, {.tie_break_left = false}));
      auto [low, place] = tl::min_with_index<0, tl::keep_dims>(small);
      tl::store(f + place, low);
      tl::store(f + rows, tl::reduce<1>(x, [](auto a, auto b) { return a * b; }));
      auto [count, mean] = tl::reduce<1>(std::tuple(tl::zeros_like(x) + 1, x),
                                         [](auto n0, auto m0, auto n1, auto m1) {
                                           auto total = n0 + n1;
                                           return std::tuple(total, (m0 * n0 + m1 * n1) / total);
                                         });
      tl::store(f + rows, count + mean);
      tl::store(f + at, tl::cumsum<1>(x) + tl::cumsum<0>(x, {.reverse = true}) + tl::cumprod<1>(x));
      tl::store(i + at, tl::cumsum<1>(bytes) + tl::cumsum<0, std::int32_t>(k) + tl::cumprod(k));
      tl::store(f + at,
                tl::associative_scan<1>(x, [](auto a, auto b) { return tl::maximum(a, b); }));
      auto [s, t] = tl::associative_scan<1>(std::tuple(x, k), [](auto a, auto b, auto c, auto d) {
        return std::tuple(a + c, tl::minimum(b, d));
      });
      tl::store(f + at, s + t);
      tl::store(f + at, tl::sort(x));
      tl::store(i + at, tl::sort(k, {.descending = true}));
      tl::store(u + at, tl::bitonic_merge(bytes));
      tl::store(f + rows(tl::all, tl::newaxis) * 4 + tl::arange<4>(), tl::topk<4>(x));
      tl::store(h + rows(tl::all, tl::newaxis), tl::topk<1>(small, {.descending = false}));
      tl::store(i + tl::arange<4>(), tl::histogram<4>(tl::ravel(bytes)));
      tl::store(i + tl::arange<4>(), tl::histogram<4>(tl::ravel(k), tl::ravel(k) < n));
      tl::store(f + at, tl::softmax<1>(x));
    }};

inline constexpr auto products = tl::kernel{
    "products",
    [](tl::ptr<float> f, tl::ptr<tl::float16> h, tl::ptr<std::int8_t> i, tl::ptr<tl::float8e4nv> q,
       tl::ptr<tl::float8e5> r, tl::ptr<std::uint8_t> u, tl::ptr<double> d) {
      auto at = tl::arange<64>()(tl::all, tl::newaxis) * 64 + tl::arange<64>();
      auto a = tl::load(h + at);
      auto b = tl::trans(a);
      tl::tensor acc = tl::dot(a, b);
      acc += tl::dot(a, b);
      acc = tl::dot(a, b) + acc;
      acc = tl::dot(a, b, acc);
      tl::store(f + at, acc);
      tl::store(h + at, tl::dot<tl::float16>(a, b));
      auto x = tl::load(f + at);
      tl::store(f + at, tl::dot(x, x, {.input_precision = tl::tf32}));
      tl::store(f + at, tl::dot(x, x, acc, {.input_precision = tl::bf16x3}));
      tl::store(f + at, tl::dot(tl::load(i + at), tl::load(i + at)));
      tl::store(d + at, tl::dot(tl::load(d + at), tl::load(d + at)));
      tl::store(f + at, tl::dot(tl::load(q + at), tl::load(r + at), {.max_num_imprecise_acc = 32}));
      tl::store(f + tl::reshape<4, 32, 32>(at),
                tl::dot(tl::reshape<4, 32, 32>(a), tl::reshape<4, 32, 32>(b)));
      auto batch = tl::dot(tl::reshape<2, 2, 32, 32>(a), tl::reshape<2, 2, 32, 32>(b));
      tl::store(f + tl::reshape<2, 2, 32, 32>(at), batch);
      auto scale = tl::load(u + tl::arange<64>()(tl::all, tl::newaxis) * 2 + tl::arange<2>());
      auto packed = tl::load(u + tl::arange<32>()(tl::all, tl::newaxis) * 64 + tl::arange<64>());
      auto mixed = tl::dot_scaled<tl::e4m3, tl::e2m1>(tl::load(q + at), scale, packed, scale);
      tl::store(f + at,
                tl::dot_scaled<tl::e5m2, tl::e4m3>(tl::load(r + at), tl::no_scale, tl::load(u + at),
                                                   scale, mixed, {.fast_math = true}));
      auto across = tl::load(u + tl::arange<64>()(tl::all, tl::newaxis) * 32 + tl::arange<32>());
      tl::store(h + at, tl::dot_scaled<tl::e4m3, tl::e2m1_mn, tl::float16>(tl::load(q + at), scale,
                                                                           across, scale));
    }};

/// What GPUs have beside the language.
inline constexpr auto extra =
    tl::kernel{"extra", [](tl::ptr<std::int64_t> times, tl::ptr<std::int32_t> where) {
                 tl::cuda::gdc_wait();
                 tl::store(times, tl::cuda::globaltimer());
                 tl::store(where, tl::cuda::smid());
                 tl::cuda::gdc_launch_dependents();
               }};

/// Traced as for a launch with `.debug = true`.
inline constexpr auto checked_sums =
    tl::kernel{"checked_sums", [](tl::ptr<std::int32_t> i, tl::ptr<std::int64_t> l) {
                 auto at = tl::arange<64>();
                 tl::tensor k = tl::load(i + at);
                 tl::tensor m = tl::load(l + at);
                 tl::store(i + at, k * k + (k - 1));
                 tl::store(l + at, m * m + (m - 1));
               }};

inline constexpr auto control_flow =
    tl::kernel{"control_flow", [](tl::ptr<float> f, tl::i32 n, tl::i32 step) {
                 tl::return_if(tl::program_id(0) >= n);
                 auto at = tl::arange<64>();
                 tl::tensor acc = tl::zeros<float, 64>();
                 tl::i32 count = 0;
                 for (auto k : tl::range(0, n, 64,
                                         {.num_stages = 4,
                                          .loop_unroll_factor = 2,
                                          .disallow_acc_multi_buffer = true,
                                          .flatten = true,
                                          .warp_specialize = true,
                                          .disable_licm = true}))
                   acc += tl::load(f + k + at, k + at < n, 0.0f);
                 for (auto k : tl::range(n, 0, -1)) {
                   acc = acc * 0.5f;
                   count += k;
                 }
                 for (auto k : tl::range(0, n, step))
                   count += k;
                 for (auto k : tl::range(n)) {
                   tl::continue_if(k % 2 == 0);
                   count += 1;
                   tl::break_if(tl::load(f + k) == 0.0f);
                   acc = acc + 1.0f;
                   tl::if_(k > 3, [&] { acc = acc * 2.0f; });
                 }
                 tl::if_(n > 1, [&] { acc = acc * 2.0f; }, [&] { count = 0; });
                 auto z = tl::if_(n > 2, [&] { return acc; }, [&] { return acc + 1; });
                 tl::i32 x = n;
                 tl::while_([&] { return x > 1; },
                            [&] {
                              x = x / 2;
                              for (auto j : tl::range(0, x))
                                z += j;
                            });
                 tl::static_for<3>([&](auto i) { acc += float(i); });
                 tl::store(f + at, acc + z + count);
               }};

inline constexpr auto debug = tl::kernel{"debug", [](tl::ptr<float> f, tl::i32 n) {
                                           auto at = tl::arange<64>();
                                           auto x = tl::load(f + at);
                                           tl::device_print("x", x, at);
                                           tl::device_print("here");
                                           tl::device_print_hex("quote \" and n", n, 3);
                                           tl::device_assert(at < n, "out of range");
                                           tl::device_assert(x == 8, "not eight", at < n);
                                           tl::assume(n > 0);
                                           tl::debug_barrier();
                                           tl::store(f + at, tl::expect_zero(x, at < n));
                                         }};

inline constexpr auto external = tl::kernel{
    "external", [](tl::ptr<float> f, tl::ptr<std::int32_t> i) {
      auto at = tl::arange<64>();
      auto x = tl::load(f + at);
      tl::store(f + at, tl::inline_asm_elementwise<float>("ex2.approx.f32 $0, $1;", "=f,f", {}, x));
      auto [a, b] = tl::inline_asm_elementwise<std::int32_t, std::int32_t>(
          "mov.u32 $0, $2; mov.u32 $1, $2;", "=r,=r,r", {.pure = false}, at);
      tl::store(i + at, a + b);
      tl::store(f + at, tl::extern_elementwise<float>("__nv_sinhf", "", x));
      tl::store(f + at,
                tl::map_elementwise(
                    [](tl::f32 v) {
                      return tl::if_(v > 0, [&] { return tl::log(v); }, [&] { return v * 0.0f; });
                    },
                    x));
      auto [p, q] = tl::map_elementwise(
          [](auto v, auto w) { return std::tuple(v + w, tl::cast<std::int32_t>(v)); }, x, at);
      tl::store(f + at, p + q);
      tl::store(f + at, tl::map_elementwise<2>([](auto v, auto w) { return std::tuple(w, v); }, x));
    }};

inline constexpr auto libdevice = tl::kernel{
    "libdevice",
    [](tl::ptr<float> f, tl::ptr<double> d, tl::ptr<std::int32_t> i, tl::ptr<std::uint64_t> u) {
      namespace lib = tl::libdevice;
      auto at = tl::arange<64>();
      auto x = tl::load(f + at);
      auto y = tl::load(d + at);
      auto k = tl::load(i + at);
      tl::store(f + at, lib::sinh(x) + lib::pow(x, 2.5f) + lib::fma(1, x, x) + lib::atan2(x, 1));
      tl::store(d + at, lib::exp10(y) + lib::hypot(y, 1.0) + lib::add_ru(y, 1));
      tl::store(f + at,
                lib::ldexp(x, k) + lib::jn(2, x) + lib::fast_expf(x) + lib::float2int_rz(x));
      tl::store(i + at,
                lib::clz(k) + lib::isnan(x) + lib::mulhi(k, 3) + lib::mul24(k, k) + lib::abs(k));
      tl::store(u + at, lib::brev(tl::load(u + at)) + lib::popc(tl::load(u + at)));
      tl::store(i + at, tl::cast<std::int32_t>(lib::sad(k, 1, 2)) + lib::byte_perm(k, k, 0x3210));
      tl::store(d + at, lib::llrint(y));
      tl::store(d + at, lib::hiloint2double(k, 0) + lib::norm4d(y, y, y, 1));
    }};

inline constexpr auto matmul = tl::kernel{
    "matmul", [](tl::ptr<const tl::float16> a, tl::ptr<const tl::float16> b, tl::ptr<tl::float16> c,
                 tl::i32 M, tl::i32 N, tl::i32 K, tl::i32 lda, tl::i32 ldb, tl::i32 ldc) {
      auto rows = tl::program_id(0) * 64 + tl::arange<64>();
      auto cols = tl::program_id(1) * 64 + tl::arange<64>();
      auto ks = tl::arange<32>();
      tl::tensor a_ptrs = a + rows(tl::all, tl::newaxis) * lda + ks(tl::newaxis, tl::all);
      tl::tensor b_ptrs = b + ks(tl::all, tl::newaxis) * ldb + cols(tl::newaxis, tl::all);
      auto acc = tl::zeros<float, 64, 64>();
      for (auto k : tl::range(0, K, 32)) {
        auto x = tl::load(
            a_ptrs, (rows(tl::all, tl::newaxis) < M) & (ks(tl::newaxis, tl::all) < K - k), 0.0f);
        auto y = tl::load(
            b_ptrs, (ks(tl::all, tl::newaxis) < K - k) & (cols(tl::newaxis, tl::all) < N), 0.0f);
        acc += tl::dot(x, y);
        a_ptrs += 32;
        b_ptrs += 32 * ldb;
      }
      tl::store(c + rows(tl::all, tl::newaxis) * ldc + cols(tl::newaxis, tl::all),
                tl::cast<tl::float16>(acc),
                (rows(tl::all, tl::newaxis) < M) & (cols(tl::newaxis, tl::all) < N));
    }};

struct entry {
  const char *name;
  std::string (*trace)();
};

inline const std::vector<entry> &all() {
  static const std::vector<entry> list = {
#define TL_CORPUS(kernel)                                                                          \
  {                                                                                                \
    #kernel, [] { return kernel.trace(); }                                                         \
  }
      TL_CORPUS(vector_add),
      TL_CORPUS(creation),
      TL_CORPUS(memory),
      TL_CORPUS(atomics),
      TL_CORPUS(descriptors),
      TL_CORPUS(arithmetic),
      TL_CORPUS(elementwise),
      TL_CORPUS(casts),
      TL_CORPUS(shaping),
      TL_CORPUS(reductions),
      TL_CORPUS(products),
      TL_CORPUS(control_flow),
      TL_CORPUS(debug),
      TL_CORPUS(external),
      TL_CORPUS(matmul),
      TL_CORPUS(libdevice),
      TL_CORPUS(hints),
      TL_CORPUS(extra),
#undef TL_CORPUS
      {"checked_sums", [] { return checked_sums.trace({nullptr, 0, {.checks_overflow = true}}); }},
  };
  return list;
}

} // namespace corpus
