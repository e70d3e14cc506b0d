// SPDX-License-Identifier: MIT
//
// What errors carry and how they read: the exact text, with and without a readable source file, and
// the way from a diagnostic of the C API to the right exception.
#include "fake_c_api.hpp"

#include <tl/error.hpp>
#include <tl/stream.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// A file that is gone when the test ends.
struct temporary_file {
  std::string name;
  explicit temporary_file(const std::string &text) {
    char path[] = "/tmp/tl_error_test_XXXXXX";
    const int descriptor = mkstemp(path);
    name = path;
    REQUIRE(write(descriptor, text.data(), text.size()) == (ssize_t)text.size());
    close(descriptor);
  }
  ~temporary_file() { std::remove(name.c_str()); }
};

tl::diagnostic diagnostic_at(const std::string &file, unsigned line, unsigned column) {
  tl::diagnostic d;
  d.message = "inner dimensions of tl::dot differ: lhs is 64x32, rhs is 16x64";
  d.help = "load rhs as 32x64, or pass tl::trans(rhs) if it is stored transposed";
  d.file = file;
  d.line = line;
  d.column = column;
  return d;
}

std::string what(tl::diagnostic d) { return tl::compile_error(std::move(d)).what(); }

const std::string message = "error: inner dimensions of tl::dot differ: lhs is 64x32, rhs is 16x64";
const std::string help =
    "\nhelp: load rhs as 32x64, or pass tl::trans(rhs) if it is stored transposed";

} // namespace

TEST_CASE("a report shows the location, the sentence, the source line and the help") {
  const temporary_file file("first\n  auto c = tl::dot(a, b);\nlast");
  CHECK(what(diagnostic_at(file.name, 2, 12)) == file.name + ":2:12: " + message +
                                                     "\n    2 |   auto c = tl::dot(a, b);"
                                                     "\n      |            ^" +
                                                     help);
  CHECK(what(diagnostic_at(file.name, 3, 1)) ==
        file.name + ":3:1: " + message + "\n    3 | last\n      | ^" + help);
}

TEST_CASE("a report without a column has no caret") {
  const temporary_file file("x\n");
  CHECK(what(diagnostic_at(file.name, 1, 0)) ==
        file.name + ":1: " + message + "\n    1 | x" + help);
  // Just past the end can be pointed at, far past the end cannot.
  CHECK(what(diagnostic_at(file.name, 1, 2)) ==
        file.name + ":1:2: " + message + "\n    1 | x\n      |  ^" + help);
  CHECK(what(diagnostic_at(file.name, 1, 99)) ==
        file.name + ":1:99: " + message + "\n    1 | x" + help);
}

TEST_CASE("the caret stands under its character after tabs and UTF-8") {
  const temporary_file file("\tx = \"\xC3\xA9\" + y;\r\n");
  const std::string text = what(diagnostic_at(file.name, 1, 11));
  CHECK(text == file.name + ":1:11: " + message +
                    "\n    1 | \tx = \"\xC3\xA9\" + y;\n      | \t        ^" + help);
}

TEST_CASE("a file that cannot be read costs only the source line") {
  for (const char *file : {"/no/such/file.cpp", "/tmp", "/dev/zero", "/dev/null"})
    CHECK(what(diagnostic_at(file, 3, 4)) == file + std::string(":3:4: ") + message + help);
  const temporary_file empty("");
  CHECK(what(diagnostic_at(empty.name, 1, 1)) == empty.name + ":1:1: " + message + help);
  const temporary_file short_file("one\n");
  CHECK(what(diagnostic_at(short_file.name, 2, 1)) == short_file.name + ":2:1: " + message + help);
  char pipe[] = "/tmp/tl_error_pipe_XXXXXX";
  REQUIRE(mkdtemp(pipe));
  const std::string fifo = std::string(pipe) + "/fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(what(diagnostic_at(fifo, 1, 1)) == fifo + ":1:1: " + message + help);
  std::remove(fifo.c_str());
  std::remove(pipe);
}

TEST_CASE("an unknown location is left out") {
  CHECK(what(diagnostic_at("", 0, 0)) == message + help);
  CHECK(what(diagnostic_at("<buffer>", 0, 0)) == "<buffer>: " + message + help);
}

TEST_CASE("very long lines are cut") {
  const temporary_file file(std::string(1 << 20, 'a') + "\nb\n");
  CHECK(what(diagnostic_at(file.name, 1, 1)).size() < 1000);
  CHECK(what(diagnostic_at(file.name, 2, 1)).find("    2 | b\n      | ^") != std::string::npos);
}

TEST_CASE("kernel, device and limits are noted unless the sentence has them") {
  tl::diagnostic d;
  d.message = "too much shared memory";
  d.kernel = "matmul";
  d.device = "cuda:0";
  d.required = 263168;
  d.limit = 232448;
  CHECK(std::string(tl::out_of_resources(d).what()) ==
        "error: too much shared memory\nnote: in kernel matmul on device cuda:0\n"
        "note: 263168 required, 232448 available");
  d.message = "matmul needs 263168 bytes of shared memory, cuda:0 has 232448";
  CHECK(std::string(tl::out_of_resources(d).what()) == "error: " + d.message);
  const tl::out_of_resources e(d);
  CHECK(e.kind() == tl::error_kind::out_of_resources);
  CHECK(e.required() == 263168);
  CHECK(e.limit() == 232448);
  CHECK(e.kernel() == "matmul");
  CHECK(e.device() == "cuda:0");
}

TEST_CASE("a sentence has a name only as a word of its own") {
  tl::diagnostic d;
  d.message = "the kernel reads 4 bytes on cuda:10, kern_2";
  d.kernel = "kern";
  d.device = "cuda:1";
  CHECK(what(d) == "error: " + d.message + "\nnote: in kernel kern on device cuda:1");
  d.message = "kern reads what 'cuda:1' has not";
  CHECK(what(d) == "error: " + d.message);
}

TEST_CASE("the location of a call can stand for the error") {
  const auto here = std::source_location::current();
  const tl::compile_error e("a sentence", here, "some help");
  CHECK(e.file() == here.file_name());
  CHECK(e.line() == here.line());
  CHECK(e.column() == here.column());
  CHECK(e.message() == "a sentence");
  CHECK(e.help() == "some help");
  CHECK(std::string(tl::invalid_argument("a sentence").what()) == "error: a sentence");
}

TEST_CASE("our own errors say so") {
  tl::diagnostic d;
  d.message = "the layout has no inverse";
  CHECK(std::string(tl::internal_error(d).what()) == "internal error: the layout has no inverse");
}

TEST_CASE("each status of the C API becomes its exception") {
  const auto thrown = [](tl_status status) -> tl::error_kind {
    tl_diagnostic d = {status, "no", "", "", 0, 0, "", "", 0, 0};
    fake::fail_next("tl_stream_synchronize", d);
    const tl::stream s = tl::stream::default_of(tl::device("cpu"));
    switch (status) {
    case TL_INVALID_ARGUMENT:
      CHECK_THROWS_AS(s.synchronize(), tl::invalid_argument);
      break;
    case TL_COMPILE_ERROR:
      CHECK_THROWS_AS(s.synchronize(), tl::compile_error);
      break;
    case TL_OUT_OF_RESOURCES:
      CHECK_THROWS_AS(s.synchronize(), tl::runtime_error);
      break;
    case TL_RUNTIME_ERROR:
      CHECK_THROWS_AS(s.synchronize(), tl::runtime_error);
      break;
    case TL_UNSUPPORTED:
      CHECK_THROWS_AS(s.synchronize(), tl::unsupported);
      break;
    default:
      CHECK_THROWS_AS(s.synchronize(), tl::internal_error);
    }
    fake::fail_next("tl_stream_synchronize", d);
    try {
      s.synchronize();
    } catch (const tl::error &e) {
      return e.kind();
    }
    FAIL("nothing was thrown");
    return {};
  };
  CHECK(thrown(TL_INVALID_ARGUMENT) == tl::error_kind::invalid_argument);
  CHECK(thrown(TL_COMPILE_ERROR) == tl::error_kind::compile_error);
  CHECK(thrown(TL_RUNTIME_ERROR) == tl::error_kind::runtime_error);
  CHECK(thrown(TL_OUT_OF_RESOURCES) == tl::error_kind::out_of_resources);
  CHECK(thrown(TL_UNSUPPORTED) == tl::error_kind::unsupported);
  CHECK(thrown(TL_INTERNAL_ERROR) == tl::error_kind::internal_error);
}

TEST_CASE("all that a diagnostic says arrives") {
  fake::fail_next("tl_stream_synchronize",
                  {TL_OUT_OF_RESOURCES, "a", "b", "c.cpp", 4, 5, "d", "e", 6, 7});
  try {
    tl::stream::default_of(tl::device("cpu")).synchronize();
    FAIL("nothing was thrown");
  } catch (const tl::error &e) {
    CHECK(e.message() == "a");
    CHECK(e.help() == "b");
    CHECK(e.file() == "c.cpp");
    CHECK(e.line() == 4);
    CHECK(e.column() == 5);
    CHECK(e.kernel() == "d");
    CHECK(e.device() == "e");
    CHECK(e.required() == 6);
    CHECK(e.limit() == 7);
  }
}
