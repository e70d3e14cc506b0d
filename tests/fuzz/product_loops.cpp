// SPDX-License-Identifier: MIT
//
// Do random loops of products compute on devices what they compute on "interpreter"?
//
//     product-loops [--device NAMES] [--seconds N] [--seed N] [--kernels N] [--keep FOLDER] [FILE]
//
// Kernel number k is that of seed + k. One that differs is made small, printed, and kept as
// seed<N>.ttir with what its launch needs in the first line: given as FILE it runs again.
#include "product_loops.hpp"
#include "command_line.hpp"
#include "device_run.hpp"
#include "shrink.hpp"

#include <tl/c/tl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace fuzz;

namespace {

struct test_case {
  std::string text;
  product_launch launch;
};

struct results {
  std::vector<float> sums;
  std::vector<std::int32_t> seen;
};

enum class outcome { passed, unequal, failed, refused };

/// The float16 of an integer from -2 to 2.
std::uint16_t half_of(int value) {
  static constexpr std::uint16_t bits[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
  return bits[value + 2];
}

/// Runs a kernel. Refused: it wants more stages, or warps, than there is room for.
outcome run(const std::string &device, const test_case &test, std::uint64_t seed, results &got,
            std::string &why) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint16_t> inputs(3 * product_loops::input_elements);
  for (std::uint16_t &input : inputs)
    input = half_of(static_cast<int>(engine() % 5) - 2);
  got.sums.assign(product_loops::result_elements, 7);
  got.seen.assign(product_loops::tiles, -1);
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = test.launch.warps;
  options.num_stages = test.launch.stages;
  options.num_ctas = test.launch.ctas;
  device_run on(device, test.text, options);
  const std::vector<int> counts(test.launch.counts.begin(), test.launch.counts.end());
  const std::uint16_t *q = on.memory(std::as_const(inputs)), *k = q + product_loops::input_elements,
                      *v = k + product_loops::input_elements;
  float *sums = on.memory(got.sums);
  std::int32_t *seen = on.memory(got.seen);
  const int *bounds = on.memory(counts);
  std::int32_t rows = test.launch.rows;
  on.launch(static_cast<std::uint32_t>(test.launch.programs),
            {&q, &k, &v, &sums, &seen, &bounds, &rows});
  why = on.why;
  return on.good() ? outcome::passed : on.is_refused() ? outcome::refused : outcome::failed;
}

template <class T>
std::string difference(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = got.size(); i-- > 0;)
    if (!(got[i] == want[i])) {
      ++count;
      first = i;
    }
  if (count == 0)
    return "";
  return std::string(what) + ": " + std::to_string(count) + " differ, number " +
         std::to_string(first) + " is " + std::to_string(got[first]) + ", expected " +
         std::to_string(want[first]);
}

outcome compare(const test_case &test, std::uint64_t seed, const std::vector<std::string> &devices,
                std::string &why) {
  results want, got;
  if (run("interpreter", test, seed, want, why) != outcome::passed)
    return outcome::refused;
  for (const std::string &device : devices) {
    if (const outcome ran = run(device, test, seed, got, why); ran != outcome::passed)
      return ran;
    why = difference("sums", got.sums, want.sums);
    if (why.empty())
      why = difference("what was seen", got.seen, want.seen);
    if (!why.empty()) {
      why = device + ": " + why;
      return outcome::unequal;
    }
  }
  return outcome::passed;
}

test_case generated(std::uint64_t seed) {
  product_loops generator{choices(seed)};
  std::string text = generator.kernel();
  return {std::move(text), generator.launch};
}

std::string kept(const test_case &test, std::uint64_t seed) {
  std::string first = "// seed " + std::to_string(seed);
  for (int number : {test.launch.programs, test.launch.warps, test.launch.stages, test.launch.ctas,
                     test.launch.rows})
    first += " " + std::to_string(number);
  for (int count : test.launch.counts)
    first += " " + std::to_string(count);
  return first + "\n" + test.text;
}

bool read(const std::string &file, test_case &test, std::uint64_t &seed) {
  std::ifstream stream(file);
  std::string first, word;
  std::getline(stream, first);
  std::istringstream numbers(first);
  numbers >> word >> word >> seed >> test.launch.programs >> test.launch.warps >>
      test.launch.stages >> test.launch.ctas >> test.launch.rows;
  for (int &count : test.launch.counts)
    numbers >> count;
  test.text.assign(std::istreambuf_iterator<char>(stream), {});
  return bool(numbers);
}

void report(test_case test, std::uint64_t seed, const std::vector<std::string> &devices,
            outcome kind, const std::string &why, const command_line &given) {
  std::printf("FAILED, seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
  const auto fails = [&](const std::string &text) {
    std::string now;
    // What fails for a reason begins with it.
    return compare({text, test.launch}, seed, devices, now) == kind &&
           (kind == outcome::unequal || now.substr(0, 30) == why.substr(0, 30));
  };
  test.text = shrunk(test.text, fails, std::chrono::steady_clock::now() + std::chrono::seconds(60));
  const std::string file = given.kept_file("seed" + std::to_string(seed) + ".ttir");
  std::ofstream(file) << kept(test, seed);
  std::printf("%skept as %s\n", test.text.c_str(), file.c_str());
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> devices = {"simt:sm_90a"};
  const command_line given(argc, argv, [&](std::string_view option, const char *value) {
    if (option != "--device")
      return false;
    devices = listed(value);
    return true;
  });
  std::uint64_t seed = given.seed;
  std::uint64_t passed = 0, failed = 0, refused = 0;
  std::string why;
  for (const std::string &file : given.files) {
    test_case test;
    const outcome found = read(file, test, seed) ? compare(test, seed, devices, why)
                                                 : (why = "cannot be read", outcome::failed);
    failed += found != outcome::passed;
    std::printf("%s: %s\n", file.c_str(), found == outcome::passed ? "passed" : why.c_str());
  }
  if (!given.files.empty())
    return failed != 0;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (std::uint64_t k = 0; failed < 3 && !given.is_over(k); ++k) {
    const test_case test = generated(seed + k);
    if (!given.keep.empty())
      std::ofstream(given.kept_file("last.ttir")) << kept(test, seed + k);
    switch (const outcome found = compare(test, seed + k, devices, why); found) {
    case outcome::passed:
      ++passed;
      break;
    case outcome::refused:
      if (++refused <= 3)
        std::printf("refused, seed %llu: %s\n", static_cast<unsigned long long>(seed + k),
                    why.c_str());
      break;
    case outcome::unequal:
    case outcome::failed:
      ++failed;
      report(test, seed + k, devices, found, why, given);
    }
    if (k % 64 == 63)
      tl_cache_clear();
  }
  std::printf("%llu passed, %llu failed, %llu refused\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(refused));
  // Most kernels must be good, or nothing is tested.
  return failed != 0 || passed < refused;
}
