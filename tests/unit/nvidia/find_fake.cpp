// SPDX-License-Identifier: MIT
#include "fake_cuda.hpp"

#include <cstdlib>
#include <dlfcn.h>

const FakeCuda *tl_test::findFake() {
  const char *name = std::getenv("TL_LIBCUDA");
  void *library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  return library ? static_cast<const FakeCuda *>(dlsym(library, "tl_fake_cuda")) : nullptr;
}
