// SPDX-License-Identifier: MIT
#pragma once
// A C API without a compiler behind it, for tests of the headers alone: two devices "cpu" and
// "interpreter" whose memory is the host's, kernels that are recorded instead of compiled, and
// launches that are recorded instead of run. Link fake_c_api.cpp instead of libtl.

#include "tl/c/tl.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fake {

/// What tl_launch was called with.
struct launch {
  std::string text;   // of the kernel
  std::string device; // of the stream
  tl_stream *stream;
  std::array<std::uint32_t, 3> grid;
  std::vector<std::uint64_t> arguments; // eight bytes each, whatever their width
};

/// The value that the launcher stored for an argument.
template <class T> T argument(const launch &l, std::size_t i) {
  T value;
  std::memcpy(&value, &l.arguments[i], sizeof value);
  return value;
}

/// One piece of work that was queued in a stream: the function of the C API, and where.
struct work {
  std::string function;
  tl_stream *stream;
};

/// The last launch, and how many there were. Recording can be switched off for timing and threads.
extern launch last;
extern int launches;
extern bool recording;

/// All launches and copies on the device while recording, in order; whoever looks clears it first.
extern std::vector<work> queued;

/// What a launch does, beside being recorded; null: nothing.
extern void (*body)(const launch &);

/// What tl_event_elapsed answers, one number a call; 1.5 when there are no more.
extern std::vector<double> clock;

/// How often tl_compile was called with content that it had not seen, and its last options.
extern int compilations;
extern tl_compile_options last_options;

/// Makes the next call of the function with this name fail; "" takes all of that back.
void fail_next(const char *function, tl_diagnostic diagnostic);

/// Bytes allocated and not freed.
std::int64_t allocated();

} // namespace fake
