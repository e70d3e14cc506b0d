// SPDX-License-Identifier: MIT
//
// What stands behind the opaque pointers of tl.h, so that a null, stale, foreign or mixed-up handle
// is an error message and never a crash. Next: abi/ for the functions that take handles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tl::backend {

enum class HandleKind : uint32_t { Device = 1, Stream = 2, Event = 3, Kernel = 4 };

/// A table of live objects. A handle is not an address: its low half is an index into the table,
/// its high half a tag made of the object's kind and of how often the slot has been used:
///
///     handle of the first stream   0x00000012'00000000   generation 1, kind 2, slot 0
///     destroyed, slot used again   0x00000022'00000000   generation 2: the old handle fits no more
///
/// A lookup is two loads and a comparison, without a lock. It proves that the object lived when
/// the call began; to destroy an object while another thread is using it stays the caller's error.
class HandleTable {
public:
  static HandleTable &instance();

  HandleTable() = default;
  ~HandleTable();
  HandleTable(const HandleTable &) = delete;
  HandleTable &operator=(const HandleTable &) = delete;

  uintptr_t insert(HandleKind kind, void *object);
  void erase(uintptr_t handle);

  /// The object, or null if the handle is not that of a living object of this kind.
  void *find(HandleKind kind, uintptr_t handle) const noexcept {
    uint32_t index = static_cast<uint32_t>(handle), tag = static_cast<uint32_t>(handle >> 32);
    if ((tag & kindMask) != static_cast<uint32_t>(kind) || index / chunkSize >= maxChunks)
      return nullptr;
    const Slot *chunk = chunks[index / chunkSize].load(std::memory_order_acquire);
    if (!chunk)
      return nullptr;
    const Slot &slot = chunk[index % chunkSize];
    if (slot.tag.load(std::memory_order_acquire) != tag)
      return nullptr;
    return slot.object.load(std::memory_order_relaxed);
  }

private:
  static_assert(sizeof(uintptr_t) == 8, "handles need pointers of 64 bits");
  static constexpr uint32_t chunkSize = 1024, maxChunks = 4096, kindBits = 4, kindMask = 15;

  struct Slot {
    std::atomic<uint32_t> tag{0}; // generation << kindBits | kind; kind 0: free
    std::atomic<void *> object{nullptr};
  };

  Slot &slotAt(uint32_t index) {
    return chunks[index / chunkSize].load(std::memory_order_relaxed)[index % chunkSize];
  }

  std::array<std::atomic<Slot *>, maxChunks> chunks{};
  std::mutex mutex;
  std::vector<uint32_t> freeSlots;
  uint32_t used = 0;
};

/// The entry of one object in the table, for as long as the object lives.
class Handle {
public:
  Handle(HandleKind kind, void *object) : value(HandleTable::instance().insert(kind, object)) {}
  ~Handle() { HandleTable::instance().erase(value); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  template <class Opaque> Opaque *as() const { return reinterpret_cast<Opaque *>(value); }

private:
  uintptr_t value;
};

} // namespace tl::backend
