// SPDX-License-Identifier: MIT
// Does every function of tl::libdevice compile for every target, with each type that it takes?
// TL_LANGUAGE_PAGE is docs/reference/language.md, which lists them.

#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

/// A kernel that applies the function to elements of the types T.
template <class F, class... T> std::string trace_call() {
  static constexpr tl::kernel kernel{"call", [](tl::ptr<T>... operands, tl::ptr<double> out) {
                                       auto at = tl::arange<32>();
                                       tl::store(out + at,
                                                 tl::cast<double>(F{}(tl::load(operands + at)...)));
                                     }};
  return kernel.trace();
}

struct function_entry {
  std::string name, types;
  std::string (*trace)();
};

using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define TL_CALL(name) decltype([](auto... x) { return tl::libdevice::name(x...); })
#define TL_TYPED(name, ...) {#name, #__VA_ARGS__, &trace_call<TL_CALL(name), __VA_ARGS__>}
#define TL_FLOATS_1(name) TL_TYPED(name, float), TL_TYPED(name, double)
#define TL_FLOATS_2(name) TL_TYPED(name, float, float), TL_TYPED(name, double, double)
#define TL_FLOATS_3(name)                                                                          \
  TL_TYPED(name, float, float, float), TL_TYPED(name, double, double, double)
#define TL_FLOATS_4(name)                                                                          \
  TL_TYPED(name, float, float, float, float), TL_TYPED(name, double, double, double, double)
#define TL_INTEGERS_1(name)                                                                        \
  TL_TYPED(name, i32), TL_TYPED(name, i64), TL_TYPED(name, u32), TL_TYPED(name, u64)
#define TL_INTEGERS_2(name)                                                                        \
  TL_TYPED(name, i32, i32), TL_TYPED(name, i64, i64), TL_TYPED(name, u32, u32),                    \
      TL_TYPED(name, u64, u64)
#define TL_NARROW_2(name) TL_TYPED(name, i32, i32), TL_TYPED(name, u32, u32)
#define TL_ROUNDED(mode)                                                                           \
  TL_FLOATS_2(add_##mode), TL_FLOATS_2(sub_##mode), TL_FLOATS_2(mul_##mode),                       \
      TL_FLOATS_2(div_##mode), TL_FLOATS_1(rcp_##mode), TL_FLOATS_1(sqrt_##mode),                  \
      TL_FLOATS_3(fma_##mode)
#define TL_CONVERSIONS(mode)                                                                       \
  TL_TYPED(double2float_##mode, double), TL_TYPED(double2int_##mode, double),                      \
      TL_TYPED(double2uint_##mode, double), TL_TYPED(double2ll_##mode, double),                    \
      TL_TYPED(double2ull_##mode, double), TL_TYPED(float2int_##mode, float),                      \
      TL_TYPED(float2uint_##mode, float), TL_TYPED(float2ll_##mode, float),                        \
      TL_TYPED(float2ull_##mode, float), TL_TYPED(int2float_##mode, i32),                          \
      TL_TYPED(uint2float_##mode, u32), TL_TYPED(ll2float_##mode, i64),                            \
      TL_TYPED(ull2float_##mode, u64), TL_TYPED(ll2double_##mode, i64),                            \
      TL_TYPED(ull2double_##mode, u64)

const std::vector<function_entry> &functions() {
  static const std::vector<function_entry> all = {
      // Roots, powers, exponentials and logarithms
      TL_FLOATS_1(sqrt), TL_FLOATS_1(rsqrt), TL_FLOATS_1(cbrt), TL_FLOATS_1(rcbrt),
      TL_FLOATS_1(exp), TL_FLOATS_1(exp2), TL_FLOATS_1(exp10), TL_FLOATS_1(expm1), TL_FLOATS_1(log),
      TL_FLOATS_1(log2), TL_FLOATS_1(log10), TL_FLOATS_1(log1p), TL_FLOATS_1(logb),
      TL_FLOATS_2(pow), TL_FLOATS_2(hypot), TL_FLOATS_2(rhypot), TL_FLOATS_3(norm3d),
      TL_FLOATS_3(rnorm3d), TL_FLOATS_4(norm4d), TL_FLOATS_4(rnorm4d),
      // Trigonometry and hyperbolic functions
      TL_FLOATS_1(sin), TL_FLOATS_1(cos), TL_FLOATS_1(tan), TL_FLOATS_1(sinpi), TL_FLOATS_1(cospi),
      TL_FLOATS_1(asin), TL_FLOATS_1(acos), TL_FLOATS_1(atan), TL_FLOATS_2(atan2),
      TL_FLOATS_1(sinh), TL_FLOATS_1(cosh), TL_FLOATS_1(tanh), TL_FLOATS_1(asinh),
      TL_FLOATS_1(acosh), TL_FLOATS_1(atanh),
      // Special functions
      TL_FLOATS_1(erf), TL_FLOATS_1(erfc), TL_FLOATS_1(erfcx), TL_FLOATS_1(erfinv),
      TL_FLOATS_1(erfcinv), TL_FLOATS_1(normcdf), TL_FLOATS_1(normcdfinv), TL_FLOATS_1(tgamma),
      TL_FLOATS_1(lgamma), TL_FLOATS_1(j0), TL_FLOATS_1(j1), TL_FLOATS_1(y0), TL_FLOATS_1(y1),
      TL_FLOATS_1(cyl_bessel_i0), TL_FLOATS_1(cyl_bessel_i1), TL_TYPED(jn, i32, float),
      TL_TYPED(jn, i32, double), TL_TYPED(yn, i32, float), TL_TYPED(yn, i32, double),
      // Rounding and parts of numbers
      TL_FLOATS_1(floor), TL_FLOATS_1(ceil), TL_FLOATS_1(trunc), TL_FLOATS_1(rint),
      TL_FLOATS_1(round), TL_FLOATS_1(nearbyint), TL_FLOATS_1(llrint), TL_FLOATS_1(llround),
      TL_FLOATS_1(ilogb), TL_FLOATS_2(fmod), TL_FLOATS_2(remainder), TL_FLOATS_2(fdim),
      TL_FLOATS_2(copysign), TL_FLOATS_2(nextafter), TL_FLOATS_3(fma), TL_TYPED(ldexp, float, i32),
      TL_TYPED(ldexp, double, i32), TL_TYPED(scalbn, float, i32), TL_TYPED(scalbn, double, i32),
      // Classification
      TL_FLOATS_1(isnan), TL_FLOATS_1(isinf), TL_FLOATS_1(signbit), TL_TYPED(finitef, float),
      TL_TYPED(isfinited, double),
      // Quick and inexact
      TL_TYPED(fast_sinf, float), TL_TYPED(fast_cosf, float), TL_TYPED(fast_tanf, float),
      TL_TYPED(fast_tanhf, float), TL_TYPED(fast_expf, float), TL_TYPED(fast_exp10f, float),
      TL_TYPED(fast_logf, float), TL_TYPED(fast_log2f, float), TL_TYPED(fast_log10f, float),
      TL_TYPED(saturatef, float), TL_TYPED(fast_powf, float, float),
      TL_TYPED(fast_dividef, float, float), TL_TYPED(rcp64h, double),
      // Arithmetic and conversions with a rounding
      TL_ROUNDED(rn), TL_ROUNDED(rz), TL_ROUNDED(rd), TL_ROUNDED(ru), TL_TYPED(rsqrt_rn, float),
      TL_CONVERSIONS(rn), TL_CONVERSIONS(rz), TL_CONVERSIONS(rd), TL_CONVERSIONS(ru),
      TL_TYPED(int2double_rn, i32), TL_TYPED(uint2double_rn, u32), TL_TYPED(double2loint, double),
      TL_TYPED(double2hiint, double),
      // The same bits as another type
      TL_TYPED(int_as_float, i32), TL_TYPED(float_as_int, float), TL_TYPED(uint_as_float, u32),
      TL_TYPED(float_as_uint, float), TL_TYPED(longlong_as_double, i64),
      TL_TYPED(double_as_longlong, double), TL_TYPED(hiloint2double, i32, i32),
      // Integers
      TL_INTEGERS_1(clz), TL_INTEGERS_1(popc), TL_INTEGERS_1(ffs), TL_INTEGERS_1(brev),
      TL_INTEGERS_2(mulhi), TL_NARROW_2(mul24), TL_NARROW_2(hadd), TL_NARROW_2(rhadd),
      TL_TYPED(sad, i32, i32, u32), TL_TYPED(sad, u32, u32, u32),
      TL_TYPED(byte_perm, i32, i32, i32), TL_FLOATS_1(abs), TL_INTEGERS_1(abs)};
  return all;
}

/// The words in backticks of a line.
std::set<std::string> words(const std::string &line) {
  std::set<std::string> found;
  for (std::size_t at = 0; (at = line.find('`', at)) != line.npos;) {
    const std::size_t end = line.find('`', at + 1);
    found.insert(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return found;
}

std::set<std::string> names_on_page() {
  const char *path = std::getenv("TL_LANGUAGE_PAGE");
  REQUIRE_MESSAGE(path, "TL_LANGUAGE_PAGE is not set");
  std::ifstream file(path);
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## "))
      inside = line == "## tl::libdevice";
    if (inside && line.starts_with("| ")) { // the second column has the names
      const std::size_t at = line.find(" | ");
      names.merge(words(line.substr(at, line.find(" | ", at + 1) - at)));
    }
  }
  return names;
}

/// "" if the call compiles for the target, or why not.
std::string refusal(const function_entry &function, const char *target) {
  const std::string text = function.trace();
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = 1;
  tl_kernel *made = nullptr;
  const tl_status status =
      tl_compile_for(target, text.data(), text.size(), nullptr, &options, &made);
  tl_kernel_destroy(made);
  if (status == TL_OK)
    return "";
  const std::string message = tl_last_diagnostic()->message;
  REQUIRE_MESSAGE(!message.empty(), function.name);
  return message;
}

} // namespace

TEST_CASE("the reference page lists the functions of this test and no others") {
  std::set<std::string> names;
  for (const function_entry &function : functions())
    names.insert(function.name);
  const std::set<std::string> listed = names_on_page();
  for (const std::string &name : names)
    CHECK_MESSAGE(listed.count(name), name, " is not on the page");
  for (const std::string &name : listed)
    CHECK_MESSAGE(names.count(name), name, " is not tested");
}

TEST_CASE("the table has the functions of this test and no others") {
  std::set<std::string> names, rows;
  for (const function_entry &function : functions())
    names.insert(function.name);
  for (const tl::impl::library_function &row : tl::impl::library_functions)
    rows.emplace(row.name());
  for (const std::string &name : names)
    CHECK_MESSAGE(rows.count(name), name, " is not in the table");
  for (const std::string &name : rows)
    CHECK_MESSAGE((name.empty() || names.count(name)), name, " is not tested");
  CHECK(names.size() == 198);
}

TEST_CASE("every function of tl::libdevice compiles for NVIDIA's architectures") {
  for (const char *target : {"sm_80", "sm_90a", "sm_100a"})
    for (const function_entry &function : functions()) {
      const std::string why = refusal(function, target);
      CHECK_MESSAGE(why.empty(), function.name, " of ", function.types, " for ",
                    std::string(target), ": ", why);
    }
}

TEST_CASE("every function of tl::libdevice compiles for the CPU and runs in the interpreter") {
  for (const char *target : {"cpu", "interpreter"})
    for (const function_entry &function : functions()) {
      const std::string why = refusal(function, target);
      CHECK_MESSAGE(why.empty(), function.name, " of ", function.types, " for ",
                    std::string(target), ": ", why);
    }
}
