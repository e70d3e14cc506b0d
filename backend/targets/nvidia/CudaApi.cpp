// SPDX-License-Identifier: MIT
#include "targets/nvidia/CudaApi.h"

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace tl::backend::nvidia {

std::atomic<bool> CudaApi::lostByFork{false};

struct Loading {
  CudaApi api;
  std::string why; // it is missing; empty if it is there

  Loading() {
    const char *name = std::getenv("TL_LIBCUDA");
    const bool named = name && *name;
    void *library = dlopen(named ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      why = named ? "environment variable TL_LIBCUDA names a library that cannot be loaded: " +
                        std::string(reason ? reason : name)
                  : "libcuda.so.1, a part of the NVIDIA driver, was not found";
      return;
    }
    if (named && !dlsym(library, "cuInit")) {
      why = "environment variable TL_LIBCUDA names '" + std::string(name) +
            "', which is not the library of a CUDA driver: it has no cuInit";
      return;
    }
#define TL_FIND(member, symbol, parameters)                                                        \
  if (why.empty() &&                                                                               \
      !(api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, symbol))))              \
    why = "the NVIDIA driver is too old: it has no " symbol ", which came with CUDA 11.8";
    TL_CUDA_FUNCTIONS(TL_FIND)
#undef TL_FIND
    api.encodeTensorMap =
        reinterpret_cast<decltype(api.encodeTensorMap)>(dlsym(library, "cuTensorMapEncodeTiled"));
    if (!why.empty())
      return;
    if (CUresult result = api.init(0)) {
      why = "the NVIDIA driver does not start: " + api.describe(result);
      return;
    }
    pthread_atfork(nullptr, nullptr,
                   [] { CudaApi::lostByFork.store(true, std::memory_order_relaxed); });
  }
};

const CudaApi *CudaApi::find(std::string *why) {
  // Never destroyed: devices may be used while the process ends.
  static const Loading &loading = *new Loading;
  if (why)
    *why = loading.why;
  return loading.why.empty() ? &loading.api : nullptr;
}

std::string CudaApi::describe(CUresult result) const {
  const char *text = nullptr, *name = nullptr;
  errorString(result, &text);
  errorName(result, &name);
  return std::string(text ? text : "unknown error") + " (" +
         (name ? name : std::to_string(result).c_str()) + ")";
}

} // namespace tl::backend::nvidia
