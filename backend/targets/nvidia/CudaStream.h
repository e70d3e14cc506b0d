// SPDX-License-Identifier: MIT
//
// A stream of a CUDA card and what its kernels reported, and an event. Made by Driver.cpp.
#pragma once

#include "targets/nvidia/Driver.h"

namespace tl::backend::nvidia {

class CudaStream final : public Stream {
public:
  CudaStream(const CudaApi &cuda, CUcontext context, CUstream native, bool owned)
      : native(native), cuda(cuda), context(context), owned(owned) {}
  ~CudaStream() override;

  /// A record for a launch with assertions, kept until the stream has been waited for.
  FailureRecord *addRecord(const NvidiaKernel &kernel);
  /// Throws the first failure of the launches since the last call, if there is one. The stream's
  /// work must have ended.
  void throwFailedAssertion(const std::string &device);

  const CUstream native;

private:
  struct Pending {
    FailureRecord *record;
    std::string kernel;
    std::vector<AssertSite> sites;
  };

  const CudaApi &cuda;
  CUcontext context;
  bool owned;
  std::mutex mutex;
  std::vector<Pending> pending;
  std::vector<FailureRecord *> spare;
};

class CudaEvent final : public Event {
public:
  CudaEvent(const CudaApi &cuda, CUcontext context) : cuda(cuda), context(context) {}
  ~CudaEvent() override {
    cuda.setContext(context);
    if (native)
      cuda.destroyEvent(native);
  }
  CUevent native = nullptr;

private:
  const CudaApi &cuda;
  CUcontext context;
};

inline CUstream native(Stream &stream) { return static_cast<CudaStream &>(stream).native; }
inline CUevent native(Event &event) { return static_cast<CudaEvent &>(event).native; }

} // namespace tl::backend::nvidia
