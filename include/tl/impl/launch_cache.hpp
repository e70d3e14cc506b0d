// SPDX-License-Identifier: MIT
#pragma once
// Which compiled kernel belongs to this launch? Each kernel type has one launch_cache, keyed by the
// specialisation word, the settings and the device. Looking up takes no lock and writes nothing, so
// that threads which launch at the same time do not disturb each other.
//
// A cache is a few short lists whose entries never change and are never removed. A reader that does
// not find its key traces and compiles, then pushes an entry. Two threads may do so for one key at
// the same time: libtl compiles one content once, both get the same kernel, and the second entry is
// merely useless. Entries stay until the process ends, as the kernels do.

#include "tl/c/tl.h"
#include "tl/error.hpp"
#include "tl/impl/compile_options.hpp"
#include "tl/impl/unoptimized.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

namespace tl::impl {

/// The launch options that change what is compiled, and so are part of the key of the cache.
struct compile_settings {
#define TL_IMPL_NUMBER(name, member, usual, ...) int name = usual;
#define TL_IMPL_SWITCH(name, member, usual, ...) bool name = usual;
  TL_IMPL_COMPILE_OPTIONS(TL_IMPL_NUMBER, TL_IMPL_SWITCH)
#undef TL_IMPL_NUMBER
#undef TL_IMPL_SWITCH
  bool sanitize_overflow = true; // of the trace, not of libtl

  friend constexpr bool operator==(const compile_settings &, const compile_settings &) = default;
};

/// What is wrong with a setting, as libtl says it; empty if nothing is. Zero, by which the structs
/// of the C API mean a default, is none here: kernels are traced for the number itself.
TL_IMPL_UNOPTIMIZED inline std::string wrong_setting(const compile_settings &settings) {
#define TL_IMPL_NUMBER(name, member, usual, least, most, is_power_of_two)                          \
  if (settings.name != usual && !is_legal(settings.name, least, most, is_power_of_two))            \
    return "compile option " #name " is " + std::to_string(settings.name) + ", expected " +        \
           legal_values(least, most, is_power_of_two) +                                            \
           (usual == 0 ? ", or 0 for the default" : "");
#define TL_IMPL_SWITCH(...)
  TL_IMPL_COMPILE_OPTIONS(TL_IMPL_NUMBER, TL_IMPL_SWITCH)
#undef TL_IMPL_NUMBER
#undef TL_IMPL_SWITCH
  return {};
}

template <std::size_t Words> class launch_cache {
public:
  struct key {
    std::array<std::uint64_t, Words> facts;
    tl_device *device;
    compile_settings settings;
    const char *source; // of the caller's lambda, see lambda_location.hpp

    friend bool operator==(const key &, const key &) = default;
  };

  struct entry {
    key of;
    tl_kernel *kernel;
    tl_stream *stream; // the default stream of the device
    const entry *next;
  };

  const entry *find(const key &wanted) const {
    const entry *e = list(wanted).load(std::memory_order_acquire);
    while (e && !(e->of == wanted))
      e = e->next;
    return e;
  }

  const entry *insert(const key &of, tl_kernel *kernel, tl_stream *stream) {
    auto &head = list(of);
    auto *e = new entry{of, kernel, stream, head.load(std::memory_order_relaxed)};
    const entry *expected = e->next;
    while (!head.compare_exchange_weak(expected, e, std::memory_order_release,
                                       std::memory_order_relaxed))
      e->next = expected;
    return e;
  }

private:
  static constexpr std::size_t lists = 16;

  static std::size_t which(const key &k) {
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(k.device);
    for (const std::uint64_t word : k.facts)
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    const auto setting = [](int value) { return static_cast<std::uint64_t>(value); };
    hash ^= (setting(k.settings.num_warps) * 31 + setting(k.settings.num_stages)) << 60;
    return hash >> 60;
  }
  std::atomic<const entry *> &list(const key &k) { return lists_[which(k)]; }
  const std::atomic<const entry *> &list(const key &k) const { return lists_[which(k)]; }

  std::atomic<const entry *> lists_[lists] = {};
};

/// The cache of a kernel type. Needs no constructor at start-up and no destructor at exit.
template <class Kernel, std::size_t Words>
inline constinit launch_cache<Words> launch_cache_of = {};

inline tl_stream *default_stream_of(tl_device *device) {
  tl_stream *stream = nullptr;
  check(tl_stream_default(device, &stream));
  return stream;
}

inline tl_kernel *compile_text(tl_device *device, const std::string &text,
                               const compile_settings &settings,
                               const std::source_location &where) {
  tl_compile_options options{};
  options.size = sizeof options;
#define TL_IMPL_NUMBER(name, ...) options.name = settings.name;
#define TL_IMPL_SWITCH(name, member, usual, field, ...) options.field = settings.name != usual;
  TL_IMPL_COMPILE_OPTIONS(TL_IMPL_NUMBER, TL_IMPL_SWITCH)
#undef TL_IMPL_NUMBER
#undef TL_IMPL_SWITCH
  tl_kernel *kernel = nullptr;
  check(tl_compile(device, text.data(), text.size(), nullptr, &options, &kernel), where);
  return kernel;
}

} // namespace tl::impl
