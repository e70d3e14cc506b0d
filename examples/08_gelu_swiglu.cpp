// SPDX-License-Identifier: MIT
//
// Activations: bias and GELU in one pass, and SwiGLU with its gradient.
//
// What several kernels use is an ordinary C++ function on blocks, such as gelu and silu here: it is
// traced into each kernel that calls it.

#include "lesson.hpp"

namespace {

/// x Phi(x), with the Gaussian's integral Phi.
template <tl::tensor_like X> auto gelu(const X &x) {
  return x * (0.5f + 0.5f * tl::erf(x * 0.70710678f));
}
/// The same by a hyperbolic tangent, as many models were trained.
template <tl::tensor_like X> auto gelu_tanh(const X &x) {
  return 0.5f * x * (1.0f + tl::libdevice::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
template <tl::tensor_like X> auto silu(const X &x) { return x * tl::sigmoid(x); }

/// x = gelu(x + bias) in place; rows of `n` elements share a bias of as many.
template <class T, int Block, bool ByTanh>
constexpr auto bias_gelu =
    tl::kernel{[](tl::ptr<T> x, tl::ptr<const T> bias, tl::i32 size, tl::i32 n) {
      auto at = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = at < size;
      tl::tensor sum =
          tl::cast<float>(tl::load(x + at, mask)) + tl::cast<float>(tl::load(bias + at % n, mask));
      tl::tensor y = ByTanh ? tl::tensor(gelu_tanh(sum)) : tl::tensor(gelu(sum));
      tl::store(x + at, tl::cast<T>(y), mask);
    }};

/// out = silu(gate) * up. A row of `in` has n gates, then n values. A program takes a row.
template <class T, int Cols>
constexpr auto swiglu = tl::kernel{[](tl::ptr<const T> in, tl::ptr<T> out, tl::i32 n) {
  auto row = tl::program_id(0);
  auto cols = tl::arange<Cols>();
  auto mask = cols < n;
  tl::tensor gate = tl::cast<float>(tl::load(in + row * 2 * n + cols, mask));
  auto up = tl::load(in + row * 2 * n + n + cols, mask);
  tl::store(out + row * n + cols, tl::cast<T>(silu(gate) * up), mask);
}};

/// The gradient of `in` for that of `out`; the sigmoid is computed again rather than kept.
template <class T, int Cols>
constexpr auto swiglu_backward =
    tl::kernel{[](tl::ptr<const T> in, tl::ptr<const T> dout, tl::ptr<T> din, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto gates = row * 2 * n + cols, ups = gates + n;
      tl::tensor gate = tl::cast<float>(tl::load(in + gates, mask));
      tl::tensor up = tl::cast<float>(tl::load(in + ups, mask));
      tl::tensor d = tl::cast<float>(tl::load(dout + row * n + cols, mask));
      tl::tensor s = tl::sigmoid(gate);
      tl::store(din + gates, tl::cast<T>(d * up * s * (1.0f + gate * (1.0f - s))), mask);
      tl::store(din + ups, tl::cast<T>(d * gate * s), mask);
    }};

using T = tl::float16;
// A result is rounded to float16, by half of 2^-10; float cancels for arguments far below zero.
constexpr double rounding = 1.01 * 0x1p-11, absolute = 1e-6;

template <bool ByTanh> bool check_gelu(const lesson::options &o, int rows, int n) {
  const auto x = lesson::random_values<T>(std::size_t(rows) * n, 81, -4, 4);
  const auto bias = lesson::random_values<T>(n, 82);
  std::vector<double> want;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = double(x[i]) + double(bias[i % n]);
    const double phi =
        ByTanh ? 0.5 + 0.5 * std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v))
               : 0.5 * std::erfc(-v / std::sqrt(2.0));
    want.push_back(v * phi);
  }
  tl::buffer<T> values(o.device, x), biases(o.device, bias);
  bias_gelu<T, 512, ByTanh>[tl::grid(tl::cdiv(int(x.size()), 512))](values, biases, int(x.size()),
                                                                    n);
  return lesson::close(ByTanh ? "bias and GELU by tanh" : "bias and GELU", values.to_vector(), want,
                       rounding, absolute);
}

bool check_swiglu(const lesson::options &o, int rows, int n) {
  const auto in = lesson::random_values<T>(std::size_t(rows) * 2 * n, 83, -4, 4);
  const auto dout = lesson::random_values<T>(std::size_t(rows) * n, 84);
  std::vector<double> want, want_din(in.size());
  for (int i = 0; i < rows * n; ++i) {
    const std::size_t at = std::size_t(i / n) * 2 * n + i % n;
    const double gate = double(in[at]), up = double(in[at + n]), s = 1 / (1 + std::exp(-gate));
    want.push_back(gate * s * up);
    want_din[at] = double(dout[i]) * up * s * (1 + gate * (1 - s));
    want_din[at + n] = double(dout[i]) * gate * s;
  }
  tl::buffer<T> x(o.device, in), dy(o.device, dout);
  tl::buffer<T> y(o.device, dout.size()), dx(o.device, in.size());
  swiglu<T, 1024>[tl::grid(rows)](x, y, n);
  swiglu_backward<T, 1024>[tl::grid(rows)](x, dy, dx, n);
  return lesson::all({lesson::close("SwiGLU", y.to_vector(), want, rounding, absolute),
                      lesson::close("its gradient", dx.to_vector(), want_din, rounding, absolute)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "GELU and SwiGLU", [](const lesson::options &o) {
    const int rows = o.quick ? 7 : 1151, n = o.quick ? 200 : 1000;
    return lesson::all(
        {check_gelu<false>(o, rows, n), check_gelu<true>(o, rows, n), check_swiglu(o, rows, n)});
  });
}
