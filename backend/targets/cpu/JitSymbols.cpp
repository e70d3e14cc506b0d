// SPDX-License-Identifier: MIT
#include "targets/cpu/JitSymbols.h"

#include "targets/cpu/Driver.h"
#include "targets/cpu/SpecialFunctions.h"

#include <chrono>
#include <math.h>
#include <string.h>
#include <thread>

namespace tl::backend::cpu {
namespace {

template <double (*function)(double)> float single(float x) { return float(function(x)); }
template <double (*function)(double, double)> float single(float x, float y) {
  return float(function(x, y));
}

uint64_t clockNow() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}
void yieldThread() { std::this_thread::yield(); }

} // namespace

const std::vector<std::pair<const char *, void *>> &jitSymbols() {
  using F1 = float (*)(float);
  using F2 = float (*)(float, float);
  using F3 = float (*)(float, float, float);
  using D1 = double (*)(double);
  using D2 = double (*)(double, double);
  using D3 = double (*)(double, double, double);
  auto address = [](auto function) { return reinterpret_cast<void *>(function); };
  // The name with f appended is the float function everywhere in the C library.
#define ONE(name) {#name, address(D1(::name))}, {#name "f", address(F1(::name##f))}
#define TWO(name) {#name, address(D2(::name))}, {#name "f", address(F2(::name##f))}
  // Our own, computed in double for both.
#define OWN(name, Float, function)                                                                 \
  {name, address(&cpu::function)}, {                                                               \
    name "f", address(static_cast<Float>(&single<&cpu::function>))                                 \
  }
  static const std::vector<std::pair<const char *, void *>> &symbols =
      *new std::vector<std::pair<const char *, void *>>{
          {reportHook, address(&tl_cpu_report)},
          {printHook, address(&tl_cpu_print)},
          {clockHook, address(&clockNow)},
          {yieldHook, address(&yieldThread)},
          {gridBarrierHook, address(&tl_cpu_grid_barrier)},
          {"memcpy", address(&::memcpy)},
          {"memmove", address(&::memmove)},
          {"memset", address(&::memset)},
          {"memcmp", address(&::memcmp)},
          {"bcmp", address(&::memcmp)},
          ONE(acos),
          ONE(acosh),
          ONE(asin),
          ONE(asinh),
          ONE(atan),
          ONE(atanh),
          ONE(cbrt),
          ONE(ceil),
          ONE(cos),
          ONE(cosh),
          ONE(erf),
          ONE(erfc),
          ONE(exp),
          ONE(exp10),
          ONE(exp2),
          ONE(expm1),
          ONE(floor),
          ONE(j0),
          ONE(j1),
          ONE(lgamma),
          ONE(log),
          ONE(log10),
          ONE(log1p),
          ONE(log2),
          ONE(logb),
          ONE(nearbyint),
          ONE(rint),
          ONE(round),
          ONE(roundeven),
          ONE(sin),
          ONE(sinh),
          ONE(sqrt),
          ONE(tan),
          ONE(tanh),
          ONE(tgamma),
          ONE(trunc),
          ONE(y0),
          ONE(y1),
          TWO(atan2),
          TWO(copysign),
          TWO(fdim),
          TWO(fmax),
          TWO(fmin),
          TWO(fmod),
          TWO(hypot),
          TWO(nextafter),
          TWO(pow),
          TWO(remainder),
          OWN("tl_rcbrt", F1, rcbrt),
          OWN("tl_rhypot", F2, rhypot),
          OWN("tl_erfcx", F1, erfcx),
          OWN("tl_erfinv", F1, erfinv),
          OWN("tl_erfcinv", F1, erfcinv),
          OWN("tl_normcdf", F1, normcdf),
          OWN("tl_normcdfinv", F1, normcdfinv),
          OWN("tl_cyl_bessel_i0", F1, besselI0),
          OWN("tl_cyl_bessel_i1", F1, besselI1),
          {"fma", address(D3(::fma))},
          {"fmaf", address(F3(::fmaf))},
          {"ldexp", address(static_cast<double (*)(double, int)>(::ldexp))},
          {"ldexpf", address(static_cast<float (*)(float, int)>(::ldexpf))},
      };
#undef ONE
#undef TWO
#undef OWN
  return symbols;
}

} // namespace tl::backend::cpu
