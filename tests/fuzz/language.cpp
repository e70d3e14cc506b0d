// SPDX-License-Identifier: MIT
//
// Does the whole language mean on every device what it means on "interpreter"? Random kernels run
// here on all devices, and some of them are compiled for GPUs that need not be here. What differs,
// crashes, hangs or is refused without a reason is made small and printed, with the command that
// runs it again.
//
//     fuzz-language [--device NAME,…] [--targets NAME,…|none] [--target-share N] [--seed N]
//                   [--seconds N | --kernels N] [--failures N] [--shrink-seconds N]
//                   [--keep FOLDER]
//     fuzz-language [--device NAME,…] FILE...
//
// The kernels run in child processes, which leave in shared memory what they are at; the parent
// never calls the library. Kernel number k is that of seed + k, with data, options and aliasing of
// its own: several processes need seeds further apart than the kernels that each of them runs.
// Files are kernels that were kept: their comments say what to compare.
#include "command_line.hpp"
#include "device_run.hpp"
#include "language_kernel.hpp"
#include "shrink.hpp"

#include <tl/c/tl.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace fuzz;

namespace {

// By the clock, which a busy machine may hold up.
constexpr unsigned seconds_per_kernel = 1200;

/// What parent and child share.
struct shared_state {
  std::uint64_t seed, passed, refused, left_out, compared;
  char complaint[2048]; // "", or why the kernel at `seed` fails
};

struct setup {
  std::vector<std::string> devices, targets;
  std::uint64_t target_share = 24; // every which kernel is compiled for them
};

/// A kernel and what is to be looked at.
struct test_case {
  std::string text;
  std::vector<slot> slots;
  std::vector<std::string> atomics;
};

std::string kept(const test_case &test, std::uint64_t seed) {
  std::ostringstream text;
  text.precision(17);
  text << "// seed " << seed << "\n";
  for (const slot &s : test.slots)
    text << "// slot " << s.name << " " << s.element << " " << s.offset << " " << s.count << " "
         << s.ulps << " " << s.absolute << "\n";
  for (const std::string &element : test.atomics)
    text << "// atomic " << element << "\n";
  text << test.text;
  return text.str();
}

test_case read(const std::string &file, std::uint64_t &seed) {
  test_case test;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string comment, what;
    slot s;
    if (words >> comment >> what; comment == "//" && what == "seed")
      words >> seed;
    else if (comment == "//" && what == "slot" &&
             words >> s.name >> s.element >> s.offset >> s.count >> s.ulps >> s.absolute)
      test.slots.push_back(s);
    else if (comment == "//" && what == "atomic" && words >> what)
      test.atomics.push_back(what);
    test.text += line + "\n";
  }
  return test;
}

bool aliases(std::uint64_t seed) { return seed % 2 == 0; }

unsigned programs(std::uint64_t seed) { return seed % 5 == 4 ? 3 : 1; }

test_case generated(choices &chosen, std::uint64_t seed) {
  language_generator g(std::move(chosen), aliases(seed));
  test_case made{g.kernel(), g.slots, g.atomics};
  chosen = g.chosen();
  return made;
}

tl_compile_options options_of(std::uint64_t seed) {
  const std::uint64_t random = seed * 0x9e3779b97f4a7c15;
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = 1 << (random >> 60) % 4;
  options.num_stages = 1 + static_cast<int>((random >> 50) % 4);
  options.disable_fp_fusion = (random >> 40) % 2;
  options.debug = (random >> 30) % 3 == 0;
  return options;
}

// ---- Running

struct memory_image {
  std::vector<float> floats;
  std::vector<std::int32_t> integers;
  std::vector<unsigned char> typed, atomics, slots;
};

enum class outcome { good, refused, failed };

struct result {
  outcome what;
  std::string why;
};

memory_image initial(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  memory_image m;
  const std::size_t count = programs(seed);
  m.floats.resize(count * buffer_elements * (aliases(seed) ? 1 : 3));
  m.integers.resize(count * buffer_elements);
  for (float &f : m.floats)
    f = static_cast<float>(static_cast<int>(engine() % 64) - 32) / 4;
  for (std::int32_t &i : m.integers)
    i = engine() % 3 == 0 ? static_cast<std::int32_t>(engine())
                          : static_cast<std::int32_t>(engine() % 200) - 50;
  m.typed.resize(count * typed_regions * region_bytes);
  m.atomics.resize(count * atomic_regions * region_bytes);
  m.slots.resize(count * slot_bytes, 0x5a);
  return m;
}

result run(const std::string &name, const std::string &text, std::uint64_t seed, memory_image &m) {
  m = initial(seed);
  device_run on(name, text, options_of(seed));
  std::mt19937_64 engine(seed + 1);
  float *base = on.memory(m.floats);
  unsigned piece = 0;
  auto pointer = [&] {
    auto offset = engine() % 4 * (engine() % 3 == 0 ? 1024u : 16u);
    return base + offset + (aliases(seed) ? 0 : piece++ * programs(seed) * buffer_elements);
  };
  float *x = pointer(), *y = pointer(), *z = pointer();
  std::int32_t *w = on.memory(m.integers);
  unsigned char *t = on.memory(m.typed), *c = on.memory(m.atomics), *o = on.memory(m.slots);
  std::int32_t n = static_cast<std::int32_t>(engine() % 300),
               k = static_cast<std::int32_t>(engine() % 40) - 4;
  on.launch(programs(seed), {&x, &y, &z, &w, &n, &k, &t, &c, &o});
  return {on.good() ? outcome::good : on.is_refused() ? outcome::refused : outcome::failed, on.why};
}

// ---- Comparing

/// A float's bits in an order in which neighbours differ by 1.
std::int64_t ordered(std::uint64_t bits, int width) {
  const std::uint64_t sign = std::uint64_t(1) << (width - 1);
  return bits & sign ? -static_cast<std::int64_t>(bits & (sign - 1))
                     : static_cast<std::int64_t>(bits);
}

bool is_nan(std::uint64_t bits, std::string_view element) {
  const int width = bits_of(element);
  bits &= (std::uint64_t(1) << (width - 1)) - 1;
  if (element == "f8E4M3FN")
    return bits == 0x7f;
  const int fraction = element == "f64"    ? 52
                       : element == "f32"  ? 23
                       : element == "f16"  ? 10
                       : element == "bf16" ? 7
                                           : 2;
  return bits > ((std::uint64_t(1) << (width - 1)) - (std::uint64_t(1) << fraction));
}

double number(std::uint64_t bits, int width) {
  if (width == 64)
    return std::bit_cast<double>(bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

/// Equality lets the sign of zero pass: which zero a maximum of zeros gives is open.
bool agree(const slot &s, std::uint64_t got, std::uint64_t want) {
  if (got == want)
    return true;
  if (is_integer(s.element))
    return false;
  if (is_nan(got, s.element) || is_nan(want, s.element))
    return is_nan(got, s.element) && is_nan(want, s.element);
  const int width = bits_of(s.element);
  const std::int64_t a = ordered(got, width), b = ordered(want, width);
  if (a == b)
    return true;
  if (s.ulps == 0 && s.absolute == 0)
    return false;
  // As integers: numbers of f64 are too far from 0 for doubles to tell neighbours apart.
  const std::uint64_t apart = a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                    : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  const auto distance = static_cast<double>(apart);
  return distance <= s.ulps || std::fabs(number(got, width) - number(want, width)) <= s.absolute;
}

/// What differs first, or "".
std::string difference(const slot &s, const unsigned char *got, const unsigned char *want,
                       std::uint64_t &compared) {
  const int bytes = bits_of(s.element) / 8;
  for (int i = 0; i < s.count; ++i) {
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, got + s.offset + i * bytes, static_cast<std::size_t>(bytes));
    std::memcpy(&b, want + s.offset + i * bytes, static_cast<std::size_t>(bytes));
    ++compared;
    if (agree(s, a, b))
      continue;
    char text[200];
    std::snprintf(text, sizeof text, "%s[%d] of %s is %#llx and on interpreter %#llx",
                  s.name.c_str(), i, s.element.c_str(), static_cast<unsigned long long>(a),
                  static_cast<unsigned long long>(b));
    return text;
  }
  return "";
}

std::string difference(const test_case &test, const memory_image &got, const memory_image &want,
                       std::uint64_t &compared) {
  auto bytes = [](const auto &all) { return reinterpret_cast<const unsigned char *>(all.data()); };
  // The slots first: they say where it began.
  const std::size_t programs = want.slots.size() / slot_bytes;
  for (std::size_t program = 0; program < programs; ++program)
    for (const slot &s : test.slots)
      if (std::string why = difference(s, got.slots.data() + program * slot_bytes,
                                       want.slots.data() + program * slot_bytes, compared);
          !why.empty())
        return why;
  const slot floats{"memory", "f32", 0, static_cast<int>(got.floats.size())},
      integers{"memory", "i32", 0, static_cast<int>(got.integers.size())};
  if (std::string why = difference(floats, bytes(got.floats), bytes(want.floats), compared);
      !why.empty())
    return why;
  if (std::string why = difference(integers, bytes(got.integers), bytes(want.integers), compared);
      !why.empty())
    return why;
  for (std::size_t program = 0; program < programs; ++program)
    for (std::size_t i = 0; i < test.atomics.size(); ++i) {
      const std::string &element = test.atomics[i];
      const slot atomics{"atomic memory " + std::to_string(i), element,
                         static_cast<int>(i) * region_bytes, region_bytes / (bits_of(element) / 8)};
      const std::size_t first = program * atomic_regions * region_bytes;
      if (std::string why = difference(atomics, got.atomics.data() + first,
                                       want.atomics.data() + first, compared);
          !why.empty())
        return why;
    }
  return "";
}

/// In a child: why the kernel fails, or "".
std::string failure(const test_case &test, std::uint64_t seed, const setup &s,
                    shared_state &state) {
  memory_image want, got;
  alarm(seconds_per_kernel);
  if (result r = run("interpreter", test.text, seed, want); r.what != outcome::good) {
    if (r.what == outcome::refused) {
      ++state.refused;
      return "";
    }
    return "interpreter: " + r.why;
  }
  for (const std::string &device : s.devices) {
    alarm(seconds_per_kernel);
    result r = run(device, test.text, seed, got);
    if (r.what == outcome::failed)
      return device + ": " + r.why;
    if (r.what == outcome::refused) {
      ++state.left_out;
      continue;
    }
    if (std::string why = difference(test, got, want, state.compared); !why.empty())
      return device + ": " + why;
  }
  if (seed % s.target_share == 0)
    for (const std::string &target : s.targets) {
      alarm(seconds_per_kernel);
      tl_compile_options options = options_of(seed);
      tl_kernel *kernel = nullptr;
      if (tl_status status = tl_compile_for(target.c_str(), test.text.data(), test.text.size(),
                                            nullptr, &options, &kernel);
          status != TL_OK) {
        if (status != TL_UNSUPPORTED && status != TL_OUT_OF_RESOURCES)
          return target + ": compile: " + diagnostic();
        ++state.left_out;
        continue;
      }
      tl_kernel_destroy(kernel);
    }
  ++state.passed;
  return "";
}

// ---- Child processes

/// Runs `body` in a child; what it died of, or "".
template <class Body> std::string in_child(Body body, bool quiet) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (quiet && !std::freopen("/dev/null", "w", stderr))
      _exit(2);
    body();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    ;
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM
               ? "took longer than " + std::to_string(seconds_per_kernel) + " s"
               : std::string("died of ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "ended with " + std::to_string(WEXITSTATUS(status));
}

void complain(shared_state &state, const std::string &why) {
  std::snprintf(state.complaint, sizeof state.complaint, "%s", why.c_str());
}

/// The complaint about one kernel, tried in a child of its own.
std::string tried(const test_case &test, std::uint64_t seed, const setup &s, shared_state &state) {
  const shared_state before = state;
  state.complaint[0] = 0;
  const std::string died = in_child([&] { complain(state, failure(test, seed, s, state)); }, true);
  const std::string why = died.empty() ? state.complaint : died;
  state = before;
  return why;
}

/// Two failures are of one kind if they begin with the same words; names and numbers do not count.
std::string kind_of(const std::string &why) {
  std::string kind;
  const bool differs = why.find(" and on interpreter ") != std::string::npos;
  if (differs)
    return why.substr(0, why.find(": ")) + " differs";
  for (char c : why)
    if (!std::isdigit(static_cast<unsigned char>(c)))
      kind += c;
  return kind.substr(0, 60);
}

void report(const std::string &program, std::uint64_t seed, std::string why, const setup &s,
            const command_line &given, shared_state &state, double seconds) {
  std::printf("FAILED, seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
  const deadline end = std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(static_cast<long>(seconds * 1000));
  const std::string kind = kind_of(why);
  test_case best;
  choices chosen(seed);
  best = generated(chosen, seed);
  if (seconds > 0) {
    chosen = shrunk(
        std::move(chosen),
        [&](choices &c) {
          test_case smaller = generated(c, seed);
          const std::string now = tried(smaller, seed, s, state);
          if (kind_of(now) != kind)
            return false;
          best = std::move(smaller);
          why = now;
          return true;
        },
        end);
    best.text = shrunk(
        best.text,
        [&](const std::string &text) {
          const std::string now = tried({text, best.slots, best.atomics}, seed, s, state);
          if (kind_of(now) != kind)
            return false;
          why = now;
          return true;
        },
        end);
  }
  const std::string file = given.kept_file("seed" + std::to_string(seed) + ".ttir");
  std::ofstream(file) << kept(best, seed);
  std::printf("%s\n%s\nagain: %s %s\n", why.c_str(), best.text.c_str(), program.c_str(),
              file.c_str());
}

} // namespace

int main(int argc, char **argv) {
  std::uint64_t failures = 3;
  double shrink_seconds = 120;
  setup s{.devices = {}, .targets = {"sm_90a", "sm_80"}};
  const command_line given(argc, argv, [&](std::string_view option, const char *value) {
    if (option == "--failures")
      failures = std::strtoull(value, nullptr, 10);
    else if (option == "--shrink-seconds")
      shrink_seconds = std::atof(value);
    else if (option == "--device")
      s.devices = listed(value);
    else if (option == "--targets")
      s.targets = listed(value == std::string_view("none") ? "" : value);
    else if (option == "--target-share")
      s.target_share = std::strtoull(value, nullptr, 10);
    else
      return false;
    return true;
  });
  std::uint64_t seed = given.seed;
  void *shared = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 1;
  shared_state &state = *new (shared) shared_state{};
  if (s.devices.empty()) // asked in a child, so that no driver is loaded here
    in_child(
        [&] {
          std::string names;
          for (std::size_t i = 0; i < tl_device_count(); ++i)
            if (tl_device *d;
                tl_device_at(i, &d) == TL_OK && tl_device_name(d) != std::string("interpreter"))
              names += (names.empty() ? "" : ",") + std::string(tl_device_name(d));
          complain(state, names);
        },
        false);
  if (s.devices.empty())
    s.devices = listed(state.complaint);
  if (!given.files.empty()) {
    s.target_share = 1;
    std::size_t failed = 0;
    for (const std::string &file : given.files) {
      const test_case test = read(file, seed);
      const std::string why = test.text.empty() ? "cannot be read" : tried(test, seed, s, state);
      failed += !why.empty();
      std::printf("%s: %s\n", file.c_str(), why.empty() ? "passed" : ("FAILED: " + why).c_str());
    }
    return failed != 0;
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t failed = 0;
  for (std::uint64_t k = 0; !given.is_over(k) && failed < failures;) {
    // A new child after some kernels, so that what one keeps does not grow.
    state.complaint[0] = 0;
    const std::string died = in_child(
        [&] {
          for (std::uint64_t last = k + 256; k < last && !given.is_over(k); ++k) {
            state.seed = seed + k;
            choices chosen(seed + k);
            const std::string why = failure(generated(chosen, seed + k), seed + k, s, state);
            if (!why.empty()) {
              complain(state, why);
              return;
            }
            if (k % 64 == 63)
              tl_cache_clear();
          }
        },
        false);
    k = state.seed - seed + 1;
    const std::string why = died.empty() ? state.complaint : died;
    if (why.empty())
      continue;
    ++failed;
    report(argv[0], state.seed, why, s, given, state, shrink_seconds);
  }
  std::printf("%llu numbers compared, %llu passed, %llu failed, %llu skipped, %llu refused by a "
              "device\n",
              static_cast<unsigned long long>(state.compared),
              static_cast<unsigned long long>(state.passed),
              static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(state.refused),
              static_cast<unsigned long long>(state.left_out));
  // Most kernels must be good, or nothing is tested.
  return failed != 0 || state.passed < state.refused + state.left_out;
}
