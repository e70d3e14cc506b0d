// SPDX-License-Identifier: MIT
//
// The loop over the grid, over blocks and over instructions, and what regions and calls need.
#include "interpreter/Interpreter.h"

#include "interpreter/CooperativeScheduler.h"
#include "support/Fork.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tl::backend::interpreter {

namespace {

constexpr uint32_t deepestCall = 256;

} // namespace

const char *nameOf(Kind kind) {
  static constexpr const char *names[] = {
#define KIND(id, kind, bytes, name, ...) name,
      TL_INTEGER_TYPES(KIND) TL_FLOAT_TYPES(KIND, KIND)
#undef KIND
          "pointer",
      "tensor descriptor"};
  return names[static_cast<unsigned>(kind)];
}

// ---- Buffers

void Buffer::Free::operator()(std::byte *pointer) const { std::free(pointer); }

std::byte *Buffer::reserve(size_t bytes) {
  if (bytes <= capacity)
    return storage.get();
  const size_t rounded = (bytes + 63) / 64 * 64;
  storage.reset();
  capacity = 0;
  storage.reset(static_cast<std::byte *>(std::aligned_alloc(64, rounded)));
  if (!storage)
    throw Error(TL_OUT_OF_RESOURCES, "the interpreter has no memory left for a tensor")
        .onDevice("interpreter")
        .exceeding(rounded, 0);
  capacity = rounded;
  return storage.get();
}

// ---- The grid

Machine::Machine(const Program &program, Memory &memory, const Options &options)
    : Machine(program, memory, options, std::make_unique<RaceTracker>()) {}

Machine::Machine(const Program &program, Memory &memory, const Options &options,
                 std::unique_ptr<RaceTracker> tracker)
    : memory(memory), program(program), options(options), races(*tracker),
      ownRaces(std::move(tracker)), frames(program.functions.size()),
      depths(program.functions.size(), 0) {}

Machine::Machine(Machine &first, CooperativeProgram &scheduled)
    : memory(first.memory), program(first.program), options(first.options), races(first.races),
      grid(first.grid), scheduled(&scheduled), frames(program.functions.size()),
      depths(program.functions.size(), 0) {}

void Machine::launch(Grid launched, void *const *arguments) {
  // What was printed before an error was found is shown too.
  struct Flush {
    Machine &machine;
    ~Flush() {
      if (!machine.printed.empty())
        machine.flushPrinted();
    }
  } flush{*this};
  grid = launched;
  const uint64_t programs = static_cast<uint64_t>(grid.x) * grid.y; // at most 2^64 - 2^33 + 1
  uint64_t total = 0;
  if (__builtin_mul_overflow(programs, static_cast<uint64_t>(grid.z), &total))
    total = ~uint64_t(0);
  memory.forgetMapped();
  if (program.hasGridBarrier && total > 1)
    return CooperativeScheduler(*this, total).run(arguments);

  races.beginLaunch(memory, total);
  uint64_t index = 0;
  for (programId[2] = 0; programId[2] < grid.z; ++programId[2])
    for (programId[1] = 0; programId[1] < grid.y; ++programId[1])
      for (programId[0] = 0; programId[0] < grid.x; ++programId[0]) {
        enterProgram(arguments, index == 0);
        races.beginProgram(index++);
        runProgram();
      }
}

void Machine::enterProgram(void *const *arguments, bool first) {
  const Function &kernel = program.functions[0];
  const std::vector<ValueId> &parameters = kernel.regions[0].blocks[0].arguments;
  if (frames[0].empty())
    frames[0].push_back(std::make_unique<Frame>(kernel));
  if (first) {
    std::fill(depths.begin(), depths.end(), 0);
    depths[0] = 1; // the kernel itself
    pointerArguments.assign(parameters.size(), Pointer());
  }
  frame = frames[0][0].get();
  lanes = 1;
  depth = 0;
  innermostLoop = nullptr;
  // A program may have given the register of an argument to another value: set them anew.
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type &parameter = type(parameters[i]);
    if (parameter.kind == Kind::Pointer) {
      Pointer pointer;
      std::memcpy(&pointer.address, arguments[i], sizeof pointer.address);
      pointer.origin = first ? memory.originOf(pointer.address) : pointerArguments[i].origin;
      pointerArguments[i] = pointer;
      *write<Pointer>(parameters[i]) = pointer;
    } else {
      std::memcpy(write(parameters[i]), arguments[i], parameter.bytes());
      if (parameter.kind == Kind::I1) {
        uint8_t &flag = *write<uint8_t>(parameters[i]);
        flag = flag != 0;
      }
    }
  }
  if (first)
    aliases.beginLaunch(program, pointerArguments);
  aliases.forget();
}

void Machine::meetGrid() {
  aliases.forget();
  if (!scheduled)
    return; // this program is the whole grid
  scheduled->yield();
  ++memoryVersion; // the others have run
}

void Machine::runProgram() {
  steps = 0;
  wraps.clear();
  run(frame->function.regions[0]);
}

void Machine::flushPrinted() {
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  std::fflush(stdout);
  printed.clear();
}

// ---- Regions

const Instruction &Machine::run(const Region &region) {
  const Function &function = frame->function;
  const Block *block = &region.blocks[0];
  while (true) {
    const Instruction *instruction = &function.instructions[block->first];
    const Instruction *const last = instruction + block->count - 1;
    countSteps(block->count);
    for (; instruction != last; ++instruction) {
      current = instruction;
      letForkPass();
      handle(*instruction);
      if (instruction->tracked)
        trackWraps(*this, *instruction);
    }
    current = last;
    const std::span<const ValueId> operands(last->operands);
    size_t chosen = 0, first = 0, passed = 0;
    if (last->successors.empty())
      return *last;
    if (last->successors.size() == 1) {
      passed = operands.size();
    } else {
      const bool condition = *read<uint8_t>(operands[0]) != 0;
      chosen = condition ? 0 : 1;
      first = condition ? 1 : 1 + last->trueOperands;
      passed = condition ? last->trueOperands : operands.size() - 1 - last->trueOperands;
    }
    const Block *next = &region.blocks[last->successors[chosen]];
    assign(next->arguments, operands.subspan(first, passed));
    block = next;
  }
}

void Machine::countSteps(uint64_t n) {
  steps += n;
  if (steps <= options.stepLimit)
    return;
  if (innermostLoop)
    current = innermostLoop;
  fail(TL_RUNTIME_ERROR,
       "a program took more than " + std::to_string(options.stepLimit) +
           " steps, so a loop of the kernel may never end" + programName(),
       "if the loop is meant to be that long, raise TL_INTERPRETER_STEPS");
}

void Machine::assign(std::span<const ValueId> to, std::span<const ValueId> from) {
  // A source may be the target of an earlier copy (values that swap): then all go through scratch.
  const std::vector<ValueInfo> &values = frame->function.values;
  assignExact(to, from);
  bool overlap = false;
  for (size_t i = 0; i < to.size() && !overlap; ++i)
    for (size_t j = i + 1; j < from.size(); ++j)
      overlap |= values[to[i]].reg == values[from[j]].reg;
  if (overlap) {
    if (scratch.size() < from.size())
      scratch.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      std::memcpy(scratch[i].reserve(type(from[i]).bytes() * lanes), read(from[i]),
                  type(from[i]).bytes() * lanes);
    for (size_t i = 0; i < to.size(); ++i)
      std::memcpy(write(to[i]), scratch[i].data(), type(to[i]).bytes() * lanes);
    return;
  }
  for (size_t i = 0; i < to.size(); ++i)
    if (values[to[i]].reg != values[from[i]].reg)
      std::memcpy(write(to[i]), read(from[i]), type(to[i]).bytes() * lanes);
}

void Machine::assignExact(std::span<const ValueId> to, std::span<const ValueId> from) {
  bool any = false;
  for (size_t i = 0; i < to.size(); ++i)
    any |= exactId(to[i]) != noValue && exact(from[i]);
  std::vector<std::vector<Exact>> numbers(any ? to.size() : 0); // as if at once
  for (size_t i = 0; i < numbers.size(); ++i)
    if (const Exact *known = exactId(to[i]) == noValue ? nullptr : exact(from[i]))
      numbers[i].assign(known, known + count(from[i]));
  for (size_t i = 0; i < to.size(); ++i)
    if (any && !numbers[i].empty())
      std::copy(numbers[i].begin(), numbers[i].end(), writeExact(to[i]));
    else
      forgetExact(to[i]);
}

uint32_t Machine::noteWrap(const Wrap &wrap) {
  for (size_t i = 0; i < wraps.size(); ++i)
    if (wraps[i].instruction == wrap.instruction)
      return static_cast<uint32_t>(i + 1);
  wraps.push_back(wrap);
  return static_cast<uint32_t>(wraps.size());
}

void Machine::apply(const Region &region, std::span<const std::byte *const> arguments, size_t n,
                    std::span<std::byte *const> results) {
  const std::vector<ValueId> &parameters = region.blocks[0].arguments;
  const Instruction *const owner = current;
  const size_t outerLanes = lanes;
  const size_t step = region.elementwise ? n : 1;
  lanes = 1;
  for (const Capture &capture : region.captures) {
    const size_t bytes = type(capture.outer).bytes();
    const std::byte *source = read(capture.outer);
    lanes = step;
    std::byte *target = write(capture.inner);
    lanes = 1;
    for (size_t i = 0; i < step; ++i)
      std::memcpy(target + i * bytes, source, bytes);
  }
  lanes = step;
  for (size_t done = 0; done < n; done += step) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const size_t bytes = type(parameters[i]).bytes();
      std::memcpy(write(parameters[i]), arguments[i] + done * bytes, step * bytes);
    }
    const Instruction &end = run(region);
    for (size_t i = 0; i < results.size(); ++i) {
      const size_t bytes = type(end.operands[i]).bytes();
      std::memcpy(results[i] + done * bytes, read(end.operands[i]), step * bytes);
    }
  }
  lanes = outerLanes;
  current = owner;
}

void Machine::call(uint32_t callee, std::span<const ValueId> operands,
                   std::span<const ValueId> results) {
  if (++depth > deepestCall)
    fail(TL_RUNTIME_ERROR, "device functions call each other more than " +
                               std::to_string(deepestCall) + " deep" + programName());
  std::vector<std::unique_ptr<Frame>> &stack = frames[callee];
  if (stack.size() == depths[callee])
    stack.push_back(std::make_unique<Frame>(program.functions[callee]));
  Frame *const inner = stack[depths[callee]++].get();
  Frame *const outer = frame;
  const Instruction *const caller = current;
  const Region &body = inner->function.regions[0];
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t bytes = type(operands[i]).bytes();
    const std::byte *source = read(operands[i]);
    frame = inner;
    std::memcpy(write(body.blocks[0].arguments[i]), source, bytes);
    frame = outer;
  }
  frame = inner;
  const Instruction &end = run(body);
  for (size_t i = 0; i < results.size(); ++i) {
    const std::byte *source = read(end.operands[i]);
    frame = outer;
    std::memcpy(write(results[i]), source, type(results[i]).bytes());
    frame = inner;
  }
  frame = outer;
  current = caller;
  --depths[callee];
  --depth;
}

int64_t Machine::integer(ValueId value) {
  switch (type(value).kind) {
  case Kind::I1:
    return *read<uint8_t>(value);
  case Kind::I4:
    return static_cast<int64_t>(*read<uint8_t>(value) ^ 8) - 8;
  case Kind::I8:
    return *read<int8_t>(value);
  case Kind::I16:
    return *read<int16_t>(value);
  case Kind::I32:
    return *read<int32_t>(value);
  default:
    return *read<int64_t>(value);
  }
}

} // namespace tl::backend::interpreter
