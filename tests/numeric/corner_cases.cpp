// SPDX-License-Identifier: MIT
//
// Where a target's own way of doing things could show: elements held by several threads, operands
// that must not change places, instructions that take several elements, steps that count down,
// bytes that are numbers of bins, offsets beyond 2^31. Kernels are TTIR, so that each case is
// exactly what its name says.

#include "sweep.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace numeric;

namespace {

template <class T> std::vector<unsigned char> bytes_of(const std::vector<T> &values) {
  const auto *raw = reinterpret_cast<const unsigned char *>(values.data());
  return {raw, raw + values.size() * sizeof(T)};
}

template <class T>
void check(const char *name, const std::string &ttir,
           std::vector<std::vector<unsigned char>> inputs, std::vector<int> numbers,
           const std::vector<T> &want) {
  test_case c;
  c.name = name;
  c.ttir = "module {\n" + ttir + "}\n";
  c.inputs = std::move(inputs);
  c.extents = std::move(numbers);
  c.result = &info_of<T>();
  c.results = want.size();
  c.wanted = bytes_of(want);
  run(c);
}

std::string tensor(int n, const std::string &element) {
  return "tensor<" + std::to_string(n) + "x" + element + ">";
}

/// %NAME: the addresses of n elements from %base on.
std::string addresses(const std::string &name, const std::string &base, int n,
                      const std::string &element) {
  const std::string pointers = tensor(n, "!tt.ptr<" + element + ">");
  return "    %" + name + "r = tt.make_range {end = " + std::to_string(n) +
         " : i32, start = 0 : i32} : " + tensor(n, "i32") + "\n    %" + name + "s = tt.splat " +
         base + " : !tt.ptr<" + element + "> -> " + pointers + "\n    %" + name + " = tt.addptr %" +
         name + "s, %" + name + "r : " + pointers + ", " + tensor(n, "i32") + "\n";
}

std::string load(const std::string &name, const std::string &base, int n,
                 const std::string &element) {
  return addresses(name + "p", base, n, element) + "    %" + name + " = tt.load %" + name +
         "p : " + tensor(n, "!tt.ptr<" + element + ">") + "\n";
}

std::string store(const std::string &value, int n, const std::string &element) {
  return addresses("out_", "%out", n, element) + "    tt.store %out_, " + value + " : " +
         tensor(n, "!tt.ptr<" + element + ">") + "\n    tt.return\n  }\n";
}

} // namespace

TEST_CASE("a promise is the value of which it speaks") {
  std::vector<std::int32_t> x(64), want(64);
  std::iota(x.begin(), x.end(), 5);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = x[i] + 16 + static_cast<std::int32_t>(i);
  check<std::int32_t>("promise",
                      "  tt.func public @promise(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {\n"
                      "    %h = tt.hint %n {tt.divisibility = dense<16> : tensor<1xi32>} : i32\n" +
                          load("v", "%x", 64, "i32") +
                          "    %hs = tt.splat %h : i32 -> tensor<64xi32>\n"
                          "    %at = arith.addi %vpr, %hs : tensor<64xi32>\n"
                          "    %run = tt.hint %at {tt.contiguity = dense<64> : tensor<1xi32>} : "
                          "tensor<64xi32>\n"
                          "    %sum = arith.addi %v, %run : tensor<64xi32>\n" +
                          store("%sum", 64, "i32"),
                      {bytes_of(x)}, {16}, want);
}

TEST_CASE("a tensor that is larger than the registers of its warps") {
  constexpr int count = 131072;
  const std::string whole = tensor(count, "i32");
  const std::string kernel = "  tt.func public @large(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
                             load("v", "%x", count, "i32") + R"(
    %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) : ()" + whole + ") -> " +
                             whole +
                             R"(
    %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : ()" + whole + ") -> i32\n    %ms = tt.splat %m : i32 -> " +
                             whole + "\n    %r = arith.addi %s, %ms : " + whole + "\n" +
                             store("%r", count, "i32");
  std::vector<std::int32_t> x(count), want(count);
  for (int i = 0; i < count; ++i)
    x[std::size_t(i)] = i * 7919 % 1000 - 500;
  std::partial_sum(x.begin(), x.end(), want.begin());
  const std::int32_t most = *std::max_element(x.begin(), x.end());
  for (std::int32_t &value : want)
    value += most;
  check<std::int32_t>("a large tensor", kernel, {bytes_of(x)}, {}, want);
}

TEST_CASE("a step known when running counts up, down, or not at all") {
  const std::string kernel = R"(
  tt.func public @steps(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %lo: i32, %hi: i32, %step: i32) {
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %lo to %hi step %step iter_args(%t = %zero) -> (i32) : i32 {
      %m = arith.constant 127 : i32
      %at = arith.andi %i, %m : i32
      %p = tt.addptr %x, %at : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %n = arith.addi %t, %v : i32
      scf.yield %n : i32
    }
    tt.store %out, %sum : !tt.ptr<i32>
    tt.return
  }
)";
  std::vector<std::int32_t> x(128);
  std::iota(x.begin(), x.end(), 1);
  for (auto [low, high, step] : {std::array{88, -1, -8},
                                 {5, 10, -3},
                                 {10, 5, 3},
                                 {0, 97, 8},
                                 {2147483640, 2147483647, 5},
                                 {-2147483647, -2147483647 - 1, -1}}) {
    INFO("from " << low << " to " << high << " by " << step);
    std::int64_t sum = 0;
    for (std::int64_t i = low; step > 0 ? i < high : i > high; i += step)
      sum += x[static_cast<std::size_t>(i & 127)];
    check<std::int32_t>("a step", kernel, {bytes_of(x)}, {low, high, step},
                        {static_cast<std::int32_t>(sum)});
  }
}

TEST_CASE("a byte is the number of a bin from 0 to 255") {
  const std::string kernel =
      "  tt.func public @bytes(%x: !tt.ptr<i8>, %out: !tt.ptr<i32>, %n: i32) {\n" +
      load("v", "%x", 1024, "i8") + R"(    %ns = tt.splat %n : i32 -> tensor<1024xi32>
    %m = arith.cmpi slt, %vpr, %ns : tensor<1024xi32>
    %h = tt.histogram %v, %m : tensor<1024xi8> -> tensor<256xi32>
)" + store("%h", 256, "i32");
  std::vector<std::uint8_t> x(1024);
  std::vector<std::int32_t> want(256);
  for (int i = 0; i < 1024; ++i) {
    x[std::size_t(i)] = static_cast<std::uint8_t>(i < 300 ? 200 : i * 37);
    want[x[std::size_t(i)]] += i < 1000;
  }
  check<std::int32_t>("bytes in bins", kernel, {bytes_of(x)}, {1000}, want);
}

TEST_CASE("a histogram leaves out what has no bin") {
  const std::string kernel = "  tt.func public @outside(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
                             load("v", "%x", 256, "i32") +
                             "    %h = tt.histogram %v : tensor<256xi32> -> tensor<4xi32>\n" +
                             store("%h", 4, "i32");
  std::vector<std::int32_t> x(256);
  std::vector<std::int32_t> want(4);
  for (int i = 0; i < 256; ++i) {
    x[std::size_t(i)] = i % 9 - 3;
    if (i % 9 >= 3 && i % 9 < 7)
      ++want[std::size_t(i % 9 - 3)];
  }
  check<std::int32_t>("outside", kernel, {bytes_of(x)}, {}, want);
}

TEST_CASE("a scan keeps the order of operands that must not change places") {
  // x -> a x + b, composed: ((a, b), (c, d)) -> (a c, b c + d).
  for (bool reverse : {false, true})
    for (int n : {16, 128, 1024}) {
      INFO("of " << n << (reverse ? " backwards" : " forwards"));
      const std::string t = tensor(n, "i32");
      const std::string kernel =
          "  tt.func public @compose(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
          load("a", "%x", n, "i32") + load("b", "%y", n, "i32") +
          "    %s:2 = \"tt.scan\"(%a, %b) <{axis = 0 : i32, reverse = " +
          (reverse ? "true" : "false") + R"(}> ({
    ^bb0(%p: i32, %q: i32, %r: i32, %t: i32):
      %1 = arith.muli %p, %r : i32
      %2 = arith.muli %q, %r : i32
      %3 = arith.addi %2, %t : i32
      tt.scan.return %1, %3 : i32, i32
    }) : ()" +
          t + ", " + t + ") -> (" + t + ", " + t + ")\n" + store("%s#1", n, "i32");
      std::vector<std::int32_t> a, b, want(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) {
        a.push_back(i % 5 - 2);
        b.push_back(i * 7 % 11 - 5);
      }
      std::uint32_t product = 0, sum = 0;
      for (int k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(reverse ? n - 1 - k : k);
        const auto c = static_cast<std::uint32_t>(a[i]), d = static_cast<std::uint32_t>(b[i]);
        sum = k == 0 ? d : sum * c + d;
        product = k == 0 ? c : product * c;
        want[i] = static_cast<std::int32_t>(sum);
      }
      check<std::int32_t>("composition", kernel, {bytes_of(a), bytes_of(b)}, {}, want);
    }
}

TEST_CASE("elements that several threads hold are counted once") {
  for (int n : {1, 8, 64}) {
    INFO("of " << n);
    const std::string t = tensor(n, "i32"), p = tensor(n, "!tt.ptr<i32>");
    const std::string kernel =
        "  tt.func public @once(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n"
        "    %zero = arith.constant 0 : i32\n    tt.store %out, %zero : !tt.ptr<i32>\n"
        "    gpu.barrier\n" +
        load("v", "%x", n, "i32") + "    %s = tt.splat %out : !tt.ptr<i32> -> " + p +
        "\n    %o = tt.atomic_rmw add, acq_rel, gpu, %s, %v : (" + p + ", " + t + ") -> " + t +
        "\n    tt.return\n  }\n";
    std::vector<std::int32_t> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 3);
    check<std::int32_t>("once", kernel, {bytes_of(x)}, {},
                        {std::accumulate(x.begin(), x.end(), 0)});
  }
}

TEST_CASE("all threads know what an atomic on one element found") {
  const std::string kernel = R"(
  tt.func public @broadcast(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
    %p = tt.splat %x : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
    %one = arith.constant dense<1> : tensor<1xi32>
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one : (tensor<1x!tt.ptr<i32>>, tensor<1xi32>) -> tensor<1xi32>
    %all = tt.broadcast %old : tensor<1xi32> -> tensor<256xi32>
)" + store("%all", 256, "i32");
  check<std::int32_t>("broadcast", kernel, {bytes_of(std::vector<std::int32_t>{41})}, {},
                      std::vector<std::int32_t>(256, 41));
}

namespace {

/// Zeros, then x added under no mask and under i < n.
template <class T>
void check_additions(const std::string &element, const std::string &order, int n, int masked,
                     bool aligned) {
  INFO(element << " " << order << " " << masked);
  const std::string t = tensor(n, element), p = tensor(n, "!tt.ptr<" + element + ">");
  const std::string i1 = tensor(n, "i1"), hint = aligned ? " {tt.divisibility = 16 : i32}" : "";
  const std::string kernel =
      "  tt.func public @additions(%x: !tt.ptr<" + element + ">" + hint + ", %out: !tt.ptr<" +
      element + ">" + hint + ", %n: i32" + hint + ") {\n" + load("v", "%x", n, element) +
      addresses("q", "%out", n, element) + "    %zero = arith.constant dense<0.0> : " + t +
      "\n    tt.store %q, %zero : " + p + "\n    %1 = tt.atomic_rmw fadd, " + order +
      ", gpu, %q, %v : (" + p + ", " + t + ") -> " + t + "\n    %ns = tt.splat %n : i32 -> " +
      tensor(n, "i32") + "\n    %m = arith.cmpi slt, %qr, %ns : " + tensor(n, "i32") +
      "\n    %2 = tt.atomic_rmw fadd, " + order + ", gpu, %q, %v, %m : (" + p + ", " + t + ", " +
      i1 + ") -> " + t + "\n    tt.return\n  }\n";
  std::vector<T> x, want;
  for (int i = 0; i < n; ++i) {
    x.push_back(T(static_cast<float>(i % 16)));
    want.push_back(T(static_cast<float>(i % 16 * (i < masked ? 2 : 1))));
  }
  check<T>("additions", kernel, {bytes_of(x)}, {masked}, want);
}

} // namespace

TEST_CASE("neighbours that are changed together are each changed alone") {
  for (const char *order : {"relaxed", "acq_rel"})
    for (int masked : {512, 16}) {
      check_additions<float>("f32", order, 512, masked, true);
      check_additions<tl::float16>("f16", order, 512, masked, true);
      check_additions<tl::bfloat16>("bf16", order, 512, masked, true);
      check_additions<double>("f64", order, 512, masked, true);
      check_additions<tl::float16>("f16", order, 512, masked - 3, false);
    }
}

TEST_CASE("old values of packed additions are those before") {
  const std::string kernel = "  tt.func public @olds(%x: !tt.ptr<f16> {tt.divisibility = 16 : "
                             "i32}, %out: !tt.ptr<f16>) {\n" +
                             load("v", "%x", 1024, "f16") +
                             R"(    %c = arith.constant dense<1.0> : tensor<1024xf16>
    %o = tt.atomic_rmw fadd, acq_rel, gpu, %vp, %c : (tensor<1024x!tt.ptr<f16>>, tensor<1024xf16>) -> tensor<1024xf16>
    %w = tt.load %vp : tensor<1024x!tt.ptr<f16>>
    %s = arith.addf %o, %w : tensor<1024xf16>
)" + store("%s", 1024, "f16");
  std::vector<tl::float16> x, want;
  for (int i = 0; i < 1024; ++i) {
    x.push_back(tl::float16(static_cast<float>(i % 64)));
    want.push_back(tl::float16(static_cast<float>(2 * (i % 64) + 1)));
  }
  check<tl::float16>("olds", kernel, {bytes_of(x)}, {}, want);
}

TEST_CASE("a row may be picked from more warps than it has elements") {
  const std::string kernel = "  tt.func public @pick(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
                             load("v", "%x", 4, "i32") +
                             R"(    %k = arith.constant dense<3> : tensor<4096xi32>
    %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
    %i = arith.andi %r, %k : tensor<4096xi32>
    %g = tt.gather %v[%i] {axis = 0 : i32} : (tensor<4xi32>, tensor<4096xi32>) -> tensor<4096xi32>
)" + store("%g", 4096, "i32");
  std::vector<std::int32_t> x{5, 6, 7, 8}, want;
  for (int i = 0; i < 4096; ++i)
    want.push_back(x[std::size_t(i & 3)]);
  check<std::int32_t>("pick", kernel, {bytes_of(x)}, {}, want);
}

TEST_CASE("a pack holds neighbours, whatever thread has them") {
  for (int n : {16, 128, 2048}) {
    INFO("of " << n);
    const std::string t = tensor(n, "i32");
    const std::string kernel = "  tt.func public @swap(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
                               load("v", "%x", n, "i32") +
                               R"(    %s = "tt.map_elementwise"(%v) <{pack = 4 : i32}> ({
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
      tt.map_elementwise.return %d, %a, %b, %c : i32, i32, i32, i32
    }) : ()" + t + ") -> " + t +
                               "\n" + store("%s", n, "i32");
    std::vector<std::int32_t> x, want;
    for (int i = 0; i < n; ++i) {
      x.push_back(i);
      want.push_back(i % 4 == 0 ? i + 3 : i - 1);
    }
    check<std::int32_t>("packs", kernel, {bytes_of(x)}, {}, want);
  }
}

TEST_CASE("a sum of sums counts no copy") {
  const std::string kernel = "  tt.func public @sums(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n" +
                             load("v", "%x", 4096, "i32") +
                             R"(    %t = tt.reshape %v : tensor<4096xi32> -> tensor<8x4x16x8xi32>
    %a = "tt.reduce"(%t) <{axis = 2 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %1 = arith.addi %p, %q : i32
      tt.reduce.return %1 : i32
    }) : (tensor<8x4x16x8xi32>) -> tensor<8x4x8xi32>
    %b = "tt.reduce"(%a) <{axis = 2 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %1 = arith.addi %p, %q : i32
      tt.reduce.return %1 : i32
    }) : (tensor<8x4x8xi32>) -> tensor<8x4xi32>
    %c = "tt.reduce"(%b) <{axis = 1 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %1 = arith.addi %p, %q : i32
      tt.reduce.return %1 : i32
    }) : (tensor<8x4xi32>) -> tensor<8xi32>
    %e = tt.expand_dims %c {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %w = tt.broadcast %e : tensor<8x1xi32> -> tensor<8x32xi32>
    %f = tt.reshape %w : tensor<8x32xi32> -> tensor<256xi32>
)" + store("%f", 256, "i32");
  std::vector<std::int32_t> x(4096), want(256);
  for (int i = 0; i < 4096; ++i) {
    x[std::size_t(i)] = i * 13 % 101;
    for (int j = 0; j < 32; ++j)
      want[std::size_t(i / 512 * 32 + j)] += x[std::size_t(i)];
  }
  check<std::int32_t>("sums", kernel, {bytes_of(x)}, {}, want);
}

namespace {

constexpr auto write_far =
    tl::kernel{[](tl::ptr<std::int8_t> x, tl::ptr<std::int8_t> out, tl::i64 row, tl::i64 stride) {
      auto at = row * stride + tl::cast<std::int64_t>(tl::arange<128>());
      tl::store(x + at, tl::full<std::int8_t, 128>(7));
      tl::debug_barrier();
      tl::store(out + tl::arange<128>(), tl::load(x + at));
    }};

/// Tiles of 16x128 of one plane among 512, read by their addresses and stored by a descriptor.
constexpr auto tile_far_away =
    tl::kernel{[](tl::ptr<std::int8_t> x, tl::ptr<std::int8_t> out, tl::i32 rows, tl::i32 first) {
      auto all = tl::make_tensor_descriptor<16, 1, 128>(x, {rows, 512, 128}, {512 * 128, 128, 1});
      auto i = tl::arange<16>()(tl::all, tl::newaxis);
      auto j = tl::arange<128>()(tl::newaxis, tl::all);
      all.store({first, 511, 0}, tl::full<std::int8_t, 16, 1, 128>(5));
      tl::debug_barrier();
      auto at = tl::cast<std::int64_t>(first + i) * (512 * 128) + 511 * 128 + j;
      tl::store(out + i * 128 + j, tl::load(x + at));
      tl::debug_barrier();
      tl::store(x + at, tl::full<std::int8_t, 16, 128>(6));
      tl::debug_barrier();
      auto tile = tl::reshape<16, 128>(all.load({first, 511, 0}));
      tl::store(out + 2048 + i * 128 + j, tile);
    }};

} // namespace

TEST_CASE("tiles beyond 2^31 are reached by addresses and descriptors") {
  constexpr int rows = 5 * 8192; // of 64 KiB
  for (tl::device dev : tl::testing::devices()) {
    if (dev.name() == "interpreter")
      continue; // it keeps account of every byte
    tl::buffer<std::int8_t> x(dev, std::size_t(rows) * 512 * 128), out(dev, 4096);
    std::vector<std::int8_t> want(4096, 5);
    std::fill(want.begin() + 2048, want.end(), 6);
    for (int first : {4 * 8192 - 16, 4 * 8192, rows - 16}) {
      INFO("from row " << first);
      tile_far_away[grid(1)](x, out, rows, first);
      CHECK(out.to_vector() == want);
    }
  }
}

TEST_CASE("offsets beyond 2^31 reach their element") {
  const std::int64_t row = 40000, stride = 65536;
  for (tl::device dev : tl::testing::devices()) {
    if (dev.name() == "interpreter")
      continue; // it keeps account of every byte
    tl::buffer<std::int8_t> x(dev, static_cast<std::size_t>((row + 1) * stride));
    tl::buffer<std::int8_t> out(dev, 128);
    write_far[grid(1)](x, out, row, stride);
    CHECK(out.to_vector() == std::vector<std::int8_t>(128, 7));
  }
}
