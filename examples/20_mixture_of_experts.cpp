// SPDX-License-Identifier: MIT
//
// Work that depends on data: a mixture of experts, from the router to the sum of what they gave.
//
// A router chooses K experts for each token. Each expert is a matrix, by which its tokens are
// multiplied in one launch for all experts: the pairs of token and choice are sorted by expert, and
// a tile of the product finds its rows through that list. At last each token adds up its K results.
// The product is the kernel that is measured in bench/mixture.

#include "../bench/mixture/fused_moe.hpp"
#include "lesson.hpp"

namespace {

using namespace bench::mixture;
using T = tl::float16;

/// The K experts of the largest logits, with the softmax over these as weights. A program takes
/// `Tokens` tokens.
template <int Tokens, int Experts, int K>
constexpr auto route = tl::kernel{[](tl::ptr<const float> logits, tl::ptr<float> weights,
                                     tl::ptr<std::int32_t> experts, tl::i32 tokens) {
  auto token = tl::program_id(0) * Tokens + tl::arange<Tokens>();
  auto rows = token(tl::all, tl::newaxis);
  auto exists = rows < tokens;
  auto all =
      tl::load(logits + rows * Experts + tl::arange<Experts>()(tl::newaxis, tl::all), exists, 0.0f);
  auto [best, expert] = tl::topk_with_indices<K>(all);
  auto place = rows * K + tl::arange<K>()(tl::newaxis, tl::all);
  tl::store(weights + place, tl::softmax<1>(best), exists);
  tl::store(experts + place, expert, exists);
}};

/// out = the sum of the token's K rows. A program takes a token.
template <int Cols, int K>
constexpr auto add_choices = tl::kernel{[](tl::ptr<const T> in, tl::ptr<T> out, tl::i32 n) {
  auto token = tl::program_id(0);
  auto cols = tl::arange<Cols>();
  tl::tensor sum = tl::zeros<float, Cols>();
  for (int k = 0; k < K; ++k)
    sum += tl::load(in + (token * K + k) * n + cols, cols < n);
  tl::store(out + token * n + cols, tl::cast<T>(sum), cols < n);
}};

bool check(const lesson::options &o, int tokens, int N, int inner) {
  constexpr int experts = 8, K = 2;
  constexpr tile_config tiles{.block_m = 16, .block_n = 32, .block_k = 32, .group_m = 4};
  const int pairs = tokens * K;
  const auto x = lesson::random_values<T>(std::size_t(tokens) * inner, 201);
  const auto w = lesson::random_values<T>(std::size_t(experts) * N * inner, 202, -0.1f, 0.1f);
  const auto logits = lesson::random_values(tokens * experts, 203, -3, 3);
  tl::buffer<T> in(o.device, x), matrices(o.device, w), each(o.device, pairs * N);
  tl::buffer<T> out(o.device, tokens * N);
  tl::buffer<float> scores(o.device, logits), weights(o.device, pairs);
  tl::buffer<std::int32_t> chosen(o.device, pairs);

  route<16, experts, K>[tl::grid(tl::cdiv(tokens, 16))](scores, weights, chosen, tokens);
  const sorted_tokens sorted = sort_by_expert(chosen.to_vector(), experts, tiles.block_m);
  const int rows = int(sorted.slots.size());
  tl::buffer<std::int32_t> slots(o.device, sorted.slots), owners(o.device, sorted.experts);
  tl::buffer<std::int32_t> used(o.device, std::vector<std::int32_t>{rows});
  fused_moe<T, tiles, true>[tl::grid(rows / tiles.block_m * tl::cdiv(N, tiles.block_n))](
      in, matrices, each, weights, slots, owners, used, pairs, rows, K, N, inner);
  add_choices<256, K>[tl::grid(tokens)](each, out, N);

  std::vector<double> want(std::size_t(tokens) * N);
  for (int token = 0; token < tokens; ++token) {
    const float *score = &logits[token * experts];
    std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
    std::sort(order.begin(), order.end(), [&](int a, int b) { return score[a] > score[b]; });
    double total = 0;
    for (int k = 0; k < K; ++k)
      total += std::exp(double(score[order[k]]));
    for (int k = 0; k < K; ++k)
      for (int n = 0; n < N; ++n)
        for (int i = 0; i < inner; ++i)
          want[token * N + n] += std::exp(double(score[order[k]])) / total *
                                 double(x[token * inner + i]) *
                                 double(w[(order[k] * N + n) * inner + i]);
  }
  // Each expert's row and their sum are rounded to float16.
  return lesson::close("out", out.to_vector(), want, 0x1p-9, 0x1p-9);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "mixture of experts", [](const lesson::options &o) {
    return o.quick ? check(o, 19, 40, 50) : check(o, 300, 200, 256);
  });
}
