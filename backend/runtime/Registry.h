// SPDX-License-Identifier: MIT
//
// Which devices and targets this libtl has. DeviceList.cpp is the explicit list, the only place
// that a new target is added to; the Registry opens what is on the list when it is first asked for.
#pragma once

#include "runtime/OpenDevice.h"

#include <functional>

namespace tl::backend {

struct DeviceEntry {
  std::string name; // "cpu", "cuda:0"
  std::function<std::unique_ptr<Device>()> open;
};

struct TargetEntry {
  std::string names; // human-readable: "cpu", "sm_80 to sm_121a"
  /// The target, or null if the name is not one of this entry.
  std::function<std::unique_ptr<Target>(std::string_view name)> open;
};

/// All that libtl is built from and all that was found on this machine.
struct DeviceList {
  std::vector<DeviceEntry> devices;   // "cpu" first, then "interpreter", then GPUs
  std::vector<DeviceEntry> emulators; // "simt:sm_90a"; only those who ask by name get them
  std::vector<TargetEntry> targets;   // of code generation
  std::vector<std::string> missing;   // a sentence for each absent thing, see tl_missing
  /// Checks TTIR text and prints it again without locations and in one spelling: two texts with
  /// the same result are the same kernel. May leave the module in the source. Throws Error for text
  /// that is not TTIR.
  std::string (*canonicalText)(KernelSource &source) = nullptr;
};

/// The list; see DeviceList.cpp.
DeviceList deviceList();

class Registry {
public:
  explicit Registry(DeviceList list);
  /// The registry of this process, made from deviceList() at the first call.
  static Registry &instance();
  /// Of a forked child: a device may be opening in another thread of the parent.
  void freeLocks();

  size_t deviceCount() const { return contents.devices.size(); }
  /// Each opens its device at the first call and throws Error if there is none or it will not open.
  OpenDevice &deviceAt(size_t index);
  OpenDevice &deviceNamed(std::string_view name);
  /// The device that TL_DEVICE names, else the first GPU, else the first device.
  OpenDevice &bestDevice();

  /// A target that need not have a device here.
  std::unique_ptr<Target> target(std::string_view name) const;

  const std::vector<std::string> &missing() const { return contents.missing; }
  std::string canonicalText(KernelSource &source) const { return contents.canonicalText(source); }

private:
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<OpenDevice> device;
  };
  const DeviceEntry &entryAt(size_t slot) const;
  OpenDevice &openSlot(size_t slot);
  std::string deviceNames() const;

  DeviceList contents;
  std::vector<Slot> slots; // of the devices, then of the emulators
};

} // namespace tl::backend
