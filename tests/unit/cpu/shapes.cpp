// SPDX-License-Identifier: MIT
//
// A user's library, as bitcode.

// [library]
float bend(float x, float by);

// [coefficients]
namespace {
constexpr float coefficients[] = {3, 2};
}
// [coefficients]

// [smooth_step]
extern "C" float smooth_step(float x) { return x * x * (coefficients[0] - coefficients[1] * x); }
// [smooth_step]

extern "C" float bent(float x, float by) { return smooth_step(bend(x, by)); }
// [library]
