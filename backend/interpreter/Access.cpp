// SPDX-License-Identifier: MIT
//
// The slow side of an access: finding the buffer of a pointer, keeping track of programs, and the
// wording of every memory error.
#include "interpreter/Access.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace tl::backend::interpreter {

namespace {

constexpr unsigned pageBits = 12;

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

constexpr const char *wrapHelp = "compute the offset in 64 bits: convert one of its operands with "
                                 "tl::cast<std::int64_t>";

} // namespace

void Access::put(const Pointer &pointer, const void *value) {
  std::byte *target = host(pointer);
  if (std::memcmp(target, value, size) == 0)
    return;
  std::memcpy(target, value, size);
  ++machine.memoryVersion;
}

bool Access::resolve(const Pointer &pointer, size_t lane, bool write) {
  const uint64_t page = pointer.address >> pageBits;
  if (pointer.origin == foreignOrigin && origin == foreignOrigin && page == goodPage && page != 0 &&
      (pointer.address + size - 1) >> pageBits == page && goodForWriting >= write)
    return false;
  const std::string verb = write ? " writes " : " reads ";
  if (pointer.origin == nullOrigin)
    machine.fail(TL_RUNTIME_ERROR, function + verb + "through a null pointer" + where(lane),
                 "pass a buffer, or mask the access off");
  origin = pointer.origin;
  allocation = nullptr;
  if (origin >= firstAllocation) {
    allocation = machine.memory.byId(origin);
  } else if (origin == unknownOrigin) {
    allocation = machine.memory.find(pointer.address);
  }
  if (allocation && !allocation->live)
    machine.fail(TL_RUNTIME_ERROR, function + verb + "a buffer that was freed" + where(lane));
  if (allocation)
    return true;
  if (origin >= firstAllocation)
    machine.fail(TL_RUNTIME_ERROR,
                 function + verb + "a buffer that was freed long ago" + where(lane));
  if (!machine.memory.isMapped(pointer.address, size, write))
    machine.fail(TL_RUNTIME_ERROR, function + verb + "address " + hexadecimal(pointer.address) +
                                       ", which is " + (write ? "no writable" : "no readable") +
                                       " memory" + where(lane));
  goodPage = page;
  goodForWriting = write;
  return false;
}

void Access::track(Race (RaceTracker::*check)(AccessCell *, uint64_t), const Pointer &pointer,
                   uint64_t offset, size_t lane, bool write) {
  uint64_t count;
  AccessCell *cells = allocation->cells(offset, size, count);
  const Race race = (machine.races.*check)(cells, count);
  if (race.found)
    failRace(race, pointer, lane, write);
}

std::string Access::elementName(const Pointer &pointer) const {
  const int64_t offset = static_cast<int64_t>(pointer.address - allocation->base);
  const int64_t bytes = static_cast<int64_t>(size);
  const int64_t index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
  std::string text = "element " + std::to_string(index);
  if (offset % bytes != 0)
    text += " (byte " + std::to_string(offset) + ")";
  return text + " of " + describe(machine, *allocation);
}

std::string Access::where(size_t lane) const {
  const std::string position = lanes ? positionOf(*lanes, lane) : std::string();
  return (position.empty() ? "" : " at lane " + position) + machine.programName();
}

void Access::failBounds(const Pointer &pointer, size_t lane, bool write) const {
  std::string message = function + std::string(write ? " writes " : " reads ") +
                        elementName(pointer) + ", which has " +
                        std::to_string(allocation->bytes / size) + " elements of " +
                        nameOf(element) + ",";
  if (pointer.wrap)
    machine.fail(TL_RUNTIME_ERROR,
                 message + " since " + describe(machine, machine.wrapOf(pointer.wrap)) + "," +
                     where(lane),
                 wrapHelp);
  machine.fail(TL_RUNTIME_ERROR, message + where(lane),
               "mask off the lanes that lie beyond the buffer");
}

void Access::failWrapped(const Pointer &pointer, size_t lane) const {
  const Wrap &wrap = machine.wrapOf(pointer.wrap);
  const Instruction *access = machine.current;
  const SourceLocation &at = machine.program.locations[access->location];
  std::string message = std::string("the ") + nameOf(wrap.kind) + " offset of a " + function +
                        (at.line ? " at " + at.file + ":" + std::to_string(at.line) : "") +
                        " wraps: " + std::to_string(wrap.exact) + " becomes " +
                        std::to_string(wrap.wrapped) + "," + where(lane);
  machine.current = wrap.instruction;
  machine.fail(TL_RUNTIME_ERROR, message, wrapHelp);
}

void Access::failUnwritten(const Pointer &pointer, size_t lane) const {
  machine.fail(TL_RUNTIME_ERROR, function + std::string(" reads ") + elementName(pointer) +
                                     ", which was never written," + where(lane));
}

void Access::failAliasing(uint32_t writer, uint32_t reader, size_t lane) const {
  const auto name = [&](uint32_t parameter) {
    const std::string &given = machine.program.parameterNames[parameter - 1];
    return "parameter " + std::to_string(parameter - 1) +
           (given.empty() ? "" : " (\"" + given + "\")");
  };
  machine.fail(TL_RUNTIME_ERROR,
               function + std::string(" reads through ") + name(reader) +
                   " what the same program wrote through " + name(writer) +
                   ", and nothing says that the two may lead to the same memory," + where(lane),
               "pass tl::buffer instead of pointers, or declare both parameters tl::ptr<T>, not "
               "tl::ptr<const T>");
}

void Access::failRace(const Race &race, const Pointer &pointer, size_t lane, bool write) const {
  const uint64_t index = machine.races.indexOf(race.stamp);
  const uint64_t x = index % machine.grid.x, y = index / machine.grid.x % machine.grid.y,
                 z = index / machine.grid.x / machine.grid.y;
  machine.fail(
      TL_RUNTIME_ERROR,
      function + std::string(write ? " writes " : " reads ") + elementName(pointer) +
          ", which program (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
          std::to_string(z) + ") of the same launch " +
          (race.earlierWrote ? race.earlierAtomic ? "changes atomically" : "writes" : "reads") +
          " too," + where(lane),
      "let each program write its own elements, or use atomics on both sides");
}

} // namespace tl::backend::interpreter
