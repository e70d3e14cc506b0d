// SPDX-License-Identifier: MIT
//
// Memory of a GPU, page-locked memory of the host, copies among GPUs, and pointers of others as
// arguments.
#include "gpus.hpp"

#include <cstring>
#include <vector>

using namespace gpus;
using tl_test::fake;

TEST_SUITE("memory") {

  TEST_CASE("bytes go to the GPU and back, at once or queued") {
    Fresh fresh;
    Bench bench;
    std::vector<char> sent(100, 'a'), got(100);
    bench.device->copyToDevice(*bench.stream, bench.memory, sent.data(), 100);
    CHECK(fake().calls(calls::synchronizeStream) == 1); // the host may use its memory again
    bench.device->copyFromDevice(*bench.stream, got.data(), bench.memory, 100);
    CHECK(got == sent);

    auto *pinned = static_cast<char *>(bench.device->allocateHost(200));
    std::memset(pinned, 'b', 100);
    fake().reset();
    bench.device->queueCopyToDevice(*bench.stream, bench.memory, pinned, 100);
    bench.device->queueCopyFromDevice(*bench.stream, pinned + 100, bench.memory, 100);
    CHECK(fake().calls(calls::synchronizeStream) == 0);
    bench.device->synchronize(*bench.stream);
    CHECK(std::memcmp(pinned, pinned + 100, 100) == 0);
    bench.device->releaseHost(pinned);
    CHECK(bench.device->allocateHost(0) == nullptr);
    CHECK_NOTHROW(bench.device->releaseHost(nullptr));
  }

  TEST_CASE("memory can be had and given back in the order of a stream") {
    Fresh fresh;
    Bench bench;
    const uint64_t before = fake().allocated(0);
    void *memory = bench.device->allocateInOrder(*bench.stream, 4096);
    CHECK(fake().calls(calls::allocateAsync) == 1);
    CHECK(fake().allocated(0) == before + 4096);
    CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, memory));
    bench.device->releaseInOrder(*bench.stream, memory);
    CHECK(fake().allocated(0) == before);
    CHECK(bench.device->allocateInOrder(*bench.stream, 0) == nullptr);
  }

  TEST_CASE("a GPU without memory pools allocates as usual") {
    Fresh fresh;
    fake().setAttribute(numbers::memoryPoolsSupported, 0);
    Bench bench;
    bench.device->releaseInOrder(*bench.stream, bench.device->allocateInOrder(*bench.stream, 64));
    CHECK(fake().calls(calls::allocateAsync) == 0);
    CHECK(fake().calls(calls::freeAsync) == 0);
  }

  TEST_CASE("a copy between GPUs waits for both") {
    Fresh fresh;
    Bench first("a", 0), second("b", 1);
    char sent[64] = "from one GPU to the other", got[64] = {};
    first.device->copyToDevice(*first.stream, first.memory, sent, 64);
    fake().reset();
    CHECK(second.device->copyFromPeer(*second.stream, second.memory, *first.device, *first.stream,
                                      first.memory, 64));
    CHECK(fake().calls(calls::copyFromPeer) == 1);
    CHECK(fake().calls(calls::streamWait) == 2);
    CHECK(fake().calls(calls::synchronizeStream) == 0);
    second.device->copyFromDevice(*second.stream, got, second.memory, 64);
    CHECK(std::string(got) == sent);
  }

  TEST_CASE("failures of the driver in copies and fills are reported") {
    Fresh fresh;
    Bench bench;
    char host[8] = {};
    const std::string why = ": " + failed;
    fake().fail(calls::copyToDevice, 1, failure);
    CHECK(errorOf([&] {
            bench.device->copyToDevice(*bench.stream, bench.memory, host, 8);
          }).message == "cannot copy to the GPU" + why);
    fake().fail(calls::copyFromDevice, 1, failure);
    CHECK(errorOf([&] {
            bench.device->copyFromDevice(*bench.stream, host, bench.memory, 8);
          }).message == "cannot copy from the GPU" + why);
    fake().fail(calls::copyOnDevice, 1, failure);
    CHECK(errorOf([&] {
            bench.device->copyOnDevice(*bench.stream, bench.memory, bench.memory, 8);
          }).message == "cannot copy on the GPU" + why);
    fake().fail(calls::fill, 1, failure);
    CHECK(errorOf([&] { bench.device->fill(*bench.stream, bench.memory, 0, 8); }).message ==
          "cannot fill memory of the GPU" + why);
    fake().fail(calls::createStream, 1, failure);
    CHECK(errorOf([&] { bench.device->createStream(); }).message == "cannot make a stream" + why);
    fake().fail(calls::setContext, 1, failure);
    fake().switchContext(1, true);
    CHECK(errorOf([&] { bench.device->createStream(); }).message ==
          "cannot use the GPU's context" + why);
  }

} // TEST_SUITE

TEST_SUITE("foreign pointers") {

  TEST_CASE("memory of other libraries that the GPU can reach is taken") {
    Fresh fresh;
    Bench bench;
    for (const char *kind : {"device", "managed", "pinned"}) {
      void *foreign = fake().foreignMemory(kind, 0, 4096);
      CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, foreign));
      fake().reset();
      CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, static_cast<char *>(foreign) + 64));
      CHECK(fake().calls(calls::pointerAttribute) == 0); // asked once
    }
  }

  TEST_CASE("memory of the host is refused before it costs the context") {
    Fresh fresh;
    Bench bench;
    std::vector<float> host(10);
    const Error error = errorOf([&] { bench.launch(*bench.kernel, *bench.stream, host.data()); });
    CHECK(error.status == TL_INVALID_ARGUMENT);
    CHECK(error.message.starts_with("argument 0 of kernel add (!tt.ptr<f32>) is 0x"));
    CHECK(error.message.ends_with(", memory of the host that " + gpu0 + " cannot reach"));
    CHECK(error.help == "pass a tl::buffer of " + gpu0 + ", or memory of " + memoryFunctions);
    CHECK(fake().calls(calls::launch) == 0);
    CHECK_NOTHROW(bench.launch());
  }

  TEST_CASE("null and addresses of nothing are the kernel's business") {
    Fresh fresh;
    Bench bench;
    CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, nullptr));
    CHECK_NOTHROW(
        bench.launch(*bench.kernel, *bench.stream, reinterpret_cast<void *>(uintptr_t(64))));
  }

  TEST_CASE("a GPU that reads all memory of the host is not asked") {
    Fresh fresh;
    fake().setAttribute(numbers::pageableMemoryAccess, 1);
    Bench bench;
    std::vector<float> host(10);
    CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, host.data()));
    CHECK(fake().calls(calls::pointerAttribute) == 0);
  }

  TEST_CASE("memory of another GPU is reached where the GPUs can, and refused where not") {
    Fresh fresh;
    Bench bench;
    void *other = fake().foreignMemory("device", 1, 4096);
    fake().setPeers(false);
    const Error error = errorOf([&] { bench.launch(*bench.kernel, *bench.stream, other); });
    CHECK(error.status == TL_INVALID_ARGUMENT);
    CHECK(error.message.ends_with(", memory of " + gpu1 + " that " + gpu0 + " cannot reach"));
    CHECK(error.help == "copy it to a buffer of " + gpu0 + " first");
    fake().setPeers(true);
    CHECK_NOTHROW(bench.launch(*bench.kernel, *bench.stream, other));
    CHECK(fake().calls(calls::enablePeerAccess) == 1);
  }

} // TEST_SUITE
