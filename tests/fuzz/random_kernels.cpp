// SPDX-License-Identifier: MIT
//
// Do random kernels compute on a device what they compute on "interpreter"? Or, with --target: is
// every random kernel compiled for a target, or refused with a reason, and never a bug of ours?
//
//     random-kernels [--device NAME | --target NAME] [--seconds N] [--seed N] [--kernels N]
//                    [--keep FOLDER] [FILE]
//
// Kernel number k is that of seed + k: several processes need seeds further apart than the kernels
// that each of them runs. A kernel that differs is printed with its seed and kept; as FILE it runs
// again, with the data of the seed. The number of warps is the seed's, too.
#include "any_kernel.hpp"
#include "command_line.hpp"
#include "device_run.hpp"

#include <tl/c/tl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace fuzz;

namespace {

/// The number of warps is random, too.
tl_compile_options options_of(std::uint64_t seed) {
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = 1 << seed * 0x9e3779b97f4a7c15 % 4;
  options.debug = seed % 3 == 0;
  return options;
}

/// Compiles a kernel with operations of all groups. Empty if that went well or if the kernel was
/// refused for a reason.
std::string compile_for(const char *target, const std::string &text, std::uint64_t seed,
                        std::uint64_t &refused) {
  tl_compile_options options = options_of(seed);
  tl_kernel *kernel = nullptr;
  tl_status status = tl_compile_for(target, text.data(), text.size(), nullptr, &options, &kernel);
  if (status == TL_OK) {
    tl_kernel_destroy(kernel);
    return "";
  }
  if (status == TL_UNSUPPORTED || status == TL_OUT_OF_RESOURCES) {
    if (++refused <= 3)
      std::printf("refused, seed %llu: %s\n", static_cast<unsigned long long>(seed),
                  diagnostic().c_str());
    return "";
  }
  return "compile: " + diagnostic();
}

/// Runs a kernel and gives back both buffers, or the reason why not. The pointers overlap, or are
/// the same, or lie apart; `separate`: always apart, as those of parameters without a mark must.
std::string run(const char *device_name, const std::string &text, std::uint64_t seed, bool separate,
                std::vector<float> &floats, std::vector<std::int32_t> &integers) {
  std::mt19937_64 engine(seed);
  floats.resize(buffer_elements * (separate ? 3 : 1));
  integers.resize(buffer_elements);
  for (float &f : floats)
    f = static_cast<float>(static_cast<int>(engine() % 64) - 32) / 4;
  for (std::int32_t &i : integers)
    i = engine() % 8 == 0 ? static_cast<std::int32_t>(engine())
                          : static_cast<std::int32_t>(engine() % 200) - 50;
  device_run on(device_name, text, options_of(seed));
  float *base = on.memory(floats);
  unsigned piece = 0;
  auto pointer = [&] {
    auto offset = (engine() % 4) * (engine() % 3 == 0 ? 1024u : 16u);
    return base + offset + (separate ? piece++ * buffer_elements : 0);
  };
  float *x = pointer(), *y = pointer(), *z = pointer();
  std::int32_t *w = on.memory(integers);
  std::int32_t n = static_cast<std::int32_t>(engine() % 300),
               m = static_cast<std::int32_t>(engine() % 40) - 4;
  on.launch(1, {&x, &y, &z, &w, &n, &m});
  return on.why;
}

template <class T>
bool same(const char *what, const char *device, const std::vector<T> &got,
          const std::vector<T> &want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool nan = got[i] != got[i] && want[i] != want[i];
    // Equality lets the sign of zero pass: which zero a maximum of zeros gives is open.
    if (!nan && !(got[i] == want[i])) {
      std::printf("%s[%zu] is %g on %s and %g on interpreter\n", what, i,
                  static_cast<double>(got[i]), device, static_cast<double>(want[i]));
      return false;
    }
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::string device = "cpu", target;
  const command_line given(argc, argv, [&](std::string_view option, const char *value) {
    if (option == "--device")
      device = value;
    else if (option == "--target")
      target = value;
    else
      return false;
    return true;
  });
  const std::uint64_t seed = given.seed;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t passed = 0, failed = 0, refused = 0;
  for (std::uint64_t k = 0; given.files.empty() ? !given.is_over(k) : k < given.files.size(); ++k) {
    const bool may_alias = (seed + k) % 2 == 0, separate = !may_alias;
    std::string text =
        target.empty() ? generator(seed + k, may_alias).kernel() : any_generator(seed + k).kernel();
    if (!given.files.empty()) {
      std::ifstream stream(given.files[k]);
      text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    if (!given.keep.empty())
      std::ofstream(given.kept_file("last.ttir")) << text;
    auto fail = [&](const std::string &why) {
      ++failed;
      std::printf("FAILED: seed %llu %s\n", static_cast<unsigned long long>(seed + k), why.c_str());
      if (!given.keep.empty())
        std::ofstream(given.kept_file("seed" + std::to_string(seed + k) + ".ttir")) << text;
    };
    if (!target.empty()) {
      const std::uint64_t before = refused;
      std::string why = compile_for(target.c_str(), text, seed + k, refused);
      if (!why.empty())
        fail(why);
      else if (refused == before)
        ++passed;
      if (failed == 5)
        break;
      continue;
    }
    std::vector<float> want, got;
    std::vector<std::int32_t> want_integers, got_integers;
    std::string why = run("interpreter", text, seed + k, separate, want, want_integers);
    if (!why.empty()) {
      // The generator is at fault, or the kernel reads where it must not.
      ++refused;
      if (refused <= 3)
        std::printf("refused, seed %llu: %s\n", static_cast<unsigned long long>(seed + k),
                    why.c_str());
      continue;
    }
    why = run(device.c_str(), text, seed + k, separate, got, got_integers);
    if (why.empty() && same("f32", device.c_str(), got, want) &&
        same("i32", device.c_str(), got_integers, want_integers))
      ++passed;
    else
      fail(why);
    if (failed == 5)
      break;
    if (k % 64 == 63)
      tl_cache_clear();
  }
  std::printf("%llu passed, %llu failed, %llu skipped\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(refused));
  // Most kernels must be good, or nothing is tested.
  return failed != 0 || passed < refused;
}
