// SPDX-License-Identifier: MIT
//
// Assertions inside kernels.

#include "sweep.hpp"

namespace {

constexpr auto asserts = tl::kernel{[](tl::ptr<const std::int32_t> x, tl::i32 n) {
  auto at = tl::arange<16>();
  tl::device_assert(tl::load(x + at) == 8, "not eight", at < n);
}};

} // namespace

TEST_CASE("a failed assertion is an error with its text, when the launch asks for it") {
  std::vector<std::int32_t> host(16, 8);
  host[5] = 7;
  tl::launch_options checked = numeric::grid(1);
  checked.debug = true;
  for (tl::device dev : tl::testing::devices()) {
    tl::buffer<std::int32_t> x(dev, host);
    numeric::seen(asserts[checked](x, 5)); // the seven is masked off
    CHECK_NOTHROW((asserts[{.grid = {1}, .debug = false}](x, 16)));
    try {
      asserts[checked](x, 16);
      tl::stream::default_of(dev).synchronize();
      FAIL_CHECK("nothing was thrown on device " << dev.name());
    } catch (const tl::runtime_error &error) {
      CHECK(std::string(error.what()).find("not eight") != std::string::npos);
      CHECK(std::string(error.what()).find("debug.cpp") != std::string::npos);
    }
  }
}
