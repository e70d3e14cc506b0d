// SPDX-License-Identifier: MIT
//
// How the interpreter words its errors: the user's line, the program, the element, the buffer.
#include "interpreter/Interpreter.h"

namespace tl::backend::interpreter {

std::string Machine::programName() const {
  return " in program (" + std::to_string(programId[0]) + ", " + std::to_string(programId[1]) +
         ", " + std::to_string(programId[2]) + ")";
}

void Machine::fail(tl_status status, const std::string &message, const std::string &help) const {
  const InlinedLocation where = current ? program.locations[current->location] : InlinedLocation();
  throw Error(status, message + where.calls, help)
      .at(where)
      .inKernel(program.name)
      .onDevice("interpreter");
}

std::string positionOf(const Type &type, size_t element) {
  if (!type.isTensor)
    return "";
  std::string text;
  for (size_t i = type.shape.size(); i-- > 0;) {
    const size_t extent = static_cast<size_t>(type.shape[i]);
    text = std::to_string(element % extent) + (text.empty() ? "" : ", ") + text;
    element /= extent;
  }
  return "(" + text + ")";
}

std::string describe(const Machine &machine, const Allocation &allocation) {
  for (size_t i = 0; i < machine.pointerArguments.size(); ++i)
    if (machine.pointerArguments[i].origin == allocation.id) {
      const std::string &name = machine.program.parameterNames[i];
      return "the buffer passed as " +
             (name.empty() ? "argument " + std::to_string(i) : '"' + name + '"');
    }
  return "a buffer of " + std::to_string(allocation.bytes) + " bytes that no argument points to";
}

} // namespace tl::backend::interpreter
