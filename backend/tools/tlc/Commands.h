// SPDX-License-Identifier: MIT
//
// The commands of tlc and their options. Each command is one function that returns when it has
// succeeded and throws a Failure or a tl::error when it has not.
#pragma once

#include "CommandLine.h"

#include "tl/c/tl.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tlc {

/// The options of a command and those of compiling, which compile and run share.
template <std::size_t N> constexpr std::array<Option, N + 7> withCompiling(const Option (&own)[N]) {
  const Option compiling[] = {
      {"--entry", "NAME", "the kernel; needed where the file has several public functions"},
      {"--num-warps", "N", "power of two from 1 to 32; 4 by default"},
      {"--num-stages", "N", "1 to 64; 3 by default; a hint, which no target follows yet"},
      {"--num-ctas", "N", "power of two from 1 to 16; 1 by default; likewise"},
      {"--max-registers", "N", "1 to 255; the compiler's choice by default"},
      {"--no-fp-fusion", "", "never contract a multiplication and an addition"},
      {"--debug", "", "keep device_assert alive"},
  };
  std::array<Option, N + 7> all;
  std::copy(std::begin(compiling), std::end(compiling), std::copy(own, own + N, all.begin()));
  return all;
}

inline constexpr auto compileOptions = withCompiling({
    {"--target", "TARGET", "what to compile for: cpu (the default), sm_90a, ..."},
    {"--emit", "STAGE", "the stage to write, such as llir, asm or ptx; without it a summary"},
    {"-o", "FILE", "where to write it; the standard output without it"},
});

inline constexpr auto runOptions = withCompiling({
    {"--device", "DEVICE", "where to run: cpu, interpreter, cuda:0; else as TL_DEVICE says"},
    {"--grid", "X[,Y[,Z]]", "number of programs along each axis; needed"},
    {"--arg", "A", "the next argument: @FILE.npy, TYPE:VALUE or null", true},
    {"--save", "I=FILE.npy", "write the array of argument I, counted from 0, after the run", true},
    {"--time", "", "print the times of compiling and running to the standard error"},
});

inline constexpr Option layoutOptions[] = {
    {"--svg", "FILE", "write a picture as SVG; '-' is the standard output"},
    {"--text", "", "print a table to the standard output: the default"},
    {"--bits", "N", "size of an element of shared memory, for its banks; 32 by default"},
};

void compile(const CommandLine &line);
void layout(const CommandLine &line);
void run(const CommandLine &line);

/// The options that both commands share, checked.
tl_compile_options parseCompileOptions(const CommandLine &line);

} // namespace tlc
