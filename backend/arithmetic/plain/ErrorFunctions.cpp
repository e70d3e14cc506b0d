// SPDX-License-Identifier: MIT
//
// The error function, its complements, the normal distribution, and the inverses of all of them.
#include "Numbers.h"

namespace tl::backend::plain {
namespace {

// The coefficients are those of interpolation at Chebyshev's points.

// erf(x) / x - 1 as a function of x^2 up to 1.
constexpr double wideErf[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042bdep-4,  -0x1.b82ce312889bap-6,
    0x1.565bcd0e6502dp-8,  -0x1.c02db3feeb579p-11, 0x1.f9a326c233146p-14, -0x1.f4d2561aeafd4p-17,
    0x1.b9e6509b9867dp-20, -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27, -0x1.4e607b41a6416p-30,
    0x1.7f072188e194dp-34, -0x1.29b9f1b3df556p-38};
constexpr float singleErf[] = {0x1.06eba8p-3f,  -0x1.812746p-2f,  0x1.ce2f2p-4f,
                               -0x1.b82cbap-6f, 0x1.56588cp-8f,   -0x1.bfe158p-11f,
                               0x1.f57e9cp-14f, -0x1.d2b852p-17f, 0x1.1c41acp-20f};
// (1 + 2 x) erfcx(x) for x >= 0, as a function of (x - 4) / (x + 4).
constexpr double wideErfcx[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a286p-3,  0x1.f7f5df66fd797p-7,   0x1.16ecefcfa4d1p-4,
    -0x1.9ddb23c3e8f13p-4,  0x1.7fee004e1eefep-4,   -0x1.0fb06dfe4c6cp-4,   0x1.3079edf5181dfp-5,
    -0x1.09623884747dbp-6,  0x1.49c672e199469p-8,   -0x1.8d4a9a6465372p-11, -0x1.a1df5e81f57b4p-13,
    0x1.3be0432bfa86p-13,   -0x1.99537515467bep-16, -0x1.7884d2487d5efp-17, 0x1.7ef644c7815aap-18,
    0x1.393f4d359a7fdp-22,  -0x1.b8ce493292da5p-21, 0x1.4dcd6b6d85452p-24,  0x1.c8a212189b424p-24,
    -0x1.64110b1736fb3p-26, -0x1.a7f4a11380e73p-27, 0x1.bc41def3d5cc5p-29,  0x1.ff247156a53a2p-31,
    -0x1.2feb115e10ff8p-32};
constexpr float singleErfcx[] = {
    0x1.3ba592p+0f,   -0x1.1df1a8p-3f,  0x1.f7f624p-7f, 0x1.16ebf8p-4f,  -0x1.9ddc12p-4f,
    0x1.7ff5fap-4f,   -0x1.0fa8fap-4f,  0x1.30400ep-5f, -0x1.09c926p-6f, 0x1.4d1b64p-8f,
    -0x1.779174p-11f, -0x1.04b5bap-12f, 0x1.e916e2p-14f};
// erfinv(y) / y - 1 as a function of y^2 - 9/32, up to 3/4 of y.
constexpr double wideCentre[] = {
    -0x1.26bc18389e1a5p-5, 0x1.544e505fd49ap-2,  0x1.fdd1b104b1781p-3, 0x1.dc350b7fd0279p-3,
    0x1.ee25e52b63da6p-3,  0x1.10a44af16834bp-2, 0x1.3939ff69c6d85p-2, 0x1.723ae9157728bp-2,
    0x1.bef302e819284p-2,  0x1.1237af835fa3fp-1, 0x1.54dc6b5fc4e0dp-1, 0x1.ac35665245a76p-1,
    0x1.0f8b589f7a7b2p+0,  0x1.5ab02dcdb8791p+0, 0x1.b8787070af065p+0, 0x1.1c682d2e9c491p+1,
    0x1.969c3911e51fep+1,  0x1.096d0a8399079p+2, 0x1.559ab12b0b144p+1, 0x1.bb60355a92b82p+1,
    0x1.33b358e955b18p+4,  0x1.97ae14f1a2c2ep+4};
constexpr float singleCentre[] = {-0x1.26bc16p-5f, 0x1.544e5p-2f, 0x1.fdcfd6p-3f, 0x1.dc32b2p-3f,
                                  0x1.eedf3ep-3f,  0x1.11195p-2f, 0x1.2cc9b8p-2f, 0x1.6287c6p-2f,
                                  0x1.338ba4p-1f,  0x1.7c38dp-1f};
// erfcinv(e^(-s^2)) as a function of s, from the middle of each of the ranges between the ends.
constexpr double wideEnds[] = {1.125, 1.8125, 3, 5.25, 9.25, 16, 27.5};
constexpr double wideTail[][17] = {
    {0x1.1ccd02501308dp+0, 0x1.09b4c4039c6bap+0, 0x1.c03c455a94a2dp-6, -0x1.05752649b2159p-5,
     0x1.6de8571e54daep-6, -0x1.9b697ce3c95b2p-7, 0x1.82b02cf9c0082p-8, -0x1.2189a7ad91a83p-9,
     0x1.0598e376865c1p-11, 0x1.01509dfdb3f07p-13, -0x1.024207bbbb8cdp-12, 0x1.968a92ec2e5d9p-13,
     -0x1.d3448e1280035p-14, 0x1.9ff70e9da08d6p-15, -0x1.dba2e198c46fbp-17, -0x1.0acf38ee7da12p-18,
     0x1.d639d3079f33p-18},
    {0x1.0c13b7132deb5p+1, 0x1.0c3d69c907dc7p+0, -0x1.10ac2dfdd3f69p-8, -0x1.0b68c97e59818p-9,
     0x1.cc9049f4f0fb4p-10, -0x1.e28db6cd85221p-11, 0x1.a8891214c5dep-12, -0x1.50b21852e94dap-13,
     0x1.ec74266df5dbp-15, -0x1.4d3b5cc1d8dd9p-16, 0x1.9c95b87d090fp-18, -0x1.c2cf30afcb0bbp-20,
     0x1.8830d8e7feadcp-22, -0x1.5ab4e855dabe6p-25, -0x1.6bbcb22ff13cdp-26, 0x1.effb0e361d758p-26,
     -0x1.eb259d939c50bp-27},
    {0x1.f0acda06f817ap+1, 0x1.07e2d7d9cc47ep+0, -0x1.0ce89939ca4eap-8, 0x1.eb068761476bfp-12,
     -0x1.7727ea96b37f8p-16, -0x1.70276df725dbcp-17, 0x1.78f264d50ffaap-18, -0x1.f95f070ff0eeep-20,
     0x1.23a9fe59c1883p-21, -0x1.36a0c3e9e0a2dp-23, 0x1.39d4f8ba8ff12p-25, -0x1.314e17ed20953p-27,
     0x1.1ecf95c0d6395p-29, -0x1.fc620f39f8a07p-32, 0x1.c4fc8f45cad6bp-34, -0x1.f3a4108ad3804p-36,
     0x1.98675305e80f9p-38},
    {0x1.c4a85250c1a45p+2, 0x1.03dde83de8d97p+0, -0x1.7c0e6d8fb6459p-10, 0x1.2ad218fd4527bp-13,
     -0x1.ce606102a00e4p-17, 0x1.52977ff8be1b6p-20, -0x1.b51f70316f656p-24, 0x1.87e0358464e3bp-28,
     0x1.9c455a72cc906p-33, -0x1.343f55c6f9ca9p-33, 0x1.203d03390643ep-35, -0x1.afbfa110ea3e5p-38,
     0x1.214abfac9b23cp-40, -0x1.518c64004f89ap-43, 0x1.9d81b958e852cp-46, -0x1.76a91334e291p-48,
     0x1.ad6ca3221022dp-51},
    {0x1.900cdacd5fd39p+3, 0x1.01b551ca0785bp+0, -0x1.aac9bead63646p-12, 0x1.b249aeb6368b6p-16,
     -0x1.c1ec8b21a10f7p-20, 0x1.d5113ecd8ed4ap-24, -0x1.e84f320a8fac9p-28, 0x1.f8326292c9d43p-32,
     -0x1.004bde9694fbp-35, 0x1.fc36c5b8336c1p-40, -0x1.e402bfd1b7b43p-44, 0x1.ad473833174dcp-48,
     -0x1.4debe95e69929p-52, 0x1.b0a8b10361fadp-57, -0x1.c5888424a9fb4p-67, -0x1.7e04c137d59ep-63,
     0x1.6ba7ac00a4e34p-66},
    {0x1.5aa7b9c55efecp+4, 0x1.00b8632ece28bp+0, -0x1.b9f0c81ee4a76p-14, 0x1.141a0f5e7f24cp-18,
     -0x1.60800bedab87dp-23, 0x1.c7c51ff80937p-28, -0x1.28f433ed35f21p-32, 0x1.84cacee93acfap-37,
     -0x1.fe5738d9c640ep-42, 0x1.4f3a364012258p-46, -0x1.b82d1e61ed9c8p-51, 0x1.20d05ae2ba947p-55,
     -0x1.79461ae36e106p-60, 0x1.de5a8c9c88b5ep-65, -0x1.358a63b9c45cap-69, 0x1.f94c5d1276e86p-74,
     -0x1.3dbb4059d4fa9p-78}};
constexpr float singleEnds[] = {1.125f, 3, 5.75f, 10.5f};
constexpr float singleTail[][10] = {
    {0x1.bbd97ap+0f, 0x1.0cb1a8p+0f, -0x1.5df6dap-12f, -0x1.873e7ep-8f, 0x1.1de9dp-8f,
     -0x1.3186a6p-9f, 0x1.14a306p-10f, -0x1.d36598p-12f, 0x1.989958p-13f, -0x1.d88852p-15f},
    {0x1.08d086p+2f, 0x1.07620ap+0f, -0x1.ed12a4p-9f, 0x1.cdfe7cp-12f, -0x1.08e81p-15f,
     -0x1.370672p-18f, 0x1.8888f8p-19f, -0x1.11e798p-20f, 0x1.b56e4p-22f, -0x1.b7c812p-24f},
    {0x1.fd701ep+2f, 0x1.034ae2p+0f, -0x1.289a6ep-10f, 0x1.aea274p-14f, -0x1.37de4ap-17f,
     0x1.b7622p-21f, -0x1.2577f4p-24f, 0x1.593a26p-28f, -0x1.420108p-33f, -0x1.ddb36ap-36f}};

inline double erfTail(double z) { return polynomial(z, wideErf); }
inline float erfTail(float z) { return polynomial(z, singleErf); }
inline double scaledTail(double t) { return polynomial(t, wideErfcx); }
inline float scaledTail(float t) { return polynomial(t, singleErfcx); }
inline double inverseCentre(double z) { return polynomial(z, wideCentre); }
inline float inverseCentre(float z) { return polynomial(z, singleCentre); }

template <class T, unsigned ends, unsigned ranges, unsigned count>
inline T inRange(T s, const T (&end)[ends], const T (&c)[ranges][count]) {
  unsigned range = 0;
  while (range + 1 < ranges && s > end[range + 1])
    ++range;
  return polynomial(s - (end[range] + end[range + 1]) / 2, c[range]);
}
inline double inverseTail(double s) { return inRange(s, wideEnds, wideTail); }
inline float inverseTail(float s) { return inRange(s, singleEnds, singleTail); }

template <class T> inline constexpr T twoOverRootPi = T(0x1.20dd750429b6d1p+0L);
template <class T> inline constexpr T rootOfTwo = T(0x1.6a09e667f3bcc908p+0L);
template <class T> inline constexpr T rootOfHalf = T(0x1.6a09e667f3bcc908p-1L);
/// What it lacks. (No number of a wider type: a GPU's compiler has none.)
template <class T>
inline constexpr T rootOfHalfLow = T(sizeof(T) == 4 ? 0x1.9fcef4p-27 : -0x1.bdd3413b26456p-55);

/// |x| up to 1.
template <class T> T erfNear(T x) { return fused(x, erfTail(x * x), x); }

/// e^(x^2) erfc(x) for x >= 0.
template <class T> T scaledComplement(T x) {
  if (x > T(sizeof(T) == 4 ? 0x1p14 : 0x1p28))
    return twoOverRootPi<T> / 2 / x;
  // t = (x - 4) / (x + 4), with the rest of the division: near -1 its last bits count.
  const T reciprocal = 1 / (x + 4), about = (x - 4) * reciprocal;
  const T rest = fused(about, -x, fused(about + 1, T(-4), x));
  const T t = fused(reciprocal, rest, about);
  return scaledTail(t) / (1 + 2 * x);
}

/// e^(sign (x + low)^2), with what is lost of the square.
template <class T> T powerOfSquare(T x, T low, T sign) {
  const T square = x * x, rest = fused(x, x, -square) + 2 * x * low;
  const T e = power(sign * square);
  return e < infinity<T> ? fused(e, sign * rest, e) : e;
}

/// erfc(x + low).
template <class T> T complement(T x, T low) {
  if (isNan(x))
    return x;
  const T a = abs(x);
  if (a < T(0.5))
    return 1 - (erfNear(x) + twoOverRootPi<T> * low);
  if (a > T(sizeof(T) == 4 ? 12 : 30))
    return x > 0 ? 0 : 2;
  const T tail = powerOfSquare(a, x > 0 ? low : -low, T(-1)) * scaledComplement(a);
  return x > 0 ? tail : 2 - tail;
}

template <class T> T erfOf(T x) {
  const T a = abs(x);
  return a < 1 ? erfNear(x) : withSign(1 - complement(a, T(0)), x);
}

template <class T> T scaledOf(T x) {
  if (isNan(x))
    return x;
  const T value = scaledComplement(abs(x));
  return x >= 0 ? value : 2 * powerOfSquare(x, T(0), T(1)) - value;
}

template <class T> T distribution(T x) {
  const T y = -x * rootOfHalf<T>;
  const T low = fused(-x, rootOfHalf<T>, -y) - x * rootOfHalfLow<T>;
  return T(0.5) * complement(y, abs(y) < 100 ? low : T(0)); // of NaN it is NaN
}

/// erfcinv(p) for p up to 1/4.
template <class T> T inverseOfSmall(T p) {
  return p == 0 ? infinity<T> : inverseTail(squareRoot(-logarithm(p)));
}
/// erfinv(y) for |y| up to 3/4.
template <class T> T inverseOfMiddle(T y) {
  return fused(y, inverseCentre(fused(y, y, T(-0.28125))), y);
}

template <class T> T inverseErf(T y) {
  const T a = abs(y);
  if (a <= T(0.75))
    return inverseOfMiddle(y);
  return a <= 1 ? withSign(inverseOfSmall(1 - a), y) : notANumber<T>;
}

template <class T> T inverseComplement(T p) {
  if (!(p >= 0 && p <= 2))
    return notANumber<T>;
  if (p < T(0.25))
    return inverseOfSmall(p);
  return p > T(1.75) ? -inverseOfSmall(2 - p) : inverseOfMiddle(1 - p);
}

} // namespace
} // namespace tl::backend::plain

using namespace tl::backend::plain;

extern "C" {

double tl_erf(double x) { return erfOf(x); }
float tl_erfcf(float x) { return complement(x, 0.0f); }
double tl_erfc(double x) { return complement(x, 0.0); }
float tl_erfcxf(float x) { return scaledOf(x); }
double tl_erfcx(double x) { return scaledOf(x); }
float tl_normcdff(float x) { return distribution(x); }
double tl_normcdf(double x) { return distribution(x); }
float tl_erfinvf(float x) { return inverseErf(x); }
double tl_erfinv(double x) { return inverseErf(x); }
float tl_erfcinvf(float x) { return inverseComplement(x); }
double tl_erfcinv(double x) { return inverseComplement(x); }
float tl_normcdfinvf(float x) { return -rootOfTwo<float> * inverseComplement(2 * x); }
double tl_normcdfinv(double x) { return -rootOfTwo<double> * inverseComplement(2 * x); }
}
