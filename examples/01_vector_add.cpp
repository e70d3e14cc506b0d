// SPDX-License-Identifier: MIT
//
// Programs, blocks, masks: the sum of two vectors, and how fast it is.
//
// A kernel is a lambda that is run once per point of a grid. Each run, a program, works on whole
// blocks of values: here 1024 neighbouring elements. The last block sticks out of the vectors, so
// every access carries a mask.

#include "kernels/vector_add.hpp"
#include "lesson.hpp"

#include <thread>

namespace {

using namespace kernels;

void plain_add(const float *x, const float *y, float *out, std::ptrdiff_t n) {
  // Waking a second thread pays from some tens of thousands of elements on.
  if (n < 1 << 16) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      out[i] = x[i] + y[i];
    return;
  }
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

// Median seconds of one call of each, in turns, on memory of their own. A turn begins with a pause,
// in which the threads of the other side fall asleep, and a call that wakes its own.
std::pair<double, double> medians_in_turns(int repeats, auto &&ours, auto &&plain) {
  std::vector<double> ours_times, plain_times;
  auto turn = [&](auto &&work, std::vector<double> &times) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    work();
    times.push_back(lesson::seconds_of([&] {
                      for (int i = 0; i < repeats; ++i)
                        work();
                    }) /
                    repeats);
  };
  // The pauses take longer than the work of small sizes: 30 turns are enough.
  for (double spent = 0; ours_times.size() < (spent < 0.1 ? 30 : 5);) {
    turn(ours, ours_times);
    turn(plain, plain_times);
    spent += repeats * (ours_times.back() + plain_times.back());
  }
  return {lesson::median(ours_times), lesson::median(plain_times)};
}

bool print_table(const tl::device &dev, int largest_size) {
  std::vector<float> host_x = lesson::random_values(largest_size, 3);
  std::vector<float> host_y = lesson::random_values(largest_size, 4);
  std::vector<float> host_out(largest_size, -1.0f);
  tl::buffer<float> x(dev, host_x), y(dev, host_y), out(dev, largest_size);
  std::printf("\n%12s %12s %16s %8s\n", "elements", "tl GB/s", "plain C++ GB/s", "ratio");
  for (std::int64_t n = 4096; n <= largest_size; n *= 2) {
    auto ours = [&] {
      add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
      lesson::wait(dev);
    };
    auto plain = [&] { plain_add(host_x.data(), host_y.data(), host_out.data(), n); };
    // A single run of a small size is too short for the clock: time several at once.
    const int repeats = int(std::max<std::int64_t>(1, (1 << 19) / n));
    auto [ours_seconds, plain_seconds] = medians_in_turns(repeats, ours, plain);
    const double gigabytes = 3e-9 * sizeof(float) * double(n);
    std::printf("%12lld %12.1f %16.1f %8.2f\n", (long long)n, gigabytes / ours_seconds,
                gigabytes / plain_seconds, plain_seconds / ours_seconds);
  }
  return out.to_vector() == host_out;
}

} // namespace

int main(int argc, char **argv) {
  setenv("KMP_BLOCKTIME", "1", 0); // milliseconds that the plain loop's idle threads spin
  return lesson::run(argc, argv, "vector add", [](const lesson::options &o) {
    if (!sum_is_exact(o.device))
      return false;
    return o.interpreted() || print_table(o.device, o.quick ? 1 << 15 : 1 << 27);
  });
}
