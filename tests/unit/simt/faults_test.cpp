// SPDX-License-Identifier: MIT
//
// What the emulator reports of kernels that do what they must not: with the line, the thread and
// the program.
#include <doctest/doctest.h>

#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <string>
#include <vector>

namespace {

const std::vector<std::string> devices = {"simt:sm_80", "simt:sm_90a"};

/// The message of what `run` throws, or nothing.
template <class Run> std::string messageOf(Run &&run) {
  try {
    run();
  } catch (const tl::error &error) {
    return error.what();
  }
  return {};
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

constexpr auto copy = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> y) {
  auto at = tl::program_id(0) * 128 + tl::arange<128>();
  tl::store(y + at, tl::load(x + at));
}};

constexpr auto copy_by_fours = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> y) {
  tl::tensor at = tl::arange<512>();
  tl::store(y + at, tl::load(x + at));
}};

constexpr auto refuse = tl::kernel{[](tl::ptr<const float> x) {
  tl::device_assert(tl::load(x + tl::arange<128>()) > 0.0f, "positive");
}};

} // namespace

TEST_CASE(
    "an access past the end of a buffer names the buffer, the line, the thread and the program") {
  for (const std::string &name : devices) {
    CAPTURE(name);
    tl::device dev(name);
    tl::buffer<float> x(dev, 200), y(dev, 256);
    const int line = 31;
    const std::string message = messageOf([&] {
      copy[{.grid = {2}, .device = dev}](x, y);
      tl::stream::default_of(dev).synchronize();
    });
    CHECK(has(message, "the kernel reads 4 bytes 0 bytes past the end of a buffer of 800 bytes "
                       "passed as argument 0, by thread 72 of program (1, 0, 0)"));
    CHECK(has(message, "faults_test.cpp:" + std::to_string(line) + ":"));
    CHECK(has(message, name));
  }
}

TEST_CASE("an access by a pointer to no buffer is an error, and the process goes on") {
  for (const std::string &name : devices) {
    CAPTURE(name);
    tl::device dev(name);
    tl::buffer<float> y(dev, 128);
    const std::string message = messageOf(
        [&] { copy[{.grid = {1}, .device = dev}](static_cast<const float *>(nullptr), y); });
    CHECK(has(message, "at 0x0, where no buffer of the device is, by thread 0 of"));
  }
}

TEST_CASE("an assertion that fails is an error on an emulated GPU") {
  for (const std::string &name : devices) {
    CAPTURE(name);
    tl::device dev(name);
    tl::buffer<float> x(dev, std::vector<float>(128, -1.0f));
    const std::string message =
        messageOf([&] { refuse[{.grid = {1}, .debug = true, .device = dev}](x); });
    CHECK(has(message, "tl::device_assert failed: positive, at lane ("));
  }
}

TEST_CASE("an emulated GPU has the target of the real one, and its kernels have stages") {
  tl::device dev("simt:sm_90a");
  CHECK(dev.target() == "sm_90a");
  tl::buffer<float> x(dev, std::vector<float>(512, 2.0f)), y(dev, 512);
  auto kernel = copy_by_fours[{.grid = {1}, .device = dev}](x, y);
  CHECK(y.to_vector() == std::vector<float>(512, 2.0f));
  CHECK(has(kernel.text("llir"), "ptx_kernel"));
  CHECK(has(kernel.text("host"), "tl_simt_access"));
}

TEST_CASE("emulators are opened by name and not listed") {
  for (tl::device dev : tl::devices())
    CHECK(!dev.name().starts_with("simt"));
}
