// SPDX-License-Identifier: MIT
//
// Rows longer than a block: cross-entropy over a vocabulary, and its gradient in place.
//
// A program takes a token and walks twice over the row of its logits: once for the logarithm of
// the sum, kept running as in softmax with a block at a time, and once to replace each logit by its
// gradient, so that no second array of that size is needed.

#include "lesson.hpp"

namespace {

/// losses[token] = log(sum(exp(logits))) - logits[target], and logits become the gradient of
/// `weight` times the loss. A negative target is left out: its loss and gradient are zero.
template <class T, int Block>
constexpr auto cross_entropy =
    tl::kernel{[](tl::ptr<T> logits, tl::ptr<const std::int32_t> targets, tl::ptr<float> losses,
                  tl::i32 vocabulary, tl::f32 weight) {
      auto token = tl::program_id(0);
      auto row = logits + tl::cast<std::int64_t>(token) * vocabulary;
      auto lanes = tl::arange<Block>();
      tl::tensor target = tl::load(targets + token);
      tl::tensor counts = target >= 0;
      tl::tensor own = tl::cast<float>(tl::load(row + target, counts, 0.0f));

      tl::tensor largest = tl::full<float>(-tl::inf), total = tl::zeros<float>();
      for (auto start : tl::range(0, vocabulary, Block)) {
        auto at = start + lanes;
        tl::tensor x = tl::cast<float>(tl::load(row + at, at < vocabulary, -tl::inf));
        tl::tensor now = tl::maximum(largest, tl::max<0>(x));
        total = total * tl::exp(largest - now) + tl::sum<0>(tl::exp(x - now));
        largest = now;
      }
      tl::tensor log_sum = largest + tl::log(total);
      tl::store(losses + token, tl::where(counts, log_sum - own, 0.0f));

      tl::tensor factor = tl::where(counts, weight, 0.0f);
      for (auto start : tl::range(0, vocabulary, Block)) {
        auto at = start + lanes;
        tl::tensor x = tl::cast<float>(tl::load(row + at, at < vocabulary, -tl::inf));
        auto slope = tl::exp(x - log_sum) - tl::where(at == target, 1.0f, 0.0f);
        tl::store(row + at, tl::cast<T>(slope * factor), at < vocabulary);
      }
    }};

using T = tl::bfloat16;

bool check(const lesson::options &o, int tokens, int vocabulary) {
  const auto logits = lesson::random_values<T>(std::size_t(tokens) * vocabulary, 91, -8, 8);
  std::vector<std::int32_t> targets;
  for (int token = 0; token < tokens; ++token)
    targets.push_back(token % 5 == 3 ? -100 : token * 7919 % vocabulary);
  const float weight = 1.0f / float(tokens); // the loss is a mean
  std::vector<double> losses, slopes;
  for (int token = 0; token < tokens; ++token) {
    const T *row = &logits[std::size_t(token) * vocabulary];
    const int target = targets[token];
    double sum = 0;
    for (int i = 0; i < vocabulary; ++i)
      sum += std::exp(double(row[i]));
    losses.push_back(target < 0 ? 0 : std::log(sum) - double(row[target]));
    for (int i = 0; i < vocabulary; ++i)
      slopes.push_back(target < 0 ? 0 : weight * (std::exp(double(row[i])) / sum - (i == target)));
  }

  tl::buffer<T> rows(o.device, logits);
  tl::buffer<std::int32_t> wanted(o.device, targets);
  tl::buffer<float> loss(o.device, tokens);
  cross_entropy<T, 1024>[tl::grid(tokens)](rows, wanted, loss, vocabulary, weight);
  // The gradient is rounded to bfloat16, by half of 2^-7.
  return lesson::all({lesson::close("losses", loss.to_vector(), losses, 3e-6, 3e-6),
                      lesson::close("gradient", rows.to_vector(), slopes, 1.01 * 0x1p-8, 1e-10)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "cross-entropy", [](const lesson::options &o) {
    return o.quick ? check(o, 6, 2500) : check(o, 200, 32000);
  });
}
