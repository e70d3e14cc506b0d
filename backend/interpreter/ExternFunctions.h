// SPDX-License-Identifier: MIT
//
// The external functions to which the interpreter can give a meaning: those of libdevice, by
// NVIDIA's symbols (`__nv_sinf`) and AMD's (`__ocml_sin_f32`). A function is a small plain function
// on scalars; ops/Extern.cpp finds it by symbol and applies it to every lane. The tables are in
// ops/ExternFloats.cpp and ops/ExternIntegers.cpp.
#pragma once

#include "arithmetic/MathFunctions.h"
#include "interpreter/Program.h"

#include <cfenv>
#include <string>
#include <variant>
#include <vector>

namespace tl::backend::interpreter {

// Functions of floats: computed in double, rounded once to the operands' type.
using Float1 = double (*)(double);
using Float2 = double (*)(double, double);
using Float3 = double (*)(double, double, double);
using Float4 = double (*)(double, double, double, double);
using FloatInt = double (*)(double, int64_t); // ldexp
using IntFloat = double (*)(int64_t, double); // jn
using FloatToInt = int64_t (*)(double);       // ilogb, isnan

/// Everything else: operands and result as bit patterns, in the low bits; floats by their encoding.
using Bits = uint64_t (*)(const uint64_t *operands);

struct ExternFunction {
  const char *name;
  std::variant<Float1, Float2, Float3, Float4, FloatInt, IntFloat, FloatToInt, Bits> function;
  std::vector<Kind> operands = {}; // of Bits functions
  Kind result = Kind::I32;         //
};

/// By name without prefix and suffix: "sin" stands for __nv_sin, __nv_sinf, __ocml_sin_f64 ….
const std::vector<ExternFunction> &floatFunctions();
/// What a function of the table computes on doubles, of as many operands as it has. Its function is
/// null where it has no meaning on them.
const ExternFunction &referenceOf(MathFunction function);
/// By NVIDIA's name without the prefix and without the rounding ("_rn"): "clz", "fadd",
/// "float2int".
const std::vector<ExternFunction> &bitFunctions();

struct ExternCall {
  const ExternFunction *function = nullptr; // null: there is none
  int direction = FE_TONEAREST;             // how the machine rounds while it runs, of <cfenv>
};

/// The function with the symbol that takes these operands and gives this result.
ExternCall findExtern(const std::string &symbol, const std::vector<Kind> &operands, Kind result);

} // namespace tl::backend::interpreter
