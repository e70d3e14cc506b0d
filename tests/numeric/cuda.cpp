// SPDX-License-Identifier: MIT
//
// What GPUs have beside the language, and what that is elsewhere.

#include "sweep.hpp"

namespace {

constexpr auto where_and_when =
    tl::kernel{[](tl::ptr<std::int64_t> out, tl::ptr<const float> x, tl::ptr<float> y) {
      tl::i64 begin = tl::cuda::globaltimer();
      auto at = tl::arange<1024>();
      tl::store(y + at, tl::exp(tl::load(x + at)));
      tl::debug_barrier();
      tl::i64 end = tl::cuda::globaltimer();
      tl::store(out, begin);
      tl::store(out + 1, end);
      tl::store(out + 2, tl::cast<std::int64_t>(tl::cuda::smid()));
      tl::store(out + 3, tl::i64(tl::cuda::num_warps()));
      tl::store(out + 4, tl::i64(tl::cuda::num_threads()));
    }};

/// Adds 1 to what the launch ahead has left, each element in another program than before.
constexpr auto next = tl::kernel{[](tl::ptr<std::int32_t> x, tl::i32 n, tl::ptr<std::int32_t> y) {
  auto at = tl::program_id(0) * 64 + tl::arange<64>();
  tl::cuda::gdc_launch_dependents();
  tl::cuda::gdc_wait();
  tl::store(y + at, tl::load(x + (n - 1 - at)) + 1);
}};

/// Only one program waits itself.
constexpr auto last = tl::kernel{[](tl::ptr<std::int32_t> x) {
  tl::if_(tl::program_id(0) == 1, [&] {
    tl::cuda::gdc_wait();
    tl::store(x, tl::load(x) + 1000);
  });
}};

constexpr auto by_target = tl::kernel{[](tl::ptr<std::int32_t> out) {
  int number = 1;
  if (tl::target_info::is_cuda())
    number = tl::target_info::cuda_capability_geq(9) ? 3 : 2;
  else if (tl::target_info::is_interpreter())
    number = 4;
  tl::store(out, number);
}};

} // namespace

TEST_CASE("code is chosen by the device that it is compiled for") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::testing::guarded_buffer<std::int32_t> out(dev, 1);
    numeric::seen(by_target[numeric::grid(1)](out));
    const bool is_gpu = dev.target().starts_with("sm_");
    const int want = dev.name() == "interpreter"           ? 4
                     : !is_gpu                             ? 1
                     : dev.target().substr(0, 4) == "sm_8" ? 2
                                                           : 3;
    CHECK(out.to_vector()[0] == want);
  }
}

TEST_CASE("a program knows the time, and where it runs") {
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    tl::buffer<float> x(dev, tl::testing::random_values<float>(1024)), y(dev, 1024);
    tl::testing::guarded_buffer<std::int64_t> out(dev, 5);
    tl::launch_options options = numeric::grid(1);
    options.num_warps = 2;
    numeric::seen(where_and_when[options](out, x, y));
    const std::vector<std::int64_t> got = out.to_vector();
    CHECK(got[0] > 0);
    CHECK(got[1] >= got[0]);
    CHECK(got[1] - got[0] < 60'000'000'000);
    const bool is_gpu = dev.target().starts_with("sm_");
    CHECK(got[2] >= 0);
    CHECK(got[2] < (is_gpu ? 1024 : 1));
    CHECK(got[3] == (is_gpu ? 2 : 1));
    CHECK(got[4] == (is_gpu ? 64 : 1));
    CHECK(out.intact());
  }
}

TEST_CASE("a kernel that waits for the one ahead of it sees what that has written") {
  const int n = 64 * 100;
  for (tl::device dev : tl::testing::devices()) {
    CAPTURE(dev.name());
    std::vector<std::int32_t> host(std::size_t(n), 0);
    for (int i = 0; i < n; ++i)
      host[std::size_t(i)] = i;
    tl::buffer<std::int32_t> x(dev, host), y(dev, host);
    const int launches = dev.name() == "interpreter" ? 4 : 50;
    for (int i = 0; i < launches; ++i)
      numeric::seen(i % 2 ? next[numeric::grid(n / 64)](y, n, x)
                          : next[numeric::grid(n / 64)](x, n, y));
    numeric::seen(last[numeric::grid(2)](x));
    const std::vector<std::int32_t> got = x.to_vector();
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      wrong += got[std::size_t(i)] != i + launches + (i == 0 ? 1000 : 0);
    CHECK(wrong == 0);
  }
}
