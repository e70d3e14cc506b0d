// SPDX-License-Identifier: MIT
#pragma once
// Which options does a compilation have? This is their only list: what checks them, passes them on,
// prints them or compares them is written from it, in the headers, in libtl and in tlc. What users
// name are tl::launch_options and tl_compile_options, which have a member for each.

#include "tl/impl/compiler.hpp"

#include <string>
#include <string_view>

/// For each option a NUMBER or a SWITCH, in the order of tl::launch_options.
///
///     NUMBER(name, name in libtl, default, least, most, is a power of two)
///     SWITCH(name, name in libtl, default, member of tl_compile_options, what tlc's flag for the
///            other value says)
///
/// A default of 0 leaves the choice to the compiler. What each target follows says its class
/// (Target::followedOptions); the module cache tells nothing else apart.
#define TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)                                                    \
  NUMBER(num_warps, numWarps, 4, 1, 32, true)                                                      \
  NUMBER(num_stages, numStages, 3, 1, 64, false)                                                   \
  NUMBER(num_ctas, numCtas, 1, 1, 16, true)                                                        \
  NUMBER(max_registers, maxRegisters, 0, 1, 256, false)                                            \
  SWITCH(fp_fusion, fpFusion, true, disable_fp_fusion,                                             \
         "never contract a multiplication and an addition")                                        \
  SWITCH(debug, debug, false, debug, "keep device_assert alive")                                   \
  SWITCH(deterministic, deterministic, false, deterministic,                                       \
         "the same bits in every run, with any number of warps, or an error")

namespace tl::impl {

/// The values that a number may have, for messages: "a power of two from 1 to 32".
inline std::string legal_values(int least, int most, bool is_power_of_two) {
  return (is_power_of_two ? "a power of two from " : "") + std::to_string(least) + " to " +
         std::to_string(most);
}

constexpr bool is_legal(int value, int least, int most, bool is_power_of_two) {
  return value >= least && value <= most && (!is_power_of_two || (value & (value - 1)) == 0);
}

/// The option on the command line of tlc: "--num-warps", "--no-fp-fusion" for what is usually on.
inline std::string flag_of(std::string_view name, bool is_usually_on = false) {
  std::string flag = is_usually_on ? "--no-" : "--";
  for (const char c : name)
    flag += c == '_' ? '-' : c;
  return flag;
}

} // namespace tl::impl
