// SPDX-License-Identifier: MIT
#include "targets/cpu/JitSymbols.h"

#include "arithmetic/MathFunctions.h"
#include "arithmetic/SpecialFunctions.h"
#include "arithmetic/plain/Roots.h"
#include "arithmetic/plain/Rounded.h"
#include "targets/cpu/Driver.h"

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
template <double (*function)(int, double)> float single(int n, float x) {
  return float(function(n, x));
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
#define LIBRARY(id, name, operands, ...)                                                           \
  {#name, address(D##operands(::name))}, {#name "f", address(F##operands(::name##f))},
  // Our own, computed in double for both.
#define SPECIAL(id, name, operands)                                                                \
  {"tl_" #name, address(D##operands(special::name))},                                              \
      {"tl_" #name "f", address(static_cast<F##operands>(&single<&special::name>))},
#define FORMULA(...)
#define DIRECTED(name, function, end, direction)                                                   \
  {"tl_" #name #end, address(&plain::Directed<&function, direction>::call)},
#define ROUNDED(name, function)                                                                    \
  DIRECTED(name, function, _rz, FE_TOWARDZERO)                                                     \
  DIRECTED(name, function, _rd, FE_DOWNWARD)                                                       \
  DIRECTED(name, function, _ru, FE_UPWARD)
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
          TL_MATH_FUNCTIONS(LIBRARY, FORMULA, LIBRARY, SPECIAL)
              TL_ROUNDED_FUNCTIONS(ROUNDED){"tl_norm3d", address(&tl_norm3d)},
          {"tl_norm3df", address(&tl_norm3df)},
          {"tl_rnorm3d", address(&tl_rnorm3d)},
          {"tl_rnorm3df", address(&tl_rnorm3df)},
          {"tl_norm4d", address(&tl_norm4d)},
          {"tl_norm4df", address(&tl_norm4df)},
          {"tl_rnorm4d", address(&tl_rnorm4d)},
          {"tl_rnorm4df", address(&tl_rnorm4df)},
          {"tl_rcp64h", address(&plain::reciprocal<double>)},
          {"tl_jn", address(&special::jn)},
          {"tl_jnf", address(static_cast<float (*)(int, float)>(&single<&special::jn>))},
          {"tl_yn", address(&special::yn)},
          {"tl_ynf", address(static_cast<float (*)(int, float)>(&single<&special::yn>))},
          // LLVM may write these for operations that are no calls.
          LIBRARY(, nearbyint, 1) LIBRARY(, roundeven, 1){
              "ldexp", address(static_cast<double (*)(double, int)>(::ldexp))},
          {"ldexpf", address(static_cast<float (*)(float, int)>(::ldexpf))},
      };
#undef LIBRARY
#undef SPECIAL
#undef FORMULA
#undef DIRECTED
#undef ROUNDED
  return symbols;
}

} // namespace tl::backend::cpu
