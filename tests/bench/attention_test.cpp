// SPDX-License-Identifier: MIT
//
// Attention of bench/attention, forward, backward and over pages, at odd lengths on all devices,
// beside double. Weights and results are rounded to float16, half of 2^-10 each, and so are the
// gradients of the scores: the errors stay below 2^-9 of the largest value, 2^-8 of gradients.
#include "../../bench/attention/backward.hpp"
#include "../../bench/attention/paged_decode.hpp"
#include "../../bench/attention/tuned.hpp"
#include "reference.hpp"

#include <cmath>

using namespace bench::attention;
using namespace reference;

namespace {

using T = tl::float16;
constexpr double forward_error = 0x1p-9, backward_error = 0x1p-8;

struct problem {
  int batch, heads, group, queries, keys, window;
};

/// Operands, and what must come out.
struct expected {
  operand<T> q, k, v, dout;
  std::vector<double> out, logsum, dq, dk, dv;

  expected(const problem &p, int head, mask kind)
      : q(size(p.batch * p.heads, p.queries, head), {-2, 2}),
        k(size(p.batch * p.heads / p.group, p.keys, head), {-2, 2}), v(k.values.size()),
        dout(q.values.size()), out(q.values.size()), dq(out), dk(k.values.size()), dv(dk) {
    const double scale = 1 / std::sqrt(double(head));
    for (int h = 0; h < p.batch * p.heads; ++h) {
      const int key_head = h / p.heads * (p.heads / p.group) + h % p.heads / p.group;
      for (int i = 0; i < p.queries; ++i)
        row(p, head, kind, scale, std::size_t(h * p.queries + i) * head, i,
            std::size_t(key_head * p.keys) * head);
    }
  }

private:
  static std::size_t size(int heads, int length, int head) {
    return std::size_t(heads) * length * head;
  }

  /// The query at `own`, with the keys from `shared` on.
  void row(const problem &p, int head, mask kind, double scale, std::size_t own, int i,
           std::size_t shared) {
    std::vector<double> weights(p.keys);
    double largest = -HUGE_VAL, total = 0, delta = 0;
    const auto seen = [&](int j) {
      const int distance = i + p.keys - p.queries - j;
      return kind == mask::full || (distance >= 0 && (kind == mask::causal || distance < p.window));
    };
    for (int j = 0; j < p.keys; ++j) {
      for (int d = 0; d < head; ++d)
        weights[j] += q[own + d] * k[shared + j * head + d] * scale;
      largest = seen(j) ? std::max(largest, weights[j]) : largest;
    }
    for (int j = 0; j < p.keys; ++j)
      total += weights[j] = seen(j) ? std::exp(weights[j] - largest) : 0;
    logsum.push_back((largest + std::log(total)) / std::log(2.0));
    for (int j = 0; j < p.keys; ++j) {
      weights[j] /= total;
      for (int d = 0; d < head; ++d)
        out[own + d] += weights[j] * v[shared + j * head + d];
    }
    for (int d = 0; d < head; ++d)
      delta += out[own + d] * dout[own + d];
    for (int j = 0; j < p.keys; ++j) {
      double slope = -delta;
      for (int d = 0; d < head; ++d) {
        slope += dout[own + d] * v[shared + j * head + d];
        dv[shared + j * head + d] += weights[j] * dout[own + d];
      }
      slope *= weights[j] * scale;
      for (int d = 0; d < head; ++d) {
        dq[own + d] += slope * k[shared + j * head + d];
        dk[shared + j * head + d] += slope * q[own + d];
      }
    }
  }
};

template <config C, config Back = C> void check(const problem &p) {
  const auto [batch, heads, group, queries, keys, window] = p;
  const expected e(p, C.head, C.mask);
  const float scale = 1 / std::sqrt(float(C.head));
  const int all = batch * heads, key_heads = all / group;
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.block_m > 32)
      continue;
    INFO(std::string(device.name()), " head ", C.head, " mask ", static_cast<int>(C.mask),
         " queries ", queries, " keys ", keys, " window ", window);
    tl::buffer<T> q = e.q.on(device), k = e.k.on(device), v = e.v.on(device);
    tl::testing::guarded_buffer<T> out(device, e.out.size()), again(device, e.out.size());
    tl::testing::guarded_buffer<float> logsum(device, e.logsum.size());
    const tl::launch_options options = on(device, {tl::cdiv(queries, C.block_m), all}, C);
    {
      INFO("by descriptors");
      tl::tensor_descriptor<T, 1, C.block_m, C.head> q_view(q, {all, queries, C.head}),
          out_view(again, {all, queries, C.head});
      tl::tensor_descriptor<T, 1, C.block_n, C.head> k_view(k, {key_heads, keys, C.head}),
          v_view(v, {key_heads, keys, C.head});
      forward_descriptors<T, C>[options](q_view, k_view, v_view, out_view, logsum, heads, group,
                                         queries, keys, window, scale);
      check_close(again, e.out, forward_error);
      check_close(logsum, e.logsum, 0x1p-20);
    }
    for (const int programs : {1, 3}) {
      INFO("on ", programs, " programs");
      tl::testing::guarded_buffer<T> out_each(device, e.out.size());
      tl::testing::guarded_buffer<float> logsum_each(device, e.logsum.size());
      tl::tensor_descriptor<T, 1, C.block_m, C.head> q_view(q, {all, queries, C.head}),
          out_view(out_each, {all, queries, C.head});
      tl::tensor_descriptor<T, 1, C.block_n, C.head> k_view(k, {key_heads, keys, C.head}),
          v_view(v, {key_heads, keys, C.head});
      forward_persistent<T, C>[on(device, programs, C)](q_view, k_view, v_view, out_view,
                                                        logsum_each, heads, group, queries, keys,
                                                        window, scale, all);
      check_close(out_each, e.out, forward_error);
      check_close(logsum_each, e.logsum, 0x1p-20);
    }
    forward<T, C>[options](q, k, v, out, logsum, heads, group, queries, keys, window, scale);
    check_close(out, e.out, forward_error);
    check_close(logsum, e.logsum, 0x1p-20);

    tl::buffer<T> dout = e.dout.on(device);
    tl::testing::guarded_buffer<float> delta(device, e.logsum.size());
    backward_sums<T, 16, C.head>[on(device, tl::cdiv(all * queries, 16), C)](out, dout, delta,
                                                                             all * queries);
    for (const bool described : {false, true}) {
      INFO("by ", described ? "descriptors" : "pointers");
      tl::testing::guarded_buffer<T> dq(device, e.dq.size()), dk(device, e.dk.size()),
          dv(device, e.dv.size());
      const tl::launch_options over_keys =
          on(device, {tl::cdiv(keys, Back.block_n), key_heads}, Back);
      const tl::launch_options over_queries =
          on(device, {tl::cdiv(queries, Back.block_m), all}, Back);
      if (described) {
        tl::tensor_descriptor<T, 1, Back.block_m, C.head> q_view(q, {all, queries, C.head}),
            dout_view(dout, {all, queries, C.head});
        tl::tensor_descriptor<T, 1, Back.block_n, C.head> k_view(k, {key_heads, keys, C.head}),
            v_view(v, {key_heads, keys, C.head});
        backward_keys_descriptors<T, Back>[over_keys](q_view, k_view, v_view, dout_view, logsum,
                                                      delta, dk, dv, heads, group, queries, keys,
                                                      window, scale);
        backward_queries_descriptors<T, Back>[over_queries](q_view, k_view, v_view, dout_view,
                                                            logsum, delta, dq, heads, group,
                                                            queries, keys, window, scale);
      } else {
        backward_keys<T, Back>[over_keys](q, k, v, dout, logsum, delta, dk, dv, heads, group,
                                          queries, keys, window, scale);
        backward_queries<T, Back>[over_queries](q, k, v, dout, logsum, delta, dq, heads, group,
                                                queries, keys, window, scale);
      }
      check_close(dq, e.dq, backward_error);
      check_close(dk, e.dk, backward_error);
      check_close(dv, e.dv, backward_error);
    }
  }
}

} // namespace

TEST_CASE("attention and its gradients are right under every mask") {
  check<config{16, 16, 16, mask::full}>({1, 2, 1, 37, 45, 0});
  check<config{32, 16, 16, mask::causal}>({1, 4, 2, 37, 45, 0});
  check<config{16, 32, 16, mask::causal}>({2, 2, 2, 50, 50, 0});
  check<config{16, 16, 16, mask::window}>({2, 2, 1, 50, 53, 9});
  check<config{32, 16, 16, mask::window}>({1, 2, 2, 70, 90, 55});
  check<config{16, 16, 16, mask::full, 8, 3, true}>({1, 2, 1, 37, 45, 0});
  check<config{32, 16, 16, mask::causal, 8, 3, true}>({1, 4, 2, 37, 45, 0});
  check<config{16, 16, 16, mask::window, 8, 3, true}>({2, 2, 1, 50, 53, 9});
}

TEST_CASE("attention and its gradients are right with the blocks of long sequences") {
  check<config{128, 64, 64, mask::full, 4, 3}, config{64, 64, 64, mask::full, 4, 2}>(
      {1, 2, 1, 200, 330, 0});
  check<config{128, 128, 64, mask::causal, 8, 3}, config{64, 128, 64, mask::causal, 8, 2}>(
      {1, 4, 2, 300, 300, 0});
  check<config{256, 64, 64, mask::causal, 16, 3}, config{64, 64, 64, mask::causal, 4, 2}>(
      {1, 2, 1, 300, 300, 0});
  check<config{128, 64, 64, mask::full, 8, 3, false, true}, config{64, 64, 64, mask::full, 4, 2}>(
      {1, 2, 1, 200, 330, 0});
  check<config{128, 64, 64, mask::causal, 8, 3, false, true},
        config{64, 64, 64, mask::causal, 4, 2}>({1, 2, 1, 300, 310, 0});
  check<config{64, 64, 64, mask::window, 4, 3, false, true},
        config{64, 64, 64, mask::window, 4, 2}>({1, 2, 1, 300, 310, 100});
  check<config{128, 128, 64, mask::causal, 8, 3, true}, config{128, 128, 64, mask::causal, 8, 2}>(
      {1, 4, 2, 300, 300, 0});
  check<config{128, 64, 128, mask::full, 8, 3, true}, config{32, 128, 128, mask::full, 8, 2}>(
      {1, 2, 1, 200, 330, 0});
  check<config{128, 64, 128, mask::causal, 8, 3}, config{64, 64, 128, mask::causal, 4, 2}>(
      {1, 2, 1, 300, 300, 0});
  check<config{128, 64, 128, mask::window, 8, 2}, config{32, 64, 128, mask::window, 8, 2}>(
      {1, 2, 1, 300, 310, 100});
  check<config{128, 128, 128, mask::full, 8, 2, false, true},
        config{32, 128, 128, mask::full, 8, 2}>({1, 2, 1, 300, 450, 0});
  check<config{128, 128, 128, mask::causal, 8, 2}, config{64, 64, 128, mask::causal, 4, 2}>(
      {1, 2, 1, 400, 400, 0});
  check<config{128, 128, 128, mask::causal, 8, 2, false, true},
        config{64, 64, 128, mask::causal, 4, 2}>({1, 2, 1, 300, 450, 0});
  check<config{64, 64, 256, mask::full, 8, 2}, config{32, 64, 256, mask::full, 8, 1}>(
      {1, 2, 2, 130, 200, 0});
}

TEST_CASE("tuned attention is right, whichever configuration was chosen") {
  const problem p{1, 2, 1, 70, 70, 0};
  const expected e(p, 64, mask::causal);
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device)) // with all candidates many times
      continue;
    tl::buffer<T> q = e.q.on(device), k = e.k.on(device), v = e.v.on(device);
    tl::testing::guarded_buffer<T> out(device, e.out.size());
    tl::testing::guarded_buffer<float> logsum(device, e.logsum.size());
    tuned_forward<T, 64, mask::causal>()[{.grid = blocks_of(70, 2), .device = device}](
        q, k, v, out, logsum, 2, 1, 70, 70, 0, 0.125f);
    check_close(out, e.out, forward_error);
  }
}

namespace {

template <decode_config C> void check_pages(int heads, int key_heads, int page) {
  const std::vector<std::int32_t> lengths{1, 3 * page - 1, 70};
  const int sequences = int(lengths.size()), most = 6, pages = sequences * most;
  const operand<T> q(std::size_t(sequences * heads) * C.head, {-2, 2});
  const operand<T> k(std::size_t(pages * page * key_heads) * C.head, {-2, 2}), v(k.values.size());
  // A fixed disorder of the pages.
  std::vector<std::int32_t> table;
  for (int i = 0; i < pages; ++i)
    table.push_back(i * 7 % pages == 0 ? i : (i * 5 + 3) % pages);
  const float scale = 1 / std::sqrt(float(C.head));
  std::vector<double> want(q.values.size());
  for (int row = 0; row < sequences * heads; ++row) {
    const int sequence = row / heads, key_head = row % heads / (heads / key_heads);
    std::vector<double> weights;
    const auto place = [&](int j) {
      const int number = table[std::size_t(sequence * most + j / page)];
      return std::size_t((number * page + j % page) * key_heads + key_head) * C.head;
    };
    double largest = -HUGE_VAL, total = 0;
    for (int j = 0; j < lengths[std::size_t(sequence)]; ++j) {
      double score = 0;
      for (int d = 0; d < C.head; ++d)
        score += q[std::size_t(row * C.head + d)] * k[place(j) + d] * scale;
      weights.push_back(score);
      largest = std::max(largest, score);
    }
    for (double &w : weights)
      total += w = std::exp(w - largest);
    for (int j = 0; j < int(weights.size()); ++j)
      for (int d = 0; d < C.head; ++d)
        want[std::size_t(row * C.head + d)] += weights[j] / total * v[place(j) + d];
  }
  for (tl::device device : tl::testing::devices()) {
    if (is_slow(device) && C.head > 32)
      continue;
    INFO(std::string(device.name()), " heads ", heads, " page ", page);
    tl::buffer<T> x = q.on(device), keys = k.on(device), values = v.on(device);
    const tl::buffer<std::int32_t> pages_of(device, table), lengths_of(device, lengths);
    tl::buffer<float> partial(device, q.values.size() * C.splits),
        logs(device, std::size_t(sequences * heads * C.splits));
    tl::testing::guarded_buffer<T> out(device, want.size());
    paged_decode<T, C>[on(device, {sequences, key_heads, C.splits}, C)](
        x, keys, values, pages_of, lengths_of, partial, logs, heads, key_heads, page, most, scale);
    join_splits<T, C>[on(device, sequences * heads, C)](partial, logs, out);
    check_close(out, want, forward_error);
  }
}

} // namespace

TEST_CASE("attention of one query over pages is right, with empty parts") {
  check_pages<decode_config{16, 16, 16, 4}>(4, 2, 16);
  check_pages<decode_config{32, 16, 16, 1}>(3, 1, 24);
  check_pages<decode_config{64, 16, 128, 4}>(8, 2, 16);
  check_pages<decode_config{64, 16, 64, 2}>(32, 2, 32);
}
