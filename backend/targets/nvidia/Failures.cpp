// SPDX-License-Identifier: MIT
//
// What the results of the CUDA driver mean for the user. Most are failures of one call. Some are
// found long after the call that caused them and end the context: a kernel that touched memory
// that is not there is reported by whatever call comes next, and by every call from then on. Such a
// report names the kernel, and later ones say that the GPU is lost to this process and why.
#include "targets/nvidia/CudaStream.h"

namespace tl::backend::nvidia {
namespace {

/// Does the driver refuse all further work in the context after this result?
bool losesContext(CUresult result) {
  switch (result) {
  case cudaErrorUncorrectableMemory:
  case cudaErrorUncorrectableLink:
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorContextIsDestroyed:
  case cudaErrorAssert:
    return true;
  default: // a fault of the stack, an instruction, an address; a launch that failed
    return result >= cudaErrorHardwareStack && result <= cudaErrorLaunchFailed;
  }
}

std::string join(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

CurrentContext::CurrentContext(const CudaApi &cuda, CUcontext wanted) : cuda(cuda) {
  // What this thread was given by us and nobody has replaced since: no other code relies on it.
  static thread_local CUcontext ours = nullptr;
  if (CudaApi::isLostByFork()) { // not even a question may be asked: the driver might wait for ever
    result = cudaErrorNotInitialized;
    return;
  }
  CUcontext current = nullptr;
  cuda.getContext(&current);
  if (current == wanted)
    return;
  changed = true;
  result = cuda.setContext(wanted);
  if (result != cudaSuccess)
    return;
  if (current && current != ours)
    foreign = current;
  else
    ours = wanted;
}

CudaDevice::Entered::Entered(const CudaDevice &device)
    : CurrentContext(device.cuda, device.context) {
  if (CudaApi::isLostByFork())
    device.fail(cudaErrorNotInitialized, "the driver cannot be used");
  device.check(result, "cannot use the GPU's context");
}

bool CudaDevice::listUnfinishedKernels(std::set<std::string> &found) const {
  std::lock_guard<std::mutex> lock(streamsMutex);
  bool all = true;
  for (const CudaStream *stream : streams)
    all = stream->listKernels(found) && all;
  return all;
}

void CudaDevice::forgetKernelsBut(const std::string *name) const {
  std::lock_guard<std::mutex> lock(streamsMutex);
  for (CudaStream *stream : streams)
    stream->forgetKernels();
  if (!streams.empty())
    (*streams.begin())->noteLaunch(name);
}

void CudaDevice::failForGood(CUresult result, const std::string &what) const {
  Error error = Error(TL_RUNTIME_ERROR, "", "the process must be started again to use the GPU")
                    .onDevice(label);
  std::lock_guard<std::mutex> lock(lossMutex);
  if (!loss.empty()) {
    error.message = label + " can no longer be used: " + loss;
    throw error;
  }
  std::set<std::string> suspects;
  const bool all = listUnfinishedKernels(suspects);
  if (result == cudaErrorContextIsDestroyed) {
    error.message = "the context of " + label + " was destroyed: the program has reset the GPU";
  } else if (suspects.size() == 1 && all) {
    error.kernel = *suspects.begin();
    error.message = "kernel " + error.kernel + " failed on " + label + ": " + cuda.describe(result);
    error.help = "compute-sanitizer finds the place; " + error.help;
  } else if (!suspects.empty()) {
    error.message = std::string("one of the kernels ") + join(suspects) +
                    (all ? "" : " and others") + " failed on " + label + ": " +
                    cuda.describe(result);
    error.help = "CUDA_LAUNCH_BLOCKING=1 finds out which one; " + error.help;
  } else {
    error.message = what + ": " + cuda.describe(result);
  }
  loss = error.message;
  throw error;
}

void CudaDevice::fail(CUresult result, const std::string &what) const {
  if (CudaApi::isLostByFork())
    throw Error(TL_RUNTIME_ERROR,
                label + " cannot be used in a process that was forked from one that used it",
                "fork before the first use of a GPU, or start the child with exec")
        .onDevice(label);
  if (losesContext(result))
    failForGood(result, what);
  {
    std::lock_guard<std::mutex> lock(lossMutex);
    if (!loss.empty())
      throw Error(TL_RUNTIME_ERROR, label + " can no longer be used: " + loss,
                  "the process must be started again to use the GPU")
          .onDevice(label);
  }
  const std::string described = ": " + cuda.describe(result);
  if (result >= cudaErrorCaptureUnsupported && result <= cudaErrorCaptureWrongThread)
    throw Error(TL_RUNTIME_ERROR,
                what + " while a stream is being captured into a graph" + described,
                "compile kernels and allocate memory before the capture: "
                "kernel.compile(device, arguments…) compiles without a launch")
        .onDevice(label);
  if (result == cudaErrorOutOfMemory) {
    size_t free = 0, total = 0;
    cuda.memoryInfo(&free, &total);
    throw Error(TL_OUT_OF_RESOURCES, what + described + ", " + std::to_string(free) + " of " +
                                         std::to_string(total) + " bytes are free")
        .onDevice(label)
        .exceeding(0, free);
  }
  throw Error(TL_RUNTIME_ERROR, what + described).onDevice(label);
}

} // namespace tl::backend::nvidia
