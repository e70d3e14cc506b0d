// SPDX-License-Identifier: MIT
//
// The global memory of the emulated GPU: buffers of the host, of which the device knows where they
// begin and end, so that an access beside them is found.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tl::backend::simt {

struct MemoryRange {
  uint64_t begin = 0, bytes = 0;
  bool isInternal = false;   // of the launch, not the user's
  bool *isWritten = nullptr; // of each byte, where that is kept
};

/// All functions may be called by several threads.
class Memory {
public:
  /// `keepsWritten`: whether it is known of each byte if somebody has written it.
  explicit Memory(bool keepsWritten) : keepsWritten(keepsWritten) {}
  ~Memory();
  /// Null if there is none.
  void *allocate(uint64_t bytes, bool isInternal = false);
  /// False if it is not the begin of a live buffer.
  bool release(void *pointer);
  /// Bytes get a value from outside, or from another place that has some of them.
  void noteWritten(const void *pointer, uint64_t bytes);
  void noteCopied(const void *to, const void *from, uint64_t bytes);
  /// Of all live buffers, sorted.
  std::vector<MemoryRange> ranges();

private:
  bool *writtenAt(const void *pointer, uint64_t bytes);

  const bool keepsWritten;
  std::mutex mutex;
  std::map<uint64_t, MemoryRange> live;
};

} // namespace tl::backend::simt
