// SPDX-License-Identifier: MIT
//
// What all emulated matrix units share: elements of operands as numbers of the host, and products
// of them. Products are exact, sums are of f32 (whole numbers of s8) one after another in the order
// of k: how hardware rounds sums in between is not documented.
#pragma once

#include "targets/simt/Functions.h"

namespace tl::backend::simt {

constexpr unsigned bitsOf(Element element) {
  switch (element) {
  case Element::f16:
  case Element::bf16:
    return 16;
  case Element::tf32:
  case Element::f32:
    return 32;
  case Element::f64:
    return 64;
  case Element::s8:
  case Element::e4m3:
  case Element::e5m2:
  case Element::e4m3b8:
  case Element::e5m2b16:
    return 8;
  case Element::e2m1:
    return 4;
  }
  return 32;
}

/// `count` elements that are neighbours in memory, as numbers that are `step` apart.
void widen(float *to, unsigned step, const unsigned char *from, unsigned count, Element element);
void widen(double *to, unsigned step, const unsigned char *from, unsigned count, Element element);
void widen(int32_t *to, unsigned step, const unsigned char *from, unsigned count, Element element);

/// c += a * b, row by row; a has m rows, b n columns. Doubles are multiplied and added at once.
void multiply(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k);
void multiply(double *c, const double *a, const double *b, unsigned m, unsigned n, unsigned k);
void multiply(int32_t *c, const int32_t *a, const int32_t *b, unsigned m, unsigned n, unsigned k);

} // namespace tl::backend::simt
