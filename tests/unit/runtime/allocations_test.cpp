// SPDX-License-Identifier: MIT
//
// Device memory through the C API.
#include "c_api.hpp"

#include <cstring>
#include <vector>

using c_api::refused;

TEST_SUITE("device memory") {

  TEST_CASE("bytes go there and back") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    void *a = nullptr, *b = nullptr;
    REQUIRE(tl_allocate(cpu, 100, &a) == TL_OK);
    REQUIRE(tl_allocate(cpu, 100, &b) == TL_OK);
    CHECK(reinterpret_cast<uintptr_t>(a) % 64 == 0);
    std::vector<unsigned char> sent(100), received(100);
    for (int i = 0; i < 100; ++i)
      sent[i] = static_cast<unsigned char>(i * 7);
    CHECK(tl_copy_to_device(stream, a, sent.data(), 100) == TL_OK);
    CHECK(tl_copy_on_device(stream, b, a, 100) == TL_OK);
    CHECK(tl_fill(stream, static_cast<char *>(b) + 90, 9, 10) == TL_OK);
    CHECK(tl_copy_from_device(stream, received.data(), b, 100) == TL_OK);
    CHECK(std::memcmp(sent.data(), received.data(), 90) == 0);
    CHECK(received[90] == 9);
    CHECK(received[99] == 9);
    CHECK(tl_free(cpu, a) == TL_OK);
    CHECK(tl_free(cpu, b) == TL_OK);
  }

  TEST_CASE("nothing needs no memory") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    void *pointer = &cpu;
    CHECK(tl_allocate(cpu, 0, &pointer) == TL_OK);
    CHECK(pointer == nullptr);
    CHECK(tl_free(cpu, nullptr) == TL_OK);
    CHECK(tl_copy_to_device(stream, nullptr, nullptr, 0) == TL_OK);
    CHECK(tl_copy_from_device(stream, nullptr, nullptr, 0) == TL_OK);
    CHECK(tl_copy_on_device(stream, nullptr, nullptr, 0) == TL_OK);
    CHECK(tl_fill(stream, nullptr, 1, 0) == TL_OK);
  }

  TEST_CASE("more memory than there can be is out of resources, with the amounts") {
    void *pointer = nullptr;
    CHECK(refused(tl_allocate(c_api::device("cpu"), UINT64_MAX, &pointer), TL_OUT_OF_RESOURCES) ==
          "an allocation of 18446744073709551615 bytes on cpu exceeds the limit of 140737488355328 "
          "bytes");
    CHECK(tl_last_diagnostic()->required == UINT64_MAX);
    CHECK(tl_last_diagnostic()->limit == (uint64_t(1) << 47));
    CHECK(pointer == nullptr);
  }

  TEST_CASE("memory that the device does not have is out of resources") {
    void *pointer = nullptr;
    CHECK(tl_allocate(c_api::device("cpu"), uint64_t(1) << 41, &pointer) == TL_OUT_OF_RESOURCES);
    CHECK(pointer == nullptr);
  }

  TEST_CASE("only live allocations of the same device can be freed") {
    tl_device *cpu = c_api::device("cpu");
    void *pointer = nullptr;
    REQUIRE(tl_allocate(cpu, 64, &pointer) == TL_OK);
    int local = 0;
    const std::string tail = ", which is not a live allocation of cpu";
    CHECK(refused(tl_free(cpu, &local)).ends_with(tail));
    CHECK(refused(tl_free(cpu, static_cast<char *>(pointer) + 1)).ends_with(tail));
    CHECK(refused(tl_free(c_api::device("interpreter"), pointer))
              .ends_with(", which is not a live allocation of interpreter"));
    CHECK(tl_free(cpu, pointer) == TL_OK);
    CHECK(refused(tl_free(cpu, pointer)).ends_with(tail));
  }

  TEST_CASE("a copy past the end of an allocation is refused") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    void *pointer = nullptr;
    REQUIRE(tl_allocate(cpu, 64, &pointer) == TL_OK);
    char host[128] = {};
    CHECK(refused(tl_copy_to_device(stream, pointer, host, 65)) ==
          "tl_copy_to_device got 65 bytes, but the allocation on cpu has 64 bytes from there");
    CHECK(refused(tl_copy_from_device(stream, host, static_cast<char *>(pointer) + 60, 5)) ==
          "tl_copy_from_device got 5 bytes, but the allocation on cpu has 4 bytes from there");
    CHECK(refused(tl_copy_on_device(stream, pointer, pointer, 65)) ==
          "tl_copy_on_device got 65 bytes, but the allocation on cpu has 64 bytes from there");
    CHECK(refused(tl_fill(stream, pointer, 0, UINT64_MAX)).starts_with("tl_fill got "));
    CHECK(tl_copy_to_device(stream, pointer, host, 64) == TL_OK);
    CHECK(tl_free(cpu, pointer) == TL_OK);
  }

  TEST_CASE("memory in the order of a stream is memory like any other") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    void *pointer = nullptr;
    REQUIRE(tl_allocate_in_order(stream, 64, &pointer) == TL_OK);
    CHECK(tl_fill(stream, pointer, 1, 64) == TL_OK);
    CHECK(refused(tl_fill(stream, pointer, 1, 65)).starts_with("tl_fill got 65 bytes"));
    CHECK(tl_free_in_order(stream, pointer) == TL_OK);
    CHECK(refused(tl_free_in_order(stream, pointer)).starts_with("tl_free_in_order got "));
    REQUIRE(tl_allocate_in_order(stream, 64, &pointer) == TL_OK);
    CHECK(tl_free(cpu, pointer) == TL_OK);
    CHECK(tl_allocate_in_order(stream, 0, &pointer) == TL_OK);
    CHECK(pointer == nullptr);
    CHECK(tl_free_in_order(stream, nullptr) == TL_OK);
    CHECK(refused(tl_allocate_in_order(stream, UINT64_MAX, &pointer), TL_OUT_OF_RESOURCES)
              .starts_with("an allocation of 18446744073709551615 bytes on cpu exceeds"));
    CHECK(refused(tl_allocate_in_order(stream, 1, nullptr)) ==
          "tl_allocate_in_order got null for 'pointer'");
    CHECK(refused(tl_allocate_in_order(nullptr, 1, &pointer))
              .starts_with("tl_allocate_in_order got null for the stream"));
  }

  TEST_CASE("memory of the host for queued copies is owned by its device") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    void *host = nullptr, *pointer = nullptr;
    REQUIRE(tl_allocate_host(cpu, 64, &host) == TL_OK);
    REQUIRE(tl_allocate(cpu, 64, &pointer) == TL_OK);
    std::memset(host, 7, 64);
    CHECK(tl_queue_copy_to_device(stream, pointer, host, 64) == TL_OK);
    std::memset(host, 0, 64);
    CHECK(tl_queue_copy_from_device(stream, host, pointer, 64) == TL_OK);
    CHECK(tl_stream_synchronize(stream) == TL_OK);
    CHECK(static_cast<char *>(host)[63] == 7);
    CHECK(refused(tl_queue_copy_to_device(stream, pointer, host, 65))
              .starts_with("tl_queue_copy_to_device got 65 bytes"));
    CHECK(refused(tl_queue_copy_from_device(stream, host, pointer, 65))
              .starts_with("tl_queue_copy_from_device got 65 bytes"));
    CHECK(refused(tl_queue_copy_to_device(stream, pointer, nullptr, 8)) ==
          "tl_queue_copy_to_device got null for 'source'");
    CHECK(refused(tl_free_host(c_api::device("interpreter"), host))
              .ends_with(", which is not a live allocation of tl_allocate_host on interpreter"));
    CHECK(refused(tl_free(cpu, host)).ends_with(", which is not a live allocation of cpu"));
    CHECK(tl_free_host(cpu, host) == TL_OK);
    CHECK(refused(tl_free_host(cpu, host)).starts_with("tl_free_host got "));
    CHECK(tl_free_host(cpu, nullptr) == TL_OK);
    CHECK(tl_allocate_host(cpu, 0, &host) == TL_OK);
    CHECK(host == nullptr);
    CHECK(tl_free(cpu, pointer) == TL_OK);
  }

  TEST_CASE("a copy goes from one device to another, piece by piece") {
    tl_device *cpu = c_api::device("cpu"), *other = c_api::device("interpreter");
    tl_stream *stream = c_api::stream("cpu");
    constexpr uint64_t bytes = (33 << 20) + 5;
    void *from = nullptr, *to = nullptr;
    REQUIRE(tl_allocate(other, bytes, &from) == TL_OK);
    REQUIRE(tl_allocate(cpu, bytes, &to) == TL_OK);
    for (uint64_t i = 0; i < bytes; ++i)
      static_cast<unsigned char *>(from)[i] = static_cast<unsigned char>(i * 7 >> 3);
    CHECK(tl_copy_across(stream, to, other, from, bytes) == TL_OK);
    CHECK(std::memcmp(from, to, bytes) == 0);
    CHECK(tl_copy_across(stream, to, cpu, to, bytes) == TL_OK);
    CHECK(refused(tl_copy_across(stream, to, other, from, bytes + 1)) ==
          "tl_copy_across got 34603014 bytes, but the allocation on cpu has 34603013 bytes from "
          "there");
    CHECK(tl_copy_across(stream, nullptr, other, nullptr, 0) == TL_OK);
    CHECK(refused(tl_copy_across(stream, to, nullptr, from, 1))
              .starts_with("tl_copy_across got null for the device"));
    CHECK(tl_free(other, from) == TL_OK);
    CHECK(tl_free(cpu, to) == TL_OK);
  }

  TEST_CASE("null memory is refused where bytes are to move") {
    tl_stream *stream = c_api::stream("cpu");
    char host[8] = {};
    CHECK(refused(tl_copy_to_device(stream, nullptr, host, 8)) ==
          "tl_copy_to_device got null for 'destination'");
    CHECK(refused(tl_copy_to_device(stream, host, nullptr, 8)) ==
          "tl_copy_to_device got null for 'source'");
    CHECK(refused(tl_copy_from_device(stream, nullptr, host, 8)) ==
          "tl_copy_from_device got null for 'destination'");
    CHECK(refused(tl_copy_on_device(stream, host, nullptr, 8)) ==
          "tl_copy_on_device got null for 'source'");
    CHECK(refused(tl_fill(stream, nullptr, 0, 8)) == "tl_fill got null for 'destination'");
  }

} // TEST_SUITE
