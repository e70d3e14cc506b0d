// SPDX-License-Identifier: MIT
#include "targets/gpu/GpuApi.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace tl::backend::gpu {

std::atomic<bool> GpuApi::lostByFork{false};

std::string GpuApi::describe(Result result) const {
  const char *text = nullptr, *name = nullptr;
  errorString(result, &text);
  errorName(result, &name);
  const std::string called = name ? name : std::to_string(result);
  if (text && called == text) // HIP before ROCm 6 has no other words
    return called;
  return std::string(text ? text : "unknown error") + " (" + called + ")";
}

Result GpuApi::start(std::string &why, const char *driver) {
  const Result result = init(0);
  if (result == success)
    pthread_atfork(nullptr, nullptr, [] { lostByFork.store(true, std::memory_order_relaxed); });
  else
    why = std::string(driver) + " does not start: " + describe(result);
  return result;
}

void *DriverLibrary::open(std::string &why) const {
  if (const char *name = std::getenv(variable); name && *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      why = std::string("environment variable ") + variable +
            " names a library that cannot be loaded: " + (reason ? reason : name);
    } else if (!findSymbol(library, symbol)) {
      why = std::string("environment variable ") + variable + " names '" + name +
            "', which is not " + kind + ": it has no " + symbol;
      library = nullptr;
    }
    return library;
  }
  for (int flags : {RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL})
    for (const std::string &file : files)
      if (void *library = dlopen(file.c_str(), flags))
        return library;
  why = missing;
  return nullptr;
}

void *findSymbol(void *library, const char *name) { return dlsym(library, name); }

} // namespace tl::backend::gpu
