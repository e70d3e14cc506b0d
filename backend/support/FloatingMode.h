// SPDX-License-Identifier: MIT
//
// The floating-point mode that the library computes in, whatever the program around it has set:
// to nearest even, denormals kept, exceptions masked. The C API holds it during each call, and the
// library's own threads for life.
#pragma once

#include <cfenv>
#include <cstdint>

namespace tl::backend {

/// Holds the default mode while it lives, and then puts the caller's back with the exceptions that
/// were flagged: what the library computes leaves no trace. A nanosecond where the caller has the
/// default mode too.
class FloatingMode {
public:
  FloatingMode(const FloatingMode &) = delete;
  FloatingMode &operator=(const FloatingMode &) = delete;

#if defined(__x86_64__)
  // The vector unit computes everything but long double. The control word of the old unit is also
  // where the C library looks for the rounding of printf and strtod.
  FloatingMode() : vector(__builtin_ia32_stmxcsr()) {
    asm volatile("fnstcw %0" : "=m"(old));
    if ((vector & ~vectorFlags) != vectorDefault)
      __builtin_ia32_ldmxcsr(vectorDefault);
    if (old != oldDefault)
      loadOld(oldDefault);
  }
  ~FloatingMode() {
    __builtin_ia32_ldmxcsr(vector);
    if (old != oldDefault)
      loadOld(old);
  }

  /// Sets the mode of a thread of the library's own, which began with that of who started it.
  static void setDefault() {
    __builtin_ia32_ldmxcsr(vectorDefault);
    loadOld(oldDefault);
  }

private:
  static constexpr uint32_t vectorFlags = 0x3f, vectorDefault = 0x1f80;
  static constexpr uint16_t oldDefault = 0x37f;
  static void loadOld(uint16_t value) { asm volatile("fldcw %0" : : "m"(value)); }

  const uint32_t vector;
  uint16_t old;
#elif defined(__aarch64__)
  FloatingMode() {
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("mrs %0, fpsr" : "=r"(status));
    if (control != 0)
      setControl(0);
  }
  ~FloatingMode() {
    asm volatile("msr fpsr, %0" : : "r"(status));
    if (control != 0)
      setControl(control);
  }

  static void setDefault() { setControl(0); }

private:
  static void setControl(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }

  uint64_t control, status;
#else
  FloatingMode() {
    std::fegetenv(&environment);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatingMode() { std::fesetenv(&environment); }

  static void setDefault() { std::fesetenv(FE_DFL_ENV); }

private:
  std::fenv_t environment;
#endif
};

/// Puts the flags of all units back that long double arithmetic raises, where any may be done: that
/// of the old unit is slow to read.
class FloatingFlags {
public:
  FloatingFlags() { std::fegetexceptflag(&flags, FE_ALL_EXCEPT); }
  ~FloatingFlags() { std::fesetexceptflag(&flags, FE_ALL_EXCEPT); }
  FloatingFlags(const FloatingFlags &) = delete;
  FloatingFlags &operator=(const FloatingFlags &) = delete;

private:
  std::fexcept_t flags{};
};

} // namespace tl::backend
