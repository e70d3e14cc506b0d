// SPDX-License-Identifier: MIT
//
// Is a value of a random kernel the same number wherever the kernel uses it?
//
//     one-value [--device NAME] [--seconds N] [--seed N] [--kernels N] [--keep FOLDER]
//
// A kernel in which two uses of a value differ, in any bit of any element, is printed with its seed
// and kept. NaN is NaN, whatever its bits. Without --device every device of the machine has a turn.
// Kernel number k is that of seed + k: several processes need seeds further apart than the kernels
// that each of them runs.
#include "one_value.hpp"

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

std::string diagnostic() {
  const tl_diagnostic *d = tl_last_diagnostic();
  return d ? std::string(d->message) + " (line " + std::to_string(d->line) + ")" : "no diagnostic";
}

/// Memory of a device, freed at the end.
struct memory {
  memory(tl_device *device, tl_stream *stream, const std::vector<std::int32_t> &words)
      : device(device) {
    const std::uint64_t bytes = words.size() * 4;
    good = tl_allocate(device, bytes, &pointer) == TL_OK &&
           tl_copy_to_device(stream, pointer, words.data(), bytes) == TL_OK;
  }
  ~memory() { tl_free(device, pointer); }
  memory(const memory &) = delete;
  memory &operator=(const memory &) = delete;
  tl_device *device;
  void *pointer = nullptr;
  bool good = false;
};

/// Runs a kernel and gives back the slots, or the reason why not.
std::string run(const char *name, const std::string &text, std::uint64_t seed, bool fused,
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
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *kernel = nullptr;
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = 1 << seed * 0x9e3779b97f4a7c15 % 4;
  options.disable_fp_fusion = !fused;
  if (tl_device_open(name, &device) != TL_OK || tl_stream_default(device, &stream) != TL_OK)
    return diagnostic();
  if (tl_compile(device, text.data(), text.size(), nullptr, &options, &kernel) != TL_OK)
    return "compile: " + diagnostic();
  memory x(device, stream, floats), w(device, stream, integers), o(device, stream, slots);
  if (!x.good || !w.good || !o.good)
    return diagnostic();
  float *base = static_cast<float *>(x.pointer);
  void *first = base, *second = base + buffer_elements, *third = base + 2 * buffer_elements;
  std::int32_t n = static_cast<std::int32_t>(engine() % 300),
               m = static_cast<std::int32_t>(engine() % 40) - 4, one = 1;
  void *arguments[] = {&first, &second, &third, &w.pointer, &n, &m, &o.pointer, &one};
  if (tl_launch(kernel, stream, 1, 1, 1, arguments, 8) != TL_OK)
    return "launch: " + diagnostic();
  if (tl_copy_from_device(stream, slots.data(), o.pointer, slots.size() * 4) != TL_OK)
    return diagnostic();
  return "";
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
  std::uint64_t seed = std::random_device{}(), kernels = 0;
  double seconds = 10;
  std::string keep, device;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i];
    if (option == "--seconds")
      seconds = std::atof(argv[i + 1]);
    else if (option == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--kernels")
      kernels = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--keep")
      keep = argv[i + 1];
    else if (option == "--device")
      device = argv[i + 1];
  }
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < tl_device_count(); ++i) {
    tl_device *known = nullptr;
    if (device.empty() && tl_device_at(i, &known) == TL_OK)
      devices.push_back(tl_device_name(known));
  }
  if (!device.empty())
    devices = {device};
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  auto start = std::chrono::steady_clock::now();
  std::uint64_t passed = 0, failed = 0, refused = 0, compared = 0;
  for (std::uint64_t k = 0; failed < 5; ++k) {
    double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (kernels ? k >= kernels : now > seconds)
      break;
    one_value_generator kernel(seed + k);
    const std::string text = kernel.kernel();
    for (const std::string &name : devices) {
      std::vector<std::int32_t> slots(static_cast<std::size_t>(kernel.slots * slot_elements),
                                      poison);
      const bool fused = (seed + k) % 8 != 0;
      const std::string why = run(name.c_str(), text, seed + k, fused, slots);
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
      if (!keep.empty())
        std::ofstream(keep + "/seed" + std::to_string(seed + k) + ".ttir") << text;
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
