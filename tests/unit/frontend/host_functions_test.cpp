// SPDX-License-Identifier: MIT
// Functions of the host in a kernel: they would run while it is traced, so each is refused with the
// user's line, and nothing is done.
#include "../host/fake_c_api.hpp"
#include "trace.hpp"

#include <tl/testing.hpp>

#include <functional>
#include <vector>

namespace {

using traces::fails;
using traces::failure;
using traces::has;

constexpr auto inner = tl::kernel{"inner", [](tl::ptr<float> x) { tl::store(x, 1.0f); }};
inline auto tuned = tl::autotune<1, 2>(
    []<int C> { return tl::kernel{"tuned", [](tl::ptr<float> x) { tl::store(x, float(C)); }}; });

std::function<void()> host_work;
constexpr auto calls_the_host = tl::kernel{[](tl::ptr<float> x) {
  host_work();
  tl::store(x, 1.0f);
}};

failure fails_with(std::function<void()> work) {
  host_work = std::move(work);
  failure f = fails(calls_the_host);
  host_work = nullptr;
  return f;
}

void refused(const failure &f, unsigned line, const std::string &message) {
  CAPTURE(f.message);
  CHECK(f.message == message + " while a kernel is traced");
  CHECK(f.line == line);
  CHECK(has(f.file, "host_functions_test.cpp"));
}

} // namespace

TEST_CASE("a kernel cannot launch a kernel") {
  const tl::device cpu("cpu");
  tl::buffer<float> x(cpu, 4);
  inner[1](x); // also one that is compiled already
  const int launches = fake::launches, compilations = fake::compilations;
  refused(fails_with([&] { inner[1](x); }), __LINE__, "kernel inner cannot be launched");
  refused(fails_with([&] { inner[{.grid = {2}, .num_warps = 8}](x); }), __LINE__,
          "kernel inner cannot be launched");
  CHECK(fails_with([&] { inner[1](x); }).help ==
        "launch one kernel after the other; what they share is a function of tensors");
  refused(fails_with([&] { tuned[tl::grid(1)](x); }), __LINE__,
          "an autotuned kernel cannot be launched");
  refused(fails_with([&] { inner.compile(cpu, x); }), __LINE__,
          "compile() of a kernel cannot be used");
  refused(fails_with([&] { inner[{.num_warps = 8}].compile(cpu, x); }), __LINE__,
          "compile() of a kernel cannot be used");
  refused(fails_with([&] { inner.trace(); }), __LINE__, "trace() of a kernel cannot be used");
  CHECK(fake::launches == launches);
  CHECK(fake::compilations == compilations);
}

TEST_CASE("a kernel neither makes nor copies memory of a device, nor waits for one") {
  const tl::device cpu("cpu");
  const std::vector<float> host(4);
  std::vector<float> out(4);
  tl::buffer<float> x(cpu, 4), y(cpu, 4);
  tl::host_buffer<float> pinned(cpu, 4);
  tl::stream s(cpu);
  tl::event e(cpu), later(cpu);
  tl::testing::guarded_buffer<float> guarded(cpu, 4);
  const auto allocated = fake::allocated();
  const auto cannot = [](const char *function) {
    return std::string(function) + " cannot be used";
  };
  refused(fails_with([&] { tl::buffer<float>(cpu, 4); }), __LINE__, cannot("tl::buffer"));
  refused(fails_with([&] { tl::buffer<float>(s, 4); }), __LINE__, cannot("tl::buffer"));
  refused(fails_with([&] { tl::buffer(cpu, host); }), __LINE__, cannot("tl::buffer"));
  refused(fails_with([&] { tl::buffer(cpu, std::vector<bool>(3)); }), __LINE__,
          cannot("tl::buffer"));
  refused(fails_with([&] { x.clone(); }), __LINE__, cannot("tl::buffer::clone"));
  refused(fails_with([&] { x.copy_from(host); }), __LINE__, cannot("tl::buffer::copy_from"));
  refused(fails_with([&] { x.copy_from(y); }), __LINE__, cannot("tl::buffer::copy_from"));
  refused(fails_with([&] { x.copy_from(pinned, s); }), __LINE__, cannot("tl::buffer::copy_from"));
  refused(fails_with([&] { x.copy_to(out); }), __LINE__, cannot("tl::buffer::copy_to"));
  refused(fails_with([&] { x.copy_to(pinned, s); }), __LINE__, cannot("tl::buffer::copy_to"));
  refused(fails_with([&] { x.to_vector(); }), __LINE__, cannot("tl::buffer::to_vector"));
  refused(fails_with([&] { x.to_vector(s); }), __LINE__, cannot("tl::buffer::to_vector"));
  refused(fails_with([&] { x.fill(1.0f); }), __LINE__, cannot("tl::buffer::fill"));
  refused(fails_with([&] { tl::host_buffer<float>(cpu, 4); }), __LINE__, cannot("tl::host_buffer"));
  refused(fails_with([&] { tl::stream again(cpu); }), __LINE__, cannot("tl::stream"));
  refused(fails_with([&] { s.synchronize(); }), __LINE__, cannot("tl::stream::synchronize"));
  refused(fails_with([&] { s.wait(e); }), __LINE__, cannot("tl::stream::wait"));
  refused(fails_with([&] { tl::event again(cpu); }), __LINE__, cannot("tl::event"));
  refused(fails_with([&] { e.record(s); }), __LINE__, cannot("tl::event::record"));
  refused(fails_with([&] { e.synchronize(); }), __LINE__, cannot("tl::event::synchronize"));
  refused(fails_with([&] { (void)later.milliseconds_since(e); }), __LINE__,
          cannot("tl::event::milliseconds_since"));
  refused(fails_with([&] { tl::testing::guarded_buffer<float>(cpu, 4); }), __LINE__,
          cannot("tl::buffer"));
  refused(fails_with([&] { (void)guarded.intact(); }), __LINE__,
          cannot("tl::testing::guarded_buffer::intact"));
  refused(fails_with([&] { guarded.to_vector(); }), __LINE__, cannot("tl::buffer::to_vector"));
  refused(fails_with([&] { (void)tl::testing::allclose(x, host); }), __LINE__,
          cannot("tl::testing::allclose"));
  CHECK(fake::allocated() == allocated);
}

TEST_CASE("what is wrong in a kernel cannot be caught in it") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto swallows = tl::kernel{[](tl::ptr<float> x) {
    try {
      tl::store(x, tl::program_id(3));
    } catch (const tl::error &) {
    }
    tl::store(x, 1.0f);
  }};
  const failure f = fails(swallows);
  CHECK(f.message == "axis 3 of tl::program_id is not 0, 1 or 2");
  CHECK(f.line == line);
}
