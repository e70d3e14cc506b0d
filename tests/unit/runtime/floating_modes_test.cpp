// SPDX-License-Identifier: MIT
//
// Kernels compute in one floating-point mode, whatever mode the program has set, in which thread
// and when; and the program finds its own again. Each case is a process of its own, as the
// library's threads live as long as one.
#include "tl/c/tl.h"

#include <cfenv>
#include <cstring>
#include <doctest/doctest.h>
#include <initializer_list>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// ---- Modes

struct Mode {
  const char *name;
  void (*set)();
};

#if defined(__x86_64__)
void control(unsigned bits) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | bits); }
void x87(uint16_t value) { asm volatile("fldcw %0" : : "m"(value)); }
#endif

const Mode modes[] = {
    {"the default", [] {}},
#if defined(__x86_64__)
    {"small results flushed to zero", [] { control(0x8000); }},
    {"small operands taken for zero", [] { control(0x40); }},
    {"both", [] { control(0x8040); }},
    {"short results of the old unit", [] { x87(0x7f); }},
#elif defined(__aarch64__)
    {"small numbers flushed to zero", [] { asm volatile("msr fpcr, %0"
                                                        :
                                                        : "r"(1ull << 24)); }},
#endif
    {"rounded up", [] { std::fesetround(FE_UPWARD); }},
    {"rounded down", [] { std::fesetround(FE_DOWNWARD); }},
    {"rounded toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
    {"exceptions",
     [] { feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT); }},
    {"flags", [] { std::feraiseexcept(FE_DIVBYZERO | FE_UNDERFLOW); }},
};

void setDefault() {
  std::fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(0x1f80);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(0ull));
#endif
}

/// All of what a program can set or read: modes and flags.
struct State {
  unsigned vector = 0, flags = 0, old = 0;
  int rounding = 0;
  bool operator==(const State &) const = default;
};

State state() {
  State now;
#if defined(__x86_64__)
  now.vector = __builtin_ia32_stmxcsr();
  uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  now.old = word;
#endif
  now.flags = unsigned(std::fetestexcept(FE_ALL_EXCEPT));
  now.rounding = std::fegetround();
  return now;
}

// ---- A kernel whose results show the mode

/// The bits of many results of 64 floats, xored.
std::string kernelText() {
  std::string body;
  int next = 0;
  std::string sum;
  auto line = [&](const std::string &text) { body += "    " + text + "\n"; };
  auto fresh = [&] { return "%v" + std::to_string(next++); };
  auto keepInteger = [&](const std::string &value) {
    if (sum.empty()) {
      sum = value;
      return;
    }
    std::string both = fresh();
    line(both + " = arith.xori " + sum + ", " + value + " : tensor<64xi32>");
    sum = both;
  };
  auto keep = [&](const std::string &value, const std::string &type, int bits) {
    std::string integer = "i" + std::to_string(bits), name = fresh();
    line(name + " = tt.bitcast " + value + " : tensor<64x" + type + "> -> tensor<64x" + integer +
         ">");
    if (bits == 32)
      return keepInteger(name);
    std::string narrow = fresh();
    if (bits < 32) {
      line(narrow + " = arith.extui " + name + " : tensor<64x" + integer + "> to tensor<64xi32>");
      return keepInteger(narrow);
    }
    line(narrow + " = arith.trunci " + name + " : tensor<64xi64> to tensor<64xi32>");
    keepInteger(narrow);
    std::string high = fresh(), half = fresh(), by = fresh();
    line(by + " = arith.constant dense<32> : tensor<64xi64>");
    line(high + " = arith.shrui " + name + ", " + by + " : tensor<64xi64>");
    line(half + " = arith.trunci " + high + " : tensor<64xi64> to tensor<64xi32>");
    keepInteger(half);
  };
  auto constant = [&](const std::string &value) {
    std::string name = fresh();
    line(name + " = arith.constant dense<" + value + "> : tensor<64xf32>");
    return name;
  };
  line("%pid = tt.get_program_id x : i32");
  line("%c64 = arith.constant 64 : i32");
  line("%start = arith.muli %pid, %c64 : i32");
  line("%lane = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>");
  line("%starts = tt.splat %start : i32 -> tensor<64xi32>");
  line("%at = arith.addi %starts, %lane : tensor<64xi32>");
  line("%from = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>");
  line("%place = tt.addptr %from, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>");
  line("%a = tt.load %place : tensor<64x!tt.ptr<f32>>");
  line("%b = math.absf %a : tensor<64xf32>");
  // What is computed, and the same of constants, while the kernel is compiled.
  const std::string one = constant("1.0"), small = constant("0x00010001"), zero = constant("0.0");
  const std::string third = constant("3.0"), tie = constant("0x3f801001");
  for (const std::string &v : {std::string("%a"), small, tie}) {
    std::string wide = fresh(), half = fresh(), brain = fresh(), eight = fresh();
    line(wide + " = arith.extf " + v + " : tensor<64xf32> to tensor<64xf64>");
    keep(wide, "f64", 64);
    line(half + " = arith.truncf " + v + " : tensor<64xf32> to tensor<64xf16>");
    keep(half, "f16", 16);
    line(brain + " = arith.truncf " + v + " : tensor<64xf32> to tensor<64xbf16>");
    keep(brain, "bf16", 16);
    line(eight + " = tt.fp_to_fp " + v + ", rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>");
    keep(eight, "f8E5M2", 8);
    for (const std::string &operation :
         {"arith.divf " + v + ", " + third, "arith.divf " + one + ", " + v,
          "arith.mulf " + v + ", " + tie, "arith.addf " + v + ", " + third,
          "math.fma " + v + ", " + tie + ", " + small, "math.exp " + v, "math.sqrt " + v,
          "math.log " + v, "math.sin " + v, "math.erf " + v, "math.cbrt " + v,
          "arith.remf " + v + ", " + third}) {
      std::string result = fresh();
      line(result + " = " + operation + " : tensor<64xf32>");
      keep(result, "f32", 32);
    }
    std::string inverse = fresh(), tangent = fresh();
    line(inverse + " = arith.truncf " + wide + " : tensor<64xf64> to tensor<64xf16>");
    keep(inverse, "f16", 16);
    line(tangent + " = math.tan " + wide + " : tensor<64xf64>");
    keep(tangent, "f64", 64);
  }
  // A division by zero in lanes that are thrown away, and numbers out of range.
  line("%quotient = arith.divf %a, " + zero + " : tensor<64xf32>");
  line("%positive = arith.cmpf ogt, %a, " + one + " : tensor<64xf32>");
  line("%chosen = arith.select %positive, %quotient, %a : tensor<64xi1>, tensor<64xf32>");
  keep("%chosen", "f32", 32);
  line("%whole = arith.fptosi %a : tensor<64xf32> to tensor<64xi32>");
  keepInteger("%whole");
  line("%floating = arith.sitofp %at : tensor<64xi32> to tensor<64xf16>");
  keep("%floating", "f16", 16);
  line("%total = \"tt.reduce\"(%b) <{axis = 0 : i32}> ({");
  line("^bb0(%p: f32, %q: f32):");
  line("  %s = arith.addf %p, %q : f32");
  line("  tt.reduce.return %s : f32");
  line("}) : (tensor<64xf32>) -> f32");
  line("%totals = tt.splat %total : f32 -> tensor<64xf32>");
  keep("%totals", "f32", 32);
  line("%bd = arith.extf %b : tensor<64xf32> to tensor<64xf64>");
  line("%sum = \"tt.reduce\"(%bd) <{axis = 0 : i32}> ({");
  line("^bb0(%p: f64, %q: f64):");
  line("  %s = arith.addf %p, %q : f64");
  line("  tt.reduce.return %s : f64");
  line("}) : (tensor<64xf64>) -> f64");
  line("%sums = tt.splat %sum : f64 -> tensor<64xf64>");
  keep("%sums", "f64", 64);
  line("%to = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>");
  line("%target = tt.addptr %to, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>");
  line("tt.store %target, " + sum + " : tensor<64x!tt.ptr<i32>>");
  return "module {\n  tt.func public @modes(%x: !tt.ptr<f32>, %out: !tt.ptr<i32>) {\n" + body +
         "    tt.return\n  }\n}\n";
}

/// Floats of all sizes, most of them ordinary, many below the normal numbers. Made of integers: no
/// mode has a say.
std::vector<uint32_t> inputs(uint32_t programs) {
  std::mt19937 engine(20240611);
  std::vector<uint32_t> bits(64 * programs);
  for (uint32_t &one : bits) {
    const uint32_t random = engine();
    switch (engine() % 4) {
    case 0: // denormals
      one = random & 0x807fffff;
      break;
    case 1: // any
      one = random;
      break;
    default: // from 2^-8 to 2^8
      one = (random & 0x807fffff) | ((119 + engine() % 16) << 23);
    }
  }
  return bits;
}

// ---- What a process does

struct Device {
  explicit Device(const char *name, uint32_t programs) : programs(programs) {
    ok &= tl_device_open(name, &device) == TL_OK && tl_stream_default(device, &stream) == TL_OK;
    const std::vector<uint32_t> bits = inputs(programs);
    ok &= tl_allocate(device, 256 * programs, &x) == TL_OK &&
          tl_allocate(device, 256 * programs, &out) == TL_OK &&
          tl_copy_to_device(stream, x, bits.data(), 256 * programs) == TL_OK;
  }

  /// Does something and looks whether the mode is as it was.
  template <class Body> void watched(Body body) {
    const State before = state();
    body();
    ok &= state() == before;
  }

  void compile() {
    watched([&] {
      const std::string text = kernelText();
      ok &= tl_compile(device, text.data(), text.size(), nullptr, nullptr, &kernel) == TL_OK;
    });
  }

  /// The results of a launch.
  std::vector<uint32_t> launch() {
    std::vector<uint32_t> results(64 * programs);
    watched([&] {
      void *arguments[] = {&x, &out};
      ok &= tl_fill(stream, out, 0xa5, 256 * programs) == TL_OK &&
            tl_launch(kernel, stream, programs, 1, 1, arguments, 2) == TL_OK &&
            tl_copy_from_device(stream, results.data(), out, 256 * programs) == TL_OK;
    });
    return results;
  }

  /// Calls that end in an error, one of them deep in the kernel.
  void fail() {
    watched([&] {
      tl_kernel *none = nullptr;
      ok &= tl_compile(device, "module {", 8, nullptr, nullptr, &none) == TL_COMPILE_ERROR;
      void *nothing = nullptr;
      void *arguments[] = {&nothing, &out};
      ok &= tl_launch(kernel, stream, programs, 1, 1, arguments, 2) == TL_RUNTIME_ERROR;
    });
  }

  const uint32_t programs;
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *kernel = nullptr;
  void *x = nullptr, *out = nullptr;
  bool ok = true;
};

enum class When { always, compiling, launching, failing };

/// The results of all launches, one after the other; empty if anything failed.
std::vector<uint32_t> run(const char *name, uint32_t programs, const Mode &mode, When when) {
  std::vector<uint32_t> all;
  auto append = [&](const std::vector<uint32_t> &results) {
    all.insert(all.end(), results.begin(), results.end());
  };
  if (when == When::always) // even before the library's first use
    mode.set();
  Device device(name, programs);
  switch (when) {
  case When::always:
    device.compile();
    append(device.launch());
    // A thread inherits the mode of the one that starts it.
    std::thread([&] { append(device.launch()); }).join();
    break;
  case When::compiling:
    mode.set();
    device.compile();
    setDefault();
    append(device.launch());
    append(device.launch());
    break;
  case When::launching: // the first launch, which starts the library's threads
    device.compile();
    mode.set();
    append(device.launch());
    setDefault();
    append(device.launch());
    break;
  case When::failing:
    device.compile();
    mode.set();
    device.fail();
    append(device.launch());
    append(device.launch());
    break;
  }
  setDefault();
  return device.ok ? all : std::vector<uint32_t>();
}

/// Runs it in a process of its own; empty results too if that dies.
std::vector<uint32_t> apart(const char *name, uint32_t programs, const Mode &mode, When when) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    setenv("TL_NUM_THREADS", "4", 1);
    const std::vector<uint32_t> results = run(name, programs, mode, when);
    const char *bytes = reinterpret_cast<const char *>(results.data());
    for (size_t left = results.size() * 4; left > 0;) {
      const ssize_t written = write(ends[1], bytes, left);
      if (written <= 0)
        break;
      bytes += written;
      left -= size_t(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<uint32_t> results(2 * 64 * programs);
  size_t got = 0;
  for (ssize_t n; got < results.size() * 4; got += size_t(n))
    if ((n = read(ends[0], reinterpret_cast<char *>(results.data()) + got,
                  results.size() * 4 - got)) <= 0)
      break;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_MESSAGE(WIFEXITED(status), "ended by signal ", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  results.resize(got / 4);
  return results;
}

void check(const char *name, uint32_t programs) {
  const std::vector<uint32_t> expected = apart(name, programs, modes[0], When::always);
  REQUIRE(expected.size() == 2 * 64 * programs);
  const char *moments[] = {"always", "while compiling", "in the first launch", "around errors"};
  for (const Mode &mode : modes)
    for (When when : {When::always, When::compiling, When::launching, When::failing}) {
      INFO(std::string(mode.name), ", ", std::string(moments[int(when)]));
      const std::vector<uint32_t> results = apart(name, programs, mode, when);
      REQUIRE_MESSAGE(results.size() == expected.size(), "a call failed or changed the mode");
      CHECK(std::memcmp(results.data(), expected.data(), expected.size() * 4) == 0);
    }
}

} // namespace

TEST_CASE("what a kernel computes on the cpu does not depend on the caller's floating-point mode") {
  check("cpu", 1024);
}

TEST_CASE("what the interpreter computes does not depend on the caller's floating-point mode") {
  check("interpreter", 16);
}
