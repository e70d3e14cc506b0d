// SPDX-License-Identifier: MIT
//
// Where the buffers of the CPU lie. A kernel that forgets a mask writes beside its buffer, and what
// it hits there decides whether anybody ever learns of it. So buffers have memory of their own,
// apart from the heap in which the library and the program keep their tables:
//
//     small    | closed | slot | slot | slot | slot | ...      | closed |   slots of one size
//     large    | closed |            ... buffer | closed |                a mapping each
//
// What is closed cannot be accessed: there the write ends the launch with an error. A large buffer
// ends where it begins, but for one of several huge pages, which starts at one.
//
// With TL_CHECK=1 each buffer has guard words on both sides, which `findDamage` looks at.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tl::backend::cpu {

/// Guard words of a buffer that are not as they were.
struct Damage {
  const void *buffer = nullptr;
  uint64_t bytes = 0;  // of the buffer
  int64_t first = 0;   // the first overwritten byte, from the buffer's begin
  uint64_t count = 0;  // of overwritten bytes
  unsigned others = 0; // buffers that are damaged, too
};

/// All functions may be called by several threads.
class Buffers {
public:
  explicit Buffers(bool guarded) : isGuarded(guarded) {}
  Buffers(const Buffers &) = delete;

  /// Aligned to 64 bytes, to huge pages where there are several; null if there is no memory.
  void *allocate(uint64_t bytes);
  /// False if this is not the begin of a live buffer, which then stays as it is.
  bool release(void *pointer);

  /// Are there guard words?
  bool guarded() const { return isGuarded; }
  /// Looks at the guard words of all buffers, or of that which holds the address, and restores
  /// them.
  std::optional<Damage> findDamage(const void *only = nullptr);

  struct Location {
    const void *buffer;
    uint64_t bytes;
    int64_t offset; // of the address, from the buffer's begin
  };
  /// The live buffer that holds the address or is the nearest within some pages of it.
  std::optional<Location> near(uintptr_t address);

private:
  /// Memory that can be accessed, in a reservation of which the rest cannot.
  struct Mapping {
    char *reserved = nullptr;
    uint64_t reservedBytes = 0;
    char *begin = nullptr;
    uint64_t bytes = 0;
    bool huge = false; // begins at a huge page
  };
  /// Slots of one size.
  struct SlotClass {
    std::vector<char *> freed;
    char *next = nullptr, *end = nullptr; // of the run that is being cut
    uint64_t runBytes = 0;                // of the last run
    size_t cut = 0;                       // slots so far
  };
  struct Live {
    uint64_t bytes = 0;
    char *slot = nullptr; // of a small buffer, else null
    unsigned slotClass = 0;
    Mapping mapping; // of a large one
  };

  char *takeSlot(uint64_t size, Live &buffer);
  char *takeMapping(uint64_t bytes, uint64_t payload, Live &buffer);
  void keepOrUnmap(const Mapping &mapping);
  static bool examine(char *buffer, uint64_t bytes, std::optional<Damage> &found);
  std::optional<Location> holder(uintptr_t address, uint64_t distance) const;

  const bool isGuarded;
  std::mutex mutex;
  std::unordered_map<char *, Live> live;
  std::vector<SlotClass> classes;
  std::multimap<uint64_t, Mapping> idle[2]; // to be used again, by size; the second of huge pages
  uint64_t idleBytes = 0;
};

} // namespace tl::backend::cpu
