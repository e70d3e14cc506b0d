// SPDX-License-Identifier: MIT
//
// Kernels on the CPU that write beside their buffers. With TL_CHECK=1 the error names kernel,
// argument and byte; without it the library and the program live on. TL_CHECK is read once in a
// process: the tests are run with it and without.
#include "tl/tl.hpp"

#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Forgets its mask.
constexpr auto fill_all = tl::kernel{"fill_all", [](tl::ptr<int> x, tl::i32 value) {
                                       auto at = tl::program_id(0) * 64 + tl::arange<64>();
                                       tl::store(x + at, tl::arange<64>() * 0 + value);
                                     }};

/// Writes one element, wherever it is.
constexpr auto poke =
    tl::kernel{"poke", [](tl::ptr<int> x, tl::i64 at, tl::i32 value) { tl::store(x + at, value); }};

/// The same, loaded where it is used first: doctest takes the handler of faults for itself when a
/// test begins.
constexpr auto poke_far =
    tl::kernel{"poke_far", [](tl::ptr<int> x, tl::i64 at) { tl::store(x + at, 1); }};

bool is_checked() {
  const char *value = std::getenv("TL_CHECK");
  return value && std::strcmp(value, "1") == 0;
}

struct failure {
  std::string message, help, kernel;
};

template <class F> failure failure_of(F f) {
  try {
    f();
  } catch (const tl::runtime_error &e) {
    return {std::string(e.message()), std::string(e.help()), std::string(e.kernel())};
  }
  return {"nothing was thrown", "", ""};
}

tl::device cpu() { return tl::device("cpu"); }

} // namespace

TEST_SUITE("overruns") {

  TEST_CASE(
      "a kernel that writes past the end of a buffer is named with the argument and the byte") {
    if (!is_checked())
      return;
    tl::buffer<int> before(cpu(), 1000), x(cpu(), 1000), after(cpu(), 1000);
    fill_all[15](x, 1); // 960 elements
    const failure f = failure_of([&] { fill_all[16](x, 2); });
    CHECK(f.message ==
          "kernel fill_all wrote past the end of the buffer of 4000 bytes passed as argument "
          "0: 96 bytes are overwritten, the first at offset 4000");
    CHECK(f.help == "mask off the lanes that lie beyond the buffer; the device \"interpreter\" "
                    "finds the line of the access");
    CHECK(f.kernel == "fill_all");
    // Said once; the buffer goes on.
    fill_all[15](x, 3);
    CHECK(x.to_vector()[959] == 3);
    CHECK(x.to_vector()[960] == 2);
  }

  TEST_CASE("before a buffer, by one byte and by many, of every size") {
    if (!is_checked())
      return;
    for (const int n : {1, 3, 16, 100, 1000, 5000, 20000, 100000, 3000000}) {
      tl::buffer<int> x(cpu(), n);
      const std::string size = std::to_string(4 * n);
      CHECK(failure_of([&] { poke[1](x, -1, 7); }).message ==
            "kernel poke wrote before the buffer of " + size +
                " bytes passed as argument 0: 4 bytes are overwritten, the first at offset -4");
      CHECK(failure_of([&] { poke[1](x, n, int(0xD5D5D500)); }).message ==
            "kernel poke wrote past the end of the buffer of " + size +
                " bytes passed as argument 0: 1 byte is overwritten, the first at offset " + size);
      CHECK(failure_of([&] { poke[1](x, n + 1000, 0); }).message ==
            "kernel poke wrote past the end of the buffer of " + size +
                " bytes passed as argument 0: 4 bytes are overwritten, the first at offset " +
                std::to_string(4 * n + 4000));
      poke[1](x, 0, 1);
      poke[1](x, n - 1, 1);
    }
  }

  TEST_CASE("a buffer that no argument points to is named by its address, and others are counted") {
    if (!is_checked())
      return;
    tl::buffer<int> x(cpu(), 16), a(cpu(), 16), b(cpu(), 16);
    const auto distance = [&](tl::buffer<int> &to) {
      return (reinterpret_cast<char *>(to.data()) - reinterpret_cast<char *>(x.data())) / 4;
    };
    const failure f = failure_of([&] { poke[1](x, distance(a) + 16, 1); });
    char address[24];
    std::snprintf(address, sizeof address, "%p", static_cast<void *>(a.data()));
    CHECK(f.message == "kernel poke wrote past the end of the buffer of 64 bytes at " +
                           std::string(address) +
                           ": 4 bytes are overwritten, the first at offset 64");
    std::memset(reinterpret_cast<char *>(a.data()) - 8, 0, 8);
    std::memset(b.data() + 16, 0, 8);
    CHECK(failure_of([&] { poke[1](x, 0, 1); }).message.find(", and 1 other buffer") !=
          std::string::npos);
  }

  TEST_CASE("what the program itself overwrites is found by copies and frees") {
    if (!is_checked())
      return;
    std::vector<int> host(16);
    tl_device *device = cpu().handle();
    void *x = nullptr;
    REQUIRE(tl_allocate(device, 64, &x) == TL_OK);
    tl_stream *stream = nullptr;
    REQUIRE(tl_stream_default(device, &stream) == TL_OK);
    auto message = [](tl_status status) {
      CHECK(status == TL_RUNTIME_ERROR);
      return std::string(tl_last_diagnostic()->message);
    };
    char address[24];
    std::snprintf(address, sizeof address, "%p", x);
    const std::string expected =
        "the program itself, not a kernel, wrote past the end of the buffer of 64 bytes at " +
        std::string(address) + ": 2 bytes are overwritten, the first at offset 64";
    auto damage = [&] { std::memset(static_cast<char *>(x) + 64, 1, 2); };
    damage();
    CHECK(message(tl_copy_from_device(stream, host.data(), x, 64)) == expected);
    CHECK(tl_copy_from_device(stream, host.data(), x, 64) == TL_OK);
    damage();
    CHECK(message(tl_copy_to_device(stream, x, host.data(), 64)) == expected);
    damage();
    CHECK(message(tl_copy_on_device(stream, x, x, 64)) == expected);
    damage();
    CHECK(message(tl_free(device, x)) == expected);
    CHECK(tl_free(device, x) == TL_INVALID_ARGUMENT); // freed all the same
  }

  TEST_CASE("kernels that run at the same time are all named") {
    if (!is_checked())
      return;
    tl::buffer<int> x(cpu(), 64);
    std::vector<std::thread> threads;
    std::vector<std::string> said(8);
    for (std::string &mine : said)
      threads.emplace_back([&] {
        for (int i = 0; i < 200 && mine.empty(); ++i)
          if (const failure f = failure_of([&] { poke[1](x, 64, i); });
              f.message != "nothing was thrown")
            mine = f.message;
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const std::string &mine : said)
      if (!mine.empty())
        CHECK(mine.find("poke") != std::string::npos);
  }

  TEST_CASE("small overruns leave the library, the program and its heap alone") {
    if (is_checked())
      return;
    // A run of the smallest buffers, and the heap's own blocks between their allocations.
    std::vector<tl::buffer<int>> buffers;
    std::vector<std::vector<int>> heap;
    for (int i = 0; i < 500; ++i) {
      buffers.emplace_back(cpu(), 1 + i);
      heap.emplace_back(size_t(1 + i), i);
    }
    for (tl::buffer<int> &buffer : buffers)
      for (const int at : {-16, 0, 16}) {
        try {
          fill_all[1](buffer.data() + at, 7);
        } catch (const tl::runtime_error &) { // the page at the end
        }
      }
    for (int i = 0; i < 500; ++i)
      CHECK(heap[size_t(i)] == std::vector<int>(size_t(1 + i), i));
    buffers.clear();
    for (int i = 0; i < 500; ++i) {
      tl::buffer<int> x(cpu(), 64);
      fill_all[1](x, i);
      CHECK(x.to_vector() == std::vector<int>(64, i));
    }
  }

  TEST_CASE("what goes far beyond a large buffer is an error that names the argument") {
    for (const int n : {100000, 3000000}) {
      tl::buffer<int> x(cpu(), n);
      const failure f = failure_of([&] { poke_far[1](x, n + 2048); });
      CHECK(f.message.find("the kernel accessed memory at 0x") == 0);
      CHECK(f.message.find("which is not mapped or may not be written, 8192 bytes past the end of "
                           "the buffer of " +
                           std::to_string(4 * n) + " bytes passed as argument 0") !=
            std::string::npos);
    }
  }

  TEST_CASE("buffers are aligned, distinct and used again") {
    for (const std::uint64_t bytes : {1ull,
                                      63ull,
                                      64ull,
                                      65ull,
                                      127ull,
                                      128ull,
                                      129ull,
                                      640ull,
                                      1000ull,
                                      4095ull,
                                      4097ull,
                                      65535ull,
                                      65536ull,
                                      65537ull,
                                      131073ull,
                                      1ull << 20,
                                      (4ull << 20) - 1,
                                      4ull << 20,
                                      (4ull << 20) + 1,
                                      33ull << 20}) {
      std::vector<char *> made;
      for (int i = 0; i < 6; ++i) {
        void *pointer = nullptr;
        REQUIRE(tl_allocate(cpu().handle(), bytes, &pointer) == TL_OK);
        CHECK(reinterpret_cast<std::uintptr_t>(pointer) % (bytes >= (4ull << 20) ? 2 << 20 : 64) ==
              0);
        std::memset(pointer, i + 1, bytes);
        made.push_back(static_cast<char *>(pointer));
      }
      for (int i = 0; i < 6; ++i)
        CHECK((made[size_t(i)][0] == i + 1 && made[size_t(i)][bytes - 1] == i + 1));
      for (char *pointer : made)
        REQUIRE(tl_free(cpu().handle(), pointer) == TL_OK);
    }
  }
}
