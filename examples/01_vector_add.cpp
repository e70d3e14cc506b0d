// SPDX-License-Identifier: MIT
//
// Programs, blocks, masks: the sum of two vectors, and how fast it is.
//
// A kernel is a lambda that is run once per point of a grid. Each run, a program, works on whole
// blocks of values: here 1024 neighbouring elements. The last block sticks out of the vectors, so
// every access carries a mask.

#include "kernels/vector_add.hpp"
#include "lesson.hpp"

namespace {

using namespace kernels;

void plain_add(const float *x, const float *y, float *out, std::ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

bool sum_is_exact(const tl::device &dev) {
  // [launch]
  const int n = 98432;
  std::vector<float> host_x = lesson::random_values(n, 1), host_y = lesson::random_values(n, 2);
  tl::buffer<float> x(dev, host_x), y(dev, host_y), out(dev, n);
  add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
  std::vector<float> result = out.to_vector(); // waits for the kernel
  // [launch]

  float largest = 0;
  for (int i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(result[i] - (host_x[i] + host_y[i])));
  std::printf("%d elements: largest difference from the host's sum is %g\n", n, largest);
  return largest == 0;
}

// Both loops run on memory of their own, in turns, so that they meet the same conditions.
bool print_table(const tl::device &dev, int largest_size) {
  std::printf("\n%12s %12s %16s %8s\n", "elements", "tl GB/s", "plain C++ GB/s", "ratio");
  bool right = true;
  for (int n = 4096; n > 0 && n <= largest_size; n *= 2) {
    std::vector<float> host_x = lesson::random_values(n, 3), host_y = lesson::random_values(n, 4);
    std::vector<float> host_out(n, -1.0f);
    tl::buffer<float> x(dev, host_x), y(dev, host_y), out(dev, n);
    auto ours = [&] {
      add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
      lesson::wait(dev);
    };
    auto plain = [&] { plain_add(host_x.data(), host_y.data(), host_out.data(), n); };
    // A single run of a small size is too short for the clock: time several at once.
    int repeats = std::max(1, (1 << 20) / n);
    std::vector<double> ours_times, plain_times;
    ours();
    plain();
    for (double spent = 0; spent < 0.1 || ours_times.size() < 5;) {
      ours_times.push_back(lesson::seconds_of([&] {
        for (int i = 0; i < repeats; ++i)
          ours();
      }));
      plain_times.push_back(lesson::seconds_of([&] {
        for (int i = 0; i < repeats; ++i)
          plain();
      }));
      spent += ours_times.back() + plain_times.back();
    }
    double gigabytes = 3.0 * sizeof(float) * n * repeats / 1e9;
    double ours_rate = gigabytes / lesson::median(ours_times);
    double plain_rate = gigabytes / lesson::median(plain_times);
    std::printf("%12d %12.1f %16.1f %8.2f\n", n, ours_rate, plain_rate, ours_rate / plain_rate);
    right = right && out.to_vector() == host_out;
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "vector add", [](const lesson::options &o) {
    if (!sum_is_exact(o.device))
      return false;
    return o.interpreted() || print_table(o.device, o.quick ? 1 << 18 : 1 << 27);
  });
}
