// SPDX-License-Identifier: MIT
//
// The element types that tensors have, as one table: what the code generators, the interpreter and
// printing enumerate is written from it.
#pragma once

#include <cstdint>

/// The floats, with their names: of TTIR, of the interpreter, of the language and of MLIR's class;
/// for those below float their size and encoding.
///
///     SMALL(id, Kind, bytes, "name in tl", MLIR class, impl::float_format)
///     WIDE(id, Kind, bytes, "name in tl", MLIR class, C++ type)
#define TL_FLOAT_TYPES(SMALL, WIDE)                                                                \
  SMALL(f8E4M3FN, F8E4M3FN, 1, "float8e4nv", Float8E4M3FNType, f8e4nv_format)                      \
  SMALL(f8E5M2, F8E5M2, 1, "float8e5", Float8E5M2Type, f8e5_format)                                \
  SMALL(f8E4M3FNUZ, F8E4M3FNUZ, 1, "float8e4b8", Float8E4M3FNUZType, f8e4b8_format)                \
  SMALL(f8E5M2FNUZ, F8E5M2FNUZ, 1, "float8e5b16", Float8E5M2FNUZType, f8e5b16_format)              \
  SMALL(f16, F16, 2, "float16", Float16Type, f16_format)                                           \
  SMALL(bf16, BF16, 2, "bfloat16", BFloat16Type, bf16_format)                                      \
  WIDE(f32, F32, 4, "float", Float32Type, float)                                                   \
  WIDE(f64, F64, 8, "double", Float64Type, double)

/// INTEGER(id, Kind, bytes, "name in tl", bits); their sign is an operation's.
#define TL_INTEGER_TYPES(INTEGER)                                                                  \
  INTEGER(i1, I1, 1, "bool", 1)                                                                    \
  INTEGER(i4, I4, 1, "int4", 4)                                                                    \
  INTEGER(i8, I8, 1, "int8", 8)                                                                    \
  INTEGER(i16, I16, 2, "int16", 16)                                                                \
  INTEGER(i32, I32, 4, "int32", 32)                                                                \
  INTEGER(i64, I64, 8, "int64", 64)

namespace tl::backend {

/// A floating format. In LLVM IR the formats of 8 and 16 bits travel as plain bits, i8 and i16 (not
/// half or bfloat, whose selection differs between processors), f32 as float and f64 as double.
enum class FloatFormat : uint8_t {
#define FLOAT(id, ...) id,
  TL_FLOAT_TYPES(FLOAT, FLOAT)
#undef FLOAT
};

/// The size in memory.
constexpr unsigned bitWidth(FloatFormat format) {
  constexpr unsigned widths[] = {
#define FLOAT(id, kind, bytes, ...) 8 * bytes,
      TL_FLOAT_TYPES(FLOAT, FLOAT)
#undef FLOAT
  };
  return widths[static_cast<unsigned>(format)];
}

} // namespace tl::backend
