// SPDX-License-Identifier: MIT
#include "Power.h"

namespace tl::backend::plain {

/// x = 2^e m with m between sqrt(1/2) and sqrt(2); log(m) = 2 s + 2/3 s^3 + ... of s = (m - 1) / (m
/// + 1).
Pair exactLogarithm(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  const uint64_t root = 0x3fe6a09e667f3bcd;
  const uint64_t above = (bitsOf(x) - root) & ~(~uint64_t(0) >> 12);
  exponent += int(int64_t(above) >> 52);
  const double m = fromBits<double>(bitsOf(x) - above);
  const double f = m - 1, d = m + 1, dLow = m - (d - 1); // f is exact
  const double s = f / d, sLow = (fused(-s, d, f) - s * dLow) / d;
  const double z = s * s, zLow = fused(s, s, -z) + 2 * s * sLow;
  // 2/3 + z (2/5 + ...), with what its sum loses.
  constexpr double c[] = {0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3,
                          0x1.745d1745d1746p-3, 0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3,
                          0x1.e1e1e1e1e1e1ep-4, 0x1.af286bca1af28p-4, 0x1.8618618618618p-4};
  constexpr double third = 0x1.5555555555555p-1, thirdLow = 0x1.5555555555555p-55;
  const double more = z * polynomial(z, c);
  const double q = third + more, qLow = (third - q) + more + thirdLow;
  // s z q
  const double t = z * q, tLow = fused(z, q, -t) + fused(z, qLow, zLow * q);
  const double u = s * t, uLow = fused(s, t, -u) + fused(s, tLow, sLow * t);
  const double twice = 2 * s, near = twice + u;
  const double nearLow = (twice - near) + u + fused(2.0, sLow, uLow);
  // The exponent times log(2) is exact in its first part.
  const double e = exponent, far = e * 0x1.62e42fefa3800p-1;
  const double sum = far + near;
  const double bigger = abs(far) > abs(near) ? far : near,
               smaller = abs(far) > abs(near) ? near : far;
  const double low = ((bigger - sum) + smaller) + fused(e, 0x1.ef35793c76730p-45, nearLow);
  const double high = sum + low;
  return {high, (sum - high) + low};
}

Pair product(double y, Pair x) {
  const double high = y * x.high;
  return {high, fused(y, x.high, -high) + y * x.low};
}

double powerOf(Pair x) {
  if (!(abs(x.high) < 1000))
    return x.high > 0 ? infinity<double> : x.high < 0 ? 0 : x.high;
  const double e = power(x.high);
  return e == infinity<double> ? e : fused(e, x.low, e);
}

namespace {

double generalPower(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (isNan(x) || isNan(y))
    return notANumber<double>;
  const double a = abs(x), b = abs(y);
  const bool isInteger = truncated(y) == y;
  const bool isOdd = isInteger && b < 0x1p53 && (int64_t(b) & 1);
  const bool isNegative = bitsOf(x) >> 63;
  const double sign = isNegative && isOdd ? -1 : 1;
  if (b == infinity<double>)
    return a == 1 ? 1 : (a > 1) == (y > 0) ? infinity<double> : 0;
  if (a == 0 || a == infinity<double>)
    return sign * ((a == 0) == (y < 0) ? infinity<double> : 0);
  if (isNegative && !isInteger)
    return notANumber<double>;
  if (b > 0x1p65) // and x is not 1
    return a == 1 ? sign : sign * ((a > 1) == (y > 0) ? infinity<double> : 0);
  return sign * powerOf(product(y, exactLogarithm(a)));
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

double tl_pow(double x, double y) { return generalPower(x, y); }
}
