// SPDX-License-Identifier: MIT
//
// Bessel functions. Those of f32 are computed in f64, too: near their zeros an f32 has no exact
// digit left. The modified ones have none, and all their terms are positive.
#include "Trigonometry.h"

namespace tl::backend::plain {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1, euler = 0x1.2788cfc6fb619p-1,
                 ln2 = 0x1.62e42fefa39efp-1;

/// The functions of the orders 0 and 1 of both kinds.
struct Four {
  double j0, j1, y0, y1;
};

/// Power series, for 0 < x < 2.
Four bySeries(double x) {
  // log(x / 2), also where half of x is nothing.
  const double z = -0.25 * x * x, logarithm = log(x) + (euler - ln2);
  double term = 1, harmonic = 0; // (-x^2/4)^k / k!^2, and 1 + 1/2 + ... + 1/k
  double j0 = 1, j1 = 1, y0 = 0, y1 = 1;
  for (int k = 1; k < 16; ++k) {
    term *= z / (double(k) * k);
    harmonic += 1.0 / k;
    j0 += term;
    y0 += harmonic * term;
    const double first = term / (k + 1); // of the order 1, with (k + 1)!
    j1 += first;
    y1 += (2 * harmonic + 1.0 / (k + 1)) * first;
  }
  j1 *= 0.5 * x;
  return {j0, j1, 2 / pi * (logarithm * j0 - y0),
          2 / pi * (logarithm * j1 - 1 / x - 0.25 * x * y1)};
}

/// Down from an order at which J is nothing; those of order 0 by their sum, which is 1, those of
/// the second kind as sums of the others. For 2 <= x < 25.
Four byRecurrence(double x) {
  const double twice = 2 / x;
  double above = 0, here = 0x1p-900, sum = 0, y0 = 0, y1 = 0;
  for (int n = 2 * (int(x) / 2 + 17); n > 0; n -= 2) {
    // `here` is J of the even order n.
    const double below = n * twice * here - above;
    const int k = n / 2;
    const double sign = k & 1 ? -1 : 1;
    sum += here;
    y0 += sign * here / k;
    y1 += sign * (below - above) / k;
    const double next = (n - 1) * twice * below - here;
    above = below;
    here = next;
  }
  const double scale = 1 / (here + 2 * sum), logarithm = log(0.5 * x) + euler;
  const double j0 = here * scale, j1 = above * scale;
  return {j0, j1, 2 / pi * (logarithm * j0 - 2 * y0 * scale),
          2 / pi * (logarithm * j1 - j0 / x + y1 * scale)};
}

/// Hankel's asymptotic series: P + i Q of the order.
void hankel(int order, double x, double &p, double &q) {
  const double mu = 4 * order, part = 0.125 / x;
  double term = 1;
  p = 1, q = 0;
  for (int k = 1; k < 30; ++k) {
    term *= (mu - double(2 * k - 1) * (2 * k - 1)) / k * part;
    const double change = k & 2 ? -term : term;
    (k & 1 ? q : p) += change;
    if (abs(term) < 0x1p-60)
      break;
  }
}

/// For x >= 25.
Four byAsymptotics(double x) {
  const SineAndCosine at = sineAndCosine(x);
  const double sum = at.cosine + at.sine, difference = at.sine - at.cosine;
  const double scale = 1 / (squareRoot(pi) * squareRoot(x));
  double p0, q0, p1, q1;
  hankel(0, x, p0, q0);
  hankel(1, x, p1, q1);
  return {scale * (p0 * sum - q0 * difference), scale * (p1 * difference + q1 * sum),
          scale * (p0 * difference + q0 * sum), scale * (q1 * difference - p1 * sum)};
}

/// For finite x > 0.
Four all(double x) { return x < 2 ? bySeries(x) : x < 25 ? byRecurrence(x) : byAsymptotics(x); }

double firstKind(int order, double x) {
  const double a = abs(x);
  if (!(a < infinity<double>))
    return isNan(x) ? x : 0;
  if (a == 0)
    return order ? x : 1;
  const Four four = all(a);
  return order == 0 ? four.j0 : x < 0 ? -four.j1 : four.j1;
}

double secondKind(int order, double x) {
  if (!(x > 0))
    return x == 0 ? -infinity<double> : notANumber<double>;
  if (x == infinity<double>)
    return 0;
  const Four four = all(x);
  return order ? four.y1 : four.y0;
}

/// J of order n > 1 of x > 0.
double firstKindAbove(int n, double x) {
  if (n <= x) { // upwards
    double before = firstKind(0, x), here = firstKind(1, x);
    for (int k = 1; k < n; ++k) {
      const double next = 2 * k / x * here - before;
      before = here;
      here = next;
    }
    return here;
  }
  const double z = 0.25 * x * x;
  if (z < n + 1) { // the power series
    double start = 1, term = 1, sum = 1;
    for (int k = 1; k <= n && start != 0; ++k)
      start *= 0.5 * x / k;
    for (int k = 1; k < 40; ++k)
      sum += term *= -z / (double(k) * (n + k));
    return start * sum;
  }
  // Downwards, scaled where it grows too large.
  const double twice = 2 / x;
  double above = 0, here = 0x1p-900, sum = 0, found = 0;
  for (int k = 2 * ((n + int(squareRoot(60.0 * n)) + 2) / 2); k > 0; --k) {
    const double below = k * twice * here - above;
    above = here;
    here = below;
    if (k - 1 == n)
      found = here;
    if ((k - 1) % 2 == 0)
      sum += k == 1 ? here : 2 * here;
    if (abs(here) > 0x1p900) {
      here *= 0x1p-900;
      above *= 0x1p-900;
      sum *= 0x1p-900;
      found *= 0x1p-900;
    }
  }
  return found / sum;
}

double firstKindOf(int n, double x) {
  if (isNan(x))
    return x;
  // J(-n) and J of -x are (-1)^n J.
  bool isNegative = (n & 1) && (x < 0) != (n < 0);
  const double a = abs(x);
  n = n < 0 ? -n : n;
  double value = n < 2                   ? firstKind(n, a)
                 : a == 0                ? 0
                 : a == infinity<double> ? 0
                                         : firstKindAbove(n, a);
  return isNegative ? -value : value;
}

double secondKindOf(int n, double x) {
  const bool isNegative = n < 0 && (n & 1);
  n = n < 0 ? -n : n;
  if (!(x > 0) || n < 2 || x == infinity<double>) {
    const double value = secondKind(n == 0 ? 0 : 1, x);
    return isNegative ? -value : value;
  }
  double before = secondKind(0, x), here = secondKind(1, x);
  for (int k = 1; k < n && here > -infinity<double>; ++k) {
    const double next = 2 * k / x * here - before;
    before = here;
    here = next;
  }
  return isNegative ? -here : here;
}

// For the orders 0 and 1: e^-x I0(x) and e^-x I1(x) / x up to 8, as functions of x / 4 - 1, and
// from there on e^-x I(x) sqrt(x) as functions of 16 / x - 1.
constexpr double wideNear[][30] = {
    {0x1.a7f09f8eedf5ap-3,  -0x1.cedda0048620cp-4,  0x1.8322d1d8a3bbbp-4,  -0x1.6cb8d0c91588fp-4,
     0x1.65c235bfeaa72p-4,  -0x1.5c028fe647844p-4,  0x1.44b6196a78062p-4,  -0x1.1cd73a8e6cd6ep-4,
     0x1.d11e10f60db14p-5,  -0x1.602411e2b84cbp-5,  0x1.ee6f564cfa915p-6,  -0x1.427b099142586p-6,
     0x1.87e867ba41db8p-7,  -0x1.bd258ef81b1b7p-8,  0x1.da1a9fb31a327p-9,  -0x1.daf9ae8ac58f3p-10,
     0x1.c0f4afe538061p-11, -0x1.918057560fb5p-12,  0x1.5496c575b16e4p-13, -0x1.12c45b18c205dp-14,
     0x1.a6d2ef17e0495p-16, -0x1.3666062a15f5fp-17, 0x1.b170d36b55864p-19, -0x1.246102354dd25p-20,
     0x1.8aa9ed99d4de8p-22, -0x1.e70761a76cf5bp-24, 0x1.c35f7ef8ecfc7p-26, -0x1.0e148b0af9254p-27,
     0x1.332208b1b904p-28,  -0x1.409665a03765ap-30},
    {0x1.6e14eb8e5d319p-5,  -0x1.f4bb071a7752bp-5,  0x1.16c390ddb08ecp-4,  -0x1.1881379ffb5c2p-4,
     0x1.0530f817ffa4ap-4,  -0x1.c4daa51341c6dp-5,  0x1.6df95e8bdfc8fp-5,  -0x1.13d5f358a4edap-5,
     0x1.84125b0d2de85p-6,  -0x1.fe3d9c01a6736p-7,  0x1.3a0c1a007877fp-7,  -0x1.6ab6a3876ed57p-8,
     0x1.89f8a69545405p-9,  -0x1.93682690e9b9ap-10, 0x1.8656c1654765cp-11, -0x1.65bf65dd72f08p-12,
     0x1.37430c18eefeap-13, -0x1.01a43775d9f1cp-14, 0x1.969330fb70d0ep-16, -0x1.3269f669d578fp-17,
     0x1.ba196041625d2p-19, -0x1.317ffb356f636p-20, 0x1.93a99c550319ep-22, -0x1.01b4b419a1fcbp-23,
     0x1.46a890c79f1e3p-25, -0x1.80875810a1429p-27, 0x1.65dc717d1511p-29,  -0x1.95ae4a3a5ec82p-31,
     0x1.99db77e00f02dp-32, -0x1.9be8fdf579908p-34}};
constexpr double wideFar[][23] = {
    {0x1.9bd428ad249a5p-2,   0x1.b87969bb93a48p-9,  0x1.1daa72b5e2366p-13,  0x1.75e5ee7822f78p-17,
     0x1.8e513accc76a3p-20,  0x1.3f49933733f9p-22,  0x1.7d0e5f25bc841p-24,  0x1.51d5f84cd03f6p-25,
     0x1.7257db9ed6674p-26,  0x1.02cf9254e767p-27,  -0x1.d3b411548af05p-28, -0x1.c9aa2ffce2ca1p-27,
     -0x1.62c3f99ada19fp-28, 0x1.f7410b7f70fdp-28,  0x1.d29741886cb2dp-28,  -0x1.ac9afa081a33ep-29,
     -0x1.4d2b550bd6e76p-28, 0x1.2c4a86bc0bfefp-30, 0x1.499ae7b4d59c2p-29,  -0x1.2e287745e1a2ep-32,
     -0x1.9ae1031554e04p-31, 0x1.36172c123f453p-35, 0x1.de985e80c26e1p-34},
    {0x1.8ebe783a8403p-2,    -0x1.3f796198ee5e3p-7,  -0x1.cbc54df1e8a3p-13,  -0x1.f89c230c1c6c7p-17,
     -0x1.ec8e10cda9622p-20, -0x1.76136c8d9dbb3p-22, -0x1.ad8c9576be72ap-24, -0x1.7280f7124367dp-25,
     -0x1.91b62a0449ae7p-26, -0x1.20dfa102cdc55p-27, 0x1.d2f43270388f8p-28,  0x1.df68969b0012bp-27,
     0x1.89426861550d7p-28,  -0x1.fec28b5e30e16p-28, -0x1.f053fd33757dcp-28, 0x1.a62d3a5241febp-29,
     0x1.5e0ee1eae723fp-28,  -0x1.1ff732137576bp-30, -0x1.5873a50ddf275p-29, 0x1.1be99bbf474cep-32,
     0x1.ac4bf6a87bc29p-31,  -0x1.1f6f8a3689d3bp-35, -0x1.f23ff1f27dca9p-34}};
constexpr float singleNear[][18] = {
    {0x1.a7f0ap-3f, -0x1.ceddap-4f, 0x1.832266p-4f, -0x1.6cb8a8p-4f, 0x1.65cd5ap-4f,
     -0x1.5c06ccp-4f, 0x1.4444aep-4f, -0x1.1cac1ap-4f, 0x1.d59d1ap-5f, -0x1.61da3ap-5f,
     0x1.d4ff26p-6f, -0x1.38c80cp-6f, 0x1.db641p-7f, -0x1.fcf97p-8f, 0x1.452876p-10f,
     -0x1.d76b8ap-11f, 0x1.034d06p-9f, -0x1.acda6ap-11f},
    {0x1.6e14ecp-5f, -0x1.f4bb08p-5f, 0x1.16c382p-4f, -0x1.188132p-4f, 0x1.05328p-4f,
     -0x1.c4dbbep-5f, 0x1.6dda26p-5f, -0x1.13cabep-5f, 0x1.854fap-6f, -0x1.ff219ep-7f,
     0x1.330516p-7f, -0x1.65a7f4p-8f, 0x1.b842fcp-9f, -0x1.b4cb3ep-10f, 0x1.b109e4p-12f,
     -0x1.cfcb06p-13f, 0x1.41f1a4p-12f, -0x1.f47262p-14f}};
constexpr float singleFar[][7] = {{0x1.9bd428p-2f, 0x1.b8798ap-9f, 0x1.1daadcp-13f, 0x1.74d746p-17f,
                                   0x1.8c6c62p-20f, 0x1.85f3b2p-22f, 0x1.d123fep-24f},
                                  {0x1.8ebe78p-2f, -0x1.3f796ap-7f, -0x1.cbc5cap-13f,
                                   -0x1.f76d9p-17f, -0x1.ea5adep-20f, -0x1.c4a446p-22f,
                                   -0x1.0642ecp-23f}};

inline double near(int order, double t) { return polynomial(t, wideNear[order]); }
inline float near(int order, float t) { return polynomial(t, singleNear[order]); }
inline double far(int order, double t) { return polynomial(t, wideFar[order]); }
inline float far(int order, float t) { return polynomial(t, singleFar[order]); }

/// The modified function of the order 0 or 1.
template <class T> T modified(int order, T x) {
  const T a = abs(x);
  if (!(a <= (sizeof(T) == 4 ? 100 : 730)))
    return isNan(x) ? x : order ? withSign(infinity<T>, x) : infinity<T>;
  if (a <= 8) {
    const T value = power(a) * near(order, fused(a, T(0.25), T(-1)));
    return order ? x * value : value;
  }
  // The power may be infinite where the function is not.
  const bool isLarge = a > (sizeof(T) == 4 ? 80 : 700);
  const T exponential = isLarge ? power(a - 8) : power(a);
  T value = exponential * (far(order, 16 / a - 1) / squareRoot(a));
  value = isLarge ? value * T(0x1.749ea7d470c6dp+11) : value; // e^8
  return order ? withSign(value, x) : value;
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

float tl_j0f(float x) { return float(firstKind(0, x)); }
double tl_j0(double x) { return firstKind(0, x); }
float tl_j1f(float x) { return float(firstKind(1, x)); }
double tl_j1(double x) { return firstKind(1, x); }
float tl_y0f(float x) { return float(secondKind(0, x)); }
double tl_y0(double x) { return secondKind(0, x); }
float tl_y1f(float x) { return float(secondKind(1, x)); }
double tl_y1(double x) { return secondKind(1, x); }
float tl_jnf(int n, float x) { return float(firstKindOf(n, x)); }
double tl_jn(int n, double x) { return firstKindOf(n, x); }
float tl_ynf(int n, float x) { return float(secondKindOf(n, x)); }
double tl_yn(int n, double x) { return secondKindOf(n, x); }
float tl_cyl_bessel_i0f(float x) { return modified(0, x); }
double tl_cyl_bessel_i0(double x) { return modified(0, x); }
float tl_cyl_bessel_i1f(float x) { return modified(1, x); }
double tl_cyl_bessel_i1(double x) { return modified(1, x); }
}
