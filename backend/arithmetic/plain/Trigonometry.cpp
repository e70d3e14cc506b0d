// SPDX-License-Identifier: MIT
//
// sin, cos and tan of f64 and the inverse functions.
#include "Trigonometry.h"

namespace tl::backend::plain {
namespace {

/// The bits of 2/pi after the binary point, with 64 zeros before them.
constexpr uint64_t twoOverPi[] = {0,
                                  0xa2f9836e4e441529,
                                  0xfc2757d1f534ddc0,
                                  0xdb6295993c439041,
                                  0xfe5163abdebbc561,
                                  0xb7246e3a424dd2e0,
                                  0x06492eea09d1921c,
                                  0xfe1deb1cb129a73e,
                                  0xe88235f52ebb4484,
                                  0xe99c7026b45f7e41,
                                  0x3991d639835339f4,
                                  0x9c845f8bbdf9283b,
                                  0x1ff897ffde05980f,
                                  0xef2f118b5a0a6d1f,
                                  0x6d367ecf27cb09b7,
                                  0x4f463f669e5fea2d,
                                  0x7527bac7ebe5f17b,
                                  0x3d0739f78a5292ea,
                                  0x6bfb5fb11f8d5d08,
                                  0x56033046fc7b6bab,
                                  0xf0cfbc209af4361d};

constexpr double halfPi = 0x1.921fb54442d18p+0, halfPiLow = 0x1.1a62633145c07p-54,
                 halfPiLeast = -0x1.f1976b7ed8fbcp-110;

/// x = (4 k + quadrant) pi/2 + high + low.
struct Reduced {
  double high, low;
  int quadrant;
};

/// |x| below 2^20: pi/2 in three parts, of which the first product leaves an exact rest.
Reduced reduceSmall(double x) {
  const double n = nearest(x * 0x1.45f306dc9c883p-1);
  const double rest = fused(-n, halfPi, x);
  const double product = n * halfPiLow, low = fused(n, halfPiLow, -product);
  const double high = rest - product;
  const double lost = ((rest - high) - product) - low;
  return {high, fused(-n, halfPiLeast, lost), int(n)};
}

/// Positive x from 2^20 on, as M * 2^e with an integer M of 53 bits. Of 2/pi only the 192 bits
/// count that follow those which give whole turns. M times them, without what is beyond its 192
/// bits, has the quadrant in the upper two bits, and behind it the fraction of one.
Reduced reduceLarge(double x) {
  const uint64_t bits = bitsOf(x), one = uint64_t(1) << 52, integer = (bits & (one - 1)) | one;
  const unsigned first = unsigned(int(bits >> 52) - 1023 - 52 - 2 + 64), shift = first % 64;
  auto window = [&](unsigned i) {
    const uint64_t high = twoOverPi[first / 64 + i], low = twoOverPi[first / 64 + i + 1];
    return shift ? high << shift | low >> (64 - shift) : high;
  };
  using Wide = unsigned __int128;
  const Wide middle = Wide(integer) * window(1) + uint64_t(Wide(integer) * window(2) >> 64);
  const Wide turns = (Wide(integer * window(0)) << 64) + middle;
  // From the nearest multiple, as a number with a sign.
  const bool isNegative = uint64_t(turns >> 125) & 1;
  const Wide fraction = isNegative ? -(turns << 2) : turns << 2;
  const uint64_t upper = uint64_t(fraction >> 64), lower = uint64_t(fraction);
  const double rounded = double(upper);
  const double rest = double(int64_t(upper - uint64_t(rounded))) + double(lower) * 0x1p-64;
  const double part = (rounded + rest) * 0x1p-64,
               low = ((rounded - (rounded + rest)) + rest) * 0x1p-64;
  const double high = part * halfPi;
  const double lost = fused(part, halfPi, -high) + fused(part, halfPiLow, low * halfPi);
  const int quadrant = int(uint64_t(turns >> 126)) + isNegative;
  return isNegative ? Reduced{-high, -lost, quadrant} : Reduced{high, lost, quadrant};
}

Reduced reduce(double x) {
  const double a = abs(x);
  if (a < 0x1p20)
    return reduceSmall(x);
  Reduced r = reduceLarge(a);
  return x < 0 ? Reduced{-r.high, -r.low, -r.quadrant} : r;
}

/// Of high + low within +-pi/4.
double sineNear(const Reduced &r) {
  const double z = r.high * r.high;
  constexpr double c[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7,   -0x1.a01a01a01992fp-13,
                          0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33,
                          -0x1.ab16f5caa198ap-41};
  return r.high + fused(r.high * z, polynomial(z, c), fused(r.low, -0.5 * z, r.low));
}
double cosineNear(const Reduced &r) {
  const double z = r.high * r.high;
  constexpr double c[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16,
                          -0x1.27e4fb77125c5p-22, 0x1.1eed8deac3dfep-29,  -0x1.9394b8bd50ae1p-37,
                          0x1.ab779550c8d9bp-45};
  const double most = 1 - 0.5 * z;
  return most + fused(z * z, polynomial(z, c), ((1 - most) - 0.5 * z) - r.high * r.low);
}

/// The angle whose tangent is y / x, for y, x >= 0 that are not both 0 or infinite.
double angle(double y, double x) {
  // tan of 1/8 and 3/8 of pi; between them from pi/4.
  const bool isHigh = y > 0x1.3504f333f9de6p+1 * x || y == infinity<double>;
  const bool isLow = y < 0x1.a827999fcef32p-2 * x;
  double start = 0, startLow = 0, t;
  if (isHigh) {
    start = halfPi, startLow = halfPiLow, t = -x / y;
  } else if (isLow) {
    t = y / x;
  } else {
    start = halfPi / 2, startLow = halfPiLow / 2;
    const double scale = x > 0x1p1000 ? 0.25 : 1;
    t = (y * scale - x * scale) / (y * scale + x * scale);
  }
  constexpr double c[] = {-0x1.5555555555555p-2, 0x1.9999999999997p-3,  -0x1.24924924920acp-3,
                          0x1.c71c71c6dda8cp-4,  -0x1.745d17355fb4p-4,  0x1.3b13aea92b8p-4,
                          -0x1.1110ced7ae904p-4, 0x1.e1d8e7e3671b7p-5,  -0x1.aebd0d9afbb7ap-5,
                          0x1.829c6fefc6aacp-5,  -0x1.503a72dea3f41p-5, 0x1.f5e70778c399ap-6,
                          -0x1.c80183a6f4d8cp-7};
  const double z = t * t;
  return start + (t + fused(t * z, polynomial(z, c), startLow));
}

/// asin of |x| up to 1/2, without x itself.
double arcsineRest(double x, double z) {
  constexpr double c[] = {0x1.5555555555555p-3,  0x1.3333333333389p-4, 0x1.6db6db6dac0eap-5,
                          0x1.f1c71c7a5e151p-6,  0x1.6e8ba121b9d5fp-6, 0x1.1c4efd20ebb99p-6,
                          0x1.c990a42b32b03p-7,  0x1.7b02ef007d23ep-7, 0x1.3b462d121c5d3p-7,
                          0x1.31777489dfd29p-7,  0x1.8dcdf11997e12p-9, 0x1.40c91fa8deb7ep-6,
                          -0x1.3bd7e353ddbc1p-6, 0x1.e58a4f278e006p-6};
  return x * z * polynomial(z, c);
}

/// 2 asin(sqrt(h)): acos(1 - 2 h).
Pair twiceArcsineOfRoot(double h) {
  const double root = squareRoot(h);
  const double low = root == 0 ? 0 : fused(-root, root, h) / (2 * root);
  return {2 * root, 2 * (arcsineRest(root, h) + low)};
}

double tangent(double x) {
  if (!(abs(x) < infinity<double>))
    return notANumber<double>;
  if (x == 0)
    return x;
  const Reduced r = reduce(x);
  const double s = sineNear(r), c = cosineNear(r);
  return r.quadrant & 1 ? -c / s : s / c;
}

} // namespace

SineAndCosine sineAndCosine(double x) {
  if (!(abs(x) < infinity<double>))
    return {notANumber<double>, notANumber<double>};
  const Reduced r = reduce(x);
  const double s = sineNear(r), c = cosineNear(r);
  const double first = r.quadrant & 1 ? c : s, second = r.quadrant & 1 ? s : c;
  return {r.quadrant & 2 ? -first : first, (r.quadrant + 1) & 2 ? -second : second};
}

} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

double tl_sin(double x) { return x == 0 ? x : sineAndCosine(x).sine; }
double tl_cos(double x) { return sineAndCosine(x).cosine; }
double tl_tan(double x) { return tangent(x); }

double tl_atan(double x) {
  const double a = abs(x);
  return withSign(a <= infinity<double> ? angle(a, 1) : x, x);
}

double tl_atan2(double y, double x) {
  if (isNan(x) || isNan(y))
    return notANumber<double>;
  double a = abs(y), b = abs(x);
  if (a == infinity<double> && b == infinity<double>)
    a = b = 1;
  const bool isLeft = bitsOf(x) >> 63;
  if (a == 0)
    return withSign(isLeft ? 2 * halfPi : 0, y);
  const double first = angle(a, b);
  return withSign(isLeft ? 2 * halfPi - (first - 2 * halfPiLow) : first, y);
}

double tl_asin(double x) {
  const double a = abs(x);
  if (a <= 0.5)
    return x + arcsineRest(x, x * x);
  if (!(a <= 1))
    return notANumber<double>;
  const Pair rest = twiceArcsineOfRoot((1 - a) * 0.5);
  return withSign(halfPi - (rest.high - (halfPiLow - rest.low)), x);
}

double tl_acos(double x) {
  const double a = abs(x);
  if (a <= 0.5)
    return halfPi - (x - (halfPiLow - arcsineRest(x, x * x)));
  if (!(a <= 1))
    return notANumber<double>;
  const Pair rest = twiceArcsineOfRoot((1 - a) * 0.5);
  return x > 0 ? rest.high + rest.low : 2 * halfPi - (rest.high - (2 * halfPiLow - rest.low));
}
}
