// SPDX-License-Identifier: MIT
//
// One memory instruction's accesses, checked element by element: bounds, liveness, never-written
// bytes, races. Memory instructions of every group go through here and touch no memory otherwise.
//
//     Access access(machine, "tl::load", kind, pointerType);
//     std::memcpy(&out[i], access.read(pointers[i], i), sizeof out[i]);
#pragma once

#include "interpreter/Interpreter.h"

namespace tl::backend::interpreter {

class Access {
public:
  /// `function` is the name under which the user wrote the access, `element` what is in memory, and
  /// `lanes` the type whose shape gives a lane its position (null: scalar).
  Access(Machine &machine, const char *function, Kind element, const Type *lanes)
      : machine(machine), function(function), element(element), lanes(lanes),
        size(bytesInMemory(element)), tracking(machine.races.enabled()) {}

  /// `parameter` of a read or write: the one that the pointer is computed from, as AliasTracker.h
  /// counts them.
  const std::byte *read(const Pointer &pointer, size_t lane, uint32_t parameter = 0) {
    if (const auto writer = machine.aliases.conflict(pointer.address, size, parameter))
      failAliasing(*writer, parameter, lane);
    uint64_t offset;
    if (!locate(pointer, lane, false, offset))
      return host(pointer);
    if (!allocation->isWritten(offset, size))
      failUnwritten(pointer, lane);
    if (tracking)
      track(&RaceTracker::read, pointer, offset, lane, false);
    return host(pointer);
  }

  /// A read that other programs' plain accesses may race with unnoticed: volatile and atomic loads.
  const std::byte *readAtomically(const Pointer &pointer, size_t lane) {
    uint64_t offset;
    if (locate(pointer, lane, false, offset) && !allocation->isWritten(offset, size))
      failUnwritten(pointer, lane);
    return host(pointer);
  }

  /// Writes the element.
  void write(const Pointer &pointer, size_t lane, const void *value, uint32_t parameter = 0) {
    uint64_t offset;
    machine.aliases.wrote(pointer.address, size, parameter);
    if (locate(pointer, lane, true, offset)) {
      allocation->markWritten(offset, size);
      if (tracking)
        track(&RaceTracker::write, pointer, offset, lane, true);
    }
    put(pointer, value);
  }

  void writeAtomically(const Pointer &pointer, size_t lane, const void *value) {
    uint64_t offset;
    if (locate(pointer, lane, true, offset)) {
      allocation->markWritten(offset, size);
      if (tracking)
        track(&RaceTracker::atomicWrite, pointer, offset, lane, true);
    }
    put(pointer, value);
  }

private:
  static std::byte *host(const Pointer &pointer) {
    return reinterpret_cast<std::byte *>(pointer.address);
  }
  /// Finds the allocation and the offset in it; false for foreign memory. Throws what is wrong.
  bool locate(const Pointer &pointer, size_t lane, bool write, uint64_t &offset) {
    if (pointer.wrap && machine.options.debug) [[unlikely]]
      failWrapped(pointer, lane);
    if (!allocation || pointer.origin != origin || origin == unknownOrigin)
      if (!resolve(pointer, lane, write))
        return false;
    offset = pointer.address - allocation->base;
    if (offset >= allocation->bytes || size > allocation->bytes - offset)
      failBounds(pointer, lane, write);
    return true;
  }
  void put(const Pointer &pointer, const void *value);
  bool resolve(const Pointer &pointer, size_t lane, bool write);
  void track(Race (RaceTracker::*check)(AccessCell *, uint64_t), const Pointer &pointer,
             uint64_t offset, size_t lane, bool write);

  std::string elementName(const Pointer &pointer) const;
  std::string where(size_t lane) const;
  [[noreturn]] void failBounds(const Pointer &pointer, size_t lane, bool write) const;
  [[noreturn]] void failWrapped(const Pointer &pointer, size_t lane) const;
  [[noreturn]] void failUnwritten(const Pointer &pointer, size_t lane) const;
  [[noreturn]] void failAliasing(uint32_t writer, uint32_t reader, size_t lane) const;
  [[noreturn]] void failRace(const Race &race, const Pointer &pointer, size_t lane,
                             bool write) const;

  Machine &machine;
  const char *function;
  Kind element;
  const Type *lanes;
  uint64_t size;
  bool tracking;
  uint32_t origin = unknownOrigin;
  Allocation *allocation = nullptr;
  uint64_t goodPage = 0; // the page of foreign memory that was looked up last
  bool goodForWriting = false;
};

} // namespace tl::backend::interpreter
