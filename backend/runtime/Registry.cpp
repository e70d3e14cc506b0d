// SPDX-License-Identifier: MIT
#include "runtime/Registry.h"

#include "support/Environment.h"
#include "support/Error.h"
#include "support/Fork.h"

namespace tl::backend {
namespace {

/// Names come from users: bounded and printable in messages.
std::string quoted(std::string_view name) {
  std::string shown = "'";
  for (unsigned char c : name.substr(0, 40))
    shown += c >= ' ' && c < 0x7f ? static_cast<char>(c) : '?';
  return shown + (name.size() > 40 ? "...'" : "'");
}

} // namespace

Registry::Registry(DeviceList list)
    : contents(std::move(list)), slots(contents.devices.size() + contents.emulators.size()) {}

Registry &Registry::instance() {
  static Registry &registry = *[] {
    auto *made = new Registry(deviceList());
    onFork([](void *object) { static_cast<Registry *>(object)->freeLocks(); }, made);
    return made;
  }();
  return registry;
}

void Registry::freeLocks() {
  for (Slot &slot : slots)
    new (&slot.mutex) std::mutex;
}

static std::string namesOf(const std::vector<DeviceEntry> &entries) {
  std::string names;
  for (const DeviceEntry &entry : entries)
    names += (names.empty() ? "" : ", ") + entry.name;
  return names;
}

/// "cuda" of "cuda:0".
static std::string_view kindOf(std::string_view name) { return name.substr(0, name.find(':')); }

std::string Registry::deviceNames() const { return namesOf(contents.devices); }

OpenDevice &Registry::deviceAt(size_t index) {
  if (index >= deviceCount())
    raise(TL_INVALID_ARGUMENT, "there is no device " + std::to_string(index) + ", the " +
                                   std::to_string(deviceCount()) + " devices of this machine are " +
                                   deviceNames());
  return openSlot(index);
}

const DeviceEntry &Registry::entryAt(size_t slot) const {
  const size_t listed = contents.devices.size();
  return slot < listed ? contents.devices[slot] : contents.emulators[slot - listed];
}

OpenDevice &Registry::openSlot(size_t index) {
  Slot &slot = slots[index];
  auto lock = lockOutside(slot.mutex); // opening a GPU lets forks pass
  if (!slot.device) {
    environment(); // a bad variable is reported before anything is done
    slot.device = std::make_unique<OpenDevice>(entryAt(index).open());
  }
  return *slot.device;
}

OpenDevice &Registry::deviceNamed(std::string_view name) {
  for (size_t i = 0; i < slots.size(); ++i)
    if (entryAt(i).name == name)
      return openSlot(i);
  // "cuda:0" that is missing has a reason, which is worth more than the list of what is there.
  for (const std::string &line : contents.missing)
    if (std::string_view kind = kindOf(line); !kind.empty() && kindOf(name) == kind)
      raise(TL_INVALID_ARGUMENT,
            "there is no device " + quoted(name) +
                " on this machine: " + line.substr(std::min(line.size(), kind.size() + 2)),
            "the devices of this machine are " + deviceNames());
  // Of emulated GPUs there are many, which are listed only to whom asks for one.
  const std::vector<DeviceEntry> &emulators = contents.emulators;
  if (!emulators.empty() && kindOf(name) == kindOf(emulators.front().name))
    raise(TL_INVALID_ARGUMENT,
          "there is no device " + quoted(name) + ", those of this kind are " + namesOf(emulators));
  raise(TL_INVALID_ARGUMENT, "there is no device " + quoted(name) +
                                 ", the devices of this machine are " + deviceNames());
}

OpenDevice &Registry::bestDevice() {
  std::string wanted = readEnvironment().device;
  if (!wanted.empty()) {
    try {
      return deviceNamed(wanted);
    } catch (Error &error) {
      error.message = "environment variable TL_DEVICE: " + error.message;
      throw;
    }
  }
  // Names with a number are GPUs; "cpu" and "interpreter" have none.
  for (size_t i = 0; i < deviceCount(); ++i)
    if (contents.devices[i].name.find(':') != std::string::npos)
      return deviceAt(i);
  return deviceAt(0);
}

std::unique_ptr<Target> Registry::target(std::string_view name) const {
  environment();
  std::string names;
  for (const TargetEntry &entry : contents.targets) {
    if (std::unique_ptr<Target> target = entry.open(name))
      return target;
    names += (names.empty() ? "" : ", ") + entry.names;
  }
  raise(TL_INVALID_ARGUMENT,
        "there is no target " + quoted(name) + ", the targets of this libtl are " + names);
}

} // namespace tl::backend
