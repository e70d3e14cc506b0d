// SPDX-License-Identifier: MIT
//
// Devices and a compiler for testing the runtime without the real ones. A "kernel" is text:
//
//     kernel add !tt.ptr<f32> i32    name, then the types of the parameters
//     # corpus.py:20                 a location: not a part of the canonical text
//     body A                         anything else: content
//
// Directives in the text make the compiler misbehave: see fake_devices.cpp.
#pragma once

#include "runtime/Registry.h"

#include <atomic>
#include <string>

namespace fake {

/// Counters of what the fakes were asked to do; reset() before a test.
struct Counters {
  std::atomic<int> compilations{0}, canonicalisations{0}, loads{0}, launches{0}, devicesOpened{0},
      streamsDestroyed{0}, synchronisations{0}, atOnce{0};
  std::atomic<int> parses{0}; // by a target, of a text that nobody had parsed
  void reset();
};
extern Counters counters;

/// What the last launch got.
struct LastLaunch {
  tl::backend::Grid grid;
  int firstInteger = 0;
};
extern LastLaunch lastLaunch;

/// Text of a kernel with the directive, of parameters `!tt.ptr<f32>` and `i32`.
inline std::string kernel(const std::string &name, const std::string &lines = "") {
  return "kernel " + name + " !tt.ptr<f32> i32\n" + lines;
}

} // namespace fake
