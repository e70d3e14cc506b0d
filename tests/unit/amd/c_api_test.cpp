// SPDX-License-Identifier: MIT
//
// All of libtl on a fake HIP with one GPU: that it is found and described, that memory goes there
// and back, and what a launch asks of HIP.
#include "fake_hip.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <tl/tl.hpp>
#include <vector>

using tl_test::fake;

namespace {

template <int Block>
constexpr auto scaled =
    tl::kernel{"scaled", [](tl::ptr<const float> x, tl::ptr<float> out, tl::i32 n, tl::f32 scale) {
                 auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
                 auto mask = offsets < n;
                 tl::store(out + offsets, tl::load(x + offsets, mask) * scale, mask);
               }};

/// A tile of 128 x 128 of the product of A and B, whose rows have `n` elements.
constexpr auto product =
    tl::kernel{"product", [](tl::ptr<const tl::float16> a, tl::ptr<const tl::float16> b,
                             tl::ptr<float> c, tl::i32 n) {
                 auto many = tl::arange<128>();
                 auto few = tl::arange<64>();
                 auto x = a + (many(tl::all, tl::newaxis) * n + few(tl::newaxis, tl::all));
                 auto y = b + (few(tl::all, tl::newaxis) * n + many(tl::newaxis, tl::all));
                 tl::tensor sum = tl::zeros<float, 128, 128>();
                 for (auto k : tl::range(0, n, 64))
                   sum = tl::dot(tl::load(x + k), tl::load(y + k * n), sum);
                 tl::store(c + (many(tl::all, tl::newaxis) * n + many(tl::newaxis, tl::all)), sum);
               }};

/// What stands from the first product of matrices to the end of its loop.
std::string loop_of_products(const std::string &assembly) {
  const std::size_t begin = assembly.find("v_mfma"), end = assembly.find("s_cbranch", begin);
  REQUIRE(end != std::string::npos);
  return assembly.substr(begin, end - begin);
}

} // namespace

TEST_CASE("a GPU is a device") {
  fake().reset();
  const tl::device gpu("hip:0");
  CHECK(gpu.name() == "hip:0");
  CHECK(gpu.target() == "gfx942");
  CHECK(gpu.description() == "Fake MI300X, 132 compute units, 1 GiB, gfx942");
  CHECK(tl::device::best() == gpu);
}

TEST_CASE("memory, streams and events of a GPU are used as those of any device") {
  const tl::device gpu("hip:0");
  const std::vector<float> sent = {1, 2, 3, 4};
  tl::buffer<float> x(gpu, sent);
  tl::buffer<float> y = x.clone();
  CHECK(y.to_vector() == sent);
  y.fill(0);
  CHECK(y.to_vector() == std::vector<float>(4));
  const tl::stream stream(gpu);
  tl::event start(gpu), end(gpu);
  start.record(stream);
  end.record(stream);
  CHECK(end.milliseconds_since(start) == 1);
}

TEST_CASE("a kernel is compiled for the GPU, loaded and launched with its arguments") {
  fake().reset();
  const tl::device gpu("hip:0");
  tl::buffer<float> x(gpu, 512), out(gpu, 512);
  auto kernel = scaled<256>.compile(gpu, x, out, 500, 0.5f);
  REQUIRE(kernel.binary().size() > 4);
  CHECK(std::memcmp(kernel.binary().data(), "\177ELF", 4) == 0);
  constexpr unsigned sizes[] = {8, 8, 4, 4};
  fake().expectParameters(sizes, 4);
  scaled<256>[{.grid = {2}, .num_warps = 4}](x, out, 500, 0.5f);
  const FakeLaunch last = fake().lastLaunch();
  CHECK(std::string(last.function) == tl_kernel_symbol(kernel.handle()));
  CHECK(last.grid[0] == 2);
  CHECK(last.block[0] == 4 * 64);
  CHECK(last.sharedBytes == 0);
  std::size_t bytes = 0;
  const unsigned char *got = fake().lastParameters(&bytes);
  REQUIRE(bytes == 24);
  void *pointers[2] = {};
  int n = 0;
  float scale = 0;
  std::memcpy(pointers, got, 16);
  std::memcpy(&n, got + 16, 4);
  std::memcpy(&scale, got + 20, 4);
  CHECK(pointers[0] == x.data());
  CHECK(pointers[1] == out.data());
  CHECK(n == 500);
  CHECK(scale == 0.5f);
  fake().expectParameters(nullptr, 0);
}

TEST_CASE("code is the same after a code object has been linked") {
  const tl::device gpu("hip:0");
  tl::buffer<float> out(gpu, 512 * 512);
  tl::buffer<tl::float16> x(gpu, 512 * 512);
  CHECK(scaled<512>.compile(gpu, out, out, 500, 0.5f).binary().size() > 4);
  const std::string assembly(product.compile(gpu, x, x, out, 512).text("amdgcn"));
  // Sums stay in the registers that the instructions add to.
  CHECK(loop_of_products(assembly).find("v_accvgpr") == std::string::npos);
}

TEST_CASE("with one GPU a cached launch is one call of HIP") {
  const tl::device gpu("hip:0");
  tl::buffer<float> x(gpu, 512), out(gpu, 512);
  scaled<256>[2](x, out, 500, 0.5f);
  fake().reset();
  for (int i = 0; i < 10; ++i)
    scaled<256>[2](x, out, 500, 0.5f);
  CHECK(fake().calls(nullptr) == 10);
  CHECK(fake().calls("hipModuleLaunchKernel") == 10);
}

TEST_CASE("a failed assertion is reported with the user's line") {
  const tl::device gpu("hip:0");
  static constexpr auto asserting = tl::kernel{
      "asserting_positive", [](tl::i32 n) { tl::device_assert(n > 0, "n is positive"); }};
  constexpr unsigned sizes[] = {4, 8};
  fake().expectParameters(sizes, 2);
  asserting[{.grid = {1}, .debug = true}](5);
  std::size_t bytes = 0;
  const unsigned char *got = fake().lastParameters(&bytes);
  REQUIRE(bytes == 12);
  unsigned *record = nullptr;
  std::memcpy(&record, got + 4, 8);
  record[0] = 1; // taken, as the kernel would say
  fake().expectParameters(nullptr, 0);
  try {
    tl::stream::default_of(gpu).synchronize();
    FAIL("nothing was thrown");
  } catch (const tl::error &e) {
    CHECK(e.message().find("n is positive in program (0, 0, 0)") != std::string::npos);
    CHECK(e.file().ends_with("c_api_test.cpp"));
  }
}

TEST_CASE("a host pointer is refused at the launch") {
  const tl::device gpu("hip:0");
  tl::buffer<float> x(gpu, 512);
  std::vector<float> host(512);
  try {
    scaled<256>[2](x, host.data(), 500, 0.5f);
    FAIL("nothing was thrown");
  } catch (const tl::invalid_argument &e) {
    CHECK(e.message().ends_with(", memory of the host that hip:0 cannot reach"));
  }
}
