// SPDX-License-Identifier: MIT
//
// Mathematics: functions of the device's library, and functions of your own on single elements.
//
// tl::libdevice has CUDA's mathematical functions by their names, for every device. A function that
// is made of others is C++; one that must branch or loop for each element alone is a scalar
// function given to tl::map_elementwise. Libraries of your own:
// docs/how_to/call_functions_of_a_library.md.

#include "lesson.hpp"

namespace {

/// The angle between two directions on a sphere, from latitudes and longitudes.
auto angle_between(const auto &lat1, const auto &lon1, const auto &lat2, const auto &lon2) {
  tl::tensor s = tl::sin((lat2 - lat1) * 0.5f), t = tl::sin((lon2 - lon1) * 0.5f);
  return 2.0f * tl::libdevice::asin(tl::sqrt(s * s + tl::cos(lat1) * tl::cos(lat2) * t * t));
}

/// Where a planet is: E of Kepler's equation E - e sin(E) = M. Each element takes as many steps of
/// Newton's method as it needs.
auto eccentric_anomaly(const auto &mean, const auto &eccentricity) {
  return tl::map_elementwise(
      [](tl::f32 M, tl::f32 e) {
        tl::f32 E = M, step = 1.0f;
        tl::i32 steps = 0;
        tl::while_([&] { return (tl::abs(step) > 1e-6f) & (steps < 20); },
                   [&] {
                     step = (E - e * tl::sin(E) - M) / (1.0f - e * tl::cos(E));
                     E -= step;
                     steps += 1;
                   });
        return E;
      },
      mean, eccentricity);
}

template <int Block>
constexpr auto angles =
    tl::kernel{[](tl::ptr<const float> a, tl::ptr<const float> b, tl::ptr<const float> c,
                  tl::ptr<const float> d, tl::ptr<float> out, tl::i32 n) {
      auto at = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = at < n;
      tl::tensor lat1 = tl::load(a + at, mask), lat2 = tl::load(c + at, mask);
      auto angle = angle_between(lat1, tl::load(b + at, mask), lat2, tl::load(d + at, mask));
      tl::store(out + at, angle, mask);
    }};

template <int Block>
constexpr auto orbits = tl::kernel{[](tl::ptr<const float> mean, tl::ptr<const float> eccentricity,
                                      tl::ptr<float> out, tl::i32 n) {
  auto at = tl::program_id(0) * Block + tl::arange<Block>();
  auto mask = at < n;
  auto e = tl::load(eccentricity + at, mask, 0.0f);
  tl::store(out + at, eccentric_anomaly(tl::load(mean + at, mask, 0.0f), e), mask);
}};

bool check_angles(const lesson::options &o, int n) {
  const auto lat1 = lesson::random_values(n, 181, -1.5f, 1.5f);
  const auto lon1 = lesson::random_values(n, 182, -3, 3);
  const auto lat2 = lesson::random_values(n, 183, -1.5f, 1.5f);
  const auto lon2 = lesson::random_values(n, 184, -3, 3);
  std::vector<double> want;
  for (int i = 0; i < n; ++i) {
    const double s = std::sin((double(lat2[i]) - lat1[i]) / 2);
    const double t = std::sin((double(lon2[i]) - lon1[i]) / 2);
    const double chord = s * s + std::cos(double(lat1[i])) * std::cos(double(lat2[i])) * t * t;
    want.push_back(2 * std::asin(std::sqrt(chord)));
  }
  tl::buffer<float> a(o.device, lat1), b(o.device, lon1), c(o.device, lat2), d(o.device, lon2);
  tl::buffer<float> out(o.device, n);
  angles<256>[tl::grid(tl::cdiv(n, 256))](a, b, c, d, out, n);
  // Between nearly opposite directions the arc sine magnifies what was rounded.
  return lesson::close("angles", out.to_vector(), want, 1e-6, 1e-4);
}

bool check_orbits(const lesson::options &o, int n) {
  const auto mean = lesson::random_values(n, 185, -3, 3),
             e = lesson::random_values(n, 186, 0, 0.8f);
  std::vector<double> want;
  for (int i = 0; i < n; ++i) {
    double low = -4, high = 4; // E - e sin(E) rises
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (middle - e[i] * std::sin(middle) < mean[i] ? low : high) = middle;
    }
    want.push_back(low);
  }
  tl::buffer<float> means(o.device, mean), es(o.device, e), out(o.device, n);
  orbits<256>[tl::grid(tl::cdiv(n, 256))](means, es, out, n);
  return lesson::close("orbits", out.to_vector(), want, 2e-6, 2e-6);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "device library", [](const lesson::options &o) {
    const int n = o.quick ? 300 : 100000;
    return lesson::all({check_angles(o, n), check_orbits(o, n)});
  });
}
