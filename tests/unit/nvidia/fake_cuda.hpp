// SPDX-License-Identifier: MIT
//
// The fake CUDA driver, which TL_LIBCUDA names: fake_cuda.cpp is the library; fake() gives a test
// the one that libtl has loaded.
#pragma once

#include "../gpu/fake_gpu.hpp"

#include <cstdio>
#include <cstdlib>

/// What cuTensorMapEncodeTiled leaves in the 128 bytes of a map here.
struct FakeTensorMap {
  void *base;
  unsigned char element, rank, fill;
  long extents[5];
  long strides[4];
  unsigned box[5];
};
static_assert(sizeof(FakeTensorMap) <= 128);

struct FakeCuda : FakeGpu {
  /// The map that the last launch of "mapped" has handed over: its last argument.
  FakeTensorMap (*lastTensorMap)();
};

namespace tl_test {
/// The fake driver of this process: null where TL_LIBCUDA does not name one.
const FakeCuda *findFake();
inline const FakeCuda &fake() {
  if (const FakeCuda *found = findFake())
    return *found;
  std::fputs("[SKIP] TL_LIBCUDA does not name the fake driver, libfake_cuda.so\n", stderr);
  std::exit(77);
}
} // namespace tl_test
