// SPDX-License-Identifier: MIT
//
// The instructions of the interpreter, by op group, with the operands and attributes of each. Where
// the table says nothing, operands, results and attributes are those of the operation of TTIR in
// the order in which TTIR prints them. `numbers` and `texts` are the fields of Instruction.
#pragma once

#include <cstdint>

namespace tl::backend::interpreter {

enum class Opcode : uint16_t {
  // ---- creation
  Constant,  // Instruction::constant
  Poison,    // zeros
  MakeRange, // numbers: start
  Splat,
  ProgramId,   // numbers: axis
  NumPrograms, // numbers: axis

  // ---- elementwise: integers
  AddInt,
  SubInt,
  MulInt,
  DivSigned,
  DivUnsigned,
  CeilDivSigned,
  CeilDivUnsigned,
  FloorDivSigned,
  RemSigned,
  RemUnsigned,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
  MaxSigned,
  MaxUnsigned,
  MinSigned,
  MinUnsigned,
  MulHighUnsigned,
  AddExtended,         // results: sum, carry
  MulExtendedSigned,   // results: low, high
  MulExtendedUnsigned, // results: low, high
  AbsInt,
  CountLeadingZeros,
  CountTrailingZeros,
  PopulationCount,
  PowInt,
  CompareInt, // numbers: arith's predicate
  Select,     // the condition is a scalar or a tensor

  // ---- elementwise: floats
  AddFloat,
  SubFloat,
  MulFloat,
  DivFloat,
  RemFloat,
  MaxNumber,    // the operand that is not NaN wins
  MinNumber,    //
  MaxPropagate, // NaN wins
  MinPropagate, //
  CopySign,
  NegFloat,
  AbsFloat,
  Fma,
  Clamp,        // numbers: 1 if NaN wins
  CompareFloat, // numbers: arith's predicate
  MathUnary,    // numbers: a MathFunction
  MathBinary,   // numbers: a MathFunction
  PowFloatInt,  // math.fpowi
  SinCos,       // results: sine, cosine
  Classify,     // numbers: 0 finite, 1 infinite, 2 NaN, 3 normal
  Extern,       // a function of libdevice; texts: symbol

  // ---- elementwise: casts
  TruncInt,
  ExtendSigned,
  ExtendUnsigned,
  FloatToFloat, // numbers: 0 to nearest even, 1 toward zero
  SignedToFloat,
  UnsignedToFloat,
  FloatToSigned,
  FloatToUnsigned,
  Bitcast,
  IntToPointer,
  PointerToInt,
  AddPointer,

  // ---- memory
  Load,              // operands: pointer, mask, other (noValue if absent); numbers: 1 if volatile,
                     // the parameter of the pointer, from 1, or 0
  Store,             // operands: pointer, value, mask; numbers: the parameter likewise
  AtomicRmw,         // operands: pointer, value, mask; numbers: RMWOp, MemSemantic
  AtomicCas,         // operands: pointer, compare, value, mask; numbers: MemSemantic
  AtomicPoll,        // operands: pointer, expected, timeout; numbers: MemSemantic
  AtomicLoad,        // operands: pointer, mask; numbers: MemSemantic
  AtomicStore,       // operands: pointer, value, mask; numbers: MemSemantic
  MakeDescriptor,    // operands: base, shape..., strides...; numbers: rank, 1 to pad with NaN
  DescriptorLoad,    // operands: descriptor, indices...; numbers: block shape
  DescriptorStore,   // operands: descriptor, value, indices...; numbers: block shape
  DescriptorReduce,  // operands as of the store; numbers: kind, 1 if signed, block shape
  DescriptorGather,  // operands: descriptor, x offsets, y offset; numbers: block shape
  DescriptorScatter, // operands: descriptor, x offsets, y offset, value; numbers: block shape

  // ---- reduction
  Reduce,    // numbers: axis
  Scan,      // numbers: axis, 1 if reverse
  Histogram, // operands: source, mask

  // ---- linear_algebra
  Dot,       // operands: a, b, c; numbers: 1 if inputs are rounded to tf32
  DotScaled, // operands: a, a scale, b, b scale, c; numbers: formats of a and b, k-packed a and b

  // ---- shaping
  Copy, // reshape, expand_dims, unsplat: the elements stay in row-major order
  Broadcast,
  Transpose, // numbers: order
  Join,
  Split,
  Gather, // numbers: axis

  // ---- control_flow
  For,   // operands: lower, upper, step, initial values; numbers: 1 if unsigned; regions: body
  If,    // operands: condition; regions: then, else (maybe without blocks)
  While, // operands: initial values; regions: before, after
  MapElementwise, // numbers: pack
  Call,           // numbers: index into Program::functions
  GridBarrier,

  // Terminators: the last of a block, read by whoever runs the region.
  Yield,      // also every `return` and the other ends of a region
  Condition,  // operands: condition, values
  Branch,     // operands: arguments of the successor
  CondBranch, // operands: condition, arguments of both; numbers: count of the first's arguments

  // ---- debug
  Print,     // numbers: 1 if hexadecimal, then 1 per operand that is signed; texts: prefix
  Assert,    // operands: condition; texts: message
  Assume,    // operands: condition
  CheckHint, // operands: value; numbers: a Hint, then for each axis what it says and the run
  Barrier,
  Nothing,

  Count_
};

inline constexpr unsigned opcodeCount = static_cast<unsigned>(Opcode::Count_);

/// What a hint promises of the runs of an axis; see analysis/AxisInfo.h.
enum class Hint : uint8_t { Divisibility, Contiguity, Constancy };

} // namespace tl::backend::interpreter
