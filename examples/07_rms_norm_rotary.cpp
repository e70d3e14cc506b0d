// SPDX-License-Identifier: MIT
//
// Small kernels between products: RMS norm of a sum with the residual, and the rotary embedding.
//
// Both are bound by memory, so each element is read and written once: the norm takes the residual
// along, and the rotation works in place. Sums are float whatever is stored.

#include "lesson.hpp"

namespace {

/// residual += x, out = residual / rms(residual) * weight. A program takes a row.
template <class T, int Cols>
constexpr auto add_rms_norm =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<T> residual, tl::ptr<const T> weight, tl::ptr<T> out,
                  tl::i32 n, tl::f32 eps) {
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto at = tl::program_id(0) * n + cols;
      tl::tensor sum = tl::cast<float>(tl::load(x + at, mask, 0.0f)) +
                       tl::cast<float>(tl::load(residual + at, mask, 0.0f));
      tl::store(residual + at, tl::cast<T>(sum), mask);
      auto scale = tl::rsqrt(tl::sum<0>(sum * sum) / tl::cast<float>(n) + eps);
      tl::store(out + at, tl::cast<T>(sum * scale * tl::load(weight + cols, mask)), mask);
    }};

/// Rotates the pairs (x[i], x[i + Head / 2]) of each head by the angle of the token's position,
/// whose cosine and sine are read from tables of Head / 2 columns. A program takes a token.
template <class T, int Heads, int Head>
constexpr auto rotary =
    tl::kernel{[](tl::ptr<T> x, tl::ptr<const std::int32_t> positions, tl::ptr<const float> cosines,
                  tl::ptr<const float> sines, tl::i32 heads) {
      auto token = tl::program_id(0);
      auto head = tl::arange<Heads>()(tl::all, tl::newaxis);
      auto i = tl::arange<Head / 2>()(tl::newaxis, tl::all);
      auto entry = tl::load(positions + token) * (Head / 2) + i;
      tl::tensor c = tl::load(cosines + entry), s = tl::load(sines + entry);
      auto first = x + (token * heads + head) * Head + i, second = first + Head / 2;
      tl::tensor a = tl::load(first, head < heads), b = tl::load(second, head < heads);
      tl::store(first, tl::cast<T>(a * c - b * s), head < heads);
      tl::store(second, tl::cast<T>(b * c + a * s), head < heads);
    }};

using T = tl::bfloat16;
// A result is rounded to bfloat16 once, by half of 2^-7.
constexpr double rounding = 0x1p-8;

bool check_norm(const lesson::options &o, int rows, int n) {
  constexpr float eps = 1e-6f;
  const auto x = lesson::random_values<T>(std::size_t(rows) * n, 71, -2, 2);
  const auto before = lesson::random_values<T>(x.size(), 72, -2, 2);
  const auto weight = lesson::random_values<T>(n, 73, 0, 2);
  std::vector<double> sums, want;
  for (int row = 0; row < rows; ++row) {
    double squares = 0;
    for (int i = row * n; i < (row + 1) * n; ++i) {
      sums.push_back(double(x[i]) + double(before[i]));
      squares += sums[i] * sums[i];
    }
    for (int i = 0; i < n; ++i)
      want.push_back(sums[row * n + i] / std::sqrt(squares / n + eps) * double(weight[i]));
  }

  tl::buffer<T> in(o.device, x), residual(o.device, before), w(o.device, weight);
  tl::buffer<T> out(o.device, x.size());
  add_rms_norm<T, 1024>[tl::grid(rows)](in, residual, w, out, n, eps);
  return lesson::all({lesson::close("residual", residual.to_vector(), sums, rounding, 0),
                      lesson::close("RMS norm", out.to_vector(), want, 1.001 * rounding, 1e-6)});
}

bool check_rotary(const lesson::options &o, int tokens, int heads) {
  constexpr int head = 64, half = head / 2, longest = 4096;
  const auto x = lesson::random_values<T>(std::size_t(tokens) * heads * head, 74);
  std::vector<std::int32_t> positions;
  for (int token = 0; token < tokens; ++token)
    positions.push_back((token * 997 + 3) % longest);
  std::vector<float> cosines, sines;
  for (int position = 0; position < longest; ++position)
    for (int i = 0; i < half; ++i) {
      const double angle = position * std::pow(10000.0, -double(i) / half);
      cosines.push_back(float(std::cos(angle)));
      sines.push_back(float(std::sin(angle)));
    }
  std::vector<double> want(x.size());
  for (std::size_t at = 0; at < x.size(); ++at) {
    const std::size_t i = at % head, token = at / (heads * head);
    const double sign = i < half ? -1 : 1;
    const std::size_t other = i < half ? at + half : at - half;
    const std::size_t entry = std::size_t(positions[token]) * half + i % half;
    want[at] = double(x[at]) * cosines[entry] + sign * double(x[other]) * sines[entry];
  }

  tl::buffer<T> values(o.device, x);
  tl::buffer<std::int32_t> places(o.device, positions);
  tl::buffer<float> cos_table(o.device, cosines), sin_table(o.device, sines);
  rotary<T, 8, head>[tl::grid(tokens)](values, places, cos_table, sin_table, heads);
  return lesson::close("rotary embedding", values.to_vector(), want, 1.001 * rounding, 1e-6);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "RMS norm and rotary embedding", [](const lesson::options &o) {
    return o.quick ? lesson::all({check_norm(o, 7, 200), check_rotary(o, 9, 6)})
                   : lesson::all({check_norm(o, 1151, 1000), check_rotary(o, 512, 6)});
  });
}
