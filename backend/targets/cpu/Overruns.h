// SPDX-License-Identifier: MIT
//
// Who wrote beside a buffer, in words. With TL_CHECK=1 the guard words of all buffers are looked at
// after each launch, so it was that kernel, or one that runs at the same time; those of one buffer
// when it is copied or freed.
#pragma once

#include "support/Parameter.h"
#include "targets/cpu/Buffers.h"

#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace tl::backend::cpu {

class Overruns {
public:
  explicit Overruns(Buffers &buffers) : buffers(buffers) {}

  /// Around a launch. The end throws Error where guard words are overwritten.
  void begin(const std::string &kernel);
  void end(const std::string &kernel, const std::vector<Parameter> &parameters,
           void *const *arguments);

  /// Throws Error for what was found while no launch ended.
  void report(const std::optional<Damage> &damage);

private:
  Buffers &buffers;
  std::mutex mutex;
  std::multiset<std::string> running;
};

/// " of 4000 bytes passed as argument 1", or with its address where no argument points into it.
std::string bufferText(const void *buffer, uint64_t bytes, const std::vector<Parameter> &parameters,
                       void *const *arguments);

/// Where an offset lies: "96 bytes past the end of", "8 bytes before" or "at offset 12 of".
std::string locationText(int64_t offset, uint64_t bytes);

} // namespace tl::backend::cpu
