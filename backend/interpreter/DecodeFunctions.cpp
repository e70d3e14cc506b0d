// SPDX-License-Identifier: MIT
//
// Functions, regions, blocks and values. A region of one block gives registers back after the last
// use of their value, where a use inside a nested region counts as one by the operation of this
// block that holds it. In a region of several blocks values keep their registers to its end.
#include "interpreter/Decode.h"
#include "interpreter/Decoder.h"
#include "passes/Passes.h"

#include "dialect/Hints.h"
#include "dialect/ParsedSource.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>

using namespace mlir;

namespace tl::backend::interpreter {

uint32_t RegisterPool::take(size_t bytes) {
  std::vector<uint32_t> &free = available[classOf(bytes)];
  if (free.empty())
    return total++;
  const uint32_t reg = free.back();
  free.pop_back();
  return reg;
}

// ---- Types

static Kind kindOf(mlir::Type type, mlir::Operation *user) {
  if (isa<tt::PointerType>(type))
    return Kind::Pointer;
  if (isa<tt::TensorDescType>(type))
    return Kind::Descriptor;
  if (type.isIndex())
    return Kind::I64;
#define INTEGER(id, kind, bytes, name, bits)                                                       \
  if (type.isInteger(bits))                                                                        \
    return Kind::kind;
#define FLOAT(id, kind, bytes, name, class, ...)                                                   \
  if (isa<class>(type))                                                                            \
    return Kind::kind;
  TL_INTEGER_TYPES(INTEGER)
  TL_FLOAT_TYPES(FLOAT, FLOAT)
#undef INTEGER
#undef FLOAT
  throw tt::errorAt(user, "the interpreter does not know the type of a value", TL_UNSUPPORTED);
}

Type Decoder::typeOf(mlir::Type type, mlir::Operation *user) {
  Type result;
  mlir::Type element = type;
  if (auto descriptor = dyn_cast<tt::TensorDescType>(type)) {
    result.block.assign(descriptor.getShape().begin(), descriptor.getShape().end());
    result.isUnsigned = descriptor.getElementType().isUnsignedInteger();
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    result.isTensor = true;
    result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    result.count = tensor.getNumElements();
    element = tensor.getElementType();
  }
  result.kind = kindOf(element, user);
  if (auto pointer = dyn_cast<tt::PointerType>(element))
    result.pointee = kindOf(pointer.getPointeeType(), user);
  return result;
}

// ---- Locations

uint32_t Decoder::locationOf(Location loc) {
  auto [it, isNew] = locations.try_emplace(loc, static_cast<uint32_t>(program.locations.size()));
  if (isNew) {
    program.locations.push_back({tt::sourceLocationOf(loc), tt::callsOf(loc)});
  }
  return it->second;
}

// ---- Values

ValueId Decoder::define(Value value, mlir::Operation *owner) {
  const ValueId id = static_cast<ValueId>(function.values.size());
  ValueInfo info;
  info.type = typeOf(value.getType(), owner);
  info.reg = registers.take(info.type.bytes());
  function.values.push_back(std::move(info));
  values[value] = id;
  return id;
}

ValueId Decoder::use(Value value) const {
  if (!value)
    return noValue;
  auto found = values.find(value);
  if (found == values.end())
    throw Error(TL_INTERNAL_ERROR, "a value is used before it is made");
  return found->second;
}

void Decoder::useAll(Instruction &instruction, ValueRange range) {
  for (Value value : range)
    instruction.operands.push_back(use(value));
}

// ---- Regions

uint32_t Decoder::decodeRegion(mlir::Region &region) {
  const uint32_t index = static_cast<uint32_t>(function.regions.size());
  function.regions.emplace_back();
  if (region.empty())
    return index;
  mlir::Operation *owner = region.getParentOp();
  std::vector<Block> blocks(std::distance(region.begin(), region.end()));
  uint32_t next = 0;
  for (mlir::Block &block : region) {
    blockIndices[&block] = next;
    for (BlockArgument argument : block.getArguments())
      blocks[next].arguments.push_back(define(argument, owner));
    ++next;
  }
  function.regions[index].blocks = std::move(blocks);
  // Values come before their uses in this order, whatever the text's is. Blocks that nobody comes
  // to stay empty.
  const bool single = region.hasOneBlock();
  const llvm::ReversePostOrderTraversal<mlir::Region *> order(&region);
  for (mlir::Block *block : order)
    decodeBlock(*block, index, blockIndices[block], single);
  if (!single)
    for (mlir::Block *block : order) {
      auto give = [&](Value value) {
        const ValueInfo &info = function.values[use(value)];
        registers.give(info.type.bytes(), info.reg);
      };
      for (BlockArgument argument : block->getArguments())
        give(argument);
      for (mlir::Operation &op : *block)
        for (Value result : op.getResults())
          give(result);
    }
  return index;
}

/// What was promised of a value is checked wherever it is made: an instruction for each hint.
void Decoder::checkHints(Value value, DictionaryAttr attributes,
                         std::vector<Instruction> &instructions) {
  const Type &type = function.values[use(value)].type;
  if (!attributes || !(isInteger(type.kind) || type.kind == Kind::Pointer))
    return;
  for (auto [hint, name] : {std::pair(Hint::Divisibility, tt::divisibilityName),
                            std::pair(Hint::Contiguity, tt::contiguityName),
                            std::pair(Hint::Constancy, tt::constancyName)}) {
    const auto said = tt::hintNumbers(attributes.get(name));
    if (said.empty() || llvm::all_of(said, [](int64_t number) { return number <= 1; }))
      continue;
    Instruction check;
    check.operation = findOperation(checkHintName);
    check.location = locationOf(value.getLoc());
    check.operands = {use(value)};
    check.numbers = {static_cast<int64_t>(hint)};
    for (size_t axis = 0; axis < std::max<size_t>(1, type.shape.size()); ++axis) {
      const int64_t number = said[std::min(axis, said.size() - 1)];
      check.numbers.push_back(number);
      int64_t run = number;
      // The first of each run is a multiple, and how long runs are is what compilers find.
      if (hint == Hint::Divisibility && type.isTensor) {
        if (!axes)
          axes = std::make_unique<AxisInfoAnalysis>(
              value.getParentRegion()->getParentOfType<ModuleOp>());
        run = axes->of(value).contiguity[axis];
      }
      check.numbers.push_back(run);
    }
    instructions.push_back(std::move(check));
  }
}

void Decoder::decodeBlock(mlir::Block &block, uint32_t region, uint32_t blockIndex,
                          bool reuseRegisters) {
  // The values that die at each operation; those that live to the end die at the terminator.
  llvm::DenseMap<mlir::Operation *, SmallVector<Value>> dying;
  if (reuseRegisters) {
    auto enter = [&](Value value, mlir::Operation *definition) {
      mlir::Operation *last = definition;
      for (mlir::Operation *user : value.getUsers()) {
        mlir::Operation *here = block.findAncestorOpInBlock(*user);
        if (here && (!last || last->isBeforeInBlock(here)))
          last = here;
      }
      dying[last ? last : block.getTerminator()].push_back(value);
    };
    for (BlockArgument argument : block.getArguments())
      enter(argument, nullptr);
    for (mlir::Operation &op : block)
      for (Value result : op.getResults())
        enter(result, &op);
  }

  // Nested regions enter their instructions while this block is decoded: collect, then append.
  std::vector<Instruction> instructions;
  if (auto entry = dyn_cast<tt::FuncOp>(block.getParentOp()); entry && block.isEntryBlock())
    for (BlockArgument argument : block.getArguments())
      checkHints(argument, entry.getArgAttrDict(argument.getArgNumber()), instructions);
  for (mlir::Operation &op : block) {
    Instruction instruction;
    instruction.location = locationOf(op.getLoc());
    for (Value result : op.getResults())
      instruction.results.push_back(define(result, &op));
    decodeOperation(&op, instruction);
    instructions.push_back(std::move(instruction));
    if (op.getNumResults() == 1)
      checkHints(op.getResult(0), op.getDiscardableAttrDictionary(), instructions);
    for (Value value : dying.lookup(&op)) {
      const ValueInfo &info = function.values[use(value)];
      registers.give(info.type.bytes(), info.reg);
    }
  }
  Block &decoded = function.regions[region].blocks[blockIndex];
  decoded.first = static_cast<uint32_t>(function.instructions.size());
  decoded.count = static_cast<uint32_t>(instructions.size());
  std::move(instructions.begin(), instructions.end(), std::back_inserter(function.instructions));
}

/// A region of elementwise instructions on scalars may run on many at once; what it takes from
/// outside gets a place of its own then, wide enough.
void Decoder::markElementwise(uint32_t index) {
  Region &region = function.regions[index];
  if (region.blocks.size() != 1)
    return;
  const Block &block = region.blocks[0];
  auto begin = function.instructions.begin() + block.first, end = begin + block.count;
  std::vector<ValueId> inside = block.arguments;
  for (auto it = begin; it != end; ++it) {
    if (!it->operation->elementwise)
      return;
    for (ValueId result : it->results)
      if (function.values[result].type.isTensor)
        return;
    for (ValueId operand : it->operands)
      if (operand != noValue && function.values[operand].type.isTensor)
        return;
    inside.insert(inside.end(), it->results.begin(), it->results.end());
  }
  std::sort(inside.begin(), inside.end());
  std::map<ValueId, ValueId> captured;
  for (auto it = begin; it != end; ++it)
    for (ValueId &operand : it->operands) {
      if (operand == noValue || std::binary_search(inside.begin(), inside.end(), operand))
        continue;
      auto [entry, isNew] =
          captured.try_emplace(operand, static_cast<ValueId>(function.values.size()));
      if (isNew) {
        ValueInfo inner = function.values[operand];
        inner.reg = registers.own();
        function.values.push_back(std::move(inner));
        region.captures.push_back({entry->first, entry->second});
      }
      operand = entry->second;
    }
  region.elementwise = true;
}

// ---- Functions

uint32_t Decoder::indexOf(tt::FuncOp callee) {
  auto [it, isNew] =
      functionIndices.try_emplace(callee.getOperation(), static_cast<uint32_t>(queue.size()));
  if (isNew)
    queue.push_back(callee);
  return it->second;
}

void Decoder::decodeAll(tt::FuncOp entry) {
  indexOf(entry);
  for (uint32_t i = 0; i < queue.size(); ++i) {
    function = Function();
    values.clear();
    blockIndices.clear();
    registers = RegisterPool();
    if (queue[i].getBody().empty())
      throw tt::errorAt(queue[i], "function '" + queue[i].getName().str() + "' has no body");
    decodeRegion(queue[i].getBody());
    trackAddresses(queue[i]);
    function.registers = registers.count();
    program.functions.push_back(std::move(function));
  }
}

static std::string nameOfArgument(BlockArgument argument) {
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().str() : std::string();
}

static double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

DecodedKernel decode(KernelSource source, std::string_view entryName,
                     const CompileOptions &options) {
  DecodedKernel kernel;
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  ModuleOp module = *parsed->module;
  kernel.parseMilliseconds = parsed->milliseconds;

  const auto decodeStart = std::chrono::steady_clock::now();
  {
    tt::DiagnosticCollector diagnostics(*parsed->context);
    if (failed(tt::rewriteBlockPointers(module)) || failed(tt::receiveDescriptors(module)) ||
        (options.deterministic && failed(tt::keepOrder(module))))
      diagnostics.raise(TL_COMPILE_ERROR, "the kernel could not be compiled");
  }
  tt::dropAcquires(module, options.debug);
  tt::FuncOp entry = tt::findEntry(module, entryName);
  if (options.fpFusion) {
    parsed->context
        ->loadDialect<arith::ArithDialect, math::MathDialect>(); // a text may use neither
    tt::fuseMultiplyAdd(module);
  }
  Decoder decoder(kernel.program);
  decoder.decodeAll(entry);
  kernel.program.name = entry.getName().str();
  if (entry.getFunctionType().getNumResults() != 0)
    throw tt::errorAt(entry, "kernel '" + kernel.program.name +
                                 "' returns a value; a kernel returns none");
  for (BlockArgument argument : entry.getBody().getArguments()) {
    const Type type = decoder.typeOf(argument.getType(), entry);
    std::string text;
    llvm::raw_string_ostream(text) << argument.getType();
    const std::string number = std::to_string(argument.getArgNumber());
    if (type.isTensor)
      throw tt::errorAt(entry, "parameter " + number + " of kernel '" + kernel.program.name +
                                   "' is a tensor; a kernel takes scalars and pointers");
    if (type.kind == Kind::Descriptor || type.kind == Kind::I4)
      throw tt::errorAt(entry,
                        "parameter " + number + " of kernel '" + kernel.program.name +
                            "' has type " + nameOf(type.kind) +
                            ", which the interpreter cannot pass",
                        TL_UNSUPPORTED);
    Parameter parameter;
    parameter.type = text;
    parameter.isPointer = type.kind == Kind::Pointer;
    parameter.bytes = static_cast<unsigned>(bytesInMemory(type.kind));
    kernel.parameters.push_back(std::move(parameter));
    kernel.program.parameterNames.push_back(nameOfArgument(argument));
    const unsigned index = argument.getArgNumber();
    kernel.program.memoryGroups.push_back(type.kind != Kind::Pointer                  ? 0
                                          : entry.getArgAttr(index, tt::mayAliasName) ? 1
                                                                                      : index + 2);
  }
  kernel.text = tt::print(module, /*locations=*/true);
  kernel.decodeMilliseconds = millisecondsSince(decodeStart);
  return kernel;
}

} // namespace tl::backend::interpreter
