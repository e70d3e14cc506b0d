// SPDX-License-Identifier: MIT
//
// Forward and backward: layer normalisation, with partial sums for the gradients of its weights.
//
// The forward pass normalises one row per program and keeps its mean and reciprocal deviation. The
// backward pass needs a sum over all rows for the weights: each program sums every P-th row in a
// loop, stores its share, and a second kernel adds the P shares. No atomics, so the result is the
// same in every run.

#include "kernels/layer_norm.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

struct reference {
  std::vector<double> y, dx, dw, db;

  reference(const std::vector<float> &x, const std::vector<float> &weight,
            const std::vector<float> &bias, const std::vector<float> &dy, int rows, int n,
            double eps)
      : y(x.size()), dx(x.size()), dw(n), db(n) {
    for (int row = 0; row < rows; ++row) {
      const std::size_t at = std::size_t(row) * n;
      double mean = 0, variance = 0, along_x = 0, along_1 = 0;
      for (int i = 0; i < n; ++i)
        mean += x[at + i] / double(n);
      for (int i = 0; i < n; ++i)
        variance += (x[at + i] - mean) * (x[at + i] - mean) / n;
      const double rstd = 1 / std::sqrt(variance + eps);
      for (int i = 0; i < n; ++i) {
        double xhat = (x[at + i] - mean) * rstd, g = dy[at + i];
        y[at + i] = xhat * weight[i] + bias[i];
        along_x += xhat * weight[i] * g / n;
        along_1 += weight[i] * g / n;
        dw[i] += g * xhat;
        db[i] += g;
      }
      for (int i = 0; i < n; ++i) {
        double xhat = (x[at + i] - mean) * rstd;
        dx[at + i] = (double(weight[i]) * dy[at + i] - (xhat * along_x + along_1)) * rstd;
      }
    }
  }
};

bool check(const lesson::options &o, int rows, int n) {
  constexpr int cols = 1024;
  constexpr float eps = 1e-5f;
  const int programs = std::min(rows, 64);
  const std::size_t size = std::size_t(rows) * n;
  auto host_x = lesson::random_values(size, 31, -2, 3), host_dy = lesson::random_values(size, 32);
  auto host_w = lesson::random_values(n, 33, 0, 1), host_b = lesson::random_values(n, 34, 0, 1);

  tl::buffer<float> x(o.device, host_x), dy(o.device, host_dy), w(o.device, host_w);
  tl::buffer<float> b(o.device, host_b), y(o.device, size), dx(o.device, size);
  tl::buffer<float> mean(o.device, rows), rstd(o.device, rows), dw(o.device, n), db(o.device, n);
  tl::buffer<float> partial_dw(o.device, programs * n), partial_db(o.device, programs * n);

  layer_norm<cols>[tl::grid(rows)](x, w, b, y, mean, rstd, n, eps);
  layer_norm_backward<cols>[tl::grid(programs)](x, dy, w, mean, rstd, dx, partial_dw, partial_db,
                                                rows, n);
  sum_columns<16, 64>[tl::grid(tl::cdiv(n, 64))](partial_dw, dw, programs, n);
  sum_columns<16, 64>[tl::grid(tl::cdiv(n, 64))](partial_db, db, programs, n);

  reference want(host_x, host_w, host_b, host_dy, rows, n, eps);
  bool right = lesson::close("y", y.to_vector(), want.y, 1e-5, 1e-5);
  right &= lesson::close("dx", dx.to_vector(), want.dx, 1e-5, 1e-5);
  right &= lesson::close("dw", dw.to_vector(), want.dw, 1e-5, 1e-6 * rows);
  right &= lesson::close("db", db.to_vector(), want.db, 1e-5, 1e-6 * rows);
  if (!o.quick) {
    double seconds = lesson::median_seconds([&] {
      layer_norm<cols>[tl::grid(rows)](x, w, b, y, mean, rstd, n, eps);
      lesson::wait(o.device);
    });
    std::printf("forward: %d x %d in %.3f ms, %.1f GB/s\n", rows, n, seconds * 1e3,
                2e-9 * sizeof(float) * size / seconds);
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "layer norm", [](const lesson::options &o) {
    return o.quick ? check(o, 67, 200) : check(o, 1151, 1024) && check(o, 1000, 777);
  });
}
