// SPDX-License-Identifier: MIT
//
// A kernel as the interpreter runs it: instructions, values, regions and source lines, with nothing
// of MLIR left. Decode.h makes it from TTIR, Interpreter.h runs it, ops/ says what each
// operation means.
//
// The list of instructions of a function is flat; a region names the ranges of it that are its
// blocks, and the instruction that owns the region runs them. A value has a type, known here, and a
// register: the buffer of the running program that holds its elements. Values whose lives do not
// overlap share a register, so a program needs about as much memory as it has values alive at once.
//
//     %1 = arith.addf %0, %0 : tensor<64xf32>     =>   arith.addf  operands {0, 0}  results {1}
#pragma once

#include "interpreter/Operations.h"
#include "support/ElementType.h"
#include "support/SourceLocation.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::backend::interpreter {

/// What an element is. Integers carry no sign: operations do.
enum class Kind : uint8_t {
#define KIND(id, kind, ...) kind,
  TL_INTEGER_TYPES(KIND) // `index` is I64, too
  TL_FLOAT_TYPES(KIND, KIND)
#undef KIND
      Pointer,
  Descriptor
};

/// An element that is a pointer: the address, and the allocation it derives from. The second is
/// what tells an access beyond a buffer from an access to its neighbour. See Memory.h for `origin`,
/// Wraps.h for `wrap`.
struct Pointer {
  uint64_t address = 0;
  uint32_t origin = 0;
  uint32_t wrap = 0;
};

inline constexpr int maxDescriptorRank = 5;

/// An element that is a tensor descriptor.
struct Descriptor {
  Pointer base;
  int64_t shape[maxDescriptorRank] = {};
  int64_t strides[maxDescriptorRank] = {}; // in elements
  int32_t rank = 0;
  bool padWithNan = false;
};

/// Bytes of an element in a register. Integers below 8 bits take a byte and are kept zero-extended.
constexpr size_t bytesOf(Kind kind) {
  constexpr size_t sizes[] = {
#define KIND(id, kind, bytes, ...) bytes,
      TL_INTEGER_TYPES(KIND) TL_FLOAT_TYPES(KIND, KIND)
#undef KIND
          sizeof(Pointer),
      sizeof(Descriptor)};
  return sizes[static_cast<unsigned>(kind)];
}

/// Bytes of an element in memory; a pointer takes its address alone.
constexpr size_t bytesInMemory(Kind kind) { return kind == Kind::Pointer ? 8 : bytesOf(kind); }

constexpr bool isFloat(Kind kind) { return kind >= Kind::F8E4M3FN && kind <= Kind::F64; }
constexpr bool isInteger(Kind kind) { return kind <= Kind::I64; }

/// The name by which a kernel's author knows the type.
const char *nameOf(Kind kind);

/// The static type of a value; scalars have no shape and one element.
struct Type {
  Kind kind = Kind::I32;
  Kind pointee = Kind::I8; // where kind is Pointer
  bool isTensor = false;
  std::vector<int64_t> shape;
  std::vector<int64_t> block; // of a descriptor: the extents of a block
  bool isUnsigned = false;    // of a descriptor: its elements are unsigned integers
  int64_t count = 1;

  size_t elementBytes() const { return bytesOf(kind); }
  size_t bytes() const { return elementBytes() * static_cast<size_t>(count); }
};

using ValueId = uint32_t;
inline constexpr ValueId noValue = ~ValueId(0); // an optional operand that is absent

struct ValueInfo {
  Type type;
  uint32_t reg = 0;
  ValueId exact = noValue; // of an integer that becomes an address: its exact numbers, see Wraps.h
};

/// Where an instruction comes from: a line of the user's source (0 is unknown), and the calls that
/// led there, as messages say it: ", called from main.cpp:20:2".
struct InlinedLocation : SourceLocation {
  std::string calls;
};

/// An operation of a kernel. Operands and results are in the order of its record (.td):
/// `tt.store` has the operands pointer, value, mask. An absent operand is noValue, or left out at
/// the end. The attributes are those that Operation names, in that order; the number of one is its
/// value, 1 for a flag, -1 for what is absent, and 0 for what is no number.
struct Instruction {
  const Operation *operation = nullptr;
  bool tracked = false;      // a result has exact numbers
  uint32_t location = 0;     // index into Program::locations
  uint32_t parameter = 0;    // of an access: that of the kernel from which its pointer is computed,
                             // counted from 1; 0 if that is not known
  uint32_t callee = 0;       // of a call: index into Program::functions
  uint32_t trueOperands = 0; // of a conditional branch: how many go to the first successor
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<uint32_t> regions;             // indices into Function::regions
  std::vector<int64_t> numbers;              // one for each attribute
  std::vector<int64_t> list;                 // of the attribute that is an array of integers
  std::vector<std::vector<int64_t>> extents; // of the attribute that is an array of types
  std::vector<std::string> texts;            // one for each attribute that is a string
  std::vector<std::byte> constant;  // of arith.constant: all elements, or one that fills all
  std::vector<uint32_t> successors; // blocks of the same region, of branches

  /// Operand `i`, or noValue where the last ones are absent.
  ValueId operand(size_t i) const { return i < operands.size() ? operands[i] : noValue; }
};

/// Carried out where a value is made of which something was promised. Numbers: a Hint, then for
/// each axis what it says and the run.
inline constexpr const char *checkHintName = "check_hint";

/// What a hint promises of the runs of an axis; see analysis/AxisInfo.h.
enum class Hint : uint8_t { Divisibility, Contiguity, Constancy };

struct Block {
  std::vector<ValueId> arguments;
  uint32_t first = 0; // instructions first .. first + count - 1; the last is the terminator
  uint32_t count = 0;
};

/// A scalar from outside that a region uses: `outer` is copied to `inner` before the region runs.
struct Capture {
  ValueId outer = 0;
  ValueId inner = 0;
};

struct Region {
  std::vector<Block> blocks;
  /// Each instruction works element by element, so the region, written on scalars, may be run on
  /// many of them at once. Its captures are listed then.
  bool elementwise = false;
  std::vector<Capture> captures;
};

struct Function {
  std::vector<ValueInfo> values;
  std::vector<Instruction> instructions;
  std::vector<Region> regions; // the first is the body
  uint32_t registers = 0;
};

struct Program {
  std::string name;
  std::vector<std::string> parameterNames; // as the user wrote them, or empty
  std::vector<uint32_t> memoryGroups;      // of parameters; equal: may alias; 0: no pointer
  std::vector<Function> functions;         // the first is the kernel
  bool hasGridBarrier = false; // its programs run cooperatively: see CooperativeScheduler.h
  std::vector<InlinedLocation> locations;
};

} // namespace tl::backend::interpreter
