// SPDX-License-Identifier: MIT
//
// Another one, which the first one calls.
#include <cmath>

float bend(float x, float by) { return std::sin(x) / by; }
