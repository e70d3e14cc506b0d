// SPDX-License-Identifier: MIT
// Two files with kernels in one program: one kernel in a header is one object, and device functions
// of the other file trace into the kernel that calls them.
#include "two_files.hpp"

#include <doctest/doctest.h>

namespace two_files {

template <int Block>
constexpr auto local = tl::kernel{"local", [](tl::ptr<float> x) {
                                    auto p = x + tl::arange<Block>();
                                    tl::store(p, tl::sin(tl::load(p)));
                                  }};

} // namespace two_files

namespace {

constexpr auto own = tl::kernel{"own", [](tl::ptr<float> x) {
                                  auto p = x + tl::arange<64>();
                                  tl::store(p, two_files::halved(tl::load(p)));
                                }};

TEST_CASE("a kernel in a header is the same in two files") {
  CHECK(two_files::trace_in_the_other_file() == two_files::twice<64>.trace());
  CHECK(two_files::kernel_in_the_other_file() == &two_files::twice<64>);
}

TEST_CASE("a device function of another file traces into the caller's kernel") {
  const std::string text = own.trace();
  CHECK(text.find("arith.mulf") != text.npos);
  CHECK(text.find("two_files_two.cpp") != text.npos);
}

// Clang gives them one name, GCC two.
TEST_CASE("of two kernels of one name and type in two files, each file runs its own or none") {
  const auto has = [](const std::string &text, const char *part) {
    return text.find(part) != text.npos;
  };
  int refused = 0;
  const auto runs_its_own_or_none = [&](auto trace, const char *operation) {
    try {
      const std::string text = trace();
      CHECK(has(text, operation));
    } catch (const tl::compile_error &e) {
      ++refused;
      CHECK(has(e.message(), "tl::kernel local has the name and the type of another kernel of the "
                             "program, at "));
      CHECK(has(e.message(),
                e.file().ends_with("one.cpp") ? "two_files_two.cpp:" : "two_files_one.cpp:"));
      CHECK(e.line() != 0);
      CHECK(has(e.help(), "static"));
    }
  };
  runs_its_own_or_none([] { return two_files::local<64>.trace(); }, "math.sin");
  runs_its_own_or_none([] { return two_files::trace_of_the_other_files_local(); }, "math.exp");
#if defined(__clang__)
  CHECK(refused == 1);
#else
  CHECK(refused == 0);
#endif
}

} // namespace
