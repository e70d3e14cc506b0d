// SPDX-License-Identifier: MIT
#pragma once
// The gradients of attention (forward.hpp). In three launches: the sums over each row of out times
// its gradient; the gradients of keys and values, a block of keys per program; the gradient of the
// queries, a block of queries per program. Or fused: the second also adds to the queries' gradient,
// as float, which a last launch rounds. Scores are computed once more from the kept logarithms.

#include "forward.hpp"

namespace bench::attention {

/// Rows of [rows, Head], a block of them per program.
template <int Rows, int Head> struct row_block {
  tl::tensor<std::int32_t, tl::shape<Rows>> at = tl::program_id(0) * Rows + tl::arange<Rows>();
  tl::tensor<std::int64_t, tl::shape<Rows, Head>> place =
      tl::cast<std::int64_t>(down(at)) * Head + across(tl::arange<Head>());
};

/// delta[row] = sum of out * dout. On a grid of blocks of rows; `rows` counts all of them.
template <class T, int Rows, int Head>
inline constexpr auto backward_sums =
    tl::kernel{"attention_backward_sums",
               [](tl::ptr<const T> out, tl::ptr<const T> dout, tl::ptr<float> delta, tl::i32 rows) {
                 const row_block<Rows, Head> block;
                 auto exists = down(block.at) < rows;
                 tl::tensor o = tl::cast<float>(tl::load(out + block.place, exists, 0.0f));
                 tl::tensor d = tl::cast<float>(tl::load(dout + block.place, exists, 0.0f));
                 tl::store(delta + block.at, tl::sum<1>(o * d), block.at < rows);
               }};

/// The queries' gradient out of backward_fused's sum.
template <class T, int Rows, int Head>
inline constexpr auto backward_round = tl::kernel{
    "attention_backward_round",
    [](tl::ptr<const float> sum, tl::ptr<T> dq, tl::i32 rows, tl::f32 scale) {
      const row_block<Rows, Head> block;
      auto exists = down(block.at) < rows;
      tl::store(dq + block.place, tl::cast<T>(tl::load(sum + block.place, exists) * scale), exists);
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

/// On a grid of blocks of keys x (batch x heads of keys). C.block_m counts queries of a step,
/// C.block_n the program's keys.
template <class T, config C>
inline constexpr auto backward_keys = tl::kernel{
    "attention_backward_keys",
    [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> v, tl::ptr<const T> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dk, tl::ptr<T> dv,
       tl::i32 heads, tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      const extents e{heads, group, queries, keys, window};
      tl::tensor key_head = tl::program_id(1);
      tl::tensor first = tl::program_id(0) * C.block_n;
      auto at = first + tl::arange<C.block_n>();
      auto dims = tl::arange<C.head>();
      auto lanes = tl::arange<C.block_m>();
      auto shared = tl::cast<std::int64_t>(key_head) * keys * C.head;
      auto own = down(at) * C.head + across(dims);
      auto exists = down(at) < keys;
      tl::tensor k_tile = tl::load(k + shared + own, exists, 0.0f);
      tl::tensor v_tile = tl::load(v + shared + own, exists, 0.0f);
      tl::tensor k_sum = tl::zeros<float, C.block_n, C.head>();
      tl::tensor v_sum = tl::zeros<float, C.block_n, C.head>();
      const query_range<C> range(first, e);
      for (auto member : tl::range(0, group)) {
        auto head =
            key_head / (heads / group) * heads + key_head % (heads / group) * group + member;
        auto mine = tl::cast<std::int64_t>(head) * queries;
        const auto steps = [&](const auto &from, const auto &to, auto is_masked) {
          for (auto start : tl::range(from, to, C.block_m)) {
            auto rows = start + lanes;
            auto tile = down(rows) * C.head + across(dims);
            auto row_exists = down(rows) < queries;
            auto q_tile = tl::load(q + mine * C.head + tile, row_exists, 0.0f);
            auto d_tile = tl::load(dout + mine * C.head + tile, row_exists, 0.0f);
            auto sums = tl::load(logsum + mine + rows, rows < queries, 0.0f);
            auto deltas = tl::load(delta + mine + rows, rows < queries, 0.0f);
            // Keys by queries: what the sums over queries need as it comes. The second product
            // runs on while the weights are computed.
            tl::tensor raw = tl::dot(k_tile, tl::trans(q_tile));
            tl::tensor d_weights = tl::dot(v_tile, tl::trans(d_tile));
            tl::tensor weights = tl::exp2(raw * (scale * 1.44269504f) - across(sums));
            if constexpr (is_masked)
              weights = tl::where(tl::trans(seen<C>(rows, at, e)), weights, 0.0f);
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
      tl::store(dk + shared + own, tl::cast<T>(k_sum * scale), exists);
      tl::store(dv + shared + own, tl::cast<T>(v_sum), exists);
    }};

/// On a grid of blocks of queries x (batch x heads).
template <class T, config C>
inline constexpr auto backward_queries = tl::kernel{
    "attention_backward_queries",
    [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> v, tl::ptr<const T> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta, tl::ptr<T> dq, tl::i32 heads,
       tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      const extents e{heads, group, queries, keys, window};
      const place<C> at(e);
      auto rows = at.first + tl::arange<C.block_m>();
      auto lanes = tl::arange<C.block_n>();
      auto dims = tl::arange<C.head>();
      auto mine = tl::cast<std::int64_t>(at.head) * queries;
      auto shared = tl::cast<std::int64_t>(at.key_head) * keys * C.head;
      auto tile = down(rows) * C.head + across(dims);
      auto exists = down(rows) < queries;
      tl::tensor q_tile = tl::load(q + mine * C.head + tile, exists, 0.0f);
      tl::tensor d_tile = tl::load(dout + mine * C.head + tile, exists, 0.0f);
      tl::tensor sums = tl::load(logsum + mine + rows, rows < queries, 0.0f);
      tl::tensor deltas = tl::load(delta + mine + rows, rows < queries, 0.0f);
      tl::tensor sum = tl::zeros<float, C.block_m, C.head>();
      const key_range range = keys_of<C>(at.first, e);
      const auto steps = [&](const auto &from, const auto &to, auto is_masked) {
        for (auto start : tl::range(from, to, C.block_n)) {
          auto keys_at = start + lanes;
          auto there = down(keys_at) * C.head + across(dims);
          auto k_tile = tl::load(k + shared + there, down(keys_at) < keys, 0.0f);
          auto v_tile = tl::load(v + shared + there, down(keys_at) < keys, 0.0f);
          tl::tensor raw = tl::dot(q_tile, tl::trans(k_tile));
          tl::tensor d_weights = tl::dot(d_tile, tl::trans(v_tile));
          tl::tensor weights = tl::exp2(raw * (scale * 1.44269504f) - down(sums));
          if constexpr (is_masked)
            weights = tl::where(seen<C>(rows, keys_at, e), weights, 0.0f);
          tl::tensor d_scores = weights * (d_weights - down(deltas));
          sum = tl::dot(tl::cast<T>(d_scores), k_tile, sum);
        }
      };
      if constexpr (C.mask == mask::window)
        steps(range.begin, range.inner, std::true_type{});
      steps(range.inner, range.edge, std::false_type{});
      steps(range.edge, range.end, std::true_type{});
      tl::store(dq + mine * C.head + tile, tl::cast<T>(sum * scale), exists);
    }};

/// The three gradients in one launch, by descriptors as forward_descriptors has them: five products
/// of blocks in place of seven. The gradient of the queries, still without the scale, is summed in
/// memory as float, [batch x heads, queries, Head], in an order that may differ from run to run.
template <class T, config C>
inline constexpr auto backward_fused = tl::kernel{
    "attention_backward_fused",
    [](tl::descriptor<T, 1, C.block_m, C.head> q, tl::descriptor<T, 1, C.block_n, C.head> k,
       tl::descriptor<T, 1, C.block_n, C.head> v, tl::descriptor<T, 1, C.block_m, C.head> dout,
       tl::ptr<const float> logsum, tl::ptr<const float> delta,
       tl::descriptor<float, 1, C.block_m, C.head> dq, tl::ptr<T> dk, tl::ptr<T> dv, tl::i32 heads,
       tl::i32 group, tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      const extents e{heads, group, queries, keys, window};
      tl::tensor key_head = tl::program_id(1);
      tl::tensor first = tl::program_id(0) * C.block_n;
      auto at = first + tl::arange<C.block_n>();
      auto dims = tl::arange<C.head>();
      auto lanes = tl::arange<C.block_m>();
      tl::tensor k_tile = tl::reshape<C.block_n, C.head>(k.load({key_head, first, 0}));
      tl::tensor v_tile = tl::reshape<C.block_n, C.head>(v.load({key_head, first, 0}));
      tl::tensor k_sum = tl::zeros<float, C.block_n, C.head>();
      tl::tensor v_sum = tl::zeros<float, C.block_n, C.head>();
      const query_range<C> range(first, e);
      for (auto member : tl::range(0, group)) {
        tl::tensor head =
            key_head / (heads / group) * heads + key_head % (heads / group) * group + member;
        auto mine = tl::cast<std::int64_t>(head) * queries;
        const auto steps = [&](const auto &from, const auto &to, auto is_masked) {
          for (auto start : tl::range(from, to, C.block_m)) {
            auto rows = start + lanes;
            tl::tensor q_tile = tl::reshape<C.block_m, C.head>(q.load({head, start, 0}));
            tl::tensor d_tile = tl::reshape<C.block_m, C.head>(dout.load({head, start, 0}));
            auto sums = tl::load(logsum + mine + rows, rows < queries, 0.0f);
            auto deltas = tl::load(delta + mine + rows, rows < queries, 0.0f);
            tl::tensor raw = tl::dot(k_tile, tl::trans(q_tile));
            tl::tensor d_weights = tl::dot(v_tile, tl::trans(d_tile));
            tl::tensor weights = tl::exp2(raw * (scale * 1.44269504f) - across(sums));
            if constexpr (is_masked)
              weights = tl::where(tl::trans(seen<C>(rows, at, e)), weights, 0.0f);
            v_sum = tl::dot(tl::cast<T>(weights), d_tile, v_sum);
            tl::tensor d_scores = tl::cast<T>(weights * (d_weights - across(deltas)));
            k_sum = tl::dot(d_scores, q_tile, k_sum);
            dq.atomic_add({head, start, 0},
                          tl::reshape<1, C.block_m, C.head>(tl::dot(tl::trans(d_scores), k_tile)));
          }
        };
        if constexpr (C.mask != mask::full)
          steps(range.begin, range.whole, std::true_type{});
        if constexpr (C.mask != mask::window)
          steps(range.whole, range.end, std::false_type{});
      }
      auto own =
          tl::cast<std::int64_t>(key_head) * keys * C.head + down(at) * C.head + across(dims);
      auto exists = down(at) < keys;
      tl::store(dk + own, tl::cast<T>(k_sum * scale), exists);
      tl::store(dv + own, tl::cast<T>(v_sum), exists);
    }};

} // namespace bench::attention
