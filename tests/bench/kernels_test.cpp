// SPDX-License-Identifier: MIT
//
// The kernels that bench/run measures on a GPU give the same results in every configuration: on the
// CPU in each of them, beside the interpreter in the one that the kernel's table chooses. (Beside
// PyTorch: bench/cuda/compare.py, where there is a GPU.)
#include "../../bench/cuda/kernel_list.hpp"

#include <tl/tl.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>
#include <random>
#include <set>

using namespace bench::gpu;

namespace {

enum class kind { number, f32, f16, bf16, i32, bytes };

/// An argument: a number, or an array of that many elements. What is read is random, what is
/// written starts as zeros, and may differ by `allowed` times the largest element.
struct operand {
  kind what;
  std::int64_t value;
  bool written = false;
  double allowed = 0;
  std::int32_t below = 256; ///< of i32: random and less than this, or, where it is 0,
  std::int32_t step = 0;    ///< first, first + step, …
  std::int32_t first = 0;

  std::size_t width() const {
    return what == kind::bytes ? 1 : what == kind::f16 || what == kind::bf16 ? 2 : 4;
  }
};

operand number(std::int64_t value) { return {kind::number, value}; }
operand f32(std::int64_t count) { return {kind::f32, count}; }
operand f16(std::int64_t count) { return {kind::f16, count}; }
operand i32(std::int64_t count) { return {kind::i32, count}; }
operand below(std::int64_t count, std::int32_t limit) {
  return {kind::i32, count, false, 0, limit};
}
operand steps(std::int64_t count, std::int32_t step, std::int32_t first = 0) {
  return {kind::i32, count, false, 0, 0, step, first};
}
operand bf16(std::int64_t count) { return {kind::bf16, count}; }
/// Small integers of 8 bits, or 8-bit floats below 2.
operand small(std::int64_t count) { return {kind::bytes, count}; }
operand out(operand o, double allowed) { return {o.what, o.value, true, allowed}; }
/// What the kernel alone reads.
operand scratch(std::int64_t count) { return out(f32(count), HUGE_VAL); }

struct row {
  const char *kernel;
  std::vector<operand> operands;
  bool same = true; ///< in every configuration; else the interpreter runs each, too
  int step = 1;     ///< every so-manieth configuration is tried
};

/// A product of odd extents, with B by rows or by columns. Each of the five types has the same
/// configurations: one of them tries all.
row product(const char *kernel, operand (*element)(std::int64_t), const operand &result,
            bool by_columns, int step) {
  const std::int64_t M = 70, N = 136, K = 264;
  return {kernel,
          {element(M * K),
           element(K * N),
           {result.what, M * N, true, result.allowed},
           number(M),
           number(N),
           number(K),
           number(K),
           number(1),
           number(by_columns ? 1 : N),
           number(by_columns ? K : 1),
           number(N),
           scratch(65536 + 4 * 128 * 512)},
          true,
          step};
}

row attention(int heads, int group, int length, int mask, int head) {
  const std::int64_t size = std::int64_t(heads) * length * head;
  return {"attention_forward",
          {f16(size), f16(size / group), f16(size / group), out(f16(size), 2e-3),
           out(f32(heads * length), 1e-5), number(1), number(heads), number(group), number(length),
           number(length), number(40), number(mask), number(head)}};
}

/// From any logarithms: the gradients differ between configurations by what float16 rounds.
row attention_backward(int heads, int length, int mask, int head) {
  const std::int64_t size = std::int64_t(heads) * length * head;
  return {"attention_backward",
          {f16(size), f16(size), f16(size), f16(size), f16(size), f32(heads * length),
           out(f32(heads * length), 1e-5), out(f16(size), 4e-3), out(f16(size), 4e-3),
           out(f16(size), 4e-3), number(1), number(heads), number(1), number(length),
           number(length), number(0), number(mask), number(head)}};
}

std::vector<row> rows() {
  const std::int64_t n = 100000, few = 16, wide = 1500, side = 8192, tile = 96 * 256;
  const double exact = 0, single = 1e-5, half = 2e-3;
  return {
      {"vector_add", {out(f32(n), exact), f32(n), f32(n), number(n)}},
      {"softmax",
       {out(f32(few * 781), single), f32(few * 781), number(few), number(781), scratch(3 * few)}},
      {"softmax",
       {out(f32(few * 65536), single), f32(few * 65536), number(few), number(65536),
        scratch(3 * few * 32)}},
      {"layer_norm",
       {out(f16(few * wide), half), f16(few * wide), f16(wide), f16(wide), out(f32(few), single),
        out(f32(few), single), number(few), number(wide)}},
      {"layer_norm_backward",
       {out(f16(few * wide), half), out(f16(wide), half), out(f16(wide), half), f16(few * wide),
        f16(few * wide), f16(wide), f32(few), f32(few), number(few), number(wide),
        scratch(2 * 32 * wide)}},
      {"rms_norm",
       {out(f32(few * side), single), f32(few * side), f32(side), number(few), number(side)}},
      {"transpose", {out(f32(96 * 200), exact), f32(96 * 200), number(96), number(200)}},
      {"row_sum", {out(f32(few), single), f32(few * side), number(few), number(side)}},
      {"large_sum", {out(f32(1), single), f32(n), number(n), scratch(4096)}},
      {"cumsum", {out(f32(few * side), single), f32(few * side), number(few), number(side)}},
      {"sort", {out(f32(few * 1000), exact), f32(few * 1000), number(few), number(1000)}},
      {"topk", {out(f32(few * 8), exact), f32(few * 4000), number(few), number(4000)}},
      // of functions whose results are numbers for all inputs: sin, tanh, atan, sigmoid
      {"functions", {out(f32(n), single), f32(n), number(n), number(6)}},
      {"functions", {out(f32(n), single), f32(n), number(n), number(9)}},
      {"functions", {out(f32(n), single), f32(n), number(n), number(12)}},
      {"functions", {out(f32(n), single), f32(n), number(n), number(13)}},
      {"dropout", {out(f32(n), exact), f32(n), number(n), number(1234)}, false},
      {"histogram", {out(i32(256), exact), i32(n), number(n)}},
      {"gather", {out(f32(tile), exact), f32(tile), i32(tile), number(24), number(1024)}},
      {"blocks", {out(f16(tile), exact), f16(tile), number(96), number(256)}},
      product("matmul_f16", f16, out(f16(1), half), false, 1),
      product("matmul_f16", f16, out(f16(1), half), true, 4),
      product("matmul_bf16", bf16, out(bf16(1), 1e-2), false, 7),
      product("matmul_tf32", f32, out(f32(1), 1e-3), false, 7),
      product("matmul_fp8", small, out(f16(1), half), true, 7),
      product("matmul_int8", small, out(i32(1), exact), true, 7),
      product("matmul_ieee", f32, out(f32(1), single), false, 1),
      product("matmul_gelu", f16, out(f16(1), half), false, 1),
      {"matmul_batched",
       {f16(6 * 70 * 40), f16(6 * 40 * 136), out(f16(6 * 70 * 136), half), number(6), number(70),
        number(136), number(40)}},
      {"matmul_batched",
       {f16(6 * 13 * 40), f16(6 * 40 * 16), out(f16(6 * 13 * 16), half), number(6), number(13),
        number(16), number(40)}},
      product("matmul_steps", f16, out(f16(1), half), false, 1),
      attention(2, 1, 70, 0, 64),
      attention(2, 2, 70, 1, 64),
      attention(1, 1, 90, 2, 128),
      attention_backward(1, 70, 0, 64),
      attention_backward(1, 70, 1, 128),
      {"matmul_int4",
       {f16(70 * 256), below(256 * 17, 1 << 30), below(2 * 17, 1 << 30), f16(2 * 136),
        out(f16(70 * 136), half), number(70), number(136), number(256), number(128),
        scratch(65536 + 4 * 128 * 512)}},
      {"paged_decode",
       {f16(2 * 8 * 128), f16(6 * 16 * 2 * 128), f16(6 * 16 * 2 * 128), below(2 * 3, 6),
        steps(2, 41), scratch(2 * 8 * 32 * 128), scratch(2 * 8 * 32), out(f16(2 * 8 * 128), half),
        number(2), number(8), number(2), number(16), number(3)}},
      // All slots in order go to the first expert.
      {"fused_moe",
       {f16(32 * 80), f16(3 * 72 * 80), out(f16(64 * 72), half), f32(64), steps(64, 1), below(4, 1),
        steps(1, 0, 64), number(64), number(64), number(2), number(72), number(80), number(16)}},
      // Few tokens: keys that are not of length 1 let the state grow fast.
      {"gated_delta_rule",
       {f16(2 * 128), f16(2 * 128), f16(2 * 128), f32(2), f32(2), steps(2, 2), scratch(2 * 64),
        scratch(2 * 64), out(f32(128 * 128), 4e-3), out(f16(2 * 128), 4e-3), number(1), number(1),
        number(2)}},
  };
}

using bytes = std::vector<std::uint8_t>;

/// The arrays that a kernel begins with: the same for every run of a row.
std::vector<bytes> inputs(const row &r) {
  std::mt19937 random(1);
  std::vector<bytes> all;
  for (const operand &o : r.operands) {
    if (o.what == kind::number)
      continue;
    bytes &array = all.emplace_back(o.width() * std::size_t(o.value));
    for (std::size_t at = 0; !o.written && at < array.size(); at += o.width()) {
      const float real = std::uniform_real_distribution<float>(-1, 1)(random);
      const auto whole = o.below == 0 ? o.first + o.step * static_cast<std::int32_t>(at / o.width())
                                      : static_cast<std::int32_t>(random() % unsigned(o.below));
      const tl::float16 half(real);
      const tl::bfloat16 brain(real);
      const auto byte = static_cast<std::uint8_t>(whole & 63);
      std::memcpy(&array[at],
                  o.what == kind::f16     ? static_cast<const void *>(&half)
                  : o.what == kind::bf16  ? static_cast<const void *>(&brain)
                  : o.what == kind::i32   ? static_cast<const void *>(&whole)
                  : o.what == kind::bytes ? static_cast<const void *>(&byte)
                                          : static_cast<const void *>(&real),
                  o.width());
    }
  }
  return all;
}

double element(const operand &o, const bytes &array, std::size_t index) {
  const std::uint8_t *at = &array[index * o.width()];
  tl::float16 half;
  tl::bfloat16 brain;
  std::int32_t whole;
  float real;
  switch (o.what) {
  case kind::bf16:
    std::memcpy(&brain, at, 2);
    return float(brain);
  case kind::f16:
    std::memcpy(&half, at, 2);
    return float(half);
  case kind::i32:
    std::memcpy(&whole, at, 4);
    return whole;
  default:
    std::memcpy(&real, at, 4);
    return real;
  }
}

/// The row's arguments on a device.
struct arguments : launch_arguments {
  std::vector<tl::buffer<std::uint8_t>> arrays;
  std::vector<std::int64_t> numbers;

  arguments(const row &r, const std::vector<bytes> &begin, tl::device device) {
    for (const bytes &array : begin)
      arrays.emplace_back(device, array);
    auto next = arrays.begin();
    for (const operand &o : r.operands)
      numbers.push_back(
          o.what == kind::number
              ? o.value
              : static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>((next++)->data())));
    values = numbers.data();
    stream = tl::stream::default_of(device).handle();
  }
};

/// What is in the arrays after one run.
std::vector<bytes> results(const row &r, const std::vector<bytes> &begin, tl::device device,
                           std::string_view name) {
  arguments a(r, begin, device);
  find_configuration(*find_kernel(r.kernel), name, a).run(a);
  std::vector<bytes> all;
  for (tl::buffer<std::uint8_t> &array : a.arrays)
    all.push_back(array.to_vector());
  return all;
}

/// Nothing, or the first element that differs by too much.
std::string difference(const row &r, const std::vector<bytes> &got,
                       const std::vector<bytes> &wanted) {
  std::size_t array = 0;
  for (const operand &o : r.operands) {
    if (o.what == kind::number)
      continue;
    const std::size_t count = o.written ? std::size_t(o.value) : 0;
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i)
      largest = std::max(largest, std::fabs(element(o, wanted[array], i)));
    for (std::size_t i = 0; i < count && o.allowed < HUGE_VAL; ++i) {
      const double a = element(o, got[array], i), b = element(o, wanted[array], i);
      if (!(std::fabs(a - b) <= o.allowed * largest))
        return "element " + std::to_string(i) + " of array " + std::to_string(array) + " is " +
               std::to_string(a) + " instead of " + std::to_string(b);
    }
    ++array;
  }
  return "";
}

} // namespace

TEST_CASE("each configuration of a measured kernel gives the interpreter's results on the cpu") {
  std::set<std::string> tried;
  for (const row &r : rows()) {
    INFO(std::string(r.kernel));
    tried.insert(r.kernel);
    const std::vector<bytes> begin = inputs(r);
    std::vector<bytes> wanted = results(r, begin, tl::device("interpreter"), "");
    CHECK(difference(r, begin, wanted) != "");
    const arguments fitting(r, begin, tl::device("cpu"));
    int number = 0;
    for (const configuration &c : find_kernel(r.kernel)->configurations) {
      CAPTURE(c.name);
      if (number++ % r.step != 0)
        continue;
      if (!c.fits(fitting))
        continue;
      if (!r.same)
        wanted = results(r, begin, tl::device("interpreter"), c.name);
      CHECK(difference(r, results(r, begin, tl::device("cpu"), c.name), wanted) == "");
    }
  }
  CHECK(tried.size() == kernel_list().size());
}

TEST_CASE("a configuration that a kernel does not have is refused with those that fit") {
  const row r = rows().front();
  const arguments a(r, inputs(r), tl::device("cpu"));
  CHECK_THROWS_WITH_AS(find_configuration(*find_kernel(r.kernel), "none", a),
                       doctest::Contains("no configuration 'none' of vector_add fits; there are: "),
                       std::runtime_error);
}

namespace {

/// Whether a loop of the text holds what is looked for; `text` is printed with indents.
bool has_loop_with(std::string_view text, std::string_view wanted) {
  for (std::size_t at = text.find("scf.for"); at != text.npos; at = text.find("scf.for", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    const std::string indent(text.find_first_not_of(' ', line) - line, ' ');
    const std::size_t end = text.find('\n' + indent + '}', at);
    if (text.substr(at, end - at).find(wanted) != text.npos)
      return true;
  }
  return false;
}

} // namespace

// A pass that takes a loop for one that may not run ahead costs speed, and no result. With four
// warps, whatever the configuration has.
TEST_CASE("loops of products of measured kernels load ahead") {
  std::set<std::string> tried;
  for (const row &r : rows()) {
    const arguments a(r, inputs(r), tl::device("interpreter"));
    const tl::compiled_kernel kernel = find_configuration(*find_kernel(r.kernel), "", a).run(a);
    const std::string_view ttir = kernel.text("ttir");
    if (!has_loop_with(ttir, "tt.dot ") || !tried.insert(r.kernel).second)
      continue;
    INFO(std::string(r.kernel));
    tl_compile_options options{};
    options.size = sizeof options;
    options.num_warps = 4;
    tl_kernel *made = nullptr;
    const tl_status status =
        tl_compile_for("sm_90a", ttir.data(), ttir.size(), nullptr, &options, &made);
    if (status == TL_INVALID_ARGUMENT) {
      std::puts("[SKIP] this libtl has no NVIDIA target");
      return;
    }
    REQUIRE(status == TL_OK);
    const char *ttgir = nullptr;
    REQUIRE(tl_kernel_stage(made, "ttgir", &ttgir, nullptr) == TL_OK);
    CHECK((has_loop_with(ttgir, "ttg.async_copy_global_to_local") ||
           has_loop_with(ttgir, "ttg.async_descriptor_load")));
    tl_kernel_destroy(made);
  }
  CHECK(tried.size() >= 10);
}
