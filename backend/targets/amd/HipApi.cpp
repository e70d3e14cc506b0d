// SPDX-License-Identifier: MIT
#include "targets/amd/HipApi.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace tl::backend::amd {

namespace {

using gpu::NativeContext;
using gpu::Result;

/// The table, filled by load(). Never destroyed: devices may be used while the process ends.
HipApi &hipApi() {
  static HipApi &api = *new HipApi;
  return api;
}

// ---- Functions of the table that HIP has in another form

/// The context of a GPU is its number, from 1 on.
NativeContext contextOf(int device) {
  return reinterpret_cast<NativeContext>(uintptr_t(device) + 1);
}
int deviceOf(NativeContext context) { return int(reinterpret_cast<uintptr_t>(context)) - 1; }

Result errorName(Result result, const char **name) {
  *name = hipApi().nameOf(result);
  return gpu::success;
}
Result errorString(Result result, const char **text) {
  *text = hipApi().textOf(result);
  return gpu::success;
}
Result retainContext(NativeContext *context, int device) {
  *context = contextOf(device);
  return gpu::success;
}
Result getContext(NativeContext *context) {
  int device = 0;
  const Result result = hipApi().getDevice(&device);
  *context = contextOf(device);
  return result;
}
Result setContext(NativeContext context) { return hipApi().setDevice(deviceOf(context)); }

/// Where ROCm cannot tell yet, a stream counts as the current GPU's.
Result streamContext(gpu::NativeStream stream, NativeContext *context) {
  if (!hipApi().streamDevice)
    return getContext(context);
  int device = 0;
  const Result result = hipApi().streamDevice(stream, &device);
  *context = contextOf(device);
  return result;
}

void forgetFailure() { hipApi().takeLastError(); }

/// A result that says no to a question is no failure that others should find.
Result answer(Result result) {
  if (result != gpu::success)
    forgetFailure();
  return result;
}

Result enablePeerAccess(NativeContext peer, unsigned flags) {
  return answer(hipApi().enablePeer(deviceOf(peer), flags));
}
Result copyFromPeer(gpu::Address dst, NativeContext device, gpu::Address src, NativeContext source,
                    size_t bytes, gpu::NativeStream stream) {
  return hipApi().copyPeer(reinterpret_cast<void *>(dst), deviceOf(device),
                           reinterpret_cast<const void *>(src), deviceOf(source), bytes, stream);
}

Result pointerAttribute(void *value, int attribute, gpu::Address pointer) {
  if (Result result = answer(hipApi().pointer(value, attribute, pointer)))
    return result;
  if (attribute != gpu::memoryType)
    return gpu::success;
  unsigned type = 0;
  std::memcpy(&type, value, sizeof type);
  const bool isNew = hipApi().version >= hip::version6;
  if (isNew && type == hip::unregistered)
    return gpu::errorInvalidValue;
  type = type == (isNew ? unsigned(hip::host) : unsigned(hip::hostBefore6)) ? gpu::hostMemory
                                                                            : gpu::deviceMemory;
  std::memcpy(value, &type, sizeof type);
  return gpu::success;
}

// ---- The library

gpu::DriverLibrary library() {
  std::vector<std::string> files = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                    "libamdhip64.so"};
  if (const char *rocm = std::getenv("ROCM_PATH"); rocm && *rocm)
    files.push_back(std::string(rocm) + "/lib/libamdhip64.so");
  files.push_back("/opt/rocm/lib/libamdhip64.so");
  return {"TL_LIBHIP", std::move(files), "hipInit", "the library of HIP",
          "libamdhip64.so, a part of ROCm, was not found"};
}

/// Fills the table and starts HIP; why it cannot, or nothing.
std::string load(HipApi &api) {
  std::string why;
  void *opened = library().open(why);
  if (!opened)
    return why;
  const auto find = [&](auto &function, const char *symbol, bool isNeeded) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(gpu::findSymbol(opened, symbol));
    if (isNeeded && !function && why.empty())
      why = std::string("ROCm is too old: its HIP has no ") + symbol +
            ", which came with version 5.2";
  };
#define TL_FIND(member, symbol, ...) find(api.member, #symbol, true);
#define TL_FIND_LATER(member, symbol, ...) find(api.member, #symbol, false);
  TL_HIP_NAMES(TL_FIND)
  TL_HIP_FUNCTIONS(TL_FIND)
  TL_HIP_LATER_FUNCTIONS(TL_FIND_LATER)
#undef TL_FIND
#undef TL_FIND_LATER
  if (!why.empty())
    return why;
  api.errorName = errorName;
  api.errorString = errorString;
  api.retainContext = retainContext;
  api.getContext = getContext;
  api.setContext = setContext;
  api.enablePeerAccess = enablePeerAccess;
  api.copyFromPeer = copyFromPeer;
  api.pointerAttribute = pointerAttribute;
  api.streamContext = streamContext;
  api.forgetFailure = forgetFailure;
  if (Result result = api.start(why, "HIP");
      result == gpu::errorNoDevice || result == gpu::errorInvalidDevice)
    return "HIP finds no GPU";
  api.runtimeVersion(&api.version);
  return why;
}

} // namespace

const HipApi *HipApi::find(std::string *why) {
  static const std::string &missing = *new std::string(load(hipApi()));
  if (why)
    *why = missing;
  return missing.empty() ? &hipApi() : nullptr;
}

std::string HipApi::architecture(int device) const {
  alignas(8) char filled[hip::propertiesBytes] = {};
  const auto ask = propertiesR0600 ? propertiesR0600 : properties;
  if (!ask || answer(ask(filled, device)) != gpu::success)
    return "";
  return filled + (propertiesR0600 ? hip::architectureAtR0600 : hip::architectureAt);
}

} // namespace tl::backend::amd
