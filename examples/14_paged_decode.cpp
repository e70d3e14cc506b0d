// SPDX-License-Identifier: MIT
//
// Serving: attention of one new token per sequence over keys and values that lie in pages.
//
// Sequences grow, so that a server gives them pages of a common pool; a table says which pages a
// sequence has. Programs share a long sequence in splits, and a second launch joins what they
// found. Several heads of queries share a head of keys. The kernels are those that are measured in
// bench/attention.

#include "../bench/attention/paged_decode.hpp"
#include "lesson.hpp"

namespace {

using namespace bench::attention;
using T = tl::float16;

template <decode_config C> bool check(const lesson::options &o, std::vector<std::int32_t> lengths) {
  constexpr int heads = 8, key_heads = 2, page = 16; // tokens a page
  const int sequences = int(lengths.size());
  const int most = tl::cdiv(*std::max_element(lengths.begin(), lengths.end()), page);
  // The pages of the pool in a fixed disorder.
  const int pages = sequences * most;
  std::vector<std::int32_t> table;
  for (int i = 0; i < pages; ++i)
    table.push_back(pages - 1 - i);
  const auto q = lesson::random_values<T>(std::size_t(sequences) * heads * C.head, 141, -2, 2);
  const auto k =
      lesson::random_values<T>(std::size_t(pages) * page * key_heads * C.head, 142, -2, 2);
  const auto v = lesson::random_values<T>(k.size(), 143);
  const float scale = 1 / std::sqrt(float(C.head));

  std::vector<double> want(q.size());
  for (int row = 0; row < sequences * heads; ++row) {
    const int sequence = row / heads, key_head = row % heads / (heads / key_heads);
    std::vector<double> sum(C.head);
    double total = 0;
    for (int j = 0; j < lengths[sequence]; ++j) {
      const std::size_t token = std::size_t(table[sequence * most + j / page]) * page + j % page;
      const std::size_t at = (token * key_heads + key_head) * C.head;
      double score = 0;
      for (int d = 0; d < C.head; ++d)
        score += double(q[row * C.head + d]) * double(k[at + d]);
      const double weight = std::exp(score * scale);
      total += weight;
      for (int d = 0; d < C.head; ++d)
        sum[d] += weight * double(v[at + d]);
    }
    for (int d = 0; d < C.head; ++d)
      want[row * C.head + d] = sum[d] / total;
  }

  tl::buffer<T> queries(o.device, q), keys(o.device, k), values(o.device, v);
  tl::buffer<T> out(o.device, q.size());
  tl::buffer<std::int32_t> page_table(o.device, table), ends(o.device, lengths);
  tl::buffer<float> partial(o.device, q.size() * C.splits);
  tl::buffer<float> logs(o.device, sequences * heads * C.splits);
  paged_decode<T, C>[{.grid = {sequences, key_heads, C.splits}, .num_warps = C.num_warps}](
      queries, keys, values, page_table, ends, partial, logs, heads, key_heads, page, most, scale);
  join_splits<T, C>[tl::grid(sequences * heads)](partial, logs, out);
  return lesson::close("out", out.to_vector(), want, 0x1p-10, 0x1p-12);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "paged decode", [](const lesson::options &o) {
    constexpr decode_config small{.block_n = 16, .head = 16}, large{.block_n = 64, .head = 128};
    return o.quick ? check<small>(o, {1, 47, 70}) : check<large>(o, {1, 470, 700, 2000});
  });
}
