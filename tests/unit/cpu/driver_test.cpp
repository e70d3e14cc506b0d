// SPDX-License-Identifier: MIT
//
// The device "cpu" with kernels written in LLVM IR: memory, copies, events, launches, failures.
#include "emitted.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tl::backend;
using namespace tl::backend::cpu;

namespace {

struct NoTarget final : Target {
  std::string_view name() const override { return "cpu"; }
  std::unique_ptr<CompiledKernel> compile(KernelSource, std::string_view,
                                          const CompileOptions &) const override {
    throw Error{};
  }
  CompileOptionSet followedOptions() const override { return {}; }
};

CpuDevice &device() {
  static NoTarget target;
  static CpuDevice device(target);
  return device;
}

/// Runs `code` and returns the Error that it throws.
template <typename Code> Error errorOf(Code code) {
  try {
    code();
  } catch (const Error &error) {
    return error;
  }
  FAIL("no error was thrown");
  return {};
}

/// Adds 1 to cells[program] for each program of the range.
const char *countIR = R"(
define void @count(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %scratch) {
entry:
  %buffer = load ptr, ptr %args
  %cells = load ptr, ptr %buffer
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %cell = getelementptr i32, ptr %cells, i64 %i
  %old = load i32, ptr %cell
  %new = add i32 %old, 1
  store i32 %new, ptr %cell
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
)";

/// Reports site 0 for program `bad`, at element 5.
const char *checkIR = R"(
declare void @tl_cpu_report(i32, i64, i64)
define void @check(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %scratch) {
entry:
  %buffer = load ptr, ptr %args
  %bad = load i64, ptr %buffer
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %tail ]
  %fails = icmp eq i64 %i, %bad
  br i1 %fails, label %report, label %tail
report:
  call void @tl_cpu_report(i32 0, i64 %i, i64 5)
  br label %tail
tail:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
)";

emitted::TextKernel countKernel() {
  emitted::TextKernel kernel = emitted::textKernel(countIR, "count");
  kernel.parameters = {{"!tt.ptr<i32>", 8, true}};
  return kernel;
}

emitted::TextKernel checkKernel() {
  emitted::TextKernel kernel = emitted::textKernel(checkIR, "check");
  kernel.parameters = {{"i64", 8, false}};
  Site site;
  site.message = "tl::device_assert failed: x is small";
  site.shape = {2, 4};
  site.location.file = "user.cpp";
  site.location.line = 31;
  site.location.column = 14;
  kernel.sites = {site};
  return kernel;
}

} // namespace

TEST_CASE("every program of the grid runs once") {
  auto loaded = device().load(countKernel());
  auto stream = device().createStream();
  for (Grid grid :
       {Grid{1, 1, 1}, Grid{2, 1, 1}, Grid{7, 3, 2}, Grid{1, 1, 300000}, Grid{1000, 1000, 1}}) {
    std::vector<int32_t> cells(size_t(grid.x) * grid.y * grid.z, 0);
    void *pointer = cells.data();
    void *arguments[] = {&pointer};
    for (int iteration = 1; iteration <= 3; ++iteration) {
      device().launch(*loaded, *stream, grid, arguments);
      bool right = true;
      for (int32_t cell : cells)
        right &= cell == iteration;
      CHECK(right);
    }
  }
}

TEST_CASE("eight threads launch ten thousand times each kernel") {
  auto loaded = device().load(countKernel());
  std::vector<std::thread> threads;
  std::vector<std::vector<int32_t>> cells(8, std::vector<int32_t>(64, 0));
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      auto stream = device().createStream();
      void *pointer = cells[size_t(thread)].data();
      void *arguments[] = {&pointer};
      for (int i = 0; i < 10000; ++i)
        device().launch(*loaded, *stream, {i % 2 ? 1u : 64u, 1, 1}, arguments);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto &row : cells) {
    CHECK(row[0] == 10000);
    CHECK(row[63] == 5000);
  }
}

TEST_CASE("a failed check becomes an error with the user's line and the program") {
  auto loaded = device().load(checkKernel());
  auto stream = device().createStream();
  int64_t bad = -1;
  void *arguments[] = {&bad};
  device().launch(*loaded, *stream, {10, 10, 10}, arguments);
  for (int64_t program : {0, 123, 999}) {
    bad = program;
    Error error = errorOf([&] { device().launch(*loaded, *stream, {10, 10, 10}, arguments); });
    CHECK(error.status == TL_RUNTIME_ERROR);
    CHECK(error.message == "tl::device_assert failed: x is small, at lane (1, 1) in program (" +
                               std::to_string(program % 10) + ", " +
                               std::to_string(program / 10 % 10) + ", " +
                               std::to_string(program / 100) + ")");
    CHECK(error.file == "user.cpp");
    CHECK(error.line == 31);
    CHECK(error.column == 14);
    CHECK(error.kernel == "check");
    CHECK(error.device == "cpu");
  }
  bad = -1;
  device().launch(*loaded, *stream, {10, 10, 10}, arguments);
}

TEST_CASE("an access to a null pointer is an error, not the end of the process") {
  auto loaded = device().load(countKernel());
  auto stream = device().createStream();
  void *pointer = nullptr;
  void *arguments[] = {&pointer};
  for (uint32_t programs : {1u, 2u, 100000u}) {
    Error error = errorOf([&] { device().launch(*loaded, *stream, {programs, 1, 1}, arguments); });
    CHECK(error.status == TL_RUNTIME_ERROR);
    CHECK(error.message.find("the kernel accessed memory at 0x") == 0);
    CHECK(error.help == "argument 0 is a null pointer");
    CHECK(error.kernel == "count");
  }
  // A page that may not be touched.
  void *page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  pointer = page;
  Error error = errorOf([&] { device().launch(*loaded, *stream, {1, 1, 1}, arguments); });
  char where[32];
  std::snprintf(where, sizeof where, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(page)));
  CHECK(error.message == "the kernel accessed memory at " + std::string(where) +
                             ", which is not mapped or may not be written");
  CHECK(error.help == "run it on the device \"interpreter\", which finds the line of the access");
  munmap(page, 4096);
  std::vector<int32_t> cells(1, 0);
  pointer = cells.data();
  device().launch(*loaded, *stream, {1, 1, 1}, arguments);
  CHECK(cells[0] == 1);
}

TEST_CASE("a grid of more than 64 bits of programs is refused") {
  auto loaded = device().load(countKernel());
  auto stream = device().createStream();
  void *pointer = nullptr;
  void *arguments[] = {&pointer};
  Error error = errorOf([&] {
    device().launch(*loaded, *stream, {4294967295u, 4294967295u, 4294967295u}, arguments);
  });
  CHECK(error.status == TL_INVALID_ARGUMENT);
  CHECK(error.message == "a grid of 4294967295 x 4294967295 x 4294967295 has more programs than "
                         "64 bits can count");
}

TEST_CASE("a kernel of another target is refused") {
  struct Other final : CompiledKernel {
    std::vector<std::string> stageNames() const override { return {}; }
    std::string stage(std::string_view) const override { return {}; }
  } other;
  CHECK(errorOf([&] { device().load(other); }).message ==
        "the kernel was compiled for another target");
}

TEST_CASE("a damaged object file and a missing symbol are errors") {
  emitted::TextKernel kernel = countKernel();
  kernel.object.resize(kernel.object.size() / 2);
  CHECK(errorOf([&] { device().load(kernel); }).message.find("cannot") == 0);
  kernel.object = "garbage";
  CHECK(errorOf([&] { device().load(kernel); }).message.find("cannot") == 0);
  kernel.object.clear();
  CHECK(errorOf([&] { device().load(kernel); }).message.find("cannot") == 0);

  emitted::TextKernel calls = emitted::textKernel(R"(
declare void @not_in_the_list()
define void @calls(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %scratch) {
  call void @not_in_the_list()
  ret void
}
)",
                                                  "calls");
  Error error = errorOf([&] { device().load(calls); });
  CHECK(error.message.find("not_in_the_list") != std::string::npos);
}

TEST_CASE("scratch memory is aligned and private to a thread") {
  emitted::TextKernel kernel = emitted::textKernel(R"(
define void @scratch(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %scratch) {
  %buffer = load ptr, ptr %args
  %out = load ptr, ptr %buffer
  %last = getelementptr i8, ptr %scratch, i64 99999
  store i8 1, ptr %scratch
  store i8 2, ptr %last
  store ptr %scratch, ptr %out
  ret void
}
)",
                                                   "scratch");
  kernel.parameters = {{"!tt.ptr<i64>", 8, true}};
  kernel.scratchBytes = 100000;
  auto loaded = device().load(kernel);
  auto stream = device().createStream();
  uintptr_t where = 0;
  void *pointer = &where;
  void *arguments[] = {&pointer};
  device().launch(*loaded, *stream, {1, 1, 1}, arguments);
  CHECK(where != 0);
  CHECK(where % 64 == 0);

  kernel.scratchBytes = uint64_t(1) << 60;
  auto greedy = device().load(kernel);
  Error error = errorOf([&] { device().launch(*greedy, *stream, {1, 1, 1}, arguments); });
  CHECK(error.status == TL_OUT_OF_RESOURCES);
  CHECK(error.required == uint64_t(1) << 60);
  CHECK(error.message == "out of memory for the scratch space of a thread");
}

TEST_CASE("printing gives one line an element, with program and position") {
  emitted::TextKernel kernel = emitted::textKernel(R"(
declare void @tl_cpu_print(i32, i64, ptr, ptr)
define void @print(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %scratch) {
  call void @tl_cpu_print(i32 0, i64 %begin, ptr %grid, ptr %args)
  ret void
}
)",
                                                   "print");
  auto printed = [&](const Site &site, std::vector<void *> operands) {
    kernel.sites = {site};
    auto loaded = device().load(kernel);
    auto stream = device().createStream();
    std::fflush(stdout);
    std::FILE *file = std::tmpfile();
    int saved = dup(1);
    dup2(fileno(file), 1);
    device().launch(*loaded, *stream, {1, 1, 1}, operands.data());
    std::fflush(stdout);
    dup2(saved, 1);
    close(saved);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;)
      text += char(c);
    std::fclose(file);
    return text;
  };
  float floats[] = {1.5f, -0.0f, INFINITY, 0.1f, 2, 3};
  int8_t bytes[] = {-1, 127};
  uint16_t halves[] = {0x3c00, 0xfc00};
  uint8_t flag = 1;
  Site site;
  site.message = " x: ";
  site.operands = {{"f32", {2, 3}, {2, 3}, true}};
  CHECK(printed(site, {floats}) == "pid (0, 0, 0) idx (0, 0) x: 1.5\n"
                                   "pid (0, 0, 0) idx (0, 1) x: -0\n"
                                   "pid (0, 0, 0) idx (0, 2) x: inf\n"
                                   "pid (0, 0, 0) idx (1, 0) x: 0.100000001\n"
                                   "pid (0, 0, 0) idx (1, 1) x: 2\n"
                                   "pid (0, 0, 0) idx (1, 2) x: 3\n");
  site.operands = {{"i8", {2}, {2}, true}, {"i8", {2}, {2}, false}, {"i1", {}, {}, true}};
  CHECK(printed(site, {bytes, bytes, &flag}) == "pid (0, 0, 0) idx (0) x: (operand 0) -1\n"
                                                "pid (0, 0, 0) idx (1) x: (operand 0) 127\n"
                                                "pid (0, 0, 0) idx (0) x: (operand 1) 255\n"
                                                "pid (0, 0, 0) idx (1) x: (operand 1) 127\n"
                                                "pid (0, 0, 0) idx () x: (operand 2) 1\n");
  site.operands = {{"f16", {2}, {2}, true}};
  CHECK(printed(site, {halves}) == "pid (0, 0, 0) idx (0) x: 1\n"
                                   "pid (0, 0, 0) idx (1) x: -inf\n");
  site.hex = true;
  CHECK(printed(site, {halves}) == "pid (0, 0, 0) idx (0) x: 0x3c00\n"
                                   "pid (0, 0, 0) idx (1) x: 0xfc00\n");
  site.operands.clear();
  CHECK(printed(site, {}) == "pid (0, 0, 0) idx () x: \n");
}

TEST_CASE("memory is aligned, copied and freed, and errors are named") {
  auto stream = device().createStream();
  CHECK(device().allocate(0) == nullptr);
  device().release(nullptr);
  for (uint64_t bytes : {1u, 63u, 4096u, 5u << 20, 40u << 20}) {
    auto *memory = static_cast<uint8_t *>(device().allocate(bytes));
    CHECK(reinterpret_cast<uintptr_t>(memory) % 64 == 0);
    device().fill(*stream, memory, 0xab, bytes);
    std::vector<uint8_t> back(bytes + 1, 0);
    device().copyFromDevice(*stream, back.data(), memory, bytes);
    CHECK(back[0] == 0xab);
    CHECK(back[bytes - 1] == 0xab);
    CHECK(back[bytes] == 0);
    std::iota(back.begin(), back.end(), uint8_t(3));
    device().copyToDevice(*stream, memory, back.data(), bytes);
    CHECK(std::memcmp(memory, back.data(), bytes) == 0);
    device().release(memory);
    CHECK(errorOf([&] { device().release(memory); }).message ==
          "the pointer to free is not a live allocation of this device");
  }
  std::vector<uint8_t> overlapping(9 << 20);
  std::iota(overlapping.begin(), overlapping.end(), uint8_t(0));
  std::vector<uint8_t> before = overlapping;
  device().copyOnDevice(*stream, overlapping.data() + 100, overlapping.data(), 8 << 20);
  CHECK(std::memcmp(overlapping.data() + 100, before.data(), 8 << 20) == 0);

  uint8_t byte = 0;
  CHECK(errorOf([&] { device().copyToDevice(*stream, nullptr, &byte, 1); }).message ==
        "copy of 1 bytes to a null pointer");
  CHECK(errorOf([&] { device().copyFromDevice(*stream, &byte, nullptr, 1); }).message ==
        "copy of 1 bytes from a null pointer");
  CHECK(errorOf([&] { device().fill(*stream, nullptr, 0, 9); }).message ==
        "fill of 9 bytes at a null pointer");
  device().copyToDevice(*stream, nullptr, nullptr, 0);
  Error error = errorOf([&] { device().allocate(uint64_t(1) << 62); });
  CHECK(error.status == TL_OUT_OF_RESOURCES);
  CHECK(error.required == uint64_t(1) << 62);
  CHECK(error.limit > 0);
}

TEST_CASE("events measure time, and only when recorded") {
  auto stream = device().createStream();
  auto start = device().createEvent(), end = device().createEvent();
  CHECK(errorOf([&] { device().elapsedMilliseconds(*start, *end); }).message ==
        "the event has not been recorded");
  CHECK(errorOf([&] { device().wait(*stream, *start); }).status == TL_INVALID_ARGUMENT);
  device().record(*start, *stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  device().record(*end, *stream);
  device().synchronize(*end);
  device().wait(*stream, *end);
  CHECK(device().elapsedMilliseconds(*start, *end) >= 5.0);
  CHECK(errorOf([&] { device().wrapStream(nullptr); }).status == TL_UNSUPPORTED);
}
