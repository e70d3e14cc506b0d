// SPDX-License-Identifier: MIT
//
// The file that defines the device function; see device_functions_test.cpp.
// [definition]
#include "device_functions.hpp"

activation::tile activation::gelu(const tile &x) {
  return 0.5f * x * (1.0f + tl::erf(x * 0.70710678f));
}
// [definition]
