// SPDX-License-Identifier: MIT
//
// A recurrence as a scan: the selective state space of Mamba.
//
// For each channel a state h of N numbers follows the tokens t, with steps and inputs that depend
// on the token:
//
//     h = exp(step_t A) h + step_t x_t B_t          y_t = C_t . h + D x_t
//
// h -> a h + b are functions, and following two of them is one again: (a1, b1), then (a2, b2) is
// (a1 a2, a2 b1 + b2). That is associative, so a scan over a block of tokens has all their states
// in a few steps, and only from block to block a loop carries h.

#include "lesson.hpp"

namespace {

/// A program takes a channel of a sequence, on a grid of channels x sequences. x, step and y are
/// [sequence, token, channel], b and c [sequence, token, N], a [channel, N], d [channel].
template <int Tokens, int N>
constexpr auto selective_scan =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> step, tl::ptr<const float> a,
                  tl::ptr<const float> b, tl::ptr<const float> c, tl::ptr<const float> d,
                  tl::ptr<float> y, tl::i32 length) {
      auto channel = tl::program_id(0), channels = tl::num_programs(0);
      auto sequence = tl::program_id(1) * length; // its first token
      auto n = tl::arange<N>();
      auto lanes = tl::arange<Tokens>();
      tl::tensor rate = tl::load(a + channel * N + n);
      auto skip = tl::load(d + channel);
      tl::tensor h = tl::zeros<float, N>();
      for (auto first : tl::range(0, length, Tokens)) {
        auto exists = first + lanes < length;
        auto token = sequence + first + lanes;
        auto own = token * channels + channel;
        auto states = token(tl::all, tl::newaxis) * N + n(tl::newaxis, tl::all);
        auto rows = exists(tl::all, tl::newaxis);
        // A token past the end has the step 0, and leaves the state as it is.
        tl::tensor dt = tl::load(step + own, exists, 0.0f);
        tl::tensor u = tl::load(x + own, exists, 0.0f);
        tl::tensor factor = tl::exp(dt(tl::all, tl::newaxis) * rate(tl::newaxis, tl::all));
        tl::tensor input = (dt * u)(tl::all, tl::newaxis) * tl::load(b + states, rows, 0.0f);
        auto [decay, sum] = tl::associative_scan<0>(
            std::tuple(factor, input),
            [](auto a1, auto b1, auto a2, auto b2) { return std::tuple(a1 * a2, a2 * b1 + b2); });
        tl::tensor state = decay * h(tl::newaxis, tl::all) + sum;
        auto out = tl::sum<1>(state * tl::load(c + states, rows, 0.0f)) + skip * u;
        tl::store(y + own, out, exists);
        h = tl::sum<0>(tl::where((lanes == Tokens - 1)(tl::all, tl::newaxis), state, 0.0f));
      }
    }};

template <int Tokens>
bool check(const lesson::options &o, int sequences, int length, int channels) {
  constexpr int N = 16;
  const std::size_t tokens = std::size_t(sequences) * length;
  const auto x = lesson::random_values(tokens * channels, 151);
  const auto step = lesson::random_values(tokens * channels, 152, 0.001f, 0.3f);
  const auto a = lesson::random_values(channels * N, 153, -4, -0.1f);
  const auto b = lesson::random_values(tokens * N, 154), c = lesson::random_values(tokens * N, 155);
  const auto d = lesson::random_values(channels, 156);
  std::vector<double> want(tokens * channels);
  for (int i = 0; i < sequences * channels; ++i) {
    const int channel = i % channels;
    double h[N] = {};
    for (int t = 0; t < length; ++t) {
      const std::size_t token = std::size_t(i / channels) * length + t;
      const std::size_t own = token * channels + channel;
      want[own] = double(d[channel]) * x[own];
      for (int n = 0; n < N; ++n) {
        h[n] = std::exp(double(step[own]) * a[channel * N + n]) * h[n] +
               double(step[own]) * x[own] * b[token * N + n];
        want[own] += c[token * N + n] * h[n];
      }
    }
  }
  tl::buffer<float> xs(o.device, x), steps(o.device, step), as(o.device, a), bs(o.device, b);
  tl::buffer<float> cs(o.device, c), ds(o.device, d), y(o.device, x.size());
  selective_scan<Tokens, N>[tl::grid(channels, sequences)](xs, steps, as, bs, cs, ds, y, length);
  return lesson::close("y", y.to_vector(), want, 2e-6, 2e-6);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "selective scan", [](const lesson::options &o) {
    return o.quick ? check<16>(o, 2, 50, 3) : check<64>(o, 2, 1000, 48);
  });
}
