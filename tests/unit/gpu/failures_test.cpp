// SPDX-License-Identifier: MIT
//
// A GPU that is lost, a process that was forked, a capture that forbids, a driver that is not
// there: what is reported, and that nothing hangs.
#include "gpus.hpp"

#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpus;
using tl_test::fake;

namespace {

const std::string illegal = "an illegal memory access was encountered (" + illegalAddress + ")";

/// Runs in a forked process and gives back what it wrote.
std::string inChild(const std::function<std::string()> &body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = body();
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == ssize_t(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  size_t size = 0;
  for (ssize_t more; (more = read(ends[0], text.data() + size, text.size() - size)) > 0;)
    size += size_t(more);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  text.resize(size);
  return text;
}

} // namespace

TEST_SUITE("calls that fail") {

  TEST_CASE("no function of the driver is missing from the table") {
    const GpuApi &api = *VendorApi::find();
#define CHECK_MEMBER(member, parameters) CHECK_MESSAGE(bool(api.member), #member);
    TL_GPU_FUNCTIONS(CHECK_MEMBER)
#undef CHECK_MEMBER
  }

  TEST_CASE("each says what was tried and why it failed") {
    Fresh fresh;
    Bench bench;
    char host[8] = {};
    const Code plain = code("plain"), meeting = meetingCode();
    auto cooperative = bench.device->load(meeting);
    auto start = bench.device->createEvent(), end = bench.device->createEvent();
    bench.device->record(*start, *bench.stream);
    bench.device->record(*end, *bench.stream);
    GpuDevice &device = *bench.device;
    Stream &stream = *bench.stream;
    void *memory = bench.memory, *pinned = device.allocateHost(8);
    void *queued = device.allocateInOrder(stream, 8), *native = fake().foreignStream(0, true);
    const struct {
      const char *call, *tried;
      std::function<void()> action;
    } cases[] = {
        {calls::deviceGet, "cannot open the GPU", [&] { open(); }},
        {calls::allocate, "cannot allocate memory", [&] { device.allocate(8); }},
        {calls::free, "cannot free memory", [&] { device.release(memory); }},
        {calls::allocateAsync, "cannot allocate memory",
         [&] { device.allocateInOrder(stream, 8); }},
        {calls::freeAsync, "cannot free memory", [&] { device.releaseInOrder(stream, queued); }},
        {calls::allocateHost, "cannot allocate page-locked memory of the host",
         [&] { device.allocateHost(8); }},
        {calls::freeHost, "cannot free page-locked memory of the host",
         [&] { device.releaseHost(pinned); }},
        {calls::copyToDevice, "cannot copy to the GPU",
         [&] { device.copyToDevice(stream, memory, host, 8); }},
        {calls::copyToDevice, "cannot copy to the GPU",
         [&] { device.queueCopyToDevice(stream, memory, host, 8); }},
        {calls::copyFromDevice, "cannot copy from the GPU",
         [&] { device.copyFromDevice(stream, host, memory, 8); }},
        {calls::copyFromDevice, "cannot copy from the GPU",
         [&] { device.queueCopyFromDevice(stream, host, memory, 8); }},
        {calls::copyOnDevice, "cannot copy on the GPU",
         [&] { device.copyOnDevice(stream, memory, memory, 8); }},
        {calls::fill, "cannot fill memory of the GPU", [&] { device.fill(stream, memory, 0, 8); }},
        {calls::createStream, "cannot make a stream", [&] { device.createStream(); }},
        {calls::createStream, "cannot make the default stream",
         [&] { device.createDefaultStream(); }},
        {calls::streamContext, "cannot wrap the stream", [&] { device.wrapStream(native); }},
        {calls::streamIsCapturing, "cannot ask for the state of the stream",
         [&] { device.synchronize(stream); }},
        {calls::synchronizeStream, "the work of the stream failed",
         [&] { device.synchronize(stream); }},
        {calls::synchronizeStream, "the copy to the GPU failed",
         [&] { device.copyToDevice(stream, memory, host, 8); }},
        {calls::createEvent, "cannot make an event", [&] { device.createEvent(); }},
        {calls::recordEvent, "cannot record the event", [&] { device.record(*start, stream); }},
        {calls::synchronizeEvent, "the work before the event failed",
         [&] { device.synchronize(*start); }},
        {calls::streamWait, "cannot wait for the event", [&] { device.wait(stream, *start); }},
        {calls::elapsed, "cannot read the time between the events",
         [&] { device.elapsedMilliseconds(*start, *end); }},
        {calls::loadModule, "cannot load the kernel", [&] { device.load(plain); }},
        {calls::moduleFunction, "cannot find the kernel in its module",
         [&] { device.load(plain); }},
        {calls::functionAttribute, "cannot ask for the kernel's registers",
         [&] { device.load(plain); }},
        {calls::occupancy, "cannot count the blocks that fit", [&] { device.load(meeting); }},
        {calls::launch, "cannot launch the kernel", [&] { bench.launch(); }},
        {calls::launchWholeGrid, "cannot launch the kernel",
         [&] { bench.launch(*cooperative, stream, memory); }},
    };
    for (const auto &[call, tried, action] : cases) {
      fake().fail(call, 1, failure);
      const Error error = errorOf(action);
      CHECK(error.status == TL_RUNTIME_ERROR);
      CHECK(error.message == tried + (": " + failed));
      CHECK(error.device == gpu0);
    }
  }

} // TEST_SUITE

TEST_SUITE("lost GPUs") {

  TEST_CASE("a kernel that faults is named by the next wait, and every later call says why") {
    Fresh fresh;
    Bench bench("reads_far_away");
    fake().fault(errorIllegalAddress);
    CHECK_NOTHROW(bench.launch());
    const Error first = errorOf([&] { bench.device->synchronize(*bench.stream); });
    CHECK(first.status == TL_RUNTIME_ERROR);
    CHECK(first.kernel == "reads_far_away");
    CHECK(first.device == gpu0);
    CHECK(first.message == "kernel reads_far_away failed on " + gpu0 + ": " + illegal);
    CHECK(first.help == faultFinder + " finds the place; the process must be started again to "
                                      "use the GPU");
    const std::string later = gpu0 + " can no longer be used: " + first.message;
    char host[8] = {};
    for (const Error &error : {
             errorOf([&] { bench.launch(); }),
             errorOf([&] { bench.device->allocate(8); }),
             errorOf([&] { bench.device->copyToDevice(*bench.stream, bench.memory, host, 8); }),
             errorOf([&] { bench.device->synchronize(*bench.stream); }),
             errorOf([&] { bench.device->createStream(); }),
             errorOf([&] { bench.device->createEvent(); }),
             errorOf([&] { bench.device->load(bench.made); }),
         }) {
      CHECK(error.status == TL_RUNTIME_ERROR);
      CHECK(error.message == later);
      CHECK(error.help == "the process must be started again to use the GPU");
    }
    fake().heal();
  }

  TEST_CASE("the launch that learns of an earlier kernel's fault does not blame itself") {
    Fresh fresh;
    Bench bench("culprit");
    const Code next = code("innocent");
    auto innocent = bench.device->load(next);
    fake().fault(errorIllegalAddress);
    bench.launch();
    const Error error = errorOf([&] { bench.launch(*innocent, *bench.stream, bench.memory); });
    CHECK(error.kernel == "culprit");
    CHECK(error.message == "kernel culprit failed on " + gpu0 + ": " + illegal);
    fake().heal();
  }

  TEST_CASE("with several kernels under way all are named") {
    Fresh fresh;
    Bench bench("one");
    const Code next = code("two");
    auto two = bench.device->load(next);
    auto stream = bench.device->createStream();
    bench.launch();
    fake().fault(719);
    bench.launch(*two, *stream, bench.memory);
    const Error error = errorOf([&] { bench.device->synchronize(*bench.stream); });
    CHECK(error.kernel.empty());
    CHECK(error.message ==
          "one of the kernels one, two failed on " + gpu0 + ": a fake failure (" + nameOf719 + ")");
    CHECK(error.help ==
          blockingVariable + std::string("=1 finds out which one; the process must be started "
                                         "again to use the GPU"));
    fake().heal();
  }

  TEST_CASE("what has been waited for is not suspected") {
    Fresh fresh;
    Bench bench("earlier");
    const Code next = code("later");
    auto later = bench.device->load(next);
    bench.launch();
    bench.device->synchronize(*bench.stream);
    fake().fault(errorIllegalAddress);
    bench.launch(*later, *bench.stream, bench.memory);
    CHECK(errorOf([&] { bench.device->synchronize(*bench.stream); }).kernel == "later");
    fake().heal();
  }

  TEST_CASE("more kernels than are remembered are said to be more") {
    Fresh fresh;
    Bench bench("k0");
    std::vector<std::unique_ptr<Code>> codes;
    std::vector<std::unique_ptr<LoadedKernel>> kernels;
    for (int i = 1; i < 12; ++i) {
      codes.push_back(std::make_unique<Code>(code("k" + std::to_string(i))));
      kernels.push_back(bench.device->load(*codes.back()));
    }
    fake().fault(errorIllegalAddress);
    bench.launch();
    fake().heal();
    for (auto &kernel : kernels)
      bench.launch(*kernel, *bench.stream, bench.memory);
    fake().fail(calls::synchronizeStream, 1, errorIllegalAddress);
    CHECK(errorOf([&] { bench.device->synchronize(*bench.stream); })
              .message.starts_with("one of the kernels k0, k1, k2, k3, k4, k5, k6, k7 and others "
                                   "failed on " +
                                   gpu0 + ": "));
  }

  TEST_CASE("where launches are waited for the launch that fails is the culprit") {
    Fresh fresh;
    Bench bench("earlier");
    const Code next = code("culprit");
    auto culprit = bench.device->load(next);
    bench.launch();
    setenv(blockingVariable, "1", 1);
    fake().fail(calls::launch, 1, errorIllegalAddress);
    const Error error = errorOf([&] { bench.launch(*culprit, *bench.stream, bench.memory); });
    unsetenv(blockingVariable);
    CHECK(error.kernel == "culprit");
  }

  TEST_CASE("a GPU that the program has reset is said to be") {
    Fresh fresh;
    Bench bench;
    bench.launch();
    if (!hasOwnContexts) { // then the driver says so of streams that are none
      fake().fail(calls::streamContext, 1, errorContextIsDestroyed);
      void *native = fake().foreignStream(0, true);
      CHECK(errorOf([&] {
              bench.device->wrapStream(native);
            }).message.starts_with("cannot wrap the stream: "));
      CHECK_NOTHROW(bench.launch());
      return;
    }
    fake().fail(calls::launch, 1, errorContextIsDestroyed);
    CHECK(errorOf([&] { bench.launch(); }).message ==
          "the context of " + gpu0 + " was destroyed: the program has reset the GPU");
    fake().fail(calls::allocate, 1, errorContextIsDestroyed);
    CHECK(errorOf([&] { bench.device->allocate(8); }).message ==
          gpu0 + " can no longer be used: the context of " + gpu0 +
              " was destroyed: the program has "
              "reset the GPU");
  }

  TEST_CASE("a process forked after the first use gets an error that says so") {
    Fresh fresh;
    Bench bench;
    bench.launch();
    const std::string expected =
        gpu0 + " cannot be used in a process that was forked from one that used it";
    CHECK(inChild([&] { return errorOf([&] { bench.launch(); }).message; }) == expected);
    CHECK(inChild([&] { return errorOf([&] { bench.device->allocate(8); }).message; }) == expected);
    CHECK(inChild([&] {
            return errorOf([&] { bench.device->synchronize(*bench.stream); }).message;
          }) == expected);
    CHECK(inChild([&] { return errorOf([&] { bench.launch(); }).help; }) ==
          "fork before the first use of a GPU, or start the child with exec");
    // What is destroyed there does not touch the driver.
    CHECK(inChild([&] {
            bench.stream.reset();
            bench.kernel.reset();
            return std::string("alive");
          }) == "alive");
    CHECK_NOTHROW(bench.launch());
  }

  TEST_CASE("after a failed assertion the barrier of the grid begins anew") {
    Fresh fresh;
    Bench bench;
    const Code meeting = meetingCode();
    auto kernel = bench.device->load(meeting);
    bench.launch(*kernel, *bench.stream, bench.memory);
    auto *counter = reinterpret_cast<uint32_t *>(fake().lastHidden());
    Code asserting = assertingCode();
    asserting.name = asserting.symbol = "asserting_and_meeting";
    asserting.hidden.gridBarrier = true;
    auto both = bench.device->load(asserting);
    bench.launch(*both, *bench.stream, bench.memory);
    auto *record = reinterpret_cast<FailureRecord *>(fake().lastHidden());
    *counter = 3; // three programs have come
    record->taken = 1;
    CHECK(errorOf([&] { bench.device->synchronize(*bench.stream); }).message ==
          "x in program (0, 0, 0)");
    CHECK(*counter == 0);
  }

} // TEST_SUITE

TEST_SUITE("capture") {

  TEST_CASE("kernels, assertions and queued copies go into a capture, waits are refused") {
    Fresh fresh;
    Bench bench;
    void *native = fake().foreignStream(0, true);
    auto stream = bench.device->wrapStream(native);
    const Code asserting = assertingCode("x > 0", {"a.cpp", 3, 4});
    auto checked = bench.device->load(asserting);
    void *pinned = bench.device->allocateHost(64);
    fake().capture(native, true);

    CHECK_NOTHROW(bench.launch(*bench.kernel, *stream, bench.memory));
    CHECK_NOTHROW(bench.launch(*checked, *stream, bench.memory));
    CHECK_NOTHROW(bench.device->queueCopyToDevice(*stream, bench.memory, pinned, 64));
    CHECK_NOTHROW(bench.device->queueCopyFromDevice(*stream, pinned, bench.memory, 64));
    CHECK_NOTHROW(bench.device->fill(*stream, bench.memory, 0, 64));
    // These take no part in the capture.
    CHECK_NOTHROW(bench.device->release(bench.device->allocate(64)));
    CHECK_NOTHROW(bench.device->load(bench.made));

    char host[8] = {};
    const Error error = errorOf([&] { bench.device->synchronize(*stream); });
    CHECK(error.status == TL_INVALID_ARGUMENT);
    CHECK(error.message ==
          "synchronize waits for the stream, which is being captured into a graph");
    CHECK(errorOf([&] { bench.device->copyToDevice(*stream, bench.memory, host, 8); }).message ==
          "a copy to the GPU waits for the stream, which is being captured into a graph");
    CHECK(errorOf([&] { bench.device->copyFromDevice(*stream, host, bench.memory, 8); }).message ==
          "a copy from the GPU waits for the stream, which is being captured into a graph");
    CHECK(fake().calls(calls::synchronizeStream) == 0); // it would have spoilt the capture
    fake().capture(native, false);
    CHECK_NOTHROW(bench.device->synchronize(*stream));
    bench.device->releaseHost(pinned);
  }

  TEST_CASE("what the driver forbids during a capture is explained") {
    Fresh fresh;
    Bench bench;
    fake().fail(calls::loadModule, 1, errorCaptureUnsupported);
    const Error error = errorOf([&] { bench.device->load(bench.made); });
    CHECK(error.message == "cannot load the kernel while a stream is being captured into a graph: "
                           "a fake failure (" +
                               captureUnsupported + ")");
    CHECK(error.help == "compile kernels and allocate memory before the capture: "
                        "kernel.compile(device, arguments…) compiles without a launch");
  }

  TEST_CASE("a captured assertion is reported after each run of the graph") {
    Fresh fresh;
    Bench bench;
    void *native = fake().foreignStream(0, true);
    auto stream = bench.device->wrapStream(native);
    const Code asserting = assertingCode("x > 0", {"a.cpp", 3, 4});
    auto checked = bench.device->load(asserting);
    fake().capture(native, true);
    int n = 7;
    void *arguments[] = {&bench.memory, &n};
    bench.device->launch(*checked, *stream, {1, 1, 1}, arguments);
    auto *record = reinterpret_cast<FailureRecord *>(fake().lastHidden());
    fake().capture(native, false);
    for (int run = 0; run < 2; ++run) {
      CHECK_NOTHROW(bench.device->synchronize(*stream));
      record->taken = 1;
      const Error error = errorOf([&] { bench.device->synchronize(*stream); });
      CHECK(error.message == "x > 0 in program (0, 0, 0)");
      CHECK(error.kernel == "asserting");
      CHECK(error.line == 3);
    }
  }

} // TEST_SUITE
