// SPDX-License-Identifier: MIT
//
// Numbers of few bits: rows quantised to int8 and groups to int4, and back.
//
// Each row, or each group of 32 neighbours, has a scale: the largest absolute value becomes the
// largest integer. Two numbers of four bits share a byte; splitting a block into the even and the
// odd elements and interleaving them again is what packs and unpacks them.

#include "lesson.hpp"

namespace {

/// A program takes a row of n elements.
template <class T, int Cols>
constexpr auto quantise_int8 =
    tl::kernel{[](tl::ptr<const T> x, tl::ptr<std::int8_t> q, tl::ptr<float> scales, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto mask = cols < n;
      tl::tensor v = tl::cast<float>(tl::load(x + row * n + cols, mask, 0.0f));
      tl::tensor largest = tl::max<0>(tl::abs(v));
      tl::tensor scale = tl::where(largest > 0.0f, largest / 127.0f, 1.0f);
      tl::store(scales + row, scale);
      tl::store(q + row * n + cols, tl::cast<std::int8_t>(tl::libdevice::rint(v / scale)), mask);
    }};

template <class T, int Cols>
constexpr auto dequantise_int8 = tl::kernel{
    [](tl::ptr<const std::int8_t> q, tl::ptr<const float> scales, tl::ptr<T> x, tl::i32 n) {
      auto row = tl::program_id(0);
      auto cols = tl::arange<Cols>();
      auto v = tl::load(q + row * n + cols, cols < n) * tl::load(scales + row);
      tl::store(x + row * n + cols, tl::cast<T>(v), cols < n);
    }};

constexpr int group = 32;

/// A program takes `Groups` groups of 32; q has half as many bytes as x elements. The numbers
/// -8 … 7 are stored as 0 … 15, the first of two in the lower half.
template <class T, int Groups>
constexpr auto quantise_int4 = tl::kernel{[](tl::ptr<const T> x, tl::ptr<std::uint8_t> q,
                                             tl::ptr<float> scales, tl::i32 groups) {
  auto g = tl::program_id(0) * Groups + tl::arange<Groups>();
  auto rows = g(tl::all, tl::newaxis);
  auto place = rows * group + tl::arange<group>()(tl::newaxis, tl::all);
  tl::tensor v = tl::cast<float>(tl::load(x + place, rows < groups, 0.0f));
  tl::tensor largest = tl::max<1>(tl::abs(v));
  tl::tensor scale = tl::where(largest > 0.0f, largest / 7.0f, 1.0f);
  tl::store(scales + g, scale, g < groups);
  auto number = tl::libdevice::rint(v / scale(tl::all, tl::newaxis)) + 8.0f;
  auto [low, high] = tl::split(tl::reshape<Groups, group / 2, 2>(tl::cast<std::uint8_t>(number)));
  auto bytes = rows * (group / 2) + tl::arange<group / 2>()(tl::newaxis, tl::all);
  tl::store(q + bytes, low | high << 4, rows < groups);
}};

template <class T, int Groups>
constexpr auto dequantise_int4 = tl::kernel{
    [](tl::ptr<const std::uint8_t> q, tl::ptr<const float> scales, tl::ptr<T> x, tl::i32 groups) {
      auto g = tl::program_id(0) * Groups + tl::arange<Groups>();
      auto rows = g(tl::all, tl::newaxis);
      auto bytes = rows * (group / 2) + tl::arange<group / 2>()(tl::newaxis, tl::all);
      tl::tensor both = tl::load(q + bytes, rows < groups);
      auto number = tl::cast<float>(tl::interleave(both & 15, both >> 4)) - 8.0f;
      auto place = rows * group + tl::arange<group>()(tl::newaxis, tl::all);
      auto scale = tl::load(scales + g, g < groups);
      tl::store(x + place, tl::cast<T>(number * scale(tl::all, tl::newaxis)), rows < groups);
    }};

using T = tl::float16;

/// What each element of `x` becomes on the way to integers up to `top` and back, if `count`
/// neighbours share a scale; an element between two integers may become either.
bool check_both(const char *what, const std::vector<T> &x, const std::vector<T> &back, int count,
                int top) {
  std::vector<double> error, none(x.size());
  for (std::size_t first = 0; first < x.size(); first += count) {
    double largest = 0;
    for (int i = 0; i < count; ++i)
      largest = std::max(largest, std::abs(double(x[first + i])));
    for (int i = 0; i < count; ++i) {
      // In steps, of which half is the largest error; what comes back is rounded to float16.
      const double difference = double(back[first + i]) - double(x[first + i]);
      error.push_back(difference * top / largest);
    }
  }
  return lesson::close(what, error, none, 0, 0.5 + top * 0x1.1p-11);
}

bool check_int8(const lesson::options &o, int rows, int n) {
  const auto x = lesson::random_values<T>(std::size_t(rows) * n, 101, -3, 3);
  tl::buffer<T> in(o.device, x), back(o.device, x.size());
  tl::buffer<std::int8_t> q(o.device, x.size());
  tl::buffer<float> scales(o.device, rows);
  quantise_int8<T, 1024>[tl::grid(rows)](in, q, scales, n);
  dequantise_int8<T, 1024>[tl::grid(rows)](q, scales, back, n);
  return check_both("int8 and back, in steps", x, back.to_vector(), n, 127);
}

bool check_int4(const lesson::options &o, int groups) {
  const auto x = lesson::random_values<T>(std::size_t(groups) * group, 102, -3, 3);
  tl::buffer<T> in(o.device, x), back(o.device, x.size());
  tl::buffer<std::uint8_t> q(o.device, x.size() / 2);
  tl::buffer<float> scales(o.device, groups);
  quantise_int4<T, 16>[tl::grid(tl::cdiv(groups, 16))](in, q, scales, groups);
  dequantise_int4<T, 16>[tl::grid(tl::cdiv(groups, 16))](q, scales, back, groups);
  return check_both("int4 and back, in steps", x, back.to_vector(), group, 7);
}

} // namespace

int main(int argc, char **argv) {
  return lesson::run(argc, argv, "quantise to int8 and int4", [](const lesson::options &o) {
    return o.quick ? lesson::all({check_int8(o, 7, 200), check_int4(o, 37)})
                   : lesson::all({check_int8(o, 1151, 1000), check_int4(o, 30000)});
  });
}
