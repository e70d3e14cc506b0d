// SPDX-License-Identifier: MIT
//
// Locks: the gradients of layer normalisation, summed by all programs into a few shared rows.
//
// Lesson 05 gives each program rows of its own to sum. Here a program takes one row, so there are
// as many as the device likes, and each adds its share to one of `Groups` sums under a lock. The
// order in which they come is not fixed, so that the last bits differ from run to run: that is the
// price beside lesson 05.

#include "kernels/layer_norm.hpp"
#include "lesson.hpp"

namespace {

/// On a grid of rows. `locks` and `sums` begin as zeros.
template <int Cols, int Groups>
constexpr auto layer_norm_backward_locked = tl::kernel{
    [](tl::ptr<const float> x, tl::ptr<const float> dy, tl::ptr<const float> weight,
       tl::ptr<const float> mean, tl::ptr<const float> rstd, tl::ptr<float> dx,
       tl::ptr<float> dw_sums, tl::ptr<float> db_sums, tl::ptr<std::int32_t> locks, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      auto r = tl::load(rstd + row);
      tl::tensor g = tl::load(dy + row * n + cols, mask, 0.0f);
      tl::tensor xhat = (tl::load(x + row * n + cols, mask, 0.0f) - tl::load(mean + row)) * r;
      xhat = tl::where(mask, xhat, 0.0f);
      tl::tensor wg = tl::load(weight + cols, mask, 0.0f) * g;
      auto along_x = tl::sum<0>(xhat * wg) / tl::cast<float>(n);
      auto along_1 = tl::sum<0>(wg) / tl::cast<float>(n);
      tl::store(dx + row * n + cols, (wg - (xhat * along_x + along_1)) * r, mask);

      auto group = row % Groups;
      auto dw = dw_sums + group * n + cols, db = db_sums + group * n + cols;
      auto lock = locks + group;
      tl::while_([&] { return tl::atomic_cas(lock, 0, 1, {.sem = tl::sem::acquire}) == 1; }, [] {});
      tl::store(dw, tl::load(dw, mask) + g * xhat, mask);
      tl::store(db, tl::load(db, mask) + g, mask);
      tl::atomic_xchg(lock, 0, {.sem = tl::sem::release});
    }};

bool check(const lesson::options &o, int rows, int n) {
  constexpr int cols = 1024, groups = 16;
  const std::size_t size = std::size_t(rows) * n;
  const auto host_x = lesson::random_values(size, 171, -2, 3);
  const auto host_dy = lesson::random_values(size, 172), weights = lesson::random_values(n, 173);
  std::vector<double> want_dx(size), want_dw(n), want_db(n);
  for (int row = 0; row < rows; ++row) {
    const float *x = &host_x[std::size_t(row) * n], *g = &host_dy[std::size_t(row) * n];
    double mean = 0, variance = 0, along_x = 0, along_1 = 0;
    for (int i = 0; i < n; ++i)
      mean += double(x[i]) / n;
    for (int i = 0; i < n; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / n;
    const double r = 1 / std::sqrt(variance + 1e-5);
    for (int i = 0; i < n; ++i) {
      const double xhat = (x[i] - mean) * r;
      along_x += xhat * weights[i] * g[i] / n;
      along_1 += double(weights[i]) * g[i] / n;
      want_dw[i] += g[i] * xhat;
      want_db[i] += g[i];
    }
    for (int i = 0; i < n; ++i)
      want_dx[std::size_t(row) * n + i] =
          (double(weights[i]) * g[i] - (x[i] - mean) * r * along_x - along_1) * r;
  }

  tl::buffer<float> x(o.device, host_x), dy(o.device, host_dy), w(o.device, weights);
  tl::buffer<float> b(o.device, n), y(o.device, size), dx(o.device, size);
  tl::buffer<float> mean(o.device, rows), rstd(o.device, rows), dw(o.device, n), db(o.device, n);
  tl::buffer<float> dw_sums(o.device, groups * n), db_sums(o.device, groups * n);
  tl::buffer<std::int32_t> locks(o.device, groups);
  b.fill(0);
  dw_sums.fill(0);
  db_sums.fill(0);
  locks.fill(0);
  kernels::layer_norm<cols>[tl::grid(rows)](x, w, b, y, mean, rstd, n, 1e-5f);
  layer_norm_backward_locked<cols, groups>[tl::grid(rows)](x, dy, w, mean, rstd, dx, dw_sums,
                                                           db_sums, locks, n);
  kernels::sum_columns<16, 64>[tl::grid(tl::cdiv(n, 64))](dw_sums, dw, groups, n);
  kernels::sum_columns<16, 64>[tl::grid(tl::cdiv(n, 64))](db_sums, db, groups, n);
  return lesson::all({lesson::close("dx", dx.to_vector(), want_dx, 1e-5, 1e-5),
                      lesson::close("dw", dw.to_vector(), want_dw, 1e-5, 1e-6 * rows),
                      lesson::close("db", db.to_vector(), want_db, 1e-5, 1e-6 * rows)});
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "layer norm with locks", [](const lesson::options &o) {
    return o.quick ? check(o, 67, 200) : check(o, 1151, 1000);
  });
}
