// SPDX-License-Identifier: MIT
//
// What it costs to compile the kernels of the lessons when no cache holds them, in milliseconds:
// as the first kernel of a process, setting up the compiler included, and as a further one. Each
// figure is the median of several runs. A "first" run is this program again, asked to compile one
// kernel and print the time; a "further" run renames the kernel, so that the cache misses.

#include "../benchmarks.hpp"
#include "compile_once.hpp"
#include "kernels/attention.hpp"
#include "kernels/dropout.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/matmul.hpp"
#include "kernels/softmax.hpp"
#include "kernels/vector_add.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

double milliseconds_to_compile(tl::device device, const std::string &text) {
  auto start = std::chrono::steady_clock::now();
  tl_kernel *kernel = nullptr;
  tl::impl::check(tl_compile(device.handle(), text.data(), text.size(), nullptr, nullptr, &kernel));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The TTIR with every mention of the kernel's name followed by a number.
std::string renamed(std::string text, const std::string &name, int number) {
  const std::string from = "@" + name, to = from + "_" + std::to_string(number);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

double first_of_a_process(const std::string &device, const fs::path &file) {
  std::string program = fs::read_symlink("/proc/self/exe").string();
  std::string command =
      "'" + program + "' --compile-once '" + file.string() + "' --device '" + device + "'";
  FILE *pipe = popen(command.c_str(), "r");
  double milliseconds = 0;
  if (!pipe || std::fscanf(pipe, "%lf", &milliseconds) != 1)
    throw std::runtime_error("cannot run " + command);
  pclose(pipe);
  return milliseconds;
}

struct measured {
  bench::report &r;
  fs::path file = fs::temp_directory_path() / ("tl-bench-" + std::to_string(getpid()) + ".ttir");

  ~measured() { fs::remove(file); }

  void operator()(const char *what, tl::compiled_kernel kernel) {
    std::string text(kernel.text(tl::stage::ttir)), name(kernel.name());
    std::ofstream(file) << text;
    std::vector<double> first, further;
    for (int run = 0; run < 7; ++run) {
      first.push_back(first_of_a_process(std::string(r.device.name()), file));
      further.push_back(milliseconds_to_compile(r.device, renamed(text, name, run)));
    }
    r.add({std::string(what) + ", first", median(first)});
    r.add({std::string(what) + ", further", median(further)});
  }
};

} // namespace

int bench::compile_once(tl::device device, const std::string &path) {
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::printf("%.3f\n", milliseconds_to_compile(device, text));
  return 0;
}

void bench::compile(report &r) {
  r.table("cold compilation", "ms", "", better::lower);
  tl::buffer<float> f(r.device, 1 << 16);
  tl::buffer<tl::float16> h(r.device, 1 << 16);
  const int n = 4096;
  constexpr kernels::gemm_config config{128, 128, 64, 8};
  measured row{r};
  row("vector add", kernels::add<1024>.compile(r.device, f, f, f, n));
  row("softmax", kernels::softmax<float, 1024>.compile(r.device, f, f, n, n));
  row("matmul f32", kernels::matmul<float, config>.compile(r.device, f, f, f, n, n, n, n, n, n));
  row("matmul f16",
      kernels::matmul<tl::float16, config>.compile(r.device, h, h, h, n, n, n, n, n, n));
  row("dropout", kernels::dropout<512>.compile(r.device, f, f, n, 0.5f, 7));
  row("layer norm", kernels::layer_norm<1024>.compile(r.device, f, f, f, f, f, f, n, 1e-5f));
  row("layer norm backward",
      kernels::layer_norm_backward<1024>.compile(r.device, f, f, f, f, f, f, f, f, n, n));
  row("attention", kernels::attention<64, 64, 64, true>.compile(r.device, h, h, h, h, n, 0.125f));
}
