// SPDX-License-Identifier: MIT
//
// Functions of libdevice that the C library lacks, one lane at a time. f32 lanes are computed in
// f64.
#pragma once

namespace tl::backend::cpu {

double rcbrt(double x);
double rhypot(double x, double y);
/// e^(x^2) erfc(x), without the overflow of the first or the underflow of the second factor.
double erfcx(double x);
/// Inverses of erf and erfc, and of the distribution function of the standard normal distribution.
double erfinv(double y);
double erfcinv(double y);
double normcdf(double x);
double normcdfinv(double p);
/// Modified Bessel functions of the first kind.
double besselI0(double x);
double besselI1(double x);

} // namespace tl::backend::cpu
