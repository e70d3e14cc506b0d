// SPDX-License-Identifier: MIT
#pragma once
// Attention with a running softmax: full, causal or in a sliding window, with several heads of
// queries to one of keys and values, by pointers and by tensor descriptors. backward.hpp has the
// gradients. The lesson is examples/06_attention.cpp.
//
// Queries are [batch, heads, queries, Head], keys and values [batch, heads of keys, keys, Head],
// dense. The logarithm of each row's sum, in base 2, is kept for the gradients.

#include <tl/tl.hpp>

namespace bench::attention {

/// Which keys a query sees: all, those up to its own place, or the last `window` of those.
enum class mask { full, causal, window };

/// The blocks of queries and keys, the elements of a head, and the mask.
struct config {
  int block_m = 128, block_n = 64, head = 64;
  attention::mask mask = attention::mask::full;
  int num_warps = 8, num_stages = 3;
  bool ahead = false;  ///< scores are computed a block ahead, beside the softmax of those before
  bool joined = false; ///< one loop for all keys, with a branch for those at an edge of the mask
  int programs = 1;    ///< that a multiprocessor runs at once, of persistent ones
};

template <class X> auto down(const X &x) { return x(tl::all, tl::newaxis); }
template <class X> auto across(const X &x) { return x(tl::newaxis, tl::all); }

/// The extents of the problem, as the kernels' last parameters give them.
struct extents {
  tl::i32 heads, group; // of queries; how many of them share keys and values
  tl::i32 queries, keys, window;
};

/// Where the mask has an edge, for the queries at first … first + block_m - 1: blocks of keys from
/// `begin` to `end` are looked at; those from `inner` to `edge` are seen whole by all queries.
struct key_range {
  tl::i32 begin, inner, edge, end;
};
template <config C> key_range keys_of(const tl::i32 &first, const extents &e) {
  if constexpr (C.mask == mask::full) {
    auto edge = e.keys / C.block_n * C.block_n;
    return {tl::i32(edge * 0), tl::i32(edge * 0), tl::i32(edge), e.keys};
  } else {
    // Where queries and keys differ in number their last ones are at the same place.
    auto shift = e.keys - e.queries;
    auto end = tl::minimum(e.keys, first + shift + C.block_m);
    auto edge = tl::maximum(0, first + shift + 1) / C.block_n * C.block_n;
    if constexpr (C.mask == mask::causal) {
      return {tl::i32(edge * 0), tl::i32(edge * 0), tl::i32(edge), tl::i32(end)};
    } else {
      auto begin = tl::maximum(0, first + shift - e.window + 1) / C.block_n * C.block_n;
      auto inner =
          tl::cdiv(tl::maximum(0, first + shift + C.block_m - e.window), C.block_n) * C.block_n;
      auto whole = tl::minimum(inner, tl::maximum(edge, begin));
      return {tl::i32(begin), tl::i32(tl::maximum(begin, whole)),
              tl::i32(tl::maximum(edge, tl::maximum(begin, whole))), tl::i32(end)};
    }
  }
}

/// Which of the scores count, of queries `rows` and the keys `lanes` after `start`. What changes
/// from block to block is on the side of the queries: one number a row. Under a mask no query that
/// exists sees a key that does not.
template <config C, class Rows, class Start, class Lanes>
auto seen(const Rows &rows, const Start &start, const Lanes &lanes, const extents &e) {
  auto key = across(lanes);
  if constexpr (C.mask == mask::full) {
    return key < e.keys - start;
  } else {
    auto last = down(rows + (e.keys - e.queries - start));
    if constexpr (C.mask == mask::causal)
      return key <= last;
    else
      return (key <= last) & (key > last - e.window);
  }
}

/// What a program carries along the keys. A row's weights are added up in four parts, neighbouring
/// pairs in turns: that is how products leave them in threads, which so need not add their parts up
/// before the end.
template <config C> struct running_softmax {
  tl::tensor<float, tl::shape<C.block_m, C.head>> acc = tl::zeros<float, C.block_m, C.head>();
  tl::tensor<float, tl::shape<C.block_m, 4>> parts = tl::zeros<float, C.block_m, 4>();
  // Not minus infinity, which the scores of a row that has seen nothing yet are.
  tl::tensor<float, tl::shape<C.block_m>> largest = tl::full<float, C.block_m>(-1.0e30f);

  /// Takes a block of raw scores; `scale` brings them to base 2.
  template <class Scores, class Values>
  void add(const Scores &raw, const Values &values, const tl::f32 &scale) {
    using T = typename Values::element_type;
    tl::tensor now = tl::maximum(largest, tl::max<1>(raw) * scale);
    tl::tensor weights = tl::exp2(raw * scale - down(now));
    tl::tensor shrink = tl::exp2(largest - now);
    auto pairs = tl::reshape<C.block_m, C.block_n / 8, 4, 2>(weights);
    parts = parts * down(shrink) + tl::sum<1>(tl::sum<3>(pairs));
    acc = tl::dot(tl::cast<T>(weights), values, acc * down(shrink));
    largest = now;
  }

  auto total() const { return tl::sum<1>(parts); }
};

/// All keys of the program's queries. `keys_at` gives the keys from a place on, head elements by
/// block, and `values_at` the values, block by head elements.
template <config C, class Queries, class Keys, class Values>
auto attend(const Queries &queries, const Keys &keys_at, const Values &values_at,
            const tl::i32 &first, const tl::f32 &scale, const extents &e) {
  running_softmax<C> s;
  auto rows = first + tl::arange<C.block_m>();
  auto lanes = tl::arange<C.block_n>();
  const key_range range = keys_of<C>(first, e);
  const auto scores_at = [&](const auto &start) { return tl::dot(queries, keys_at(start)); };
  tl::tensor ready = tl::zeros<float, C.block_m, C.block_n>();
  if constexpr (C.ahead)
    ready = scores_at(range.begin);
  const auto blocks = [&](const auto &begin, const auto &end, auto is_masked) {
    for (auto start : tl::range(begin, end, C.block_n)) {
      tl::tensor computed = scores_at(C.ahead ? start + C.block_n : start + 0);
      const auto &raw = C.ahead ? ready : computed;
      if constexpr (is_masked)
        s.add(tl::where(seen<C>(rows, start, lanes, e), raw, -tl::inf), values_at(start), scale);
      else
        s.add(raw, values_at(start), scale);
      if constexpr (C.ahead)
        ready = computed;
    }
  };
  if constexpr (C.joined) {
    for (auto start : tl::range(range.begin, range.end, C.block_n)) {
      tl::tensor raw = scores_at(start);
      tl::if_((start < range.inner) | (start >= range.edge),
              [&] { raw = tl::where(seen<C>(rows, start, lanes, e), raw, -tl::inf); });
      s.add(raw, values_at(start), scale);
    }
    return s;
  }
  if constexpr (C.mask == mask::window)
    blocks(range.begin, range.inner, std::true_type{});
  blocks(range.inner, range.edge, std::false_type{});
  blocks(range.edge, range.end, std::true_type{});
  return s;
}

/// The head of keys that a head of queries shares.
inline auto key_head_of(const tl::i32 &head, const extents &e) {
  return head / e.heads * (e.heads / e.group) + head % e.heads / e.group;
}

/// Head of queries and its head of keys, and the first query, of this program.
template <config C> struct place {
  tl::i32 head, key_head, first;

  explicit place(const extents &e) {
    head = tl::program_id(1);
    // Under a mask the last queries see most keys: they begin first.
    first = (C.mask == mask::full ? tl::i32(tl::program_id(0) + 0)
                                  : tl::i32(tl::num_programs(0) - 1 - tl::program_id(0))) *
            C.block_m;
    key_head = key_head_of(head, e);
  }
  /// Of one of the `blocks` of a head.
  place(const tl::i32 &head_, const tl::i32 &block, const extents &e)
      : head(head_), key_head(key_head_of(head_, e)), first(block * C.block_m) {}
};

/// On a grid of blocks of queries x (batch x heads).
template <class T, config C>
inline constexpr auto forward = tl::kernel{
    "attention_forward", [](tl::ptr<const T> q, tl::ptr<const T> k, tl::ptr<const T> v,
                            tl::ptr<T> out, tl::ptr<float> logsum, tl::i32 heads, tl::i32 group,
                            tl::i32 queries, tl::i32 keys, tl::i32 window, tl::f32 scale) {
      const extents e{heads, group, queries, keys, window};
      const place<C> at(e);
      auto rows = at.first + tl::arange<C.block_m>();
      auto lanes = tl::arange<C.block_n>();
      auto dims = tl::arange<C.head>();
      auto own = tl::cast<std::int64_t>(at.head) * queries * C.head;
      auto shared = tl::cast<std::int64_t>(at.key_head) * keys * C.head;
      auto tile = down(rows) * C.head + across(dims);
      auto exists = down(rows) < queries;
      auto k_first = k + shared, v_first = v + shared;
      const auto s = attend<C>(
          tl::load(q + own + tile, exists, 0.0f),
          [&](const auto &start) {
            return tl::load(k_first + across(start + lanes) * C.head + down(dims),
                            across(start + lanes) < keys, 0.0f);
          },
          [&](const auto &start) {
            return tl::load(v_first + down(start + lanes) * C.head + across(dims),
                            down(start + lanes) < keys, 0.0f);
          },
          at.first, tl::f32(scale * 1.44269504f), e);
      tl::tensor total = s.total();
      tl::store(out + own + tile, tl::cast<T>(s.acc / down(total)), exists);
      tl::store(logsum + at.head * queries + rows, s.largest + tl::log2(total), rows < queries);
    }};

/// The block of queries at a place, by descriptors of [batch x heads, length, Head]: a block is one
/// of a single head.
template <class T, config C>
void forward_block(const place<C> &at, const tl::descriptor<T, 1, C.block_m, C.head> &q,
                   const tl::descriptor<T, 1, C.block_n, C.head> &k,
                   const tl::descriptor<T, 1, C.block_n, C.head> &v,
                   const tl::descriptor<T, 1, C.block_m, C.head> &out, const tl::ptr<float> &logsum,
                   const tl::f32 &scale, const extents &e) {
  auto rows = at.first + tl::arange<C.block_m>();
  tl::tensor own = tl::reshape<C.block_m, C.head>(q.load({at.head, at.first, 0}));
  const auto s = attend<C>(
      own,
      [&](const auto &start) {
        return tl::trans(tl::reshape<C.block_n, C.head>(k.load({at.key_head, start, 0})));
      },
      [&](const auto &start) {
        return tl::reshape<C.block_n, C.head>(v.load({at.key_head, start, 0}));
      },
      at.first, tl::f32(scale * 1.44269504f), e);
  tl::tensor total = s.total();
  out.store({at.head, at.first, 0},
            tl::reshape<1, C.block_m, C.head>(tl::cast<T>(s.acc / down(total))));
  tl::store(logsum + at.head * e.queries + rows, s.largest + tl::log2(total), rows < e.queries);
}

/// On the same grid.
template <class T, config C>
inline constexpr auto forward_descriptors = tl::kernel{
    "attention_forward_descriptors",
    [](tl::descriptor<T, 1, C.block_m, C.head> q, tl::descriptor<T, 1, C.block_n, C.head> k,
       tl::descriptor<T, 1, C.block_n, C.head> v, tl::descriptor<T, 1, C.block_m, C.head> out,
       tl::ptr<float> logsum, tl::i32 heads, tl::i32 group, tl::i32 queries, tl::i32 keys,
       tl::i32 window, tl::f32 scale) {
      const extents e{heads, group, queries, keys, window};
      forward_block<T, C>(place<C>(e), q, k, v, out, logsum, scale, e);
    }};

/// On as many programs as run at once, each with several blocks of the queries of `all_heads`: what
/// the next one needs comes in while this one is computed. Under a causal mask a block of late
/// queries and one of early ones follow each other, which see the same number of keys together.
template <class T, config C>
inline constexpr auto forward_persistent = tl::kernel{
    "attention_forward_persistent",
    [](tl::descriptor<T, 1, C.block_m, C.head> q, tl::descriptor<T, 1, C.block_n, C.head> k,
       tl::descriptor<T, 1, C.block_n, C.head> v, tl::descriptor<T, 1, C.block_m, C.head> out,
       tl::ptr<float> logsum, tl::i32 heads, tl::i32 group, tl::i32 queries, tl::i32 keys,
       tl::i32 window, tl::f32 scale, tl::i32 all_heads) {
      const extents e{heads, group, queries, keys, window};
      const tl::range_options options{.flatten = true, .warp_specialize = true};
      auto blocks = tl::cdiv(queries, C.block_m);
      const auto compute = [&](const tl::i32 &head, const tl::i32 &block) {
        forward_block<T, C>(place<C>(head, block, e), q, k, v, out, logsum, scale, e);
      };
      if constexpr (C.mask == mask::full) {
        for (auto tile :
             tl::range(tl::program_id(0), blocks * all_heads, tl::num_programs(0), options))
          compute(tile / blocks, tile % blocks);
      } else {
        auto all = blocks * all_heads;
        auto count = tl::cdiv(tl::cdiv(all, 2) - tl::program_id(0), tl::num_programs(0));
        for (auto tile : tl::range(0, count * 2, 1, options)) {
          auto pair = tl::program_id(0) + tile / 2 * tl::num_programs(0);
          // Of an odd number the last one has no partner, and is computed twice.
          auto number = tl::minimum(pair * 2 + tile % 2, all - 1);
          auto at = number % blocks;
          compute(number / blocks, tl::where(at % 2 == 0, blocks - 1 - at / 2, at / 2));
        }
      }
    }};

} // namespace bench::attention
