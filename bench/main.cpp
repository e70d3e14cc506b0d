// SPDX-License-Identifier: MIT
//
// The command line of the benchmarks and their explicit list. bench/run builds and starts this
// program, and chooses OpenBLAS's kernels for it.

#include "benchmarks.hpp"
#include "compile/compile_once.hpp"
#include "peers.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

// The processor as Linux names it, and the number of threads in use.
std::string machine_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  while (std::getline(info, line))
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  return model + ", " + std::to_string(bench::threads()) +
         (bench::threads() == 1 ? " thread" : " threads");
}

struct benchmark {
  const char *name;
  void (*run)(bench::report &);
};

constexpr benchmark benchmarks[] = {
    {"vector_add", bench::vector_add}, {"softmax", bench::softmax},
    {"layer_norm", bench::layer_norm}, {"matmul", bench::matmul},
    {"launch", bench::launch},         {"compile", bench::compile},
    {"cxx_time", bench::cxx_time},
};

int usage(const char *program) {
  std::fprintf(stderr,
               "usage: %s [--device NAME] [--filter TEXT] [--json FILE]\nbenchmarks:", program);
  for (const benchmark &b : benchmarks)
    std::fprintf(stderr, " %s", b.name);
  std::fprintf(stderr, "\n");
  return 2;
}

} // namespace

int main(int argc, char **argv) try {
  std::string device, filter, json, compile;
  const struct {
    const char *name;
    std::string *value;
  } options[] = {{"--device", &device},
                 {"--filter", &filter},
                 {"--json", &json},
                 {"--compile-once", &compile}};
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (const auto &option : options)
      if (std::strcmp(argv[i], option.name) == 0 && i + 1 < argc) {
        *option.value = argv[++i];
        known = true;
        break;
      }
    if (!known)
      return usage(argv[0]);
  }
  tl::device place = device.empty() ? tl::device::best() : tl::device(device);
  if (!compile.empty())
    return bench::compile_once(place, compile);

  bench::peer::use_threads(bench::threads());
  std::printf("machine: %s\n", machine_name().c_str());
  std::printf("device:  %s, %s\n", std::string(place.name()).c_str(),
              std::string(place.description()).c_str());
  if (bench::peer::has_matmul())
    std::printf("peer:    %s\n", bench::peer::matmul_library());

  bench::report report(place, filter);
  bool any = false;
  if (place.name() != "cpu" && place.name() != "interpreter") {
    // Threads of the host are no peer of a GPU.
    bench::gpu_kernels(report);
    if (report.wants("compile"))
      bench::compile(report);
    any = true;
  } else {
    for (const benchmark &b : benchmarks)
      if (report.wants(b.name)) {
        b.run(report);
        any = true;
      }
  }
  if (!any)
    return usage(argv[0]);
  if (!json.empty())
    report.write_json(json, machine_name());
  return report.right() ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception &error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
