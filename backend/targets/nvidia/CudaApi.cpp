// SPDX-License-Identifier: MIT
#include "targets/nvidia/CudaApi.h"

#include <dlfcn.h>

namespace tl::backend::nvidia {
namespace {

struct Loading {
  CudaApi api;
  std::string why; // it is missing; empty if it is there

  Loading() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why = "libcuda.so.1, a part of the NVIDIA driver, was not found";
      return;
    }
#define TL_FIND(member, symbol, parameters)                                                        \
  if (why.empty() &&                                                                               \
      !(api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, symbol))))              \
    why = "the NVIDIA driver is too old: it has no " symbol;
    TL_CUDA_FUNCTIONS(TL_FIND)
#undef TL_FIND
    if (!why.empty())
      return;
    if (CUresult result = api.init(0))
      why = "the NVIDIA driver does not start: " + api.describe(result);
  }
};

} // namespace

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
