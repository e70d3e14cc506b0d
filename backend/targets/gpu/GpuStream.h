// SPDX-License-Identifier: MIT
//
// A stream of a GPU with what is known of the kernels in it, and an event. Their functions
// are those of the device (GpuDevice.h), in GpuStream.cpp.
#pragma once

#include "targets/gpu/GpuDevice.h"

namespace tl::backend::gpu {

class GpuStream final : public Stream {
public:
  GpuStream(GpuDevice &device, NativeStream native, bool owned);
  ~GpuStream() override;

  const NativeStream native;

  /// Notes that a kernel of this name was queued. The name lives as long as the device. Without a
  /// lock: a launch that is waited for at the same time may be forgotten, which only makes a report
  /// less precise.
  void noteLaunch(const std::string *name) {
    for (std::atomic<const std::string *> &kernel : kernels) {
      const std::string *known = kernel.load(std::memory_order_relaxed);
      if (known == name)
        return;
      if (!known && kernel.compare_exchange_strong(known, name, std::memory_order_relaxed))
        return;
      if (known == name)
        return;
    }
    moreKernels.store(true, std::memory_order_relaxed);
  }
  /// The names of the kernels queued since the last wait; false if there were more than these.
  bool listKernels(std::set<std::string> &names) const;
  /// All that was queued has ended well.
  void forgetKernels();

  /// Where the programs of the launches in this stream meet; a place of its own for a captured one,
  /// since graphs may run at the same time.
  Address counter(bool captured);

  /// A record for a launch with assertions, kept until the stream has been waited for; for ever if
  /// a graph will write into it each time that it runs.
  FailureRecord *addRecord(const GpuCode &kernel, Address counter, bool captured);
  /// Throws the first failure of the launches since the last call, if there is one. The stream's
  /// work must have ended.
  void throwFailedAssertion(const std::string &device);

private:
  struct Pending {
    FailureRecord *record;
    Address counter; // of the grid's barrier, or 0
    bool captured;
    std::string kernel;
    std::vector<AssertSite> sites;
  };

  GpuDevice &device;
  const bool owned;
  std::array<std::atomic<const std::string *>, 8> kernels{};
  std::atomic<bool> moreKernels{false};
  std::mutex mutex;
  std::vector<Pending> pending;
  std::vector<FailureRecord *> spare;
  Address ownCounter = 0;
};

class GpuEvent final : public Event {
public:
  GpuEvent(const GpuApi &api, NativeContext context) : api(api), context(context) {}
  ~GpuEvent() override {
    if (!native || GpuApi::isLostByFork())
      return;
    CurrentContext current(api, context);
    api.destroyEvent(native);
  }
  NativeEvent native = nullptr;

private:
  const GpuApi &api;
  NativeContext context;
};

inline NativeStream native(Stream &stream) { return static_cast<GpuStream &>(stream).native; }
inline NativeEvent native(Event &event) { return static_cast<GpuEvent &>(event).native; }

} // namespace tl::backend::gpu
