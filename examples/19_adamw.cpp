// SPDX-License-Identifier: MIT
//
// Structs as parameters: a step of the optimiser AdamW, which updates three arrays in one pass.
//
// What belongs together is one parameter: the arrays of a tensor, and the numbers of the method. A
// launch gives a struct of the host with the same members in the same order, buffers for pointers.
// Functions of a struct are traced into the kernel as any function is.

#include "lesson.hpp"

namespace {

/// The arrays of a tensor, in the kernel.
struct tensor_state {
  tl::ptr<const float> gradient;
  tl::ptr<float> weight, mean, square;
};
/// The same on the host.
struct host_state {
  tl::buffer<float> &gradient, &weight, &mean, &square;
};

/// The numbers of the method: scalars of the kernel, or the host's.
template <class Number> struct adamw {
  Number rate, beta1, beta2, epsilon, decay;
  Number unbias1, unbias2; ///< 1 / (1 - beta^step) of the two running means
};

template <int Block>
constexpr auto adamw_step = tl::kernel{[](tensor_state t, adamw<tl::f32> a, tl::i32 n) {
  auto at = tl::program_id(0) * Block + tl::arange<Block>();
  auto mask = at < n;
  tl::tensor g = tl::load(t.gradient + at, mask);
  tl::tensor mean = a.beta1 * tl::load(t.mean + at, mask) + (1.0f - a.beta1) * g;
  tl::tensor square = a.beta2 * tl::load(t.square + at, mask) + (1.0f - a.beta2) * g * g;
  auto step = a.unbias1 * mean / (tl::sqrt(a.unbias2 * square) + a.epsilon);
  auto kept = (1.0f - a.rate * a.decay) * tl::load(t.weight + at, mask);
  tl::store(t.weight + at, kept - a.rate * step, mask);
  tl::store(t.mean + at, mean, mask);
  tl::store(t.square + at, square, mask);
}};

bool check(const lesson::options &o, int n) {
  const int steps = 3;
  adamw<float> a{.rate = 0.01f,
                 .beta1 = 0.9f,
                 .beta2 = 0.999f,
                 .epsilon = 1e-8f,
                 .decay = 0.1f,
                 .unbias1 = 1,
                 .unbias2 = 1};
  const auto first = lesson::random_values(n, 191);
  std::vector<double> w(first.begin(), first.end()), m(n), v(n);
  tl::buffer<float> weight(o.device, first), mean(o.device, n), square(o.device, n);
  mean.fill(0);
  square.fill(0);
  for (int step = 1; step <= steps; ++step) {
    const auto g = lesson::random_values(n, 191 + step);
    a.unbias1 = float(1 / (1 - std::pow(double(a.beta1), step)));
    a.unbias2 = float(1 / (1 - std::pow(double(a.beta2), step)));
    for (int i = 0; i < n; ++i) {
      m[i] = a.beta1 * m[i] + (1.0 - a.beta1) * g[i];
      v[i] = a.beta2 * v[i] + (1.0 - a.beta2) * g[i] * g[i];
      w[i] = (1.0 - double(a.rate) * a.decay) * w[i] -
             a.rate * (a.unbias1 * m[i]) / (std::sqrt(a.unbias2 * v[i]) + a.epsilon);
    }
    tl::buffer<float> gradient(o.device, g);
    adamw_step<1024>[tl::grid(tl::cdiv(n, 1024))](host_state{gradient, weight, mean, square}, a, n);
  }
  return lesson::all({lesson::close("weights", weight.to_vector(), w, 1e-6, 1e-6),
                      lesson::close("means", mean.to_vector(), m, 1e-6, 1e-6),
                      lesson::close("squares", square.to_vector(), v, 1e-5, 1e-6)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "AdamW",
                     [](const lesson::options &o) { return check(o, o.quick ? 2500 : 1000000); });
}
