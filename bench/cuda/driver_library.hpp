// SPDX-License-Identifier: MIT
#pragma once
// The driver's library, as libtl finds it, for what is measured without tl.

#include <cstdlib>
#include <dlfcn.h>

namespace bench::gpu {

/// Null where there is none.
inline void *driver_library() {
  const char *name = std::getenv("TL_LIBCUDA");
  return dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW);
}

/// A function of the library; null if it has none of the name.
template <class F> F *driver_function(void *library, const char *name) {
  return library ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
}

} // namespace bench::gpu
