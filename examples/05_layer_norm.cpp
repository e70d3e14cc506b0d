// SPDX-License-Identifier: MIT
//
// Forward and backward: layer normalisation, with partial sums for the gradients of its weights.
//
// The forward pass normalises one row per program and keeps its mean and reciprocal deviation. The
// backward pass needs a sum over all rows for the weights: each program sums every P-th row in a
// loop, stores its share, and a second kernel adds the P shares. No atomics, so the result is the
// same in every run.

#include "lesson.hpp"

namespace {

// [forward]
template <int Cols>
inline constexpr auto layer_norm = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<const float> weight, tl::ptr<const float> bias,
       tl::ptr<float> y, tl::ptr<float> mean, tl::ptr<float> rstd, tl::i32 n, tl::f32 eps) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor v = tl::load(x + row * n + cols, mask, 0.0f);
      tl::tensor m = tl::sum<0>(v) / tl::cast<float>(n);
      tl::tensor centred = tl::where(mask, v - m, 0.0f);
      tl::tensor r = tl::rsqrt(tl::sum<0>(centred * centred) / tl::cast<float>(n) + eps);
      tl::store(mean + row, m);
      tl::store(rstd + row, r);
      auto w = tl::load(weight + cols, mask);
      auto b = tl::load(bias + cols, mask);
      tl::store(y + row * n + cols, centred * r * w + b, mask);
    }};
// [forward]

// [backward]
template <int Cols>
inline constexpr auto layer_norm_backward =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> dy, tl::ptr<const float> weight,
                  tl::ptr<const float> mean, tl::ptr<const float> rstd, tl::ptr<float> dx,
                  tl::ptr<float> partial_dw, tl::ptr<float> partial_db, tl::i32 rows, tl::i32 n) {
      auto program = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto w = tl::load(weight + cols, mask, 0.0f);
      tl::tensor dw = tl::zeros<float, Cols>();
      tl::tensor db = tl::zeros<float, Cols>();
      for (auto row : tl::range(program, rows, tl::num_programs(0))) {
        auto r = tl::load(rstd + row);
        auto g = tl::load(dy + row * n + cols, mask, 0.0f);
        tl::tensor xhat = (tl::load(x + row * n + cols, mask, 0.0f) - tl::load(mean + row)) * r;
        xhat = tl::where(mask, xhat, 0.0f);
        tl::tensor wg = w * g;
        auto along_x = tl::sum<0>(xhat * wg) / tl::cast<float>(n);
        auto along_1 = tl::sum<0>(wg) / tl::cast<float>(n);
        tl::store(dx + row * n + cols, (wg - (xhat * along_x + along_1)) * r, mask);
        dw += g * xhat;
        db += g;
      }
      tl::store(partial_dw + program * n + cols, dw, mask);
      tl::store(partial_db + program * n + cols, db, mask);
    }};

template <int Rows, int Cols>
inline constexpr auto sum_columns =
    tl::kernel{[](tl::ptr<const float> in, tl::ptr<float> out, tl::i32 rows, tl::i32 n) {
      auto cols = tl::program_id(0) * Cols + tl::arange<Cols>();
      auto lanes = tl::arange<Rows>();
      tl::tensor total = tl::zeros<float, Rows, Cols>();
      for (auto first : tl::range(0, rows, Rows)) {
        tl::tensor at = (first + lanes)(tl::all, tl::newaxis);
        total += tl::load(in + at * n + cols(tl::newaxis, tl::all),
                          (at < rows) & (cols(tl::newaxis, tl::all) < n), 0.0f);
      }
      tl::store(out + cols, tl::sum<0>(total), cols < n);
    }};
// [backward]

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
    return o.quick ? check(o, 67, 200) : check(o, 1151, 1024) & check(o, 1000, 777);
  });
}
