// SPDX-License-Identifier: MIT
//
// Does every kernel become machine code on GPUs' architectures? Compiles TTIR files on all
// processors, with 1 and 4 warps in turns; needs an assembler for NVIDIA's, and no GPU. A large
// tensor in one warp is the same instructions again and again, which take an assembler ten times as
// long: of such kernels one warp has every sixteenth.
//
//     assembles [--target NAME]... [--numeric PROGRAM [--one-in N]] FOLDER ...
//
// The files of the folders are compiled for every target. With --numeric, the kernels of the
// numeric suite are taken too, or one in N of them, of all sizes: the program writes them down, and
// each is compiled for one target, in turns. One in N leaves out those with tensors of more than 64
// Ki elements, which fit into no registers: an assembler takes half a minute for one. What is
// written for the shared memory of other GPUs may be refused for its size.

#include <tl/tl.hpp>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<std::string> targets;
constexpr int warps[] = {1, 4};
constexpr std::size_t large = 512, largest = 65536; // elements

struct kernel_text {
  std::string name, ttir;
  bool for_all;         // targets
  std::size_t elements; // of its largest tensor
};

struct outcome {
  std::atomic<std::size_t> passed = 0, failed = 0, too_large = 0;
  std::mutex printing;
};

tl_status compile(const kernel_text &kernel, const char *target, int num_warps) {
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = num_warps;
  tl_kernel *made = nullptr;
  const tl_status status =
      tl_compile_for(target, kernel.ttir.data(), kernel.ttir.size(), nullptr, &options, &made);
  if (made)
    tl_kernel_destroy(made);
  return status;
}

void assemble(const kernel_text &kernel, const char *target, int num_warps, outcome &result) {
  tl_status status = compile(kernel, target, num_warps);
  if (status == TL_OUT_OF_RESOURCES && num_warps == 1) // a tensor that one warp cannot hold
    status = compile(kernel, target, num_warps = 4);
  if (status == TL_OUT_OF_RESOURCES && std::strncmp(target, "gfx", 3) == 0) {
    ++result.too_large;
    return;
  }
  if (status == TL_OK) {
    ++result.passed;
    return;
  }
  ++result.failed;
  const std::string message = tl_last_diagnostic()->message;
  const std::lock_guard lock(result.printing);
  std::printf("FAIL %s for %s with %d warps: %s\n", kernel.name.c_str(), target, num_warps,
              message.substr(0, 2000).c_str());
  std::fflush(stdout);
}

/// The name of the first kernel in the text, by which a person finds it.
std::string symbol_of(std::string_view ttir) {
  const std::size_t at = ttir.find("tt.func public @");
  if (at == ttir.npos)
    return {};
  ttir.remove_prefix(at + std::strlen("tt.func public @"));
  return std::string(ttir.substr(0, ttir.find('(')));
}

/// The most elements that a tensor of the text has.
std::size_t largest_tensor(const std::string &ttir) {
  constexpr std::string_view opening = "tensor<";
  std::size_t most = 1;
  for (std::size_t at = 0; (at = ttir.find(opening, at)) != ttir.npos;) {
    at += opening.size();
    std::size_t elements = 1;
    for (char *end; std::isdigit(static_cast<unsigned char>(ttir[at])); at = end - ttir.data() + 1)
      elements *= std::strtoul(&ttir[at], &end, 10); // then an x
    most = std::max(most, elements);
  }
  return most;
}

/// How many warps have the kernel in this turn of it.
int warps_of(const kernel_text &kernel, std::size_t turn) {
  return kernel.elements < large || turn % 16 == 0 ? warps[turn % 2] : 4;
}

std::vector<kernel_text> read_kernels(const std::vector<fs::path> &folders,
                                      const fs::path &in_turns, std::size_t one_in) {
  std::vector<kernel_text> kernels;
  for (const fs::path &folder : folders)
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".ttir") {
        std::ifstream file(entry.path(), std::ios::binary);
        std::string text(std::istreambuf_iterator<char>(file), {});
        std::string name = entry.path().parent_path().filename() / entry.path().filename();
        const std::size_t elements = largest_tensor(text);
        kernels.push_back(
            {name + " (" + symbol_of(text) + ")", std::move(text), folder != in_turns, elements});
      }
  // The largest first, so that no processor is left alone with one at the end.
  std::sort(kernels.begin(), kernels.end(), [](const kernel_text &a, const kernel_text &b) {
    return std::pair(b.ttir.size(), a.name) < std::pair(a.ttir.size(), b.name);
  });
  std::erase_if(kernels, [&, number = std::size_t(0)](const kernel_text &kernel) mutable {
    if (kernel.for_all || one_in == 1)
      return false;
    return number++ % one_in != 0 || kernel.elements > largest;
  });
  return kernels;
}

/// Why nothing can be assembled here, or "".
std::string missing() {
  const bool for_amd = targets[0].starts_with("gfx");
  for (std::size_t i = 0; const char *line = tl_missing(i); ++i)
    for (const char *what : {"ptx assembler", "cuda: the NVIDIA target is not built",
                             "hip: the AMD target is not built"})
      if (std::strncmp(line, what, std::strlen(what)) == 0 && for_amd == (line[0] == 'h'))
        return line;
  return {};
}

/// A folder that vanishes with this object.
class temporary_folder {
public:
  temporary_folder() {
    std::string pattern = fs::temp_directory_path() / "tl-kernels-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a folder like " + pattern);
    path_ = pattern;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

void write_numeric_kernels(const std::string &program, const fs::path &folder) {
  setenv("TL_NUMERIC_KERNELS", folder.c_str(), 1);
  setenv("TL_TEST_DEVICES", "interpreter", 1);
  if (std::system(("'" + program + "' >/dev/null").c_str()) != 0)
    throw std::runtime_error(program + " failed");
}

int run(int argc, char **argv) {
  std::vector<fs::path> folders;
  std::string numeric;
  std::size_t one_in = 1;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--numeric") == 0 && i + 1 < argc)
      numeric = argv[++i];
    else if (std::strcmp(argv[i], "--one-in") == 0 && i + 1 < argc)
      one_in = std::max(1ul, std::strtoul(argv[++i], nullptr, 10));
    else if (std::strcmp(argv[i], "--target") == 0 && i + 1 < argc)
      targets.emplace_back(argv[++i]);
    else
      folders.emplace_back(argv[i]);
  if (targets.empty())
    targets = {"sm_80", "sm_90a", "sm_100a"};
  if (folders.empty() && numeric.empty()) {
    std::fprintf(
        stderr,
        "usage: assembles [--target NAME]... [--numeric PROGRAM [--one-in N]] FOLDER ...\n");
    return 2;
  }
  if (const std::string why = missing(); !why.empty()) {
    std::printf("[SKIP] %s\n", why.c_str());
    return 77;
  }
  const temporary_folder written;
  if (!numeric.empty()) {
    write_numeric_kernels(numeric, written.path());
    folders.push_back(written.path());
  }

  const std::vector<kernel_text> kernels = read_kernels(folders, written.path(), one_in);
  outcome result;
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i; (i = next++) < kernels.size();)
      for (std::size_t target = 0; target < targets.size(); ++target)
        if (kernels[i].for_all || i % targets.size() == target)
          assemble(kernels[i], targets[target].c_str(),
                   warps_of(kernels[i], i / targets.size() + target), result);
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread &thread : others)
    thread = std::thread(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  std::printf("%zu kernels\n%zu passed, %zu failed\n", kernels.size(), result.passed.load(),
              result.failed.load());
  if (result.too_large)
    std::printf("%zu refused for their size\n", result.too_large.load());
  return result.failed != 0 || kernels.empty() || result.too_large * 20 > kernels.size();
}

} // namespace

int main(int argc, char **argv) try {
  return run(argc, argv);
} catch (const std::exception &error) {
  std::fprintf(stderr, "assembles: %s\n", error.what());
  return 2;
}
