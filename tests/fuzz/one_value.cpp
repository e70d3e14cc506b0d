// SPDX-License-Identifier: MIT
//
// Is a value of a random kernel the same number wherever the kernel uses it?
//
//     one-value [--device NAMES] [--seconds N] [--seed N] [--kernels N] [--keep FOLDER]
//
// A kernel in which two uses of a value differ, in any bit of any element, is printed with its seed
// and kept. NaN is NaN, whatever its bits. Without --device every device of the machine has a turn.
// Kernel number k is that of seed + k: several processes need seeds further apart than the kernels
// that each of them runs.
#include "one_value.hpp"
#include "command_line.hpp"
#include "device_run.hpp"

#include <tl/c/tl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace fuzz;

namespace {

constexpr std::int32_t poison = 0x5bd1e995; // no use writes it but by a chance of 2^-32

/// Runs a kernel and gives back the slots, or the reason why not.
std::string run(const std::string &name, const std::string &text, std::uint64_t seed, bool fused,
                std::vector<std::int32_t> &slots) {
  std::mt19937_64 engine(seed);
  // Ordinary numbers, most of them: what grows beyond them is soon infinite.
  std::vector<std::int32_t> floats(3 * buffer_elements), integers(buffer_elements);
  for (std::int32_t &f : floats) {
    const std::uint64_t random = engine();
    const int exponent = random % 16 == 0 ? static_cast<int>(random >> 8 & 255)
                                          : 122 + static_cast<int>(random >> 8 & 7);
    f = static_cast<std::int32_t>((random >> 32 & 0x807fffff) | static_cast<std::uint32_t>(exponent)
                                                                    << 23);
  }
  for (std::int32_t &i : integers)
    i = engine() % 4 == 0 ? static_cast<std::int32_t>(engine())
                          : static_cast<std::int32_t>(engine() % 200) - 50;
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = 1 << seed * 0x9e3779b97f4a7c15 % 4;
  options.disable_fp_fusion = !fused;
  device_run on(name, text, options);
  std::int32_t *first = on.memory(floats), *second = first + buffer_elements,
               *third = second + buffer_elements;
  std::int32_t *w = on.memory(integers), *o = on.memory(slots);
  std::int32_t n = static_cast<std::int32_t>(engine() % 300),
               m = static_cast<std::int32_t>(engine() % 40) - 4, one = 1;
  on.launch(1, {&first, &second, &third, &w, &n, &m, &o, &one});
  return on.why;
}

bool is_nan(std::int32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

/// The first two uses that differ; empty if none do.
std::string difference(const one_value_generator &kernel, const std::vector<std::int32_t> &slots,
                       std::uint64_t &compared) {
  for (const witnessed &value : kernel.values)
    for (int i = 0; i < value.count; ++i) {
      std::int32_t known = poison;
      for (int use = 0; use < value.uses; ++use) {
        const std::int32_t bits =
            slots[static_cast<std::size_t>((value.first + use) * slot_elements + i)];
        if (bits == poison)
          continue;
        if (known == poison) {
          known = bits;
          continue;
        }
        ++compared;
        if (bits != known && !(is_nan(bits) && is_nan(known))) {
          char text[160];
          std::snprintf(text, sizeof text, "%s[%d] is %08x and, in use %d of %d, %08x",
                        value.what.c_str(), i, static_cast<unsigned>(known), use, value.uses,
                        static_cast<unsigned>(bits));
          return text;
        }
      }
    }
  return "";
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> devices;
  const command_line given(argc, argv, [&](std::string_view option, const char *value) {
    if (option != "--device")
      return false;
    devices = listed(value);
    return true;
  });
  const std::uint64_t seed = given.seed;
  for (std::size_t i = 0, known = devices.empty() ? tl_device_count() : 0; i < known; ++i)
    if (tl_device *device = nullptr; tl_device_at(i, &device) == TL_OK)
      devices.push_back(tl_device_name(device));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t passed = 0, failed = 0, refused = 0, compared = 0;
  for (std::uint64_t k = 0; failed < 5 && !given.is_over(k); ++k) {
    one_value_generator kernel(seed + k);
    const std::string text = kernel.kernel();
    for (const std::string &name : devices) {
      std::vector<std::int32_t> slots(static_cast<std::size_t>(kernel.slots * slot_elements),
                                      poison);
      const bool fused = (seed + k) % 8 != 0;
      const std::string why = run(name, text, seed + k, fused, slots);
      if (!why.empty()) {
        if (++refused <= 3)
          std::printf("refused on %s, seed %llu: %s\n", name.c_str(),
                      static_cast<unsigned long long>(seed + k), why.c_str());
        continue;
      }
      const std::string found = difference(kernel, slots, compared);
      if (found.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      std::printf("FAILED on %s: seed %llu: %s\n", name.c_str(),
                  static_cast<unsigned long long>(seed + k), found.c_str());
      if (!given.keep.empty())
        std::ofstream(given.kept_file("seed" + std::to_string(seed + k) + ".ttir")) << text;
    }
    if (k % 64 == 63)
      tl_cache_clear();
  }
  std::printf("%llu pairs of uses, %llu passed, %llu failed, %llu skipped\n",
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(refused));
  // Most kernels must be good, or nothing is tested.
  return failed != 0 || passed < refused || compared < passed;
}
