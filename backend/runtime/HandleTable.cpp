// SPDX-License-Identifier: MIT
#include "runtime/HandleTable.h"

#include "support/Error.h"

namespace tl::backend {

HandleTable &HandleTable::instance() {
  // Never destroyed: handles may be used by the destructors of the program's own statics.
  static HandleTable &table = *new HandleTable;
  return table;
}

HandleTable::~HandleTable() {
  for (std::atomic<Slot *> &chunk : chunks)
    delete[] chunk.load(std::memory_order_relaxed);
}

uintptr_t HandleTable::insert(HandleKind kind, void *object) {
  std::lock_guard lock(mutex);
  uint32_t index;
  if (!freeSlots.empty()) {
    index = freeSlots.back();
    freeSlots.pop_back();
  } else {
    if (used == chunkSize * maxChunks)
      raise(TL_OUT_OF_RESOURCES,
            "there are " + std::to_string(used) + " live handles, no more can be made",
            "destroy streams, events and kernels that are no longer used");
    index = used;
    freeSlots.reserve(used + 1); // so that erase, which destructors call, never allocates
    if (index % chunkSize == 0)
      chunks[index / chunkSize].store(new Slot[chunkSize], std::memory_order_release);
    ++used;
  }
  Slot &slot = slotAt(index);
  uint32_t generation = (slot.tag.load(std::memory_order_relaxed) >> kindBits) + 1;
  uint32_t tag = generation << kindBits | static_cast<uint32_t>(kind);
  slot.object.store(object, std::memory_order_relaxed);
  slot.tag.store(tag, std::memory_order_release);
  return static_cast<uintptr_t>(tag) << 32 | index;
}

void HandleTable::erase(uintptr_t handle) {
  std::lock_guard lock(mutex);
  uint32_t index = static_cast<uint32_t>(handle);
  Slot &slot = slotAt(index);
  slot.tag.store(slot.tag.load(std::memory_order_relaxed) & ~kindMask, std::memory_order_release);
  freeSlots.push_back(index);
}

} // namespace tl::backend
