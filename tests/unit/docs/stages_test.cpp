// SPDX-License-Identifier: MIT
//
// What docs/how_to/look_into_a_kernel.md shows: the stages of a compilation.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace testing = tl::testing;

namespace {

template <int Block>
constexpr auto add =
    tl::kernel{[](tl::ptr<const float> x, tl::ptr<const float> y, tl::ptr<float> out, tl::i32 n) {
      auto offsets = tl::program_id(0) * Block + tl::arange<Block>();
      auto mask = offsets < n;
      tl::store(out + offsets, tl::load(x + offsets, mask) + tl::load(y + offsets, mask), mask);
    }};

} // namespace

TEST_CASE("docs: the stages of a kernel are printed") {
  for (tl::device dev : testing::devices()) {
    const int n = 1000;
    tl::buffer<float> x(dev, n), y(dev, n), out(dev, n);
    // [stages]
    auto k = add<1024>.compile(dev, x, y, out, n);
    for (const std::string &stage : k.stages()) // on the CPU: ttir, llir, asm, obj
      if (stage != "obj" && stage != "cubin")   // machine code, not a text
        std::printf("--- %s\n%s\n", stage.c_str(), k.text(stage).data());
    // [stages]
    CHECK(k.stages().front() == "ttir");
    CHECK(k.text("ttir").find("tt.load") != std::string_view::npos);
  }
}
