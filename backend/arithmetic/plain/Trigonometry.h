// SPDX-License-Identifier: MIT
//
// sin and cos of any f64.
#pragma once

#include "Numbers.h"

namespace tl::backend::plain {

struct SineAndCosine {
  double sine, cosine;
};

/// Of any number; NaN of what is not finite.
SineAndCosine sineAndCosine(double x);

} // namespace tl::backend::plain
