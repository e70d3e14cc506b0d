// SPDX-License-Identifier: MIT
#pragma once
// The gradients of attention (forward.hpp), in three launches: the sums over each row of out times
// its gradient; the gradients of keys and values, a block of keys per program; the gradient of the
// queries, a block of queries per program. Scores are computed once more from the kept logarithms.
// Blocks are loaded by pointers or by tensor descriptors.

#include "forward.hpp"

namespace bench::attention {

/// delta[row] = sum of out * dout. On a grid of blocks of rows; `rows` counts all of them.
template <class T, int Rows, int Head>
inline constexpr auto backward_sums =
    tl::kernel{"attention_backward_sums",
               [](tl::ptr<const T> out, tl::ptr<const T> dout, tl::ptr<float> delta, tl::i32 rows) {
                 auto at = tl::program_id(0) * Rows + tl::arange<Rows>();
                 auto place = tl::cast<std::int64_t>(down(at)) * Head + across(tl::arange<Head>());
                 auto exists = down(at) < rows;
                 tl::tensor o = tl::cast<float>(tl::load(out + place, exists, 0.0f));
                 tl::tensor d = tl::cast<float>(tl::load(dout + place, exists, 0.0f));
                 tl::store(delta + at, tl::sum<1>(o * d), at < rows);
               }};

/// The queries that see any of the keys at first … first + block_n - 1: from `begin` to `end`.
/// Those from `whole` on see all of them. Queries that there are not are zeros, as are their
/// gradients, and add nothing.
template <config C> struct query_range {
  tl::i32 begin, whole, end;

  query_range(const tl::i32 &first, const extents &e) {
    auto shift = e.keys - e.queries;
    begin = first * 0;
    end = e.queries;
    if constexpr (C.mask != mask::full)
      begin = tl::maximum(0, first - shift) / C.block_m * C.block_m;
    if constexpr (C.mask == mask::window)
      end = tl::minimum(e.queries, first - shift + C.block_n - 1 + e.window);
    whole = C.mask == mask::full ? tl::i32(begin + 0) : end;
    if constexpr (C.mask == mask::causal)
      whole = tl::minimum(end, tl::cdiv(tl::maximum(0, first - shift + C.block_n - 1), C.block_m) *
                                   C.block_m);
  }
};

/// Where the blocks come from. Rows that there are not are zeros.
template <class T, config C> struct by_pointers {
  tl::ptr<const T> q_first, k_first, v_first, dout_first;
  tl::i32 queries, keys;

  auto q(const tl::i32 &head, const tl::i32 &start) const {
    return rows<C.block_m>(q_first, head, queries, start);
  }
  auto dout(const tl::i32 &head, const tl::i32 &start) const {
    return rows<C.block_m>(dout_first, head, queries, start);
  }
  auto k(const tl::i32 &head, const tl::i32 &start) const {
    return rows<C.block_n>(k_first, head, keys, start);
  }
  auto v(const tl::i32 &head, const tl::i32 &start) const {
    return rows<C.block_n>(v_first, head, keys, start);
  }

private:
  template <int Rows>
  static auto rows(const tl::ptr<const T> &first, const tl::i32 &head, const tl::i32 &count,
                   const tl::i32 &start) {
    auto at = down(start + tl::arange<Rows>());
    return tl::load(first + tl::cast<std::int64_t>(head) * count * C.head + at * C.head +
                        across(tl::arange<C.head>()),
                    at < count, 0.0f);
  }
};

template <class T, config C> struct by_descriptors {
  tl::descriptor<T, 1, C.block_m, C.head> q_view, dout_view;
  tl::descriptor<T, 1, C.block_n, C.head> k_view, v_view;

  auto q(const tl::i32 &head, const tl::i32 &start) const { return rows(q_view, head, start); }
  auto dout(const tl::i32 &head, const tl::i32 &start) const {
    return rows(dout_view, head, start);
  }
  auto k(const tl::i32 &head, const tl::i32 &start) const { return rows(k_view, head, start); }
  auto v(const tl::i32 &head, const tl::i32 &start) const { return rows(v_view, head, start); }

private:
  template <int Rows>
  static auto rows(const tl::descriptor<T, 1, Rows, C.head> &view, const tl::i32 &head,
                   const tl::i32 &start) {
    return tl::reshape<Rows, C.head>(view.load({head, start, 0}));
  }
};

/// What each row's scores have lost in the softmax, and the sums of out * dout.
struct row_sums {
  tl::ptr<const float> logsum, delta;
};

/// The gradients of this program's keys and values. C.block_m counts queries of a step, C.block_n
/// the program's keys.
template <config C, class T, class Blocks>
void keys_gradients(const Blocks &blocks, const row_sums &of, const tl::ptr<T> &dk,
                    const tl::ptr<T> &dv, const extents &e, const tl::f32 &scale) {
  tl::tensor key_head = tl::program_id(1);
  tl::tensor first = tl::program_id(0) * C.block_n;
  auto at = first + tl::arange<C.block_n>();
  auto lanes = tl::arange<C.block_m>();
  tl::tensor k_tile = blocks.k(key_head, first);
  tl::tensor v_tile = blocks.v(key_head, first);
  tl::tensor k_sum = tl::zeros<float, C.block_n, C.head>();
  tl::tensor v_sum = tl::zeros<float, C.block_n, C.head>();
  const query_range<C> range(first, e);
  for (auto member : tl::range(0, e.group)) {
    tl::tensor head = key_head / (e.heads / e.group) * e.heads +
                      key_head % (e.heads / e.group) * e.group + member;
    auto mine = tl::cast<std::int64_t>(head) * e.queries;
    const auto steps = [&](const auto &from, const auto &to, auto is_masked) {
      for (auto start : tl::range(from, to, C.block_m)) {
        auto rows = start + lanes;
        tl::tensor q_tile = blocks.q(head, start);
        tl::tensor d_tile = blocks.dout(head, start);
        auto sums = tl::load(of.logsum + mine + rows, rows < e.queries, 0.0f);
        auto deltas = tl::load(of.delta + mine + rows, rows < e.queries, 0.0f);
        // Keys by queries: what the sums over queries need as it comes. The second product runs on
        // while the weights are computed.
        tl::tensor raw = tl::dot(k_tile, tl::trans(q_tile));
        tl::tensor d_weights = tl::dot(v_tile, tl::trans(d_tile));
        tl::tensor weights = tl::exp2(raw * (scale * 1.44269504f) - across(sums));
        if constexpr (is_masked)
          weights =
              tl::where(tl::trans(seen<C>(rows, first, tl::arange<C.block_n>(), e)), weights, 0.0f);
        v_sum = tl::dot(tl::cast<T>(weights), d_tile, v_sum);
        tl::tensor d_scores = weights * (d_weights - across(deltas));
        k_sum = tl::dot(tl::cast<T>(d_scores), q_tile, k_sum);
      }
    };
    if constexpr (C.mask != mask::full)
      steps(range.begin, range.whole, std::true_type{});
    if constexpr (C.mask != mask::window)
      steps(range.whole, range.end, std::false_type{});
  }
  auto own = tl::cast<std::int64_t>(key_head) * e.keys * C.head + down(at) * C.head +
             across(tl::arange<C.head>());
  auto exists = down(at) < e.keys;
  tl::store(dk + own, tl::cast<T>(k_sum * scale), exists);
  tl::store(dv + own, tl::cast<T>(v_sum), exists);
}

/// The gradient of this program's queries. C.block_m counts the program's queries, C.block_n keys
/// of a step.
template <config C, class T, class Blocks>
void queries_gradient(const Blocks &blocks, const row_sums &of, const tl::ptr<T> &dq,
                      const extents &e, const tl::f32 &scale) {
  const place<C> at(e);
  auto rows = at.first + tl::arange<C.block_m>();
  auto lanes = tl::arange<C.block_n>();
  auto mine = tl::cast<std::int64_t>(at.head) * e.queries;
  tl::tensor q_tile = blocks.q(at.head, at.first);
  tl::tensor d_tile = blocks.dout(at.head, at.first);
  tl::tensor sums = tl::load(of.logsum + mine + rows, rows < e.queries, 0.0f);
  tl::tensor deltas = tl::load(of.delta + mine + rows, rows < e.queries, 0.0f);
  tl::tensor sum = tl::zeros<float, C.block_m, C.head>();
  const key_range range = keys_of<C>(at.first, e);
  const auto steps = [&](const auto &from, const auto &to, auto is_masked) {
    for (auto start : tl::range(from, to, C.block_n)) {
      tl::tensor k_tile = blocks.k(at.key_head, start);
      tl::tensor v_tile = blocks.v(at.key_head, start);
      tl::tensor raw = tl::dot(q_tile, tl::trans(k_tile));
      tl::tensor d_weights = tl::dot(d_tile, tl::trans(v_tile));
      tl::tensor weights = tl::exp2(raw * (scale * 1.44269504f) - down(sums));
      if constexpr (is_masked)
        weights = tl::where(seen<C>(rows, start, lanes, e), weights, 0.0f);
      tl::tensor d_scores = weights * (d_weights - down(deltas));
      sum = tl::dot(tl::cast<T>(d_scores), k_tile, sum);
    }
  };
  if constexpr (C.mask == mask::window)
    steps(range.begin, range.inner, std::true_type{});
  steps(range.inner, range.edge, std::false_type{});
  steps(range.edge, range.end, std::true_type{});
  tl::store(dq + mine * C.head + down(rows) * C.head + across(tl::arange<C.head>()),
            tl::cast<T>(sum * scale), down(rows) < e.queries);
}

/// On a grid of blocks of keys x (batch x heads of keys).
template <class T, config C>
inline constexpr auto backward_keys = tl::kernel{
    "attention_backward_keys",
    [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> v, tl::ptr<const T> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dk, tl::ptr<T> dv,
       tl::i32 heads, tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      keys_gradients<C>(by_pointers<T, C>{q, k, v, dout, queries, keys}, {logsum, delta}, dk, dv,
                        {heads, group, queries, keys, window}, scale);
    }};

/// On a grid of blocks of queries x (batch x heads).
template <class T, config C>
inline constexpr auto backward_queries = tl::kernel{
    "attention_backward_queries",
    [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> v, tl::ptr<const T> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dq, tl::i32 heads,
       tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      queries_gradient<C>(by_pointers<T, C>{q, k, v, dout, queries, keys}, {logsum, delta}, dq,
                          {heads, group, queries, keys, window}, scale);
    }};

/// The same by descriptors of [batch x heads, length, Head], as forward_descriptors has them.
template <class T, config C>
inline constexpr auto backward_keys_descriptors = tl::kernel{
    "attention_backward_keys_descriptors",
    [](tl::descriptor<T, 1, C.block_m, C.head> q, tl::descriptor<T, 1, C.block_n, C.head> k,
       tl::descriptor<T, 1, C.block_n, C.head> v, tl::descriptor<T, 1, C.block_m, C.head> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dk, tl::ptr<T> dv,
       tl::i32 heads, tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      keys_gradients<C>(by_descriptors<T, C>{q, dout, k, v}, {logsum, delta}, dk, dv,
                        {heads, group, queries, keys, window}, scale);
    }};

template <class T, config C>
inline constexpr auto backward_queries_descriptors = tl::kernel{
    "attention_backward_queries_descriptors",
    [](tl::descriptor<T, 1, C.block_m, C.head> q, tl::descriptor<T, 1, C.block_n, C.head> k,
       tl::descriptor<T, 1, C.block_n, C.head> v, tl::descriptor<T, 1, C.block_m, C.head> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dq, tl::i32 heads,
       tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      queries_gradient<C>(by_descriptors<T, C>{q, dout, k, v}, {logsum, delta}, dq,
                          {heads, group, queries, keys, window}, scale);
    }};

} // namespace bench::attention
