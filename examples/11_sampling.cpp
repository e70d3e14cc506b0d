// SPDX-License-Identifier: MIT
//
// Sorting: the next token of a language model, by top-k and top-p sampling.
//
// Of the K most likely tokens those are kept that together make up a given probability, and one of
// them is drawn.
//
// A vocabulary of any length is read once, a block at a time: the best of a block meet those from
// before. Of equal logits the lower token comes first.

#include "lesson.hpp"

#include <numeric>

namespace {

/// Draws a token for each row of logits, with a number in [0, 1) a row. A program takes a row.
template <class T, int K, int Block>
constexpr auto sample =
    tl::kernel{[](tl::ptr<const T> logits, tl::ptr<const float> numbers, tl::ptr<std::int32_t> out,
                  tl::i32 vocabulary, tl::f32 temperature, tl::f32 top_p) {
      static_assert(K <= Block);
      auto row = tl::program_id(0);
      auto own = logits + tl::cast<std::int64_t>(row) * vocabulary;
      tl::tensor best = tl::full<float, K>(-tl::inf);
      tl::tensor tokens = tl::zeros<std::int32_t, K>();
      for (auto start : tl::range(0, vocabulary, Block)) {
        auto at = start + tl::arange<Block>();
        auto logit = tl::cast<float>(tl::load(own + at, at < vocabulary, -tl::inf));
        auto [values, places] = tl::topk_with_indices<K>(logit);
        auto [larger, which] = tl::topk_with_indices<K>(tl::cat(best, values));
        tokens = tl::gather<0>(tl::cat(tokens, start + places), which);
        best = larger;
      }
      auto weight = tl::softmax<0>(best / temperature);
      // Kept while what comes before does not reach top_p: the first one always is.
      tl::tensor sum = tl::cumsum<0>(weight);
      tl::tensor kept = sum - weight < top_p;
      auto total = tl::sum<0>(tl::where(kept, weight, 0.0f));
      // The first whose sum is above the number's share of the total.
      tl::tensor drawn =
          tl::sum<0>(tl::cast<std::int32_t>(kept & (sum <= tl::load(numbers + row) * total)));
      auto place = tl::arange<K>();
      drawn = tl::minimum(drawn, tl::sum<0>(tl::cast<std::int32_t>(kept)) - 1);
      tl::store(out + row, tl::sum<0>(tl::where(place == drawn, tokens, 0)));
    }};

using T = tl::float16;
constexpr int K = 32;

/// Whether `token` is what the number draws, if sums may be off by `error`.
bool is_drawn(int token, const T *row, int vocabulary, double number, double temperature,
              double top_p, double error) {
  std::vector<int> order(vocabulary);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
  std::vector<double> weights;
  double all = 0;
  for (int i = 0; i < K; ++i)
    all += weights.emplace_back(
        std::exp((double(row[order[i]]) - double(row[order[0]])) / temperature));
  double total = 0, before = 0;
  int kept = 0;
  while (kept < K && total < top_p)
    total += weights[kept++] / all;
  for (int i = 0; i < kept; before += weights[i++] / all)
    if (order[i] == token)
      return before <= number * total + error && number * total < before + weights[i] / all + error;
  return false;
}

bool check(const lesson::options &o, int rows, int vocabulary) {
  const float temperature = 0.7f, top_p = 0.8f;
  const auto logits = lesson::random_values<T>(std::size_t(rows) * vocabulary, 111, -6, 6);
  const auto numbers = lesson::random_values<float>(rows, 112, 0, 1);
  tl::buffer<T> in(o.device, logits);
  tl::buffer<float> random(o.device, numbers);
  tl::buffer<std::int32_t> out(o.device, rows);
  sample<T, K, 512>[tl::grid(rows)](in, random, out, vocabulary, temperature, top_p);
  const auto tokens = out.to_vector();
  int right = 0;
  for (int row = 0; row < rows; ++row)
    right += is_drawn(tokens[row], &logits[std::size_t(row) * vocabulary], vocabulary, numbers[row],
                      temperature, top_p, 1e-6);
  std::printf("%d of %d tokens are right\n", right, rows);
  return right == rows;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "top-k and top-p sampling", [](const lesson::options &o) {
    return o.quick ? check(o, 5, 1300) : check(o, 64, 32000);
  });
}
