// SPDX-License-Identifier: MIT
//
// C += A * B against plain loops in a wider type: every pair of element types, sizes that fill no
// vector, transposed and strided operands, batches, on every feature set that this machine can run.
#include "emitted.hpp"

#include "tl/impl/float_format.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace tl::backend;
using namespace tl::backend::cpu;
namespace impl = tl::impl;

namespace {

constexpr unsigned char guard = 0x5a;

unsigned bytesOf(DotElement element) {
  switch (element) {
  case DotElement::f64:
    return 8;
  case DotElement::f32:
  case DotElement::i32:
    return 4;
  case DotElement::f16:
  case DotElement::bf16:
    return 2;
  default:
    return 1;
  }
}

template <impl::float_format F> void encodeSmall(void *at, double value) {
  unsigned bits = impl::encode<F>(value);
  std::memcpy(at, &bits, F.total_bits() / 8);
}

template <impl::float_format F> double decodeSmall(const void *at) {
  unsigned bits = 0;
  std::memcpy(&bits, at, F.total_bits() / 8);
  return impl::decode<F>(bits);
}

void put(DotElement element, void *at, double value) {
  auto plain = [&](auto x) { std::memcpy(at, &x, sizeof x); };
  switch (element) {
  case DotElement::f8E4M3FN:
    return encodeSmall<impl::f8e4nv_format>(at, value);
  case DotElement::f8E5M2:
    return encodeSmall<impl::f8e5_format>(at, value);
  case DotElement::f8E4M3FNUZ:
    return encodeSmall<impl::f8e4b8_format>(at, value);
  case DotElement::f8E5M2FNUZ:
    return encodeSmall<impl::f8e5b16_format>(at, value);
  case DotElement::f16:
    return encodeSmall<impl::f16_format>(at, value);
  case DotElement::bf16:
    return encodeSmall<impl::bf16_format>(at, value);
  case DotElement::f32:
    return plain(float(value));
  case DotElement::f64:
    return plain(value);
  case DotElement::i8:
    return plain(int8_t(value));
  case DotElement::u8:
    return plain(uint8_t(value));
  case DotElement::i32:
    return plain(int32_t(value));
  }
}

double get(DotElement element, const void *at) {
  auto plain = [&](auto x) {
    std::memcpy(&x, at, sizeof x);
    return double(x);
  };
  switch (element) {
  case DotElement::f8E4M3FN:
    return decodeSmall<impl::f8e4nv_format>(at);
  case DotElement::f8E5M2:
    return decodeSmall<impl::f8e5_format>(at);
  case DotElement::f8E4M3FNUZ:
    return decodeSmall<impl::f8e4b8_format>(at);
  case DotElement::f8E5M2FNUZ:
    return decodeSmall<impl::f8e5b16_format>(at);
  case DotElement::f16:
    return decodeSmall<impl::f16_format>(at);
  case DotElement::bf16:
    return decodeSmall<impl::bf16_format>(at);
  case DotElement::f32:
    return plain(float());
  case DotElement::f64:
    return plain(double());
  case DotElement::i8:
    return plain(int8_t());
  case DotElement::u8:
    return plain(uint8_t());
  case DotElement::i32:
    return plain(int32_t());
  }
  return 0;
}

enum class Order { rows, columns, padded, everyThird };

struct Matrix {
  DotElement element;
  int64_t rowStride, columnStride, batchStride;
  std::vector<unsigned char> bytes;
  int64_t offset = 0; // of the first byte: guards lie before and after

  Matrix(DotElement element, int64_t batch, int64_t rows, int64_t columns, Order order)
      : element(element) {
    switch (order) {
    case Order::rows:
      rowStride = columns, columnStride = 1;
      break;
    case Order::columns:
      rowStride = 1, columnStride = rows;
      break;
    case Order::padded:
      rowStride = columns + 5, columnStride = 1;
      break;
    case Order::everyThird:
      rowStride = 3 * columns + 1, columnStride = 3;
      break;
    }
    batchStride = rows * columns * 3 + 7 * rows + 11;
    offset = 256;
    bytes.assign(size_t(batch * batchStride + 16) * bytesOf(element) + 512, guard);
  }
  void *data() { return bytes.data() + offset; }
  void *at(int64_t batch, int64_t row, int64_t column) {
    int64_t index = batch * batchStride + row * rowStride + column * columnStride;
    return bytes.data() + offset + index * bytesOf(element);
  }
};

void check(const DotSpec &spec, Order orderA, Order orderB, Order orderC,
           const HostFeatures &features, std::mt19937 &random) {
  Matrix a(spec.a, spec.batch, spec.m, spec.k, orderA);
  Matrix b(spec.b, spec.batch, spec.k, spec.n, orderB);
  Matrix c(spec.c, spec.batch, spec.m, spec.n, orderC);
  auto value = [&](DotElement element) {
    if (element == DotElement::i8)
      return double(int(random() % 256) - 128);
    if (element == DotElement::u8)
      return double(random() % 256);
    if (element == DotElement::i32)
      return double(int(random() % 2000) - 1000);
    return double(int(random() % 4096) - 2048) / 1024;
  };
  for (int64_t batch = 0; batch < spec.batch; ++batch) {
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t k = 0; k < spec.k; ++k)
        put(spec.a, a.at(batch, i, k), value(spec.a));
    for (int64_t k = 0; k < spec.k; ++k)
      for (int64_t j = 0; j < spec.n; ++j)
        put(spec.b, b.at(batch, k, j), value(spec.b));
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j)
        put(spec.c, c.at(batch, i, j), value(spec.c));
  }
  Matrix expected = c;
  std::vector<double> magnitude;
  for (int64_t batch = 0; batch < spec.batch; ++batch)
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j) {
        long double sum = get(spec.c, c.at(batch, i, j));
        double absolute = std::fabs(double(sum));
        for (int64_t k = 0; k < spec.k; ++k) {
          double product = get(spec.a, a.at(batch, i, k)) * get(spec.b, b.at(batch, k, j));
          sum += product;
          absolute += std::fabs(product);
        }
        put(spec.c, expected.at(batch, i, j), double(sum));
        magnitude.push_back(absolute);
      }

  emitted::DotLayout layout{a.rowStride, a.columnStride, b.rowStride,   b.columnStride,
                            c.rowStride, a.batchStride,  b.batchStride, c.batchStride};
  auto dot = emitted::dot(spec, layout, features);
  std::vector<unsigned char> workspace(dot.workspaceBytes + 192, guard);
  unsigned char *aligned =
      workspace.data() + (64 - reinterpret_cast<uintptr_t>(workspace.data()) % 64) % 64;
  dot(a.data(), b.data(), c.data(), aligned);

  // Sums of k terms, each rounded once, and one rounding of C itself.
  double unit = spec.c == DotElement::i32   ? 0
                : spec.c == DotElement::f64 ? 0x1p-52 * double(spec.k + 1)
                                            : 0x1p-23 * double(spec.k + 1);
  size_t wrong = 0, index = 0;
  for (int64_t batch = 0; batch < spec.batch; ++batch)
    for (int64_t i = 0; i < spec.m; ++i)
      for (int64_t j = 0; j < spec.n; ++j, ++index) {
        double got = get(spec.c, c.at(batch, i, j));
        double want = get(spec.c, expected.at(batch, i, j));
        double tolerance = unit * magnitude[index];
        if (spec.c == DotElement::f16)
          tolerance += 0x1p-10 * std::fabs(want);
        wrong += !(std::fabs(got - want) <= tolerance);
        std::memcpy(c.at(batch, i, j), expected.at(batch, i, j), bytesOf(spec.c));
      }
  INFO("m " << spec.m << " n " << spec.n << " k " << spec.k << " batch " << spec.batch << " types "
            << int(spec.a) << " " << int(spec.b) << " " << int(spec.c) << " orders " << int(orderA)
            << int(orderB) << int(orderC) << " on " << features.cpu);
  CHECK(wrong == 0);
  CHECK(c.bytes == expected.bytes); // nothing else was written
  bool intact = std::all_of(aligned + dot.workspaceBytes, workspace.data() + workspace.size(),
                            [](unsigned char byte) { return byte == guard; });
  CHECK(intact);
}

struct Types {
  DotElement a, b, c;
};
using E = DotElement;
const Types everyType[] = {
    {E::f32, E::f32, E::f32},         {E::f64, E::f64, E::f64},
    {E::f16, E::f16, E::f32},         {E::f16, E::f16, E::f16},
    {E::bf16, E::bf16, E::f32},       {E::f8E4M3FN, E::f8E4M3FN, E::f32},
    {E::f8E5M2, E::f8E4M3FN, E::f32}, {E::f8E4M3FNUZ, E::f8E5M2FNUZ, E::f32},
    {E::f8E5M2, E::f8E5M2, E::f16},   {E::i8, E::i8, E::i32},
    {E::u8, E::i8, E::i32},           {E::i8, E::u8, E::i32},
    {E::u8, E::u8, E::i32},           {E::bf16, E::f8E5M2, E::f32},
    {E::f32, E::f16, E::f32},
};

} // namespace

TEST_CASE("every combination of element types is multiplied right") {
  std::mt19937 random(std::random_device{}());
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    for (const Types &types : everyType)
      for (auto [m, n, k] : {std::array<int, 3>{16, 32, 16}, {32, 64, 40}, {5, 12, 7}}) {
        DotSpec spec{1, m, n, k, types.a, types.b, types.c};
        check(spec, Order::rows, Order::rows, Order::rows, features, random);
      }
  }
}

TEST_CASE("operands may lie any way round") {
  std::mt19937 random(std::random_device{}());
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    for (const Types &types :
         {everyType[0], everyType[1], everyType[2], everyType[4], everyType[9]})
      for (Order a : {Order::rows, Order::columns, Order::padded, Order::everyThird})
        for (Order b : {Order::rows, Order::columns, Order::padded, Order::everyThird}) {
          DotSpec spec{1, 18, 36, 19, types.a, types.b, types.c};
          check(spec, a, b, Order::padded, features, random);
        }
  }
}

TEST_CASE("small, odd and single extents work") {
  std::mt19937 random(std::random_device{}());
  for (const char *cpu : {"native",
#if defined(__x86_64__)
                          "x86-64"
#endif
       }) {
    HostFeatures features = HostFeatures::named(cpu);
    const int extents[] = {1, 2, 3, 4, 8, 17, 64};
    for (int m : extents)
      for (int n : extents)
        for (int k : {1, 2, 3, 5, 16}) {
          const Types &types = everyType[random() % std::size(everyType)];
          Order a = Order(random() % 4), b = Order(random() % 4);
          check({1, m, n, k, types.a, types.b, types.c}, a, b, Order::rows, features, random);
        }
  }
}

TEST_CASE("long sums are cut into pieces without loss") {
  std::mt19937 random(std::random_device{}());
  HostFeatures features = HostFeatures::host();
  for (int k : {255, 256, 257, 512, 1030})
    for (const Types &types : {everyType[0], everyType[4], everyType[9]})
      check({1, 9, 40, k, types.a, types.b, types.c}, Order::rows, Order::rows, Order::rows,
            features, random);
}

TEST_CASE("batches are multiplied one by one") {
  std::mt19937 random(std::random_device{}());
  HostFeatures features = HostFeatures::host();
  for (const Types &types : everyType)
    check({3, 16, 16, 16, types.a, types.b, types.c}, Order::rows, Order::columns, Order::rows,
          features, random);
}

TEST_CASE("int8 products are exact at the ends of the range") {
  // -128 * -128 summed is where shifted operands and saturating instructions go wrong.
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    const int k = 64;
    std::vector<int8_t> a(16 * k, -128), b(k * 16, -128);
    std::vector<int32_t> c(16 * 16, 1);
    DotSpec spec{1, 16, 16, k, E::i8, E::i8, E::i32};
    auto dot = emitted::dot(spec, {k, 1, 16, 1, 16}, features);
    std::vector<uint64_t> workspace(dot.workspaceBytes / 8 + 16);
    dot(a.data(), b.data(), c.data(),
        reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64));
    CHECK(std::all_of(c.begin(), c.end(), [&](int32_t x) { return x == 1 + k * 16384; }));
  }
}

TEST_CASE("products of bf16 and fp8 keep denormal numbers, which AVX512-BF16 takes for zero") {
  struct Numbers {
    DotElement type;
    double x, y, accumulator;
  };
  // A denormal operand, a denormal product, a denormal accumulator, and numbers that are neither.
  const Numbers cases[] = {{E::bf16, 0x1p-130, 0x1p100, 0}, {E::bf16, 0x1p-70, 0x1p-70, 0},
                           {E::bf16, 0, 0, 0x1p-130},       {E::bf16, 0x1p-60, 0x1p-60, 0x1p-120},
                           {E::f8E5M2, 0, 0, 0x1p-130},     {E::f8E5M2, 0x1p-16, 0x1p-16, 0}};
  for (const std::string &cpu : HostFeatures::runnable()) {
    HostFeatures features = HostFeatures::named(cpu);
    for (auto [type, x, y, accumulator] : cases) {
      std::vector<uint16_t> a(16 * 16), b(16 * 16);
      for (size_t i = 0; i < a.size(); ++i) {
        put(type, reinterpret_cast<char *>(a.data()) + i * bytesOf(type), x);
        put(type, reinterpret_cast<char *>(b.data()) + i * bytesOf(type), y);
      }
      std::vector<float> c(16 * 16, float(accumulator));
      auto dot = emitted::dot({1, 16, 16, 16, type, type, E::f32}, {16, 1, 16, 1, 16}, features);
      std::vector<uint64_t> workspace(dot.workspaceBytes / 8 + 16);
      dot(a.data(), b.data(), c.data(), workspace.data());
      auto denormal = [](double number) { return number > 0 && number < 0x1p-126; };
      const bool lost =
          features.avx512Bf16 && (denormal(x) || denormal(x * y) || denormal(accumulator));
      const float expected = lost ? 0.0f : float(16 * x * y + accumulator);
      INFO(accumulator << " + " << x << " * " << y << " on " << cpu);
      CHECK(std::all_of(c.begin(), c.end(), [&](float sum) { return sum == expected; }));
    }
  }
}

TEST_CASE("infinities and NaN go through") {
  HostFeatures features = HostFeatures::host();
  std::vector<float> a(16 * 16, 1.0f), b(16 * 16, 1.0f), c(16 * 16, 0.0f);
  a[0] = INFINITY;
  a[16] = NAN;
  auto dot = emitted::dot({1, 16, 16, 16, E::f32, E::f32, E::f32}, {16, 1, 16, 1, 16}, features);
  std::vector<uint64_t> workspace(dot.workspaceBytes / 8 + 16);
  dot(a.data(), b.data(), c.data(), workspace.data());
  CHECK(c[3] == INFINITY);
  CHECK(std::isnan(c[16 + 3]));
  CHECK(c[32] == 16.0f);
}
