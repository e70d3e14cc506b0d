// SPDX-License-Identifier: MIT
//
// Devices, buffers, streams, events and host descriptors, over a C API that keeps its memory on
// the host.
#include "fake_c_api.hpp"

#include <tl/buffer.hpp>
#include <tl/descriptor.hpp>
#include <tl/device.hpp>
#include <tl/host_buffer.hpp>
#include <tl/stream.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// The message of the tl::error that the function throws.
template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const tl::error &e) {
    return e.message();
  }
  return "nothing was thrown";
}

const tl::device cpu("cpu");

} // namespace

TEST_CASE("devices have names and are equal by identity") {
  CHECK(tl::device("interpreter").name() == "interpreter");
  CHECK(tl::device::best() == tl::device("cpu"));
  CHECK(tl::device("cpu") != tl::device("interpreter"));
  REQUIRE(tl::devices().size() == 2);
  CHECK(tl::devices()[0] == cpu);
  CHECK(cpu.description() == "a fake processor");
  CHECK(cpu.target() == "cpu");
}

TEST_CASE("an unknown device is refused") {
  CHECK_THROWS_AS(tl::device("abacus"), tl::invalid_argument);
  CHECK_THROWS_AS(tl::device(""), tl::invalid_argument);
}

TEST_CASE("a buffer holds what it was made from") {
  const std::vector<float> host{1, 2, 3};
  CHECK(tl::buffer<float>(cpu, host).to_vector() == host);
  const float array[] = {1, 2, 3};
  CHECK(tl::buffer<float>(cpu, array).to_vector() == host);
  CHECK(tl::buffer<const float>(cpu, host).to_vector() == host);
  CHECK(tl::buffer<float>(cpu, std::span(host).first(2)).size() == 2);
  const std::vector<bool> flags{true, false, true};
  CHECK(tl::buffer<bool>(cpu, flags).to_vector() == flags);
}

TEST_CASE("a buffer's element type can be deduced from host data") {
  static_assert(std::is_same_v<decltype(tl::buffer(cpu, std::vector<std::int8_t>())),
                               tl::buffer<std::int8_t>>);
  static_assert(std::is_same_v<decltype(tl::buffer(cpu, std::vector<bool>())), tl::buffer<bool>>);
  static_assert(
      std::is_same_v<decltype(tl::buffer(cpu, std::array<const double, 2>{})), tl::buffer<double>>);
}

TEST_CASE("a buffer has a size of any integer type") {
  CHECK(tl::buffer<double>(cpu, 3).bytes() == 24);
  CHECK(tl::buffer<double>(cpu, std::size_t(3)).size() == 3);
  CHECK(tl::buffer<double>(cpu, std::uint8_t(3)).size() == 3);
  CHECK(message_of([] { tl::buffer<float>(cpu, -1); }) == "tl::buffer cannot have -1 elements");
  CHECK(message_of([] { tl::buffer<double>(cpu, SIZE_MAX); }) ==
        "tl::buffer of 18446744073709551615 elements is larger than the address space");
}

TEST_CASE("an empty buffer has no address and does nothing") {
  tl::buffer<float> empty(cpu, 0);
  CHECK(empty.empty());
  CHECK(empty.data() == nullptr);
  CHECK(empty.to_vector().empty());
  empty.fill(1);
  empty.copy_from({});
  CHECK(empty.clone().empty());
}

TEST_CASE("a buffer is filled with any value") {
  tl::buffer<float> x(cpu, 5);
  x.fill(0);
  CHECK(x.to_vector() == std::vector<float>(5, 0));
  x.fill(1.5f);
  CHECK(x.to_vector() == std::vector<float>(5, 1.5f));
  tl::buffer<std::int32_t> i(cpu, 5);
  i.fill(-1);
  CHECK(i.to_vector() == std::vector<std::int32_t>(5, -1));
  tl::buffer<bool> b(cpu, 2);
  b.fill(true);
  CHECK(b.to_vector() == std::vector<bool>{true, true});
}

TEST_CASE("copies need equal sizes") {
  tl::buffer<float> x(cpu, 2);
  x.copy_from(std::vector<float>{1, 2});
  std::vector<float> host(2);
  x.copy_to(host);
  CHECK(host == std::vector<float>{1, 2});
  CHECK(message_of([&] { x.copy_from(std::vector<float>(3)); }) ==
        "tl::buffer::copy_from takes 2 elements, not 3");
  host.resize(1);
  CHECK(message_of([&] { x.copy_to(host); }) == "tl::buffer::copy_to takes 2 elements, not 1");
}

TEST_CASE("copies go between devices") {
  tl::buffer<float> x(cpu, std::vector<float>{1, 2}), y(tl::device("interpreter"), 2);
  y.copy_from(x);
  CHECK(y.to_vector() == std::vector<float>{1, 2});
  fake::fail_next("tl_copy_across",
                  {TL_RUNTIME_ERROR, "the GPU is lost", "", "", 0, 0, "", "", 0, 0});
  CHECK(message_of([&] { x.copy_from(y); }) == "the GPU is lost");
}

TEST_CASE("copies are queued from and to a host buffer") {
  const tl::stream s(cpu);
  tl::host_buffer<float> host(cpu, 3);
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<float>(i);
  tl::buffer<float> x(cpu, 3);
  x.copy_from(host, s);
  for (float &value : host)
    value = 9;
  x.copy_to(host, s);
  CHECK(std::vector<float>(host.begin(), host.end()) == std::vector<float>{0, 1, 2});
  tl::host_buffer<float> longer(cpu, 4);
  CHECK(message_of([&] { x.copy_from(longer, s); }) ==
        "tl::buffer::copy_from takes 3 elements, not 4");
  CHECK(message_of([&] { x.copy_to(longer, s); }) == "tl::buffer::copy_to takes 3 elements, not 4");
}

TEST_CASE("a host buffer owns its memory") {
  const std::int64_t before = fake::allocated();
  {
    tl::host_buffer<double> x(cpu, 4);
    CHECK(x.bytes() == 32);
    CHECK(x.device() == cpu);
    CHECK(fake::allocated() == before + 32);
    tl::host_buffer<double> y = std::move(x);
    CHECK(x.size() == 0);
    x = std::move(y);
    CHECK(x.size() == 4);
    CHECK(tl::host_buffer<float>(cpu, 0).data() == nullptr);
  }
  CHECK(fake::allocated() == before);
  CHECK(message_of([] { tl::host_buffer<float>(cpu, -1); }) ==
        "tl::host_buffer cannot have -1 elements");
  CHECK(message_of([] { tl::host_buffer<double>(cpu, SIZE_MAX); }) ==
        "tl::host_buffer of 18446744073709551615 elements is larger than the address space");
  fake::fail_next("tl_allocate_host",
                  {TL_OUT_OF_RESOURCES, "no memory to lock", "", "", 0, 0, "", "", 0, 0});
  CHECK_THROWS_AS(tl::host_buffer<float>(cpu, 4), tl::out_of_resources);
}

TEST_CASE("a buffer of a stream is freed in its order, or at last without it") {
  const std::int64_t before = fake::allocated();
  const tl::stream s(cpu);
  {
    tl::buffer<float> x(s, 4);
    CHECK(x.device() == cpu);
    CHECK(fake::allocated() == before + 16);
    tl::buffer<float> y = std::move(x);
    x = std::move(y);
  }
  CHECK(fake::allocated() == before);
  {
    tl::buffer<float> x(s, 4);
    fake::fail_next("tl_free_in_order",
                    {TL_INVALID_ARGUMENT, "a stale stream", "", "", 0, 0, "", "", 0, 0});
  }
  CHECK(fake::allocated() == before);
  CHECK(message_of([&] { tl::buffer<float>(s, -1); }) == "tl::buffer cannot have -1 elements");
  CHECK(message_of([&] { tl::buffer<double>(s, SIZE_MAX); }) ==
        "tl::buffer of 18446744073709551615 elements is larger than the address space");
}

TEST_CASE("buffers are moved and cloned, and free their memory once") {
  static_assert(!std::is_copy_constructible_v<tl::buffer<float>>);
  static_assert(!std::is_copy_assignable_v<tl::buffer<float>>);
  static_assert(std::is_nothrow_move_constructible_v<tl::buffer<float>>);
  const std::int64_t before = fake::allocated();
  {
    tl::buffer<float> x(cpu, std::vector<float>{1, 2});
    tl::buffer<float> y = x.clone();
    x.fill(0);
    CHECK(y.to_vector() == std::vector<float>{1, 2});
    tl::buffer<float> z = std::move(x);
    CHECK(z.to_vector() == std::vector<float>{0, 0});
    CHECK(x.size() == 0);
    z = std::move(y);
    CHECK(z.to_vector() == std::vector<float>{1, 2});
    CHECK(fake::allocated() == before + 16);
  }
  CHECK(fake::allocated() == before);
}

TEST_CASE("constness of a buffer is that of its elements") {
  static_assert(std::is_same_v<decltype(std::declval<tl::buffer<int> &>().data()), int *>);
  static_assert(
      std::is_same_v<decltype(std::declval<const tl::buffer<int> &>().data()), const int *>);
  static_assert(
      std::is_same_v<decltype(std::declval<tl::buffer<const int> &>().data()), const int *>);
}

TEST_CASE("memory that runs out is reported with both numbers") {
  fake::fail_next("tl_allocate",
                  {TL_OUT_OF_RESOURCES, "out of memory", "", "", 0, 0, "", "cpu", 400, 100});
  try {
    tl::buffer<float> x(cpu, 100);
    FAIL("nothing was thrown");
  } catch (const tl::out_of_resources &e) {
    CHECK(e.required() == 400);
    CHECK(e.limit() == 100);
  }
}

TEST_CASE("reading a buffer reports what failed in the work before") {
  tl::buffer<float> x(cpu, 1);
  x.fill(0);
  fake::fail_next("tl_stream_synchronize",
                  {TL_RUNTIME_ERROR, "out of bounds", "", "", 0, 0, "k", "cpu", 0, 0});
  CHECK_THROWS_AS(x.to_vector(), tl::runtime_error);
}

TEST_CASE("streams and events know their device and are moved") {
  tl::stream s(cpu);
  CHECK(s.device() == cpu);
  tl::stream t = std::move(s);
  CHECK(s.handle() == nullptr);
  tl::stream d = tl::stream::default_of(cpu);
  d = std::move(t);
  tl::event start(cpu), end(cpu);
  start.record(d);
  d.wait(start);
  end.record(d);
  CHECK(end.milliseconds_since(start) == 1.5);
  CHECK_THROWS_AS(tl::stream::wrap(cpu, nullptr), tl::unsupported);
}

TEST_CASE("a host descriptor is dense unless strides are given") {
  tl::buffer<float> x(cpu, 64 * 32);
  const tl::tensor_descriptor<float, 16, 8> dense(x, {64, std::size_t(32)});
  CHECK(dense.base() == x.data());
  CHECK(dense.shape(0) == 64);
  CHECK(dense.stride(0) == 32);
  CHECK(dense.stride(1) == 1);
  const tl::tensor_descriptor<float, 16, 8> part(x.data() + 8, {64, 8}, {32, 1});
  CHECK(part.stride(0) == 32);
}

TEST_CASE("a host descriptor refuses what the hardware cannot do") {
  tl::buffer<float> x(cpu, 64 * 32);
  using tiles = tl::tensor_descriptor<float, 16, 8>;
  CHECK(message_of([&] { tiles(x, {65, 32}); }) ==
        "tl::tensor_descriptor: the tensor needs 2080 elements, the buffer has 2048");
  CHECK(message_of([&] { tiles(x, {64, 30}); }) ==
        "tl::tensor_descriptor: the stride of axis 0 is 30 elements, it must be a multiple of 16 "
        "bytes and not negative");
  CHECK(message_of([&] { tiles(x, {4, 4}, {32, 2}); }) ==
        "tl::tensor_descriptor: the last stride is 2, it must be 1");
  CHECK(message_of([&] { tiles(x, {-4, 4}); }) ==
        "tl::tensor_descriptor: the extent of axis 0 is -4, it must be between 0 and 2147483647");
  CHECK(message_of([&] { tiles(x, {4, std::int64_t(1) << 31}); }) ==
        "tl::tensor_descriptor: the extent of axis 1 is 2147483648, it must be between 0 and "
        "2147483647");
  CHECK(message_of([&] { tiles(x.data() + 1, {4, 4}, {32, 1}); }) ==
        "tl::tensor_descriptor: the address is not a multiple of 16 bytes");
  CHECK(message_of([&] { tiles(x.data(), {1 << 30, 4}, {std::int64_t(1) << 60, 1}); }) ==
        "tl::tensor_descriptor: the tensor is larger than the address space");
  CHECK_NOTHROW(tiles(x, {0, 32}));
  CHECK_NOTHROW(tiles(x, {64, 0}));
  tl::buffer<std::int32_t> integers(cpu, 2048);
  using numbers = tl::tensor_descriptor<std::int32_t, 16, 8>;
  CHECK(message_of([&] { numbers(integers, {64, 32}, {.padding = tl::padding::nan}); }) ==
        "tl::tensor_descriptor: integers have no NaN to pad with");
  CHECK(message_of([&] { numbers(integers, {64, 32}, {.round_f32_to_tf32 = true}); }) ==
        "tl::tensor_descriptor: only float is rounded to TF32");
}
