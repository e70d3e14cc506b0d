// SPDX-License-Identifier: MIT
//
// Every function of tl.h with right arguments, with null and with handles that are none.
#include "c_api.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

using c_api::refused;

namespace {

// Handles that are none: an address of ours, a misaligned one, one that nothing is mapped at.
int somewhere;
void *const garbage[] = {&somewhere, reinterpret_cast<void *>(1),
                         reinterpret_cast<void *>(UINTPTR_MAX),
                         reinterpret_cast<void *>(uintptr_t(0xdeadbeef))};

/// Calls `call(handle)` with null, garbage and a handle of another kind: each must be refused.
template <class Opaque, class Call> void refuses(const char *kind, void *other, Call call) {
  auto as = [](void *handle) { return static_cast<Opaque *>(handle); };
  CHECK(refused(call(as(nullptr))).ends_with(std::string(" got null for the ") + kind));
  for (void *handle : garbage)
    CHECK(refused(call(as(handle)))
              .ends_with(std::string(" got a stale or foreign handle for the ") + kind));
  std::string message = refused(call(as(other)));
  CHECK(message.find(" got a handle of another kind (") != message.npos);
}

} // namespace

extern "C" int tlHeaderIsC(void);

TEST_SUITE("C API") {

  TEST_CASE("a C program can use the header") { CHECK(tlHeaderIsC() == 1); }

  TEST_CASE("a thread without a failure has no diagnostic, and threads do not share theirs") {
    tl_device *device = nullptr;
    CHECK(tl_device_open("no such", &device) == TL_INVALID_ARGUMENT);
    const tl_diagnostic *other = tl_last_diagnostic();
    std::thread([&] { other = tl_last_diagnostic(); }).join();
    CHECK(other == nullptr);
    CHECK(c_api::lastMessage() ==
          "there is no device 'no such', the devices of this machine are cpu, interpreter");
  }

  TEST_CASE("a success leaves the last diagnostic alone") {
    tl_device *device = nullptr;
    tl_device_open("no such", &device);
    const std::string before = c_api::lastMessage();
    CHECK(tl_device_open("cpu", &device) == TL_OK);
    CHECK(c_api::lastMessage() == before);
  }

  TEST_CASE("the version has three numbers") {
    int major = 0, minor = 0, patch = 0;
    char rest = 0;
    CHECK(std::sscanf(tl_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest) == 3);
  }

  TEST_CASE("devices are found by index and by name, and say who they are") {
    REQUIRE(tl_device_count() == 2);
    tl_device *first = nullptr, *second = nullptr, *named = nullptr;
    REQUIRE(tl_device_at(0, &first) == TL_OK);
    REQUIRE(tl_device_at(1, &second) == TL_OK);
    REQUIRE(tl_device_open("interpreter", &named) == TL_OK);
    CHECK(named == second);
    CHECK(first != second);
    CHECK(std::string(tl_device_name(first)) == "cpu");
    CHECK(std::string(tl_device_name(second)) == "interpreter");
    CHECK(std::string(tl_device_description(first)) == "a fake");
    CHECK(std::string(tl_device_target(first)) == "cpu");
    CHECK(std::string(tl_missing(0)) == "cuda: libcuda.so.1 was not found");
    CHECK(tl_missing(1) == nullptr);
    CHECK(tl_missing(SIZE_MAX) == nullptr);
  }

  TEST_CASE("a device that is not there is refused with those that are") {
    tl_device *device = reinterpret_cast<tl_device *>(1);
    CHECK(refused(tl_device_at(2, &device)) ==
          "there is no device 2, the 2 devices of this machine are cpu, interpreter");
    CHECK(device == nullptr);
    CHECK(refused(tl_device_at(SIZE_MAX, &device)).starts_with("there is no device 18446744073"));
    CHECK(refused(tl_device_open("", &device)) ==
          "there is no device '', the devices of this machine are cpu, interpreter");
    CHECK(refused(tl_device_open("cuda:0", &device)) ==
          "there is no device 'cuda:0' on this machine: libcuda.so.1 was not found");
    CHECK(refused(tl_device_open("CPU\n", &device)).starts_with("there is no device 'CPU?', "));
    CHECK(refused(tl_device_open(std::string(5000, 'x').c_str(), &device)).size() < 150);
    CHECK(refused(tl_device_open(nullptr, &device)) == "tl_device_open got null for 'name'");
    CHECK(refused(tl_device_open("cpu", nullptr)) == "tl_device_open got null for 'device'");
    CHECK(refused(tl_device_at(0, nullptr)) == "tl_device_at got null for 'device'");
    CHECK(refused(tl_device_best(nullptr)) == "tl_device_best got null for 'device'");
  }

  TEST_CASE("the best device is the first, or the one that TL_DEVICE names") {
    unsetenv("TL_DEVICE");
    tl_device *best = nullptr;
    CHECK(tl_device_best(&best) == TL_OK);
    CHECK(best == c_api::device("cpu"));
    setenv("TL_DEVICE", "interpreter", 1);
    CHECK(tl_device_best(&best) == TL_OK);
    CHECK(best == c_api::device("interpreter"));
    setenv("TL_DEVICE", "cuda:9", 1);
    CHECK(refused(tl_device_best(&best)) == "environment variable TL_DEVICE: there is no device "
                                            "'cuda:9' on this machine: libcuda.so.1 was not found");
    CHECK(best == nullptr);
    unsetenv("TL_DEVICE");
  }

  TEST_CASE("handles of devices are checked") {
    void *pointer = nullptr;
    tl_stream *stream = c_api::stream("cpu"), *out = nullptr;
    tl_event *event = nullptr;
    tl_kernel *kernel = nullptr;
    auto each = [&](auto call) { refuses<tl_device>("device", stream, call); };
    each([&](tl_device *d) { return tl_allocate(d, 8, &pointer); });
    each([&](tl_device *d) { return tl_free(d, nullptr); });
    each([&](tl_device *d) { return tl_stream_default(d, &out); });
    each([&](tl_device *d) { return tl_stream_create(d, &out); });
    each([&](tl_device *d) { return tl_stream_wrap(d, nullptr, &out); });
    each([&](tl_device *d) { return tl_event_create(d, &event); });
    each([&](tl_device *d) { return tl_compile(d, "x", 1, nullptr, nullptr, &kernel); });
    CHECK(std::string(tl_device_name(nullptr)).empty());
    CHECK(c_api::lastMessage() == "tl_device_name got null for the device");
    CHECK(std::string(tl_device_description(reinterpret_cast<tl_device *>(stream))).empty());
    CHECK(c_api::lastMessage() ==
          "tl_device_description got a handle of another kind (stream) for the device");
    CHECK(std::string(tl_device_target(nullptr)).empty());
  }

  TEST_CASE("handles of streams are checked") {
    tl_device *cpu = c_api::device("cpu");
    tl_event *event = nullptr;
    REQUIRE(tl_event_create(cpu, &event) == TL_OK);
    tl_kernel *kernel = c_api::compile("kernel empty\n");
    char a[8] = {}, b[8] = {};
    auto each = [&](auto call) { refuses<tl_stream>("stream", cpu, call); };
    each([&](tl_stream *s) { return tl_copy_to_device(s, a, b, 8); });
    each([&](tl_stream *s) { return tl_copy_from_device(s, a, b, 8); });
    each([&](tl_stream *s) { return tl_copy_on_device(s, a, b, 8); });
    each([&](tl_stream *s) { return tl_fill(s, a, 0, 8); });
    each([&](tl_stream *s) { return tl_stream_destroy(s); });
    each([&](tl_stream *s) { return tl_stream_synchronize(s); });
    each([&](tl_stream *s) { return tl_event_record(event, s); });
    each([&](tl_stream *s) { return tl_stream_wait(s, event); });
    each([&](tl_stream *s) { return tl_launch(kernel, s, 1, 1, 1, nullptr, 0); });
    CHECK(tl_stream_device(nullptr) == nullptr);
    CHECK(c_api::lastMessage() == "tl_stream_device got null for the stream");
    CHECK(tl_event_destroy(event) == TL_OK);
  }

  TEST_CASE("handles of events are checked") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    tl_event *event = nullptr;
    REQUIRE(tl_event_create(cpu, &event) == TL_OK);
    REQUIRE(tl_event_record(event, stream) == TL_OK);
    double milliseconds = 0;
    auto each = [&](auto call) { refuses<tl_event>("event", cpu, call); };
    each([&](tl_event *e) { return tl_event_destroy(e); });
    each([&](tl_event *e) { return tl_event_record(e, stream); });
    each([&](tl_event *e) { return tl_event_synchronize(e); });
    each([&](tl_event *e) { return tl_stream_wait(stream, e); });
    each([&](tl_event *e) { return tl_event_elapsed(e, event, &milliseconds); });
    each([&](tl_event *e) { return tl_event_elapsed(event, e, &milliseconds); });
    CHECK(tl_event_destroy(event) == TL_OK);
  }

  TEST_CASE("handles of kernels are checked") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    const char *data = nullptr;
    size_t size = 0;
    auto each = [&](auto call) { refuses<tl_kernel>("kernel", cpu, call); };
    each([&](tl_kernel *k) { return tl_kernel_stage(k, "ttir", &data, &size); });
    each([&](tl_kernel *k) { return tl_launch(k, stream, 1, 1, 1, nullptr, 0); });
    double milliseconds = 1;
    CHECK(std::string(tl_kernel_name(nullptr)).empty());
    CHECK(c_api::lastMessage() == "tl_kernel_name got null for the kernel");
    CHECK(tl_kernel_parameter_count(nullptr) == 0);
    CHECK(tl_kernel_parameter_type(nullptr, 0) == nullptr);
    CHECK(tl_kernel_stage_name(nullptr, 0) == nullptr);
    CHECK(tl_kernel_time(nullptr, 0, &milliseconds) == nullptr);
    CHECK(milliseconds == 0);
    CHECK(tl_kernel_get(nullptr, TL_KERNEL_REGISTERS) == -1);
    CHECK(tl_kernel_get(reinterpret_cast<tl_kernel *>(cpu), TL_KERNEL_REGISTERS) == -1);
    tl_kernel_destroy(nullptr);
    tl_kernel_destroy(reinterpret_cast<tl_kernel *>(garbage[0]));
    CHECK(c_api::lastMessage() == "tl_kernel_destroy got a stale or foreign handle for the kernel");
  }

  TEST_CASE("null where a result goes is refused by name") {
    tl_device *cpu = c_api::device("cpu");
    tl_kernel *kernel = c_api::compile(fake::kernel("a"));
    CHECK(refused(tl_allocate(cpu, 1, nullptr)) == "tl_allocate got null for 'pointer'");
    CHECK(refused(tl_stream_default(cpu, nullptr)) == "tl_stream_default got null for 'stream'");
    CHECK(refused(tl_stream_create(cpu, nullptr)) == "tl_stream_create got null for 'stream'");
    CHECK(refused(tl_stream_wrap(cpu, nullptr, nullptr)) == "tl_stream_wrap got null for 'stream'");
    CHECK(refused(tl_event_create(cpu, nullptr)) == "tl_event_create got null for 'event'");
    CHECK(refused(tl_event_elapsed(nullptr, nullptr, nullptr)) ==
          "tl_event_elapsed got null for 'milliseconds'");
    CHECK(refused(tl_compile(cpu, "x", 1, nullptr, nullptr, nullptr)) ==
          "tl_compile got null for 'kernel'");
    CHECK(refused(tl_compile_for("cpu", "x", 1, nullptr, nullptr, nullptr)) ==
          "tl_compile_for got null for 'kernel'");
    CHECK(refused(tl_kernel_stage(kernel, "ttir", nullptr, nullptr)) ==
          "tl_kernel_stage got null for 'data'");
    tl_cache_get_statistics(nullptr);
    CHECK(c_api::lastMessage() == "tl_cache_get_statistics got null for 'statistics'");
  }

  TEST_CASE("streams are made and destroyed, the default one is not") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = nullptr, *again = nullptr;
    REQUIRE(tl_stream_create(cpu, &stream) == TL_OK);
    CHECK(tl_stream_device(stream) == cpu);
    CHECK(tl_stream_synchronize(stream) == TL_OK);
    fake::counters.reset();
    CHECK(tl_stream_destroy(stream) == TL_OK);
    CHECK(fake::counters.synchronisations == 1);
    CHECK(fake::counters.streamsDestroyed == 1);
    CHECK(refused(tl_stream_destroy(stream)) ==
          "tl_stream_destroy got a stale or foreign handle for the stream");
    CHECK(tl_stream_default(cpu, &stream) == TL_OK);
    CHECK(tl_stream_default(cpu, &again) == TL_OK);
    CHECK(stream == again);
    CHECK(refused(tl_stream_destroy(stream)) ==
          "tl_stream_destroy got the default stream of cpu, which lives as long as the device");
    CHECK(refused(tl_stream_wrap(cpu, &somewhere, &again), TL_UNSUPPORTED) ==
          "the device cpu has no native streams");
    CHECK(again == nullptr);
  }

  TEST_CASE("events are recorded before they are measured, and stay on their device") {
    tl_device *cpu = c_api::device("cpu");
    tl_stream *stream = c_api::stream("cpu");
    tl_event *start = nullptr, *end = nullptr, *foreign = nullptr;
    REQUIRE(tl_event_create(cpu, &start) == TL_OK);
    REQUIRE(tl_event_create(cpu, &end) == TL_OK);
    REQUIRE(tl_event_create(c_api::device("interpreter"), &foreign) == TL_OK);
    double milliseconds = 0;
    CHECK(tl_event_record(start, stream) == TL_OK);
    CHECK(refused(tl_event_elapsed(start, end, &milliseconds)) ==
          "tl_event_elapsed got an event that has never been recorded");
    CHECK(tl_event_synchronize(end) == TL_OK); // nothing to wait for
    CHECK(tl_stream_wait(stream, end) == TL_OK);
    CHECK(tl_event_record(end, stream) == TL_OK);
    CHECK(tl_event_synchronize(end) == TL_OK);
    CHECK(tl_event_elapsed(start, end, &milliseconds) == TL_OK);
    CHECK(milliseconds == 2.5);
    CHECK(refused(tl_event_record(foreign, stream)) ==
          "tl_event_record got an event of interpreter together with a stream or event of cpu");
    CHECK(refused(tl_stream_wait(stream, foreign)).starts_with("tl_stream_wait got an event of"));
    CHECK(refused(tl_event_elapsed(start, foreign, &milliseconds))
              .starts_with("tl_event_elapsed got an event of"));
    for (tl_event *event : {start, end, foreign})
      CHECK(tl_event_destroy(event) == TL_OK);
    CHECK(refused(tl_event_destroy(start)) ==
          "tl_event_destroy got a stale or foreign handle for the event");
  }

  TEST_CASE("a kernel tells its name, parameters, stages, times and properties") {
    tl_kernel *kernel = c_api::compile(fake::kernel("teller", "body\n"));
    CHECK(std::string(tl_kernel_name(kernel)) == "teller");
    CHECK(tl_kernel_parameter_count(kernel) == 2);
    CHECK(std::string(tl_kernel_parameter_type(kernel, 0)) == "!tt.ptr<f32>");
    CHECK(std::string(tl_kernel_parameter_type(kernel, 1)) == "i32");
    CHECK(tl_kernel_parameter_type(kernel, 2) == nullptr);
    CHECK(std::string(tl_kernel_stage_name(kernel, 0)) == "ttir");
    CHECK(std::string(tl_kernel_stage_name(kernel, 1)) == "obj");
    CHECK(tl_kernel_stage_name(kernel, 2) == nullptr);
    const char *data = nullptr, *again = nullptr;
    size_t size = 0;
    CHECK(tl_kernel_stage(kernel, "obj", &data, &size) == TL_OK);
    CHECK(size == 4);
    CHECK(data[size] == '\0');
    CHECK(tl_kernel_stage(kernel, "obj", &again, nullptr) == TL_OK);
    CHECK(again == data);
    CHECK(refused(tl_kernel_stage(kernel, "ptx", &data, &size)) ==
          "kernel teller has no stage 'ptx', its stages are ttir, obj");
    CHECK(data == nullptr);
    CHECK(size == 0);
    CHECK(refused(tl_kernel_stage(kernel, nullptr, &data, &size)) ==
          "tl_kernel_stage got null for 'stage'");
    double milliseconds = 0;
    CHECK(std::string(tl_kernel_time(kernel, 0, &milliseconds)) == "parse");
    CHECK(milliseconds == 0.25);
    CHECK(std::string(tl_kernel_time(kernel, 2, nullptr)) == "load");
    CHECK(tl_kernel_time(kernel, 3, &milliseconds) == nullptr);
    CHECK(tl_kernel_get(kernel, TL_KERNEL_REGISTERS) == 32);
    CHECK(tl_kernel_get(kernel, TL_KERNEL_SPILLS) == 0);
    CHECK(tl_kernel_get(kernel, TL_KERNEL_SHARED_BYTES) == 1024);
    CHECK(tl_kernel_get(kernel, TL_KERNEL_THREADS) == 1);
    CHECK(tl_kernel_get(kernel, static_cast<tl_kernel_property>(3 + 4)) == -1);
    CHECK(c_api::lastMessage() == "tl_kernel_get got the unknown property 7");
    tl_kernel_destroy(kernel);
    CHECK(c_api::lastMessage() ==
          "tl_kernel_destroy got the kernel teller of tl_compile, which the module cache owns");
    CHECK(std::string(tl_kernel_name(kernel)) == "teller");
  }

  TEST_CASE("text that is nothing is refused") {
    tl_device *cpu = c_api::device("cpu");
    tl_kernel *kernel = nullptr;
    CHECK(refused(tl_compile(cpu, nullptr, 0, nullptr, nullptr, &kernel), TL_COMPILE_ERROR) ==
          "the TTIR text is empty");
    CHECK(refused(tl_compile(cpu, nullptr, 5, nullptr, nullptr, &kernel)) ==
          "tl_compile got null for 'text'");
    CHECK(refused(tl_compile(cpu, "x", SIZE_MAX, nullptr, nullptr, &kernel)) ==
          "a TTIR text of 18446744073709551615 bytes exceeds the limit of 1073741824 bytes");
    CHECK(refused(tl_compile_for("sm_90a", "x", 1, nullptr, nullptr, &kernel)) ==
          "there is no target 'sm_90a', the targets of this libtl are cpu, interpreter");
    CHECK(refused(tl_compile_for(nullptr, "x", 1, nullptr, nullptr, &kernel)) ==
          "tl_compile_for got null for 'target'");
    CHECK(kernel == nullptr);
  }

  TEST_CASE("text need not be terminated") {
    const std::string text = fake::kernel("a") + "wrong kernel";
    tl_kernel *kernel = nullptr;
    CHECK(tl_compile(c_api::device("cpu"), text.data(), text.size() - 12, nullptr, nullptr,
                     &kernel) == TL_OK);
  }

  TEST_CASE("an error in a kernel comes with its location") {
    const std::string text = fake::kernel("a", "wrong kernel\n");
    tl_kernel *kernel = nullptr;
    CHECK(refused(tl_compile(c_api::device("cpu"), text.data(), text.size(), "a", nullptr, &kernel),
                  TL_COMPILE_ERROR) == "the kernel is wrong");
    const tl_diagnostic *last = tl_last_diagnostic();
    CHECK(std::string(last->file) == "corpus.py");
    CHECK(last->line == 20);
    CHECK(last->column == 3);
    CHECK(std::string(last->kernel) == "a");
    CHECK(std::string(last->device).empty()); // it is wrong on every device
    CHECK(refused(tl_compile(c_api::device("cpu"), "gibberish", 9, nullptr, nullptr, &kernel),
                  TL_COMPILE_ERROR) == "expected a kernel");
  }

  TEST_CASE("whatever the compiler throws becomes a status") {
    setenv("TMPDIR", "/nonexistent", 1);
    tl_kernel *kernel = nullptr;
    for (auto [directive, status, message] :
         {std::tuple("broken compiler", TL_INTERNAL_ERROR, "a pass broke"),
          std::tuple("alien exception", TL_INTERNAL_ERROR,
                     "an unknown exception left the compiler"),
          std::tuple("no memory", TL_OUT_OF_RESOURCES,
                     "the host ran out of memory while compiling")}) {
      const std::string text = fake::kernel("a", directive);
      CHECK(refused(tl_compile(c_api::device("cpu"), text.data(), text.size(), nullptr, nullptr,
                               &kernel),
                    status) == message);
    }
    const std::string text = fake::kernel("a", "no memory");
    CHECK(refused(tl_compile_for("cpu", text.data(), text.size(), nullptr, nullptr, &kernel),
                  TL_OUT_OF_RESOURCES) == "the host ran out of memory");
    unsetenv("TMPDIR");
  }

  TEST_CASE("a bug of the compiler leaves a reproducer") {
    const std::string text = fake::kernel("a", "broken compiler\n");
    char folder[] = "/tmp/tl-test-XXXXXX";
    REQUIRE(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    tl_kernel *kernel = nullptr;
    refused(tl_compile(c_api::device("cpu"), text.data(), text.size(), "a", nullptr, &kernel),
            TL_INTERNAL_ERROR);
    const std::string help = tl_last_diagnostic()->help;
    const std::string prefix = "this is a bug of libtl; please report it with ";
    REQUIRE(help.starts_with(prefix + folder));
    const std::string path = help.substr(prefix.size(), help.find(',') - prefix.size());
    std::stringstream written;
    written << std::ifstream(path).rdbuf();
    CHECK(written.str() == text);
    CHECK(help.ends_with("which 'tlc compile " + path + " --target cpu --entry a' repeats"));
    tl_compile_options options{sizeof options, 8, 2, 2, 64, 1, 1, 0, 0};
    refused(tl_compile(c_api::device("cpu"), text.data(), text.size(), nullptr, &options, &kernel),
            TL_INTERNAL_ERROR);
    CHECK(std::string(tl_last_diagnostic()->help)
              .ends_with(path + " --target cpu --num-warps 8 --num-stages 2 --num-ctas 2 "
                                "--max-registers 64 --no-fp-fusion --debug' repeats"));
    std::remove(path.c_str());
    const std::string other = fake::kernel("a", "broken parser\n");
    CHECK(refused(tl_compile(c_api::device("cpu"), other.data(), other.size(), nullptr, nullptr,
                             &kernel),
                  TL_INTERNAL_ERROR) == "the parser broke");
    const std::string second = tl_last_diagnostic()->help;
    REQUIRE(second.starts_with(prefix + folder));
    std::remove(second.substr(prefix.size(), second.find(',') - prefix.size()).c_str());
    std::remove(folder);
    refused(tl_compile(c_api::device("cpu"), text.data(), text.size(), nullptr, nullptr, &kernel),
            TL_INTERNAL_ERROR);
    CHECK(std::string(tl_last_diagnostic()->help)
              .starts_with("this is a bug of libtl; no reproducer could be written to "));
    unsetenv("TMPDIR");
  }

  TEST_CASE("compile options are checked one by one") {
    const std::string text = fake::kernel("a");
    tl_kernel *kernel = nullptr;
    auto compile = [&](auto set) {
      tl_compile_options options{};
      options.size = sizeof options;
      set(options);
      return tl_compile(c_api::device("cpu"), text.data(), text.size(), nullptr, &options, &kernel);
    };
    CHECK(compile([](auto &) {}) == TL_OK);
    CHECK(compile([](auto &o) { o.num_warps = 32; }) == TL_OK);
    CHECK(compile([](auto &o) { o.num_ctas = 16; }) == TL_OK);
    CHECK(compile([](auto &o) { o.debug = 1; }) == TL_OK);
    for (int bad : {-1, 3, 64, INT32_MIN, INT32_MAX})
      CHECK(refused(compile([&](auto &o) { o.num_warps = bad; })) ==
            "compile option num_warps is " + std::to_string(bad) +
                ", expected a power of two from 1 to 32");
    CHECK(refused(compile([](auto &o) { o.num_stages = 65; })) ==
          "compile option num_stages is 65, expected 1 to 64");
    CHECK(refused(compile([](auto &o) { o.num_ctas = 6; })) ==
          "compile option num_ctas is 6, expected a power of two from 1 to 16");
    CHECK(compile([](auto &o) { o.max_registers = 256; }) == TL_OK); // upstream's, too
    CHECK(refused(compile([](auto &o) { o.max_registers = 257; })) ==
          "compile option max_registers is 257, expected 1 to 256, or 0 for the default");
    CHECK(refused(compile([](auto &o) { o.disable_fp_fusion = 2; })) ==
          "compile option disable_fp_fusion is 2, expected 0 or 1");
    CHECK(refused(compile([](auto &o) { o.debug = -1; })) ==
          "compile option debug is -1, expected 0 or 1");
    CHECK(refused(compile([](auto &o) { o.deterministic = 2; })) ==
          "compile option deterministic is 2, expected 0 or 1");
    for (size_t bad : {size_t(0), size_t(4), size_t(9), SIZE_MAX})
      CHECK(refused(compile([&](auto &o) { o.size = bad; })) ==
            "the size field of tl_compile_options is " + std::to_string(bad));
  }

  TEST_CASE("options of an older and of a later version are understood") {
    struct {
      tl_compile_options known;
      int32_t later[2];
    } options{};
    const std::string text = fake::kernel("a");
    tl_kernel *kernel = nullptr;
    auto compile = [&] {
      return tl_compile(c_api::device("cpu"), text.data(), text.size(), nullptr, &options.known,
                        &kernel);
    };
    options.known.size = sizeof options;
    CHECK(compile() == TL_OK);
    options.later[0] = 1;
    CHECK(refused(compile(), TL_UNSUPPORTED)
              .starts_with("tl_compile_options sets fields that version "));
    options.known.size = sizeof options.known;
    options.known.reserved = 1;
    CHECK(refused(compile(), TL_UNSUPPORTED)
              .starts_with("tl_compile_options sets fields that version "));
    options.known.size = offsetof(tl_compile_options, reserved);
    CHECK(compile() == TL_OK);
    options.known.size = offsetof(tl_compile_options, num_stages);
    options.known.num_warps = 8;
    options.known.num_stages = -7; // past the end of the older struct
    CHECK(compile() == TL_OK);
  }

  TEST_CASE("the cache counts hits and misses") {
    tl_cache_clear();
    tl_cache_statistics before{}, after{};
    tl_cache_get_statistics(&before);
    CHECK(before.entries == 0);
    tl_kernel *first = c_api::compile(fake::kernel("counted"));
    tl_kernel *second = c_api::compile(fake::kernel("counted"));
    CHECK(first == second);
    tl_cache_get_statistics(&after);
    CHECK(after.entries == 1);
    CHECK(after.hits - before.hits == 1);
    CHECK(after.misses - before.misses == 1);
  }

  TEST_CASE("many threads use the whole C API at once") {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        tl_device *device = nullptr;
        wrong += tl_device_open(t % 2 ? "cpu" : "interpreter", &device) != TL_OK;
        for (int iteration = 0; iteration < 50; ++iteration) {
          tl_stream *stream = nullptr;
          tl_event *event = nullptr;
          void *memory = nullptr;
          wrong += tl_stream_create(device, &stream) != TL_OK;
          wrong += tl_event_create(device, &event) != TL_OK;
          wrong += tl_allocate(device, 256, &memory) != TL_OK;
          wrong += tl_fill(stream, memory, 1, 256) != TL_OK;
          const std::string text = fake::kernel("k" + std::to_string(iteration % 7));
          tl_kernel *kernel = nullptr;
          wrong += tl_compile(device, text.data(), text.size(), nullptr, nullptr, &kernel) != TL_OK;
          int n = iteration;
          void *arguments[] = {&memory, &n};
          wrong += tl_launch(kernel, stream, 1, 1, 1, arguments, 2) != TL_OK;
          wrong += tl_launch(kernel, stream, 1, 1, 1, arguments, 1) != TL_INVALID_ARGUMENT;
          wrong += std::strstr(tl_last_diagnostic()->message, "takes 2 arguments") == nullptr;
          wrong += tl_event_record(event, stream) != TL_OK;
          wrong += tl_event_destroy(event) != TL_OK;
          wrong += tl_stream_destroy(stream) != TL_OK;
          wrong += tl_free(device, memory) != TL_OK;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
  }

} // TEST_SUITE
