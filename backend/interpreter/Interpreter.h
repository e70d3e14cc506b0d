// SPDX-License-Identifier: MIT
//
// Runs the programs of a grid one after another, x fastest, each instruction on whole tensors.
//
// An instruction is carried out by its handler, a plain function of ops/<group>.cpp that reads the
// elements of its operands and writes those of its results through the Machine. Elements lie dense
// and row-major. Handlers of instructions that own regions call `run`, which carries out blocks and
// returns the terminator at which it stopped.
//
// *Lanes.* The regions of reduce, scan and map_elementwise are written on scalars. Where such a
// region holds elementwise instructions only, it runs once on many scalars: `lanes` is their
// number, and an elementwise handler works on `count()` = static count × lanes elements. Everywhere
// else it is 1.
#pragma once

#include "interpreter/AliasTracker.h"
#include "interpreter/Program.h"
#include "interpreter/Races.h"
#include "interpreter/Wraps.h"
#include "targets/Target.h"

#include <memory>
#include <span>
#include <string>

namespace tl::backend::interpreter {

class Machine;
class CooperativeProgram;

/// The elements of a register: 64-byte aligned, growing.
class Buffer {
public:
  std::byte *data() { return storage.get(); }
  const std::byte *data() const { return storage.get(); }
  /// Room for `bytes`; what was there is lost if it grows.
  std::byte *reserve(size_t bytes);

private:
  struct Free {
    void operator()(std::byte *pointer) const;
  };
  std::unique_ptr<std::byte, Free> storage;
  size_t capacity = 0;
};

/// A function in execution.
struct Frame {
  explicit Frame(const Function &function)
      : function(function), registers(function.registers), wrapped(function.values.size()) {}
  const Function &function;
  std::vector<Buffer> registers;
  std::vector<uint8_t> wrapped; // by exact value: is it known because something wrapped?
};

struct Options {
  bool debug = false;     // device assertions are live
  uint64_t stepLimit = 0; // instructions that one program may carry out
};

class Machine {
public:
  Machine(const Program &program, Memory &memory, const Options &options);
  /// A machine for one of several programs that run cooperatively; they share what finds races.
  Machine(Machine &first, CooperativeProgram &scheduled);

  /// Runs the grid. `arguments` as in Device::launch. Throws Error for the first error found.
  void launch(Grid grid, void *const *arguments);

  // ---- What handlers use

  const Type &type(ValueId value) const { return frame->function.values[value].type; }
  size_t count(ValueId value) const { return static_cast<size_t>(type(value).count) * lanes; }

  template <class T = std::byte> const T *read(ValueId value) {
    return reinterpret_cast<const T *>(registerOf(value).data());
  }
  /// The elements of a result, room made for them.
  template <class T = std::byte> T *write(ValueId value) {
    return reinterpret_cast<T *>(registerOf(value).reserve(type(value).bytes() * lanes));
  }
  Buffer &registerOf(ValueId value) { return frame->registers[frame->function.values[value].reg]; }

  /// An integer scalar, sign-extended.
  int64_t integer(ValueId value);

  const Instruction *instructions() const { return frame->function.instructions.data(); }
  const Region &region(const Instruction &instruction, size_t index) const {
    return frame->function.regions[instruction.regions[index]];
  }
  // Exact numbers (Wraps.h) of the integers that have a place for them.
  ValueId exactId(ValueId value) const { return frame->function.values[value].exact; }
  /// Null where nothing wrapped.
  const Exact *exact(ValueId value) {
    const ValueId id = exactId(value);
    return id != noValue && frame->wrapped[id] ? read<Exact>(id) : nullptr;
  }
  Exact *writeExact(ValueId value) {
    const ValueId id = exactId(value);
    frame->wrapped[id] = 1;
    return write<Exact>(id);
  }
  void forgetExact(ValueId value) {
    if (const ValueId id = exactId(value); id != noValue)
      frame->wrapped[id] = 0;
  }
  /// The number by which exact values and pointers name the place.
  uint32_t noteWrap(const Wrap &wrap);
  const Wrap &wrapOf(uint32_t number) const { return wraps[number - 1]; }

  void handle(const Instruction &instruction) {
    instruction.operation->handler(*this, instruction);
  }

  /// Carries out the region from its first block on. The arguments have been assigned.
  const Instruction &run(const Region &region);
  /// Copies values to others of the same types, as if at once.
  void assign(std::span<const ValueId> to, std::span<const ValueId> from);

  /// Applies a region on scalars to `n` of each argument. Arguments and results are arrays of
  /// elements; `results` may not overlap `arguments`.
  void apply(const Region &region, std::span<const std::byte *const> arguments, size_t n,
             std::span<std::byte *const> results);

  /// Carries out another function of the program.
  void call(uint32_t callee, std::span<const ValueId> operands, std::span<const ValueId> results);

  /// Writes what device_print left to stdout.
  void flushPrinted();

  /// Throws the error with the line of the running instruction; `program` tells whether the
  /// message is to name the program.
  [[noreturn]] void fail(tl_status status, const std::string &message,
                         const std::string &help = {}) const;
  /// " of program (1, 0, 0)".
  std::string programName() const;

  Memory &memory;
  const Program &program;
  const Options &options;
  RaceTracker &races;
  AliasTracker aliases;
  Grid grid;
  uint32_t programId[3] = {};
  size_t lanes = 1;
  uint64_t memoryVersion = 0; // counts the changes of memory, to see loops that wait for ever
  std::vector<Pointer> pointerArguments; // one a parameter; {} for the others
  std::string printed;                   // output of device_print not yet written
  const Instruction *current = nullptr;
  const Instruction *innermostLoop = nullptr;

  /// What tl::grid_barrier does: lets the other programs come here. See CooperativeScheduler.h.
  void meetGrid();

private:
  friend class CooperativeProgram;
  friend class CooperativeScheduler;
  Machine(const Program &program, Memory &memory, const Options &options,
          std::unique_ptr<RaceTracker> tracker);
  /// Makes ready for the program at programId; `first`: no program of the launch has begun yet.
  void enterProgram(void *const *arguments, bool first);
  void runProgram();
  void countSteps(uint64_t n);
  void assignExact(std::span<const ValueId> to, std::span<const ValueId> from);

  std::unique_ptr<RaceTracker> ownRaces;
  CooperativeProgram *scheduled = nullptr;
  Frame *frame = nullptr;
  std::vector<std::vector<std::unique_ptr<Frame>>> frames; // by function, by depth
  std::vector<uint32_t> depths;
  std::vector<Buffer> scratch;
  std::vector<Wrap> wraps; // of the running program, one a place
  uint64_t steps = 0;
  uint32_t depth = 0;
};

/// The position of an element as "(1, 2)", or "" of a scalar.
std::string positionOf(const Type &type, size_t element);

/// The name of a buffer for a message: `the buffer passed as "x"`.
std::string describe(const Machine &machine, const Allocation &allocation);

} // namespace tl::backend::interpreter
