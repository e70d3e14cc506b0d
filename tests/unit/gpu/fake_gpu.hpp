// SPDX-License-Identifier: MIT
//
// What tests tell and ask a fake driver: a library with a vendor's functions whose GPUs are memory
// of the host. It checks what the real one checks (contexts, handles, ranges, limits, captures),
// counts calls and fails where a test asks for it. Kernels do not run. Next: fake_world.hpp, what
// it consists of; nvidia/fake_cuda.hpp and amd/fake_hip.hpp, what each vendor's adds.
#pragma once

#include <cstddef>
#include <cstdint>

/// What the last launch got.
struct FakeLaunch {
  char function[64];
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  void *const *arguments; // the very array that the driver was given
  bool cooperative;
  bool overlaps; // the launch ahead of it
  unsigned cluster;
};

/// The library's own functions, in one table.
struct FakeGpu {
  /// Forgets counts, failures, faults and captures, frees nothing.
  void (*reset)();
  /// Calls of a function, or of all of them for null, since the last reset.
  int (*calls)(const char *function);
  /// The `number`-th call from now (1: the next) of the function returns `result` and does nothing.
  void (*fail)(const char *function, int number, int result);
  /// The next launch succeeds, and everything on its GPU fails with `result` after it.
  void (*fault)(int result);
  /// Makes a lost GPU work again, as a new process would.
  void (*heal)();
  /// Begins or ends the capture of a stream.
  void (*capture)(void *stream, bool on);
  FakeLaunch (*lastLaunch)();
  /// The last hidden parameter of the last launch that had one, known by the kernel's name:
  /// "asserting" and "meeting" have one, "asserting_and_meeting" two.
  uint64_t (*lastHidden)();
  /// The sizes of the parameters of the next launches, whose bytes are kept.
  void (*expectParameters)(const unsigned *bytes, size_t count);
  /// The parameters of the last launch, one after the other; valid until the next launch.
  const unsigned char *(*lastParameters)(size_t *bytes);
  /// Memory as other libraries would get it: "device", "managed", "pinned".
  void *(*foreignMemory)(const char *kind, int gpu, size_t bytes);
  /// A stream of others on the GPU's primary context, or on a context of its own.
  void *(*foreignStream)(int gpu, bool primary);
  /// Makes a context current as other code does: the GPU's primary one, one of its own, or none
  /// for a negative GPU. Returns it.
  void *(*switchContext)(int gpu, bool primary);
  void *(*currentContext)();
  /// Attributes of the next functions to be found: registers and the most threads a block.
  void (*nextFunction)(int registers, int maxThreads);
  /// An attribute of all GPUs, by the driver's number.
  void (*setAttribute)(int attribute, int value);
  /// Bytes allocated on a GPU, handles alive.
  uint64_t (*allocated)(int gpu);
  int (*liveStreams)();
  int (*liveModules)();
  /// Can GPUs reach each other's memory?
  void (*setPeers)(bool reachable);
};
