// SPDX-License-Identifier: MIT
//
// Compiles a kernel once, however often and from however many threads it is asked for.
// Next: Kernel.h, what is cached; Registry.h, where the canonical text comes from.
#pragma once

#include "runtime/Kernel.h"

#include <condition_variable>
#include <functional>
#include <unordered_map>

namespace tl::backend {

/// The in-memory cache of kernels, by content.
///
/// A kernel is what its TTIR says, not where its lines stood: two source files that hold one
/// kernel share one entry. The key is therefore the *canonical text* (parsed, printed again
/// without locations), with the device, the entry, the options and the version of libtl. To parse
/// costs a millisecond, so there is a first look by the exact text, which costs a hash of it:
///
///     exact text A ──┐
///     exact text B ──┴──> canonical text ──> entry: compiling │ ready: kernel │ failed: error
///
/// The thread that makes an entry compiles; all others wait for the entry. A failure is reported to
/// every thread that waits for the same exact text, and is then forgotten: the next call tries
/// again. A thread that waits by way of the canonical text compiles for itself after a failure,
/// since the error would carry the lines of another file. Where lines are a part of what a kernel
/// does (Target::keepsLocations), the exact text is the key.
class ModuleCache {
public:
  using CanonicalText = std::function<std::string(KernelSource &source)>;
  explicit ModuleCache(CanonicalText canonicalText) : canonicalText(std::move(canonicalText)) {}
  /// The cache of this process.
  static ModuleCache &instance();

  /// The kernel, compiled if need be. Throws the Error of the compilation.
  std::shared_ptr<Kernel> get(OpenDevice &device, std::string_view ttir, std::string_view entry,
                              const CompileOptions &options);

  tl_cache_statistics statistics() const;
  /// Forgets every kernel. A compilation that is under way ends, and its kernel dies with it.
  void clear();
  /// Of a forked child: what other threads of the parent were compiling is forgotten.
  void forgetCompilations();

private:
  struct Entry {
    enum { Compiling, Ready, Failed } state = Compiling;
    std::shared_ptr<Kernel> kernel; // if Ready
    Error error;                    // if Failed
  };
  using Entries = std::unordered_map<std::string, std::shared_ptr<Entry>>;

  /// Until another thread has compiled it.
  void wait(const Entry &entry, std::unique_lock<std::mutex> &lock);
  std::shared_ptr<Kernel> make(OpenDevice &device, std::string_view ttir, std::string_view entry,
                               const CompileOptions &options, const std::string &prefix,
                               const std::shared_ptr<Entry> &mine);

  const CanonicalText canonicalText;
  mutable std::mutex mutex;
  std::condition_variable changed;
  Entries byExactText, byCanonicalText;
  uint64_t hits = 0, misses = 0;
};

} // namespace tl::backend
