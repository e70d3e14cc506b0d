// SPDX-License-Identifier: MIT
//
// Compiling and linking from many threads, for every feature set this machine can run, and failing
// without harm.
#include "emitted.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace tl::backend;
using namespace tl::backend::cpu;

namespace {

const char *addIR = R"(
define i64 @add(i64 %a, i64 %b) {
  %c = add i64 %a, %b
  ret i64 %c
}
)";

} // namespace

TEST_CASE("code is compiled and linked from many threads at once") {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        auto kernel = emitted::textKernel(addIR, "add");
        auto code = loadCode(kernel.object, "add");
        right += reinterpret_cast<int64_t (*)(int64_t, int64_t)>(code->entry)(i, 40) == i + 40;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(right.load() == 6 * 20);
}

TEST_CASE("what the code generator cannot do is an error, and the next kernel compiles") {
  auto broken = [] {
    emitted::textKernel(R"(
define void @broken() {
  call void asm sideeffect "no such instruction", ""()
  ret void
}
)",
                        "broken");
  };
  for (int i = 0; i < 3; ++i) {
    std::string message;
    try {
      broken();
    } catch (const Error &error) {
      message = error.message;
    }
    CHECK(message.find("the code generator gave up: ") == 0);
    auto kernel = emitted::textKernel(addIR, "add");
    CHECK(loadCode(kernel.object, "add")->entry != nullptr);
  }
}

TEST_CASE("the features of named processors are what their level says") {
#if defined(__x86_64__)
  HostFeatures base = HostFeatures::named("x86-64");
  CHECK(base.vectorBytes == 16);
  CHECK_FALSE(base.rounding);
  CHECK_FALSE(base.fma);
  HostFeatures v3 = HostFeatures::named("x86-64-v3");
  CHECK(v3.vectorBytes == 32);
  CHECK(v3.lanes(4) == 8);
  CHECK(v3.fma);
  CHECK(v3.halfConversion);
  CHECK_FALSE(v3.avx512);
  HostFeatures v4 = HostFeatures::named("x86-64-v4");
  CHECK(v4.vectorBytes == 64);
  CHECK(v4.avx512);
  CHECK_FALSE(v4.avx512Bf16);
#endif
  CHECK_THROWS_AS(HostFeatures::named("pentium"), Error);
  CHECK_FALSE(HostFeatures::host().description().empty());
}

#if defined(__x86_64__)
TEST_CASE("features can be taken away, never added, and names are checked") {
  HostFeatures host = HostFeatures::named("native");
  HostFeatures poor = host.with("-avx2");
  CHECK_FALSE(poor.avx2);
  CHECK_FALSE(poor.avx512);
  CHECK_FALSE(poor.avx512Bf16);
  CHECK(poor.vectorBytes == 16);
  CHECK_FALSE(host.with("-fma").fma);
  CHECK(host.with("").features == host.features);
  auto message = [&](const char *changes) {
    try {
      host.with(changes);
    } catch (const Error &error) {
      return error.message;
    }
    return std::string();
  };
  CHECK(message("-warpdrive") == "TL_CPU_FEATURES names the unknown processor feature 'warpdrive'");
  CHECK(message("avx2") == "TL_CPU_FEATURES has 'avx2' where +feature or -feature is expected");
  CHECK(message("-64bit") ==
        "TL_CPU_FEATURES takes away '64bit', which every program for this processor needs");
  CHECK(message("+xop") == "TL_CPU_FEATURES asks for 'xop', which this processor does not have");
}
#endif
