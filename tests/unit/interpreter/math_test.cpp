// SPDX-License-Identifier: MIT
//
// Functions of analysis against the C library in long double, and external functions by symbol.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using c_api::bitsOf;
using c_api::lanes;
using c_api::Operand;
using c_api::Outcome;

namespace {

using F32 = std::vector<float>;
using F64 = std::vector<double>;
using U8 = std::vector<uint8_t>;
using I32 = std::vector<int32_t>;
using I64 = std::vector<int64_t>;

struct Row {
  const char *op;
  long double (*exact)(long double);
};

const Row rows[] = {
    {"math.exp", std::exp},
    {"math.exp2", std::exp2},
    {"math.expm1", std::expm1},
    {"math.log", std::log},
    {"math.log2", std::log2},
    {"math.log10", std::log10},
    {"math.log1p", std::log1p},
    {"math.sin", std::sin},
    {"math.cos", std::cos},
    {"math.tan", std::tan},
    {"math.asin", std::asin},
    {"math.acos", std::acos},
    {"math.atan", std::atan},
    {"math.sinh", std::sinh},
    {"math.cosh", std::cosh},
    {"math.tanh", std::tanh},
    {"math.asinh", std::asinh},
    {"math.acosh", std::acosh},
    {"math.atanh", std::atanh},
    {"math.erf", std::erf},
    {"math.erfc", std::erfc},
    {"math.sqrt", std::sqrt},
    {"math.cbrt", std::cbrt},
    {"math.floor", std::floor},
    {"math.ceil", std::ceil},
    {"math.trunc", std::trunc},
    {"math.round", std::round},
    {"math.roundeven", std::nearbyint},
    {"math.rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
    {"tt.precise_sqrt", std::sqrt},
};

std::string apply(const std::string &symbol, const std::string &in, int operands,
                  const std::string &out) {
  std::string names = "%a", types = "tensor<SHAPEx" + in + ">";
  for (int i = 1; i < operands; ++i) {
    names += std::string(", %") + static_cast<char>('a' + i);
    types += ", tensor<SHAPEx" + in + ">";
  }
  return "%r = tt.extern_elementwise " + names +
         " {libname = \"\", libpath = \"\", pure = true, symbol = \"" + symbol + "\"} : (" + types +
         ") -> tensor<SHAPEx" + out + ">";
}

} // namespace

TEST_CASE("functions of f32 are the correctly rounded ones on a sample") {
  F32 x;
  for (int i = -60; i <= 60; ++i)
    x.push_back(static_cast<float>(i) * 0.137f);
  x.insert(x.end(),
           {0.0f, -0.0f, 1e-40f, std::numeric_limits<float>::infinity(), 0.5f, 1.5f, 2.5f});
  for (const Row &row : rows) {
    CAPTURE(row.op);
    const F32 r = lanes<float>("%r = " + std::string(row.op) + " %a : tensor<SHAPExf32>", "f32",
                               {{"f32", x}});
    for (size_t i = 0; i < x.size(); ++i) {
      const float expected = static_cast<float>(row.exact(x[i]));
      CAPTURE(x[i]);
      CHECK((std::isnan(expected) ? std::isnan(r[i]) : bitsOf(r[i]) == bitsOf(expected)));
    }
  }
}

TEST_CASE("functions of f64 and f16") {
  const F64 r =
      lanes<double>("%r = math.exp %a : tensor<SHAPExf64>", "f64", {{"f64", F64{1, -745.1, 0}}});
  CHECK(r == F64{std::exp(1.0), std::exp(-745.1), 1});
  std::vector<uint16_t> h = {tl::float16(0.3).bits, tl::float16(-3).bits};
  const auto e = lanes<uint16_t>("%r = math.exp %a : tensor<SHAPExf16>", "f16", {{"f16", h}});
  CHECK(e[0] == tl::float16(std::exp(double(tl::float16(0.3)))).bits);
  CHECK(e[1] == tl::float16(std::exp(-3.0)).bits);
}

TEST_CASE("powers, two-argument arc tangent, sine and cosine together") {
  auto two = [](const std::string &op, F32 a, F32 b) {
    return lanes<float>("%r = " + op + " %a, %b : tensor<SHAPExf32>", "f32",
                        {{"f32", a}, {"f32", b}});
  };
  CHECK(two("math.powf", {2, 9, -8}, {10, 0.5f, 3}) == F32{1024, 3, -512});
  CHECK(two("math.atan2", {1, 0.0f}, {1, -1}) ==
        F32{static_cast<float>(std::atan2(1.0, 1.0)), static_cast<float>(std::atan2(0.0, -1.0))});
  CHECK(lanes<float>("%r = math.fpowi %a, %b : tensor<SHAPExf32>, tensor<SHAPExi32>", "f32",
                     {{"f32", F32{2, 2}}, {"i32", I32{-2, 3}}}) == F32{0.25f, 8});
  CHECK(lanes<float>("%r, %c1 = math.sincos %a : tensor<SHAPExf32>", "f32", {{"f32", F32{0.5f}}}) ==
        F32{static_cast<float>(std::sin(0.5))});
  CHECK(lanes<float>("%s1, %r = math.sincos %a : tensor<SHAPExf32>", "f32", {{"f32", F32{0.5f}}}) ==
        F32{static_cast<float>(std::cos(0.5))});
}

TEST_CASE("external functions of floats by NVIDIA's and AMD's symbols") {
  const F32 x = {0.25f, 0.75f};
  auto one = [&](const std::string &symbol) {
    return lanes<float>(apply(symbol, "f32", 1, "f32"), "f32", {{"f32", x}});
  };
  auto expect = [&](double (*f)(double)) {
    return F32{static_cast<float>(f(x[0])), static_cast<float>(f(x[1]))};
  };
  CHECK(one("__nv_sinhf") == expect(std::sinh));
  CHECK(one("__nv_asinf") == expect(std::asin));
  CHECK(one("__ocml_asin_f32") == expect(std::asin));
  CHECK(one("__nv_erff") == expect(std::erf));
  CHECK(one("__nv_fast_expf") == expect(std::exp));
  CHECK(one("__nv_tgammaf") == expect(std::tgamma));
  CHECK(one("__nv_lgammaf") == expect(std::lgamma));
  CHECK(one("__nv_j0f") == expect(::j0));
  CHECK(one("__nv_sinpif") ==
        expect([](double v) { return std::sin(3.14159265358979323846 * v); }));
  CHECK(one("__nv_rsqrtf") == expect([](double v) { return 1 / std::sqrt(v); }));
  CHECK(lanes<double>(apply("__nv_cosh", "f64", 1, "f64"), "f64", {{"f64", F64{1}}}) ==
        F64{std::cosh(1.0)});
  CHECK(lanes<float>(apply("__nv_fmodf", "f32", 2, "f32"), "f32",
                     {{"f32", F32{5.5f}}, {"f32", F32{2}}}) == F32{1.5f});
  CHECK(lanes<float>(apply("__nv_fmaf", "f32", 3, "f32"), "f32",
                     {{"f32", F32{2}}, {"f32", F32{3}}, {"f32", F32{4}}}) == F32{10});
  CHECK(lanes<int32_t>(apply("__nv_isnanf", "f32", 1, "i32"), "i32",
                       {{"f32", F32{1, std::numeric_limits<float>::quiet_NaN()}}}) == I32{0, 1});
  CHECK(lanes<int32_t>(apply("__nv_isinfd", "f64", 1, "i32"), "i32",
                       {{"f64", F64{1, std::numeric_limits<double>::infinity()}}}) == I32{0, 1});
  CHECK(lanes<int64_t>(apply("__nv_llrintf", "f32", 1, "i64"), "i64", {{"f32", F32{2.5f, 3.5f}}}) ==
        I64{2, 4});
}

TEST_CASE("inverse error functions and quantiles invert") {
  for (double y : {-0.999, -0.5, -1e-9, 0.0, 0.3, 0.9999999}) {
    const double x =
        lanes<double>(apply("__nv_erfinv", "f64", 1, "f64"), "f64", {{"f64", F64{y}}})[0];
    CHECK(std::erf(x) == doctest::Approx(y).epsilon(1e-14));
  }
  for (double y : {1e-300, 1e-10, 0.5, 1.0, 1.9}) {
    const double x =
        lanes<double>(apply("__nv_erfcinv", "f64", 1, "f64"), "f64", {{"f64", F64{y}}})[0];
    CHECK(std::erfc(x) == doctest::Approx(y).epsilon(1e-12));
  }
  CHECK(lanes<double>(apply("__nv_normcdf", "f64", 1, "f64"), "f64", {{"f64", F64{0}}}) ==
        F64{0.5});
  CHECK(lanes<double>(apply("__nv_cyl_bessel_i0", "f64", 1, "f64"), "f64", {{"f64", F64{1}}})[0] ==
        doctest::Approx(1.2660658777520083356).epsilon(1e-15));
  const F64 far = lanes<double>(apply("__nv_cyl_bessel_i1", "f64", 1, "f64"), "f64",
                                {{"f64", F64{-700, -700.0001, 0}}});
  CHECK(far[1] / far[0] ==
        doctest::Approx(std::exp(0.0001)).epsilon(1e-6)); // series and expansion meet
  CHECK(far[2] == 0);
  CHECK(lanes<double>(apply("__nv_erfcx", "f64", 1, "f64"), "f64", {{"f64", F64{30}}})[0] ==
        doctest::Approx(0.018795888861416751).epsilon(1e-12));
}

TEST_CASE("arithmetic in a rounding direction") {
  auto divide = [](const std::string &direction) {
    return lanes<float>(apply("__nv_fdiv_" + direction, "f32", 2, "f32"), "f32",
                        {{"f32", F32{1}}, {"f32", F32{3}}})[0];
  };
  CHECK(divide("rn") == 1.0f / 3.0f);
  CHECK(divide("rz") == std::nextafter(1.0f / 3.0f, 0.0f));
  CHECK(divide("rd") == std::nextafter(1.0f / 3.0f, 0.0f));
  CHECK(divide("ru") == 1.0f / 3.0f);
  auto toInt = [](const std::string &direction) {
    return lanes<int32_t>(apply("__nv_float2int_" + direction, "f32", 1, "i32"), "i32",
                          {{"f32", F32{-2.5f, 2.5f, 1e20f}}});
  };
  CHECK(toInt("rn") == I32{-2, 2, 2147483647});
  CHECK(toInt("rz") == I32{-2, 2, 2147483647});
  CHECK(toInt("rd") == I32{-3, 2, 2147483647});
  CHECK(toInt("ru") == I32{-2, 3, 2147483647});
  CHECK(lanes<float>(apply("__nv_int2float_ru", "i32", 1, "f32"), "f32",
                     {{"i32", I32{16777217}}}) == F32{16777218});
}

TEST_CASE("external functions of integers and bits") {
  auto one = [](const std::string &symbol, I32 a) {
    return lanes<int32_t>(apply(symbol, "i32", 1, "i32"), "i32", {{"i32", a}});
  };
  auto two = [](const std::string &symbol, I32 a, I32 b) {
    return lanes<int32_t>(apply(symbol, "i32", 2, "i32"), "i32", {{"i32", a}, {"i32", b}});
  };
  CHECK(one("__nv_clz", {1}) == I32{31});
  CHECK(one("__nv_popc", {255}) == I32{8});
  CHECK(one("__nv_ffs", {8, 0}) == I32{4, 0});
  CHECK(one("__nv_brev", {1}) == I32{std::numeric_limits<int32_t>::min()});
  CHECK(one("__nv_abs", {-7}) == I32{7});
  CHECK(two("__nv_mulhi", {-1, 65536}, {1, 65536}) == I32{-1, 1});
  CHECK(two("__nv_mul24", {-3}, {5}) == I32{-15});
  CHECK(two("__nv_hadd", {-3}, {2}) == I32{-1});
  CHECK(two("__nv_rhadd", {-3}, {2}) == I32{0});
  CHECK(lanes<int32_t>(apply("__nv_sad", "i32", 3, "i32"), "i32",
                       {{"i32", I32{-3}}, {"i32", I32{4}}, {"i32", I32{1}}}) == I32{8});
  CHECK(
      lanes<int32_t>(apply("__nv_byte_perm", "i32", 3, "i32"), "i32",
                     {{"i32", I32{0x03020100}}, {"i32", I32{0x07060504}}, {"i32", I32{0x5140}}}) ==
      I32{0x05010400});
  CHECK(lanes<int32_t>(apply("__nv_float_as_int", "f32", 1, "i32"), "i32", {{"f32", F32{1}}}) ==
        I32{0x3F800000});
}

TEST_CASE("an external function without a meaning is refused with the user's line") {
  const Outcome outcome = c_api::run(R"(module {
    tt.func public @k(%p: !tt.ptr<f32>, %x: f32) {
      %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__my_function"} : (f32) -> f32 loc("kernel.cpp":17:3)
      tt.store %p, %y : !tt.ptr<f32>
      tt.return
    }
  })",
                                     {});
  CHECK(outcome.status == TL_UNSUPPORTED);
  CHECK(outcome.says("'__my_function'"));
  CHECK(outcome.file == "kernel.cpp");
  CHECK(outcome.line == 17);
}

TEST_CASE("a function of a user's library is refused with the user's line") {
  const Outcome outcome = c_api::run(R"(module {
    tt.func public @k(%p: !tt.ptr<f32>, %x: f32) {
      %y = tt.extern_elementwise %x {libname = "", libpath = "mine.bc", pure = true, symbol = "f"} : (f32) -> f32 loc("kernel.cpp":4:5)
      tt.store %p, %y : !tt.ptr<f32>
      tt.return
    }
  })",
                                     {});
  CHECK(outcome.status == TL_UNSUPPORTED);
  CHECK(outcome.says("the interpreter does not run the function 'f' of the library 'mine.bc', "
                     "which is code for a processor"));
  CHECK(outcome.line == 4);
}
