// SPDX-License-Identifier: MIT
#include "library_references.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <string_view>

namespace numeric {

using tl::impl::library_function;

namespace {

using real = long double;
constexpr real pi = std::numbers::pi_v<real>, infinity = std::numeric_limits<real>::infinity(),
               not_a_number = std::numeric_limits<real>::quiet_NaN();

// ---- Functions that the C library lacks

/// sin(pi x), reduced exactly.
real sinpi(real x) {
  real r = std::remainder(x, real(2));
  if (std::fabs(r) > 0.5)
    r = std::copysign(real(1), r) - r;
  return std::sin(pi * r);
}
real cospi(real x) { return sinpi(0.5 - std::fabs(std::remainder(x, real(2)))); }

real erfcx(real x) {
  if (x < 100) {
    const real square = x * x, low = std::fma(x, x, -square);
    return x < -106 ? infinity : std::exp(square) * (1 + low) * std::erfc(x);
  }
  const real t = 1 / (2 * x * x);
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t)))) / (x * std::sqrt(pi));
}

/// The x in [low, high] with f(x) = y for a growing f, by halving.
template <class F> real inverse(F f, real y, real low, real high) {
  for (int i = 0; i < 120; ++i) {
    const real middle = (low + high) / 2;
    (f(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}
real erfcinv(real y);
real erfinv(real y) {
  if (!(std::fabs(y) <= 1))
    return not_a_number;
  if (std::fabs(y) > 0.5)
    return std::copysign(erfcinv(1 - std::fabs(y)), y);
  // From the slope at 0, relative to which it is halved.
  const real about = y * std::sqrt(pi) / 2;
  return about * inverse([&](real k) { return std::erf(about * k) * (y < 0 ? -1 : 1); },
                         std::fabs(y), 1, 1.2);
}
real erfcinv(real y) {
  if (!(y >= 0 && y <= 2))
    return not_a_number;
  if (y == 0 || y == 2)
    return y == 0 ? infinity : -infinity;
  if (y >= 0.5 && y <= 1.5)
    return erfinv(1 - y);
  if (y > 1)
    return -erfcinv(2 - y);
  return inverse([](real x) { return -std::erfc(x); }, -y, 0, 30);
}
real normcdf(real x) { return std::erfc(-x / std::sqrt(real(2))) / 2; }

/// The modified Bessel function of order 0 or 1: its series, or the asymptotic one.
real bessel_i(int order, real x) {
  const real a = std::fabs(x);
  if (!(a < 11000))
    return std::isnan(x) ? x : order == 1 && x < 0 ? -infinity : infinity;
  real term = 1, sum = 1;
  if (a < 60) {
    for (int k = 1; k < 200; ++k)
      sum += term *= (a / 2) * (a / 2) / (real(k) * (k + order));
    return order == 1 ? x / 2 * sum : sum;
  }
  for (int k = 1; k < 40; ++k)
    sum += term *= (real(2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * a * k);
  const real value = std::exp(a) / std::sqrt(2 * pi * a) * sum;
  return order == 1 ? std::copysign(value, x) : value;
}

real length(const host_operand *x, int count) {
  real all = std::hypot(x[0].real, x[1].real);
  for (int i = 2; i < count; ++i)
    all = std::hypot(all, x[i].real);
  return all;
}

/// Of negative numbers the second kind has no value.
template <class F> real second_kind(F f, real x) { return x < 0 ? not_a_number : f(x); }

using function_of_one = real (*)(real);
using function_of_two = real (*)(real, real);

const std::map<std::string_view, function_of_one> &functions_of_one() {
  static const std::map<std::string_view, function_of_one> all = {
      {"sqrt", sqrtl},
      {"rsqrt", [](real x) { return 1 / sqrtl(x); }},
      {"cbrt", cbrtl},
      {"rcbrt", [](real x) { return 1 / cbrtl(x); }},
      {"exp", expl},
      {"exp2", exp2l},
      {"exp10", exp10l},
      {"expm1", expm1l},
      {"log", logl},
      {"log2", log2l},
      {"log10", log10l},
      {"log1p", log1pl},
      {"sin", sinl},
      {"cos", cosl},
      {"tan", tanl},
      {"sinpi", sinpi},
      {"cospi", cospi},
      {"asin", asinl},
      {"acos", acosl},
      {"atan", atanl},
      {"sinh", sinhl},
      {"cosh", coshl},
      {"tanh", tanhl},
      {"asinh", asinhl},
      {"acosh", acoshl},
      {"atanh", atanhl},
      {"erf", erfl},
      {"erfc", erfcl},
      {"erfcx", erfcx},
      {"erfinv", erfinv},
      {"erfcinv", erfcinv},
      {"normcdf", normcdf},
      {"normcdfinv", [](real p) { return -std::sqrt(real(2)) * erfcinv(2 * p); }},
      {"tgamma", tgammal},
      {"lgamma", lgammal},
      {"j0", j0l},
      {"j1", j1l},
      {"y0", [](real x) { return second_kind(y0l, x); }},
      {"y1", [](real x) { return second_kind(y1l, x); }},
      {"cyl_bessel_i0", [](real x) { return bessel_i(0, x); }},
      {"cyl_bessel_i1", [](real x) { return bessel_i(1, x); }},
      {"rcp64h", [](real x) { return 1 / x; }},
  };
  return all;
}

const std::map<std::string_view, function_of_two> &functions_of_two() {
  static const std::map<std::string_view, function_of_two> all = {
      {"pow", powl},
      {"hypot", hypotl},
      {"rhypot", [](real x, real y) { return 1 / hypotl(x, y); }},
      {"atan2", atan2l},
      {"jn", [](real n, real x) { return jnl(int(n), x); }},
      {"yn", [](real n, real x) { return second_kind([&](real y) { return ynl(int(n), y); }, x); }},
      {"dividef", [](real x, real y) { return x / y; }},
  };
  return all;
}

// ---- What is exact, or rounded once, of T

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T> std::uint64_t encoded(T value) {
  return static_cast<bits_of<T>>(std::bit_cast<bits_of<T>>(value));
}
template <class T> T decoded(std::uint64_t bits) { return std::bit_cast<T>(bits_of<T>(bits)); }

/// The direction that ends the symbol, or nearest.
int direction_of(std::string_view symbol) {
  return symbol.ends_with("_rz")   ? FE_TOWARDZERO
         : symbol.ends_with("_rd") ? FE_DOWNWARD
         : symbol.ends_with("_ru") ? FE_UPWARD
                                   : FE_TONEAREST;
}

/// Arithmetic and functions of floats with a result of their type; the machine rounds as is asked.
template <class T> std::optional<T> of_floats(std::string_view name, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  auto is = [&](std::string_view start) { return name.starts_with(start); };
  volatile T result;
  if (is("add_"))
    result = x + y;
  else if (is("sub_"))
    result = x - y;
  else if (is("mul_"))
    result = x * y;
  else if (is("div_"))
    result = x / y;
  else if (is("rcp_"))
    result = T(1) / x;
  else if (is("sqrt"))
    result = std::sqrt(x);
  else if (is("fma"))
    result = std::fma(x, y, z);
  else if (is("rsqrt_"))
    result = T(1 / std::sqrt(real(x)));
  else if (is("logb"))
    result = std::logb(x);
  else if (is("floor"))
    result = std::floor(x);
  else if (is("ceil"))
    result = std::ceil(x);
  else if (is("trunc"))
    result = std::trunc(x);
  else if (is("rint") || is("nearbyint"))
    result = std::nearbyint(x);
  else if (is("round"))
    result = std::round(x);
  else if (is("fmod"))
    result = std::fmod(x, y);
  else if (is("remainder"))
    result = std::remainder(x, y);
  else if (is("fdim"))
    result = std::fdim(x, y);
  else if (is("copysign"))
    result = std::copysign(x, y);
  else if (is("nextafter"))
    result = std::nextafter(x, y);
  else if (is("abs"))
    result = std::fabs(x);
  else if (is("saturate"))
    result = x > 0 ? std::min(T(x), T(1)) : 0;
  else
    return std::nullopt;
  return result;
}

/// A whole number in the range of the integers with the letter.
std::uint64_t whole(char letter, real x) {
  const real low = letter == 'i' ? -0x1p31L : letter == 'l' ? -0x1p63L : 0;
  const real high = letter == 'i'   ? 0x1p31L - 1
                    : letter == 'u' ? 0x1p32L - 1
                    : letter == 'l' ? 0x1p63L - 1
                                    : 0x1p64L - 1;
  if (std::isnan(x))
    return 0;
  const real kept = std::clamp(x, low, high);
  return kept < 0 ? std::uint64_t(std::int64_t(kept)) : std::uint64_t(kept);
}

/// Of floats, with an integer as result.
template <class T> std::optional<std::uint64_t> to_integer(const library_function &f, T x) {
  const std::string_view name = f.name();
  if (f.symbol().starts_with("float2") || f.symbol().starts_with("double2")) {
    if (f.symbol() == "double2loint" || f.symbol() == "double2hiint")
      return std::uint32_t(encoded(x) >> (f.symbol() == "double2loint" ? 0 : 32));
    return whole(f.types()[0], std::nearbyint(real(x)));
  }
  if (name == "llrint" || name == "llround")
    return whole('l', name == "llrint" ? std::nearbyint(real(x)) : std::round(real(x)));
  if (name == "ilogb")
    return std::uint32_t(std::ilogb(x));
  if (name == "isnan")
    return std::isnan(x);
  if (name == "isinf")
    return std::isinf(x);
  if (name == "signbit")
    return std::signbit(x);
  if (name == "finitef" || name == "isfinited" || f.symbol() == "isfinitef")
    return std::isfinite(x);
  if (name.find("_as_") != name.npos)
    return encoded(x);
  return std::nullopt;
}

/// Of integers I, with one as result.
template <class I>
std::optional<std::uint64_t> of_integers(const library_function &f, I x, I y, std::uint64_t third) {
  using U = std::make_unsigned_t<I>;
  constexpr int bits = 8 * sizeof(I);
  using wide = std::conditional_t<std::is_signed_v<I>, __int128, unsigned __int128>;
  const std::string_view name = f.name();
  auto ends = [&](std::string_view end) { return f.symbol().ends_with(end); };
  if (name == "clz")
    return std::countl_zero(U(x));
  if (name == "popc")
    return std::popcount(U(x));
  if (name == "ffs")
    return x ? std::countr_zero(U(x)) + 1 : 0;
  if (name == "brev") {
    U result = 0;
    for (int i = 0; i < bits; ++i)
      result = U(result << 1 | (U(x) >> i & 1));
    return result;
  }
  if (name == "abs")
    return x < 0 ? U(0) - U(x) : U(x);
  if (name == "mulhi")
    return U(wide(x) * wide(y) >> bits);
  if (name == "mul24") {
    auto low = [](I v) {
      return std::is_signed_v<I> ? std::int64_t(std::uint64_t(v) << 40) >> 40
                                 : std::int64_t(v & 0xFFFFFF);
    };
    return U(low(x) * low(y));
  }
  if (name == "hadd" || name == "rhadd")
    return U((wide(x) + wide(y) + (name == "rhadd")) >> 1);
  if (name == "sad")
    return U((x > y ? U(x) - U(y) : U(y) - U(x)) + U(third));
  if (name == "byte_perm") {
    const std::uint64_t all = std::uint32_t(x) | std::uint64_t(std::uint32_t(y)) << 32;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i)
      result |= std::uint32_t(all >> (8 * (third >> (4 * i) & 7)) & 0xFF) << (8 * i);
    return result;
  }
  if (ends("min") || ends("max"))
    return U(ends("min") ? std::min(x, y) : std::max(x, y));
  return std::nullopt;
}

/// Of integers, with a float T as result.
template <class T>
std::optional<std::uint64_t> to_float(const library_function &f, const host_operand *x) {
  if (f.name() == "hiloint2double")
    return x[0].bits << 32 | x[1].bits;
  if (f.name().find("_as_") != f.name().npos)
    return x[0].bits;
  if (f.symbol().find("2float_") == f.symbol().npos &&
      f.symbol().find("2double_") == f.symbol().npos)
    return std::nullopt;
  volatile real exact = x[0].real;
  volatile T rounded = T(exact);
  return encoded(T(rounded));
}

template <class T>
std::optional<std::uint64_t> of_float(const library_function &f, const host_operand *x) {
  const T first = decoded<T>(x[0].bits);
  const bool more = f.types().size() > 2;
  if (f.name() == "ldexp" || f.name() == "scalbn")
    return encoded(T(std::ldexp(first, int(std::clamp(x[1].real, real(-100000), real(100000))))));
  if (f.types()[0] == f.types()[1]) {
    const auto result = of_floats<T>(f.name().empty() ? f.symbol() : f.name(), first,
                                     more ? decoded<T>(x[1].bits) : T(0),
                                     f.types().size() > 3 ? decoded<T>(x[2].bits) : T(0));
    return result ? std::optional(encoded(*result)) : std::nullopt;
  }
  if (f.symbol().starts_with("double2float")) {
    volatile double wide = double(first);
    volatile float rounded = float(wide);
    return encoded(float(rounded));
  }
  return to_integer(f, first);
}

std::optional<std::uint64_t> exact_result(const library_function &f, const host_operand *x) {
  const char first = f.types()[1];
  if (first == 'f')
    return of_float<float>(f, x);
  if (first == 'd')
    return of_float<double>(f, x);
  if (f.types()[0] == 'f')
    return to_float<float>(f, x);
  if (f.types()[0] == 'd')
    return to_float<double>(f, x);
  const std::uint64_t a = x[0].bits, b = x[1].bits, c = x[2].bits;
  if (first == 'i')
    return of_integers(f, std::int32_t(a), std::int32_t(b), c);
  if (first == 'u')
    return of_integers(f, std::uint32_t(a), std::uint32_t(b), c);
  if (first == 'l')
    return of_integers(f, std::int64_t(a), std::int64_t(b), c);
  return of_integers(f, a, b, c);
}

} // namespace

std::optional<long double> reference(const library_function &f, const host_operand *x) {
  std::string_view name = f.name().empty() ? f.symbol() : f.name();
  if (name.starts_with("fast_")) { // fast_expf
    name.remove_prefix(5);
    if (name != "dividef")
      name.remove_suffix(1);
  }
  if (name == "fdividef")
    name.remove_prefix(1);
  const bool is_reciprocal = name.starts_with("rnorm");
  if (is_reciprocal || name == "norm3d" || name == "norm4d") {
    const real all = length(x, name.ends_with("3d") ? 3 : 4);
    return is_reciprocal ? 1 / all : all;
  }
  if (auto one = functions_of_one().find(name); one != functions_of_one().end())
    return one->second(x[0].real);
  if (auto two = functions_of_two().find(name); two != functions_of_two().end())
    return two->second(x[0].real, x[1].real);
  return std::nullopt;
}

std::optional<std::uint64_t> exact_reference(const library_function &f, const host_operand *x) {
  std::fesetround(direction_of(f.symbol()));
  const std::optional<std::uint64_t> result = exact_result(f, x);
  std::fesetround(FE_TONEAREST);
  return result;
}

} // namespace numeric
