// SPDX-License-Identifier: MIT
//
// The fake HIP library, which TL_LIBHIP names: fake_hip.cpp is the library; fake() gives a test the
// one that libtl has loaded.
#pragma once

#include "../gpu/fake_gpu.hpp"

#include <cstdio>
#include <cstdlib>

struct FakeHip : FakeGpu {
  /// What hipGetLastError would say in this thread.
  int (*lastError)();
  /// What all GPUs are, "gfx942:sramecc+:xnack-" after the start.
  void (*setArchitecture)(const char *name);
};

namespace tl_test {
/// The fake library of this process: null where TL_LIBHIP does not name one.
const FakeHip *findFake();
inline const FakeHip &fake() {
  if (const FakeHip *found = findFake())
    return *found;
  std::fputs("[SKIP] TL_LIBHIP does not name the fake library, libfake_hip.so\n", stderr);
  std::exit(77);
}
} // namespace tl_test
