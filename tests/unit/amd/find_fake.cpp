// SPDX-License-Identifier: MIT
#include "fake_hip.hpp"

#include <cstdlib>
#include <dlfcn.h>

const FakeHip *tl_test::findFake() {
  const char *name = std::getenv("TL_LIBHIP");
  void *library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  return library ? static_cast<const FakeHip *>(dlsym(library, "tl_fake_hip")) : nullptr;
}
