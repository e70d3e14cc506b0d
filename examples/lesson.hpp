// SPDX-License-Identifier: MIT
#pragma once
// What the lessons share and no lesson is about: the command line, random inputs, the comparison
// with the host's reference, and timing. A lesson is a function that returns whether its results
// were right; lesson::run makes a program of it.

#include <tl/tl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace lesson {

struct options {
  tl::device device;
  bool quick = false; // small sizes, for tests and for the interpreter

  bool interpreted() const { return device.name() == "interpreter"; }
};

/// Waits for what was launched on the device.
inline void wait(tl::device device) { tl::stream::default_of(device).synchronize(); }

/// Uniform values in [low, high), rounded to T. The same seed gives the same values everywhere.
template <class T = float>
std::vector<T> random_values(std::size_t count, std::uint32_t seed, float low = -1,
                             float high = 1) {
  std::mt19937 engine(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(low + (high - low) * float(engine() >> 8) * 0x1p-24f);
  return values;
}

/// Prints and judges the largest error |got - want| / (absolute / relative + |want|), that is, an
/// error of at most `absolute` near zero and of `relative` for large values.
template <class T>
bool close(const char *what, std::span<const T> got, std::span<const double> want, double relative,
           double absolute) {
  if (got.size() != want.size()) {
    std::printf("%s: %zu values instead of %zu\n", what, got.size(), want.size());
    return false;
  }
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    double error =
        std::abs(double(float(got[i])) - want[i]) / (absolute + relative * std::abs(want[i]));
    if (!(error <= worst)) { // also takes a NaN
      worst = error;
      at = i;
    }
  }
  bool right = worst <= 1;
  std::printf("%s: largest error %.2f of the tolerance (relative %.1e, absolute %.1e)%s\n", what,
              worst, relative, absolute, right ? "" : "  WRONG");
  if (!right)
    std::printf("  at %zu: %.9g instead of %.9g\n", at, double(float(got[at])), want[at]);
  return right;
}

template <class T>
bool close(const char *what, const std::vector<T> &got, const std::vector<double> &want,
           double relative, double absolute) {
  return close(what, std::span<const T>(got), std::span<const double>(want), relative, absolute);
}

/// Whether all were right; each has been looked at, whatever came before.
inline bool all(std::initializer_list<bool> right) {
  return std::all_of(right.begin(), right.end(), [](bool one) { return one; });
}

inline double seconds_of(auto &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Median seconds of one call, over enough calls to fill `budget` seconds, after one to warm up.
inline double median_seconds(auto &&work, double budget = 0.2) {
  work();
  std::vector<double> times;
  for (double spent = 0; spent < budget || times.size() < 3; spent += times.back())
    times.push_back(seconds_of(work));
  return median(times);
}

/// Parses the command line, runs the lesson and turns its verdict into an exit status.
inline int run(int argc, char **argv, const char *title, auto &&teach) {
  try {
    std::string device;
    bool quick = false;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
        device = argv[++i];
      } else if (std::strcmp(argv[i], "--quick") == 0) {
        quick = true;
      } else {
        std::fprintf(stderr, "usage: %s [--device NAME] [--quick]\n", argv[0]);
        return 2;
      }
    }
    options o{device.empty() ? tl::device::best() : tl::device(device), quick};
    std::printf("%s on %s: %s\n", title, std::string(o.device.name()).c_str(),
                std::string(o.device.description()).c_str());
    bool right = teach(o);
    std::printf(right ? "all results are right\n" : "some results are WRONG\n");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

} // namespace lesson
