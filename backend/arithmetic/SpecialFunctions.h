// SPDX-License-Identifier: MIT
//
// Functions of libdevice that the C library lacks, of doubles. Code for the CPU calls them once a
// lane, and the interpreter computes with them. All are pure; NaN gives NaN.
#pragma once

#include "arithmetic/plain/Roots.h"

namespace tl::backend::special {

double rsqrt(double x);
double rcbrt(double x);
inline double rhypot(double x, double y) { return tl_rhypot(x, y); }
double exp10(double x);
/// sin(pi x) and cos(pi x), exact at multiples of one half.
double sinpi(double x);
double cospi(double x);
/// log|gamma(x)|. Unlike the C library's it writes no global variable.
double lgamma(double x);
/// e^(x^2) erfc(x), without the overflow of the first or the underflow of the second factor.
double erfcx(double x);
/// Inverses of erf and erfc, and of the distribution function of the standard normal distribution.
double erfinv(double y);
double erfcinv(double y);
double normcdf(double x);
double normcdfinv(double p);
/// Modified Bessel functions of the first kind.
double cyl_bessel_i0(double x);
double cyl_bessel_i1(double x);
/// Bessel functions of the order n; the time grows with it, and orders beyond +-100000 are taken
/// for these.
double jn(int n, double x);
double yn(int n, double x);

} // namespace tl::backend::special
