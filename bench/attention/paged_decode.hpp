// SPDX-License-Identifier: MIT
#pragma once
// Attention of one new query per sequence over keys and values that lie in pages, as servers of
// language models keep them: a table says which pages a sequence has, in order. The keys are
// divided among programs, and a second launch joins their results.

#include "forward.hpp"

namespace bench::attention {

/// The keys of a step, the heads of queries that share a head of keys (rounded up to what a product
/// needs), the elements of a head, the programs that a sequence and head are divided among.
struct decode_config {
  int block_n = 64, group = 16, head = 128, splits = 4;
  int num_warps = 4, num_stages = 3;
};

/// On a grid of sequences x heads of keys x splits. `q` is [sequence, head, Head]; keys and values
/// are [page, place in the page, head of keys, Head]; `table` has `table_row` page numbers a
/// sequence. `partial` gets a row [sequence, head, split, Head], `logs` its logarithm of the sum.
template <class T, decode_config C>
inline constexpr auto paged_decode = tl::kernel{
    "paged_decode", [](tl::ptr<const T> q, tl::ptr<const T> keys, tl::ptr<const T> values,
                       tl::ptr<const std::int32_t> table, tl::ptr<const std::int32_t> lengths,
                       tl::ptr<float> partial, tl::ptr<float> logs, tl::i32 heads,
                       tl::i32 key_heads, tl::i32 page_size, tl::i32 table_row, tl::f32 scale) {
      tl::tensor sequence = tl::program_id(0), key_head = tl::program_id(1);
      tl::tensor split = tl::program_id(2);
      auto length = tl::load(lengths + sequence);
      auto group = heads / key_heads;
      auto members = tl::arange<C.group>();
      auto lanes = tl::arange<C.block_n>();
      auto dims = tl::arange<C.head>();
      auto own = sequence * heads + key_head * group + members; // rows of q
      auto exists = members < group;
      tl::tensor queries = tl::load(q + down(own) * C.head + across(dims), down(exists), 0.0f);
      running_softmax<config{.block_m = C.group, .block_n = C.block_n, .head = C.head}> s;
      auto steps = tl::cdiv(tl::cdiv(length, C.block_n), C.splits);
      auto begin = split * steps * C.block_n;
      auto end = tl::minimum(length, begin + steps * C.block_n);
      for (auto start : tl::range(begin, end, C.block_n)) {
        auto at = start + lanes;
        auto page = tl::load(table + sequence * table_row + at / page_size, at < end, 0);
        tl::tensor line =
            (tl::cast<std::int64_t>(page) * page_size + at % page_size) * key_heads + key_head;
        auto k = tl::load(keys + across(line) * C.head + down(dims), across(at) < end, 0.0f);
        auto v = tl::load(values + down(line) * C.head + across(dims), down(at) < end, 0.0f);
        tl::tensor raw = tl::where(across(at) < end, tl::dot(queries, k), -tl::inf);
        s.add(raw, v, tl::f32(scale * 1.44269504f));
      }
      tl::cuda::gdc_launch_dependents(); // join_splits begins, and waits
      auto row = own * C.splits + split;
      // A split without keys has the weight 0.
      tl::tensor sum = s.total();
      tl::tensor total = tl::where(sum > 0.0f, sum, 1.0f);
      tl::store(partial + down(row) * C.head + across(dims), s.acc / down(total), down(exists));
      tl::store(logs + row, tl::where(sum > 0.0f, s.largest + tl::log2(total), -1.0e30f), exists);
    }};

/// Joins the splits, on a grid of sequences x heads.
template <class T, decode_config C>
inline constexpr auto join_splits = tl::kernel{
    "join_splits", [](tl::ptr<const float> partial, tl::ptr<const float> logs, tl::ptr<T> out) {
      auto row = tl::program_id(0);
      auto splits = tl::arange<C.splits>();
      auto dims = tl::arange<C.head>();
      tl::cuda::gdc_wait();
      tl::tensor log = tl::load(logs + row * C.splits + splits);
      tl::tensor weights = tl::exp2(log - tl::max<0>(log));
      tl::tensor parts = tl::load(partial + down(row * C.splits + splits) * C.head + across(dims));
      tl::tensor sum = tl::sum<0>(parts * down(weights));
      tl::store(out + row * C.head + dims, tl::cast<T>(sum / tl::sum<0>(weights)));
    }};

} // namespace bench::attention
