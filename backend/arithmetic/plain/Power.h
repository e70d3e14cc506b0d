// SPDX-License-Identifier: MIT
//
// Powers of f64 by a logarithm with about 66 bits.
#pragma once

#include "Numbers.h"

namespace tl::backend::plain {

/// log(x) of a positive finite number.
Pair exactLogarithm(double x);
/// y times it.
Pair product(double y, Pair x);
/// e^(high + low), where `low` is small.
double powerOf(Pair x);

} // namespace tl::backend::plain
