// SPDX-License-Identifier: MIT
//
// All of libtl on a fake HIP with one GPU: that it is found and described, that memory goes there
// and back, and what a launch asks of HIP.
#include "fake_hip.hpp"

#include <doctest/doctest.h>
#include <string>
#include <tl/tl.hpp>
#include <vector>

using tl_test::fake;

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
