// SPDX-License-Identifier: MIT
//
// The explicit list of what libtl consists of. To add a target, add its device and its code
// generation here; nothing registers itself.
#include "interpreter/Device.h"
#include "runtime/CanonicalText.h"
#include "runtime/Registry.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/Target.h"
#ifdef TL_HAVE_AMD
#include "targets/amd/Driver.h"
#include "targets/amd/Target.h"
#endif
#ifdef TL_HAVE_NVIDIA
#include "targets/nvidia/Driver.h"
#include "targets/nvidia/Target.h"
#endif
#ifdef TL_HAVE_SIMT
#include "targets/simt/Driver.h"
#include "targets/simt/Target.h"
#endif

namespace tl::backend {
namespace {

#ifdef TL_HAVE_NVIDIA
static_assert((cpu::followedOptions | interpreter::followedOptions | nvidia::followedOptions) ==
                  CompileOptionSet::all(),
              "some target follows each option");
#endif

std::unique_ptr<Device> openCpu() {
  static const cpu::CpuTarget &target = *new cpu::CpuTarget; // outlives the device
  return std::make_unique<cpu::CpuDevice>(target);
}

/// An entry of a target that has one name.
template <class T> TargetEntry named(std::string name) {
  return {name, [name](std::string_view wanted) -> std::unique_ptr<Target> {
            return wanted == name ? std::make_unique<T>() : nullptr;
          }};
}

#ifdef TL_HAVE_NVIDIA
std::unique_ptr<Device> openCuda(int gpu) {
  return std::make_unique<nvidia::CudaDevice>(
      gpu, nvidia::openTarget(nvidia::CudaDevice::architecture(gpu)));
}

void addNvidia(DeviceList &list) {
  list.targets.push_back({"sm_80 to sm_121a", nvidia::openTarget});
  for (int gpu = 0, count = nvidia::CudaDevice::count(); gpu < count; ++gpu)
    list.devices.push_back({"cuda:" + std::to_string(gpu), [gpu] { return openCuda(gpu); }});
  for (std::string line : {nvidia::missingDriver(), nvidia::missingAssembler()})
    if (!line.empty())
      list.missing.push_back(std::move(line));
}
#else
void addNvidia(DeviceList &list) {
  list.missing.push_back("cuda: the NVIDIA target is not built into this libtl");
}
#endif

#ifdef TL_HAVE_AMD
std::unique_ptr<Device> openHip(int gpu) {
  return std::make_unique<amd::HipDevice>(gpu, amd::openTarget(amd::HipDevice::architecture(gpu)));
}

void addAmd(DeviceList &list) {
  list.targets.push_back({"gfx90a, gfx942, gfx950, gfx1100, gfx1201", amd::openTarget});
  for (int gpu = 0, count = amd::HipDevice::count(); gpu < count; ++gpu)
    list.devices.push_back({"hip:" + std::to_string(gpu), [gpu] { return openHip(gpu); }});
  if (std::string line = amd::HipDevice::missing(); !line.empty())
    list.missing.push_back(std::move(line));
}
#else
void addAmd(DeviceList &list) {
  list.missing.push_back("hip: the AMD target is not built into this libtl");
}
#endif

void addEmulators(DeviceList &list) {
#ifdef TL_HAVE_SIMT
  list.targets.push_back({"simt: and one of a GPU", simt::openTarget});
  for (const std::string &name : simt::deviceNames())
    list.emulators.push_back({name, [name] { return std::make_unique<simt::SimtDevice>(name); }});
#endif
}

} // namespace

DeviceList deviceList() {
  DeviceList list;
  list.devices = {{"cpu", openCpu}, {"interpreter", interpreter::openInterpreter}};
  list.targets = {named<cpu::CpuTarget>("cpu"),
                  named<interpreter::InterpreterTarget>("interpreter")};
  addNvidia(list);
  addAmd(list);
  addEmulators(list);
  list.canonicalText = canonicalText;
  return list;
}

} // namespace tl::backend
