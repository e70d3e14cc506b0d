// SPDX-License-Identifier: MIT
//
// What a large kernel costs the compiler of the file that it stands in: seconds of the processor
// for a program of kernel.py, at -O2 beside -O0. The lambda runs once for each specialisation, so
// that optimising it would be waste.

#include "../benchmarks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval &t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void run(const std::string &command) {
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("cannot run " + command);
}

// The least of two, since other work on the machine makes it longer.
double seconds_to_run(const std::string &command) {
  double least = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const double before = seconds_of_children();
    run(command);
    const double spent = seconds_of_children() - before;
    least = turn == 0 ? spent : std::min(least, spent);
  }
  return least;
}

struct folder {
  fs::path path = fs::temp_directory_path() / ("tl-bench-cxx-" + std::to_string(getpid()));
  folder() { fs::create_directory(path); }
  ~folder() { fs::remove_all(path); }
};

} // namespace

void bench::cxx_time(report &r) {
  const std::string source = TL_BENCH_SOURCE;
  if (!fs::exists(source + "/bench/cxx_time/kernel.py"))
    return; // the program was moved away from its sources
  r.table("C++ compiler, -O2", "s", "-O0", better::lower);
  const folder temporary;
  const std::string file = temporary.path / "kernel.cpp";
  for (const char *compiler : {"g++", "clang++-22", "clang++"}) {
    if (std::system(("command -v " + std::string(compiler) + " > /dev/null").c_str()) != 0)
      continue;
    for (const auto &[kernel, name] :
         {std::pair("0", "0 lines"), std::pair("100", "100 lines"),
          std::pair("100 struct", "100 lines, a struct of parameters"),
          std::pair("200", "200 lines"), std::pair("300", "300 lines")}) {
      run("python3 '" + source + "/bench/cxx_time/kernel.py' " + kernel + " > '" + file + "'");
      const std::string rest =
          " -std=c++20 -I'" + source + "/include' -c '" + file + "' -o '" + file + ".o'";
      row figures{std::string(compiler) + ", " + name};
      figures.ours = seconds_to_run(compiler + std::string(" -O2") + rest);
      figures.peer = seconds_to_run(compiler + std::string(" -O0") + rest);
      r.add(figures);
    }
    if (std::string(compiler) == "clang++-22")
      break;
  }
}
