// SPDX-License-Identifier: MIT
//
// Reductions and fusion: softmax of the rows of a matrix, each row read and written once.
//
// A program takes one row. Its block is one for rows of many widths, so the lanes past the row's
// end are masked and filled with -infinity, which neither the maximum nor the sum notices. The
// element type is a template parameter: the arithmetic is float, whatever is stored.

#include "kernels/softmax.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

template <class T> std::vector<double> reference(const std::vector<T> &in, int rows, int cols) {
  std::vector<double> out(in.size());
  for (int r = 0; r < rows; ++r) {
    const T *row = &in[std::size_t(r) * cols];
    double largest = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c)
      largest = std::max(largest, double(float(row[c])));
    for (int c = 0; c < cols; ++c)
      sum += std::exp(double(float(row[c])) - largest);
    for (int c = 0; c < cols; ++c)
      out[std::size_t(r) * cols + c] = std::exp(double(float(row[c])) - largest) / sum;
  }
  return out;
}

template <class T>
bool check(const lesson::options &o, const char *what, double relative, double absolute) {
  const int rows = o.quick ? 37 : 1823, cols = 781;
  auto host = lesson::random_values<T>(std::size_t(rows) * cols, 7, -8, 8);
  // [launch]
  tl::buffer<T> in(o.device, host), out(o.device, host.size());
  softmax<T, 1024>[{.grid = {rows}, .num_warps = 8}](out, in, cols, cols);
  // [launch]
  bool right =
      lesson::close(what, out.to_vector(), reference(host, rows, cols), relative, absolute);
  if (!o.quick) {
    double seconds = lesson::median_seconds([&] {
      softmax<T, 1024>[{.grid = {rows}, .num_warps = 8}](out, in, cols, cols);
      lesson::wait(o.device);
    });
    std::printf("%s: %d x %d in %.3f ms, %.1f GB/s\n", what, rows, cols, seconds * 1e3,
                2e-9 * sizeof(T) * host.size() / seconds);
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "softmax", [](const lesson::options &o) {
    // float: an exponential and a sum of 781 terms; the small types: half a unit in the last place.
    bool right = check<float>(o, "float", 4e-6, 1e-12);
    right &= check<tl::float16>(o, "float16", 0x1p-10, 0x1p-24);
    right &= check<tl::bfloat16>(o, "bfloat16", 0x1p-7, 1e-30);
    return right;
  });
}
