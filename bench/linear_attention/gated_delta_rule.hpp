// SPDX-License-Identifier: MIT
#pragma once
// Linear attention by the gated delta rule, in chunks. For each head a state S of K x V is carried
// over the tokens t:
//
//     S = a_t (I - b_t k_t k_t^T) S + b_t k_t v_t^T          o_t = S^T q_t
//
// Within a chunk that is a triangular system. With g the running sum of log a,
//
//     A[i, j] = b_i (k_i . k_j) exp(g_i - g_j)  for j < i     T = (I + A)^-1
//     W = T (b exp(g) k)    U = T (b v)
//
// and with S the state before the chunk, N = U - W S are the values that the chunk adds:
//
//     o = (q exp(g)) S + (tril(q k^T) exp(g_i - g_j)) N
//     S' = exp(g_last) S + (k exp(g_last - g))^T N
//
// A first launch computes W and U, a program a chunk; a second carries the state, a program a
// sequence, a head and a part of the columns of V.

#include <tl/tl.hpp>

namespace bench::linear_attention {

/// The tokens of a chunk, the elements of keys and of values, and how many of the latter a program
/// carries.
struct chunk_config {
  int chunk = 64, keys = 128, values = 128, block_v = 64;
  int num_warps = 4, num_stages = 2;
};

template <class X> auto down(const X &x) { return x(tl::all, tl::newaxis); }
template <class X> auto across(const X &x) { return x(tl::newaxis, tl::all); }

/// Sequences lie one after the other: sequence i has the tokens from starts[i] to starts[i + 1].
/// q, k and W are [token, head, keys], v, U and o [token, head, values], `decay` (log a) and `beta`
/// [token, head].
struct chunk_place {
  tl::i32 head, heads, first, end; // tokens of the chunk

  template <int N> auto tokens() const { return first + tl::arange<N>(); }
  template <int N> auto exists() const { return tokens<N>() < end; }
  /// Offsets of a tile of <N, Width> in an array of `extent` elements a token and head.
  template <int N, int Width> auto tile(int extent, const tl::i32 &from) const {
    return (down(tl::cast<std::int64_t>(tokens<N>())) * heads + head) * extent +
           across(from + tl::arange<Width>());
  }
};

/// The running sum of log a within the chunk.
template <int N> auto decays(const tl::ptr<const float> &decay, const chunk_place &at) {
  return tl::cumsum<0>(tl::load(decay + at.tokens<N>() * at.heads + at.head, at.exists<N>(), 0.0f));
}

/// On a grid of chunks (of the longest sequence) x heads x sequences.
template <class T, chunk_config C>
inline constexpr auto prepare_chunks = tl::kernel{
    "prepare_chunks", [](tl::ptr<const T> k, tl::ptr<const T> v, tl::ptr<const float> decay,
                         tl::ptr<const float> beta, tl::ptr<const std::int32_t> starts,
                         tl::ptr<T> w, tl::ptr<T> u, tl::i32 heads) {
      constexpr int N = C.chunk;
      const tl::i32 none(tl::program_id(0) * 0);
      tl::tensor begin = tl::load(starts + tl::program_id(2));
      const chunk_place at{tl::i32(tl::program_id(1) + 0), heads,
                           tl::i32(begin + tl::program_id(0) * N),
                           tl::i32(tl::load(starts + tl::program_id(2) + 1))};
      tl::if_(at.first < at.end, [&] {
        auto exists = at.template exists<N>();
        tl::tensor g = decays<N>(decay, at);
        tl::tensor b = tl::load(beta + at.template tokens<N>() * heads + at.head, exists, 0.0f);
        tl::tensor keys =
            tl::load(k + at.template tile<N, C.keys>(C.keys, none), down(exists), 0.0f);
        auto i = tl::arange<N>();
        tl::tensor between = tl::exp2((down(g) - across(g)) * 1.44269504f);
        tl::tensor a = tl::where(down(i) > across(i),
                                 tl::dot(keys, tl::trans(keys)) * between * down(b), 0.0f);
        // Row by row: row r of (I + A)^-1 is that of I minus the row of A times the rows above.
        tl::tensor inverse = tl::where(down(i) == across(i), 1.0f, 0.0f);
        for (auto r : tl::range(1, N)) {
          tl::tensor row = tl::sum<0>(tl::where(down(i) == r, a, 0.0f));
          tl::tensor next = tl::sum<0>(down(row) * inverse);
          inverse = inverse - tl::where(down(i) == r, across(next), 0.0f);
        }
        tl::tensor t = tl::cast<T>(inverse);
        tl::tensor scaled_keys =
            tl::cast<T>(tl::cast<float>(keys) * down(b * tl::exp2(g * 1.44269504f)));
        tl::store(w + at.template tile<N, C.keys>(C.keys, none),
                  tl::cast<T>(tl::dot(t, scaled_keys)), down(exists));
        for (int part = 0; part < C.values / C.block_v; ++part) {
          const tl::i32 from(none + part * C.block_v);
          auto place = at.template tile<N, C.block_v>(C.values, from);
          tl::tensor values = tl::load(v + place, down(exists), 0.0f);
          tl::tensor scaled = tl::cast<T>(tl::cast<float>(values) * down(b));
          tl::store(u + place, tl::cast<T>(tl::dot(t, scaled)), down(exists));
        }
      });
    }};

/// On a grid of parts of V x heads x sequences. `state` is [sequence, head, keys, values], float,
/// read before and written after.
template <class T, chunk_config C>
inline constexpr auto carry_state = tl::kernel{
    "carry_state",
    [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> w, tl::ptr<const T> u,
       tl::ptr<const float> decay, tl::ptr<const std::int32_t> starts, tl::ptr<float> state,
       tl::ptr<T> out, tl::i32 heads) {
      constexpr int N = C.chunk;
      const tl::i32 none(tl::program_id(0) * 0), from(tl::program_id(0) * C.block_v);
      auto sequence = tl::program_id(2);
      tl::tensor begin = tl::load(starts + sequence), end = tl::load(starts + sequence + 1);
      auto own = state +
                 (tl::cast<std::int64_t>(sequence * heads + tl::program_id(1)) * C.keys +
                  down(tl::arange<C.keys>())) *
                     C.values +
                 across(from + tl::arange<C.block_v>());
      tl::tensor s = tl::load(own);
      auto i = tl::arange<N>();
      for (auto first : tl::range(begin, end, N)) {
        const chunk_place at{tl::i32(tl::program_id(1) + 0), heads, tl::i32(first + 0),
                             tl::i32(end)};
        auto exists = down(at.template exists<N>());
        auto key_place = at.template tile<N, C.keys>(C.keys, none);
        auto value_place = at.template tile<N, C.block_v>(C.values, from);
        tl::tensor g = decays<N>(decay, at); // constant after the last token
        tl::tensor last = tl::sum<0>(tl::where(i == N - 1, g, 0.0f));
        tl::tensor queries = tl::load(q + key_place, exists, 0.0f);
        tl::tensor keys = tl::load(k + key_place, exists, 0.0f);
        tl::tensor before = tl::cast<T>(s);
        tl::tensor added = tl::cast<float>(tl::load(u + value_place, exists, 0.0f)) -
                           tl::dot(tl::load(w + key_place, exists, 0.0f), before);
        tl::tensor small = tl::cast<T>(added);
        tl::tensor weights = tl::where(down(i) >= across(i),
                                       tl::dot(queries, tl::trans(keys)) *
                                           tl::exp2((down(g) - across(g)) * 1.44269504f),
                                       0.0f);
        tl::tensor o = tl::dot(queries, before) * down(tl::exp2(g * 1.44269504f));
        o = tl::dot(tl::cast<T>(weights), small, o);
        tl::store(out + value_place, tl::cast<T>(o), exists);
        tl::tensor shrunk =
            tl::cast<T>(tl::cast<float>(keys) * down(tl::exp2((last - g) * 1.44269504f)));
        s = tl::dot(tl::trans(shrunk), small, s * tl::exp2(last * 1.44269504f));
      }
      tl::store(own, s);
    }};

} // namespace bench::linear_attention
