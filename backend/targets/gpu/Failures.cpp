// SPDX-License-Identifier: MIT
//
// What the results of a driver mean for the user. Most are failures of one call. Some are
// found long after the call that caused them and end the context: a kernel that touched memory
// that is not there is reported by whatever call comes next, and by every call from then on. Such a
// report names the kernel, and later ones say that the GPU is lost to this process and why.
#include "targets/gpu/GpuStream.h"

namespace tl::backend::gpu {
namespace {

/// Does the driver refuse all further work in the context after this result?
bool losesContext(Result result, const VendorWords &words) {
  switch (result) {
  case errorUncorrectableMemory:
  case errorUncorrectableLink:
  case errorIllegalAddress:
  case errorLaunchTimeout:
  case errorAssert:
    return true;
  case errorContextIsDestroyed:
    return words.hasContexts;
  default: // a fault of the stack, an instruction, an address; a launch that failed
    return result >= errorHardwareStack && result <= errorLaunchFailed;
  }
}

std::string join(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

CurrentContext::CurrentContext(const GpuApi &api, NativeContext wanted) : api(api) {
  // What this thread was given by us and nobody has replaced since: no other code relies on it.
  static thread_local NativeContext ours = nullptr;
  if (GpuApi::isLostByFork()) { // not even a question may be asked: the driver might wait for ever
    result = errorNotInitialized;
    return;
  }
  NativeContext current = nullptr;
  api.getContext(&current);
  if (current == wanted)
    return;
  changed = true;
  result = api.setContext(wanted);
  if (result != success)
    return;
  if (current && current != ours)
    foreign = current;
  else
    ours = wanted;
}

GpuDevice::Entered::Entered(const GpuDevice &device) : CurrentContext(device.api, device.context) {
  if (GpuApi::isLostByFork())
    device.fail(errorNotInitialized, "the driver cannot be used");
  device.check(result, "cannot use the GPU's context");
}

bool GpuDevice::listUnfinishedKernels(std::set<std::string> &found) const {
  std::lock_guard<std::mutex> lock(streamsMutex);
  bool all = true;
  for (const GpuStream *stream : streams)
    all = stream->listKernels(found) && all;
  return all;
}

void GpuDevice::forgetKernelsBut(const std::string *name) const {
  std::lock_guard<std::mutex> lock(streamsMutex);
  for (GpuStream *stream : streams)
    stream->forgetKernels();
  if (!streams.empty())
    (*streams.begin())->noteLaunch(name);
}

void GpuDevice::failForGood(Result result, const std::string &what) const {
  Error error = Error(TL_RUNTIME_ERROR, "", "the process must be started again to use the GPU")
                    .onDevice(label);
  std::lock_guard<std::mutex> lock(lossMutex);
  if (!loss.empty()) {
    error.message = label + " can no longer be used: " + loss;
    throw error;
  }
  std::set<std::string> suspects;
  const bool all = listUnfinishedKernels(suspects);
  if (result == errorContextIsDestroyed) {
    error.message = "the context of " + label + " was destroyed: the program has reset the GPU";
  } else if (suspects.size() == 1 && all) {
    error.kernel = *suspects.begin();
    error.message = "kernel " + error.kernel + " failed on " + label + ": " + api.describe(result);
    error.help = words.faultFinder + std::string(" finds the place; ") + error.help;
  } else if (!suspects.empty()) {
    error.message = std::string("one of the kernels ") + join(suspects) +
                    (all ? "" : " and others") + " failed on " + label + ": " +
                    api.describe(result);
    error.help = words.blockingVariable + std::string("=1 finds out which one; ") + error.help;
  } else {
    error.message = what + ": " + api.describe(result);
  }
  loss = error.message;
  throw error;
}

void GpuDevice::fail(Result result, const std::string &what) const {
  if (GpuApi::isLostByFork())
    throw Error(TL_RUNTIME_ERROR,
                label + " cannot be used in a process that was forked from one that used it",
                "fork before the first use of a GPU, or start the child with exec")
        .onDevice(label);
  forgetFailure();
  if (losesContext(result, words))
    failForGood(result, what);
  {
    std::lock_guard<std::mutex> lock(lossMutex);
    if (!loss.empty())
      throw Error(TL_RUNTIME_ERROR, label + " can no longer be used: " + loss,
                  "the process must be started again to use the GPU")
          .onDevice(label);
  }
  const std::string described = ": " + api.describe(result);
  if (result >= errorCaptureUnsupported && result <= errorCaptureWrongThread)
    throw Error(TL_RUNTIME_ERROR,
                what + " while a stream is being captured into a graph" + described,
                "compile kernels and allocate memory before the capture: "
                "kernel.compile(device, arguments…) compiles without a launch")
        .onDevice(label);
  if (result == errorOutOfMemory) {
    size_t free = 0, total = 0;
    api.memoryInfo(&free, &total);
    throw Error(TL_OUT_OF_RESOURCES, what + described + ", " + std::to_string(free) + " of " +
                                         std::to_string(total) + " bytes are free")
        .onDevice(label)
        .exceeding(0, free);
  }
  throw Error(TL_RUNTIME_ERROR, what + described).onDevice(label);
}

} // namespace tl::backend::gpu
