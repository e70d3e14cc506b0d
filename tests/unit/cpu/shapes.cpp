// SPDX-License-Identifier: MIT
//
// A user's library, as bitcode.

// [library]
float bend(float x, float by);

namespace {
constexpr float coefficients[] = {3, 2};
}

extern "C" float smooth_step(float x) { return x * x * (coefficients[0] - coefficients[1] * x); }

extern "C" float bent(float x, float by) { return smooth_step(bend(x, by)); }
// [library]
