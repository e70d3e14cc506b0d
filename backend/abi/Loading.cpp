// SPDX-License-Identifier: MIT
//
// Loading the library leaves no trace in the program's floating-point environment. Static
// initialisers compute (Boost.Math's tables do, in long double), and a flag that they left would
// end a program that asks for traps later. This file is linked last, so that its second function
// runs after all of them; tests/unit/runtime/floating_modes_test.cpp holds that.
#include <cfenv>

namespace {

std::fenv_t before;

__attribute__((constructor(101))) void rememberEnvironment() { std::fegetenv(&before); }
__attribute__((constructor)) void restoreEnvironment() { std::fesetenv(&before); }

} // namespace
