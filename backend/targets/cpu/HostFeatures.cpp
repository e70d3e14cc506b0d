// SPDX-License-Identifier: MIT
//
// Fills HostFeatures from what LLVM knows about processors.
#include "targets/cpu/HostFeatures.h"

#include "support/Environment.h"
#include "targets/Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#include <fstream>

namespace tl::backend::cpu {
namespace {

constexpr const char *portableLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

[[noreturn]] void fail(std::string message, std::string help = {}) {
  throw Error(TL_INVALID_ARGUMENT, std::move(message)).withHelp(std::move(help)).onDevice("cpu");
}

bool isX86() { return llvm::Triple(llvm::sys::getProcessTriple()).isX86(); }

/// Derives the flags from a list of LLVM feature names that are on.
template <typename Has> void setFlags(HostFeatures &features, Has &&has) {
  features.x86 = isX86();
  if (!features
           .x86) { // aarch64 and others: 16-byte vectors, everything else by LLVM's own lowering
    bool neon = llvm::Triple(features.triple).isAArch64();
    features.rounding = features.fma = features.halfConversion = neon;
    features.vectorRegisters = 32;
    return;
  }
  features.rounding = has("sse4.1");
  features.avx2 = has("avx2");
  features.fma = has("fma");
  features.halfConversion = has("f16c");
  features.avx512 = features.fma && has("avx512f") && has("avx512bw") && has("avx512dq") &&
                    has("avx512vl") && has("avx512cd");
  features.avx512Vnni = features.avx512 && has("avx512vnni");
  features.avxVnni = has("avxvnni");
  features.avx512Bf16 = features.avx512 && has("avx512bf16");
  features.amxTile = has("amx-tile");
  features.amxBf16 = features.amxTile && has("amx-bf16");
  features.amxInt8 = features.amxTile && has("amx-int8");
  features.vectorBytes = features.avx512 ? 64 : features.avx2 ? 32 : 16;
  features.vectorRegisters = features.avx512 ? 32 : 16;
}

std::string joined(const llvm::StringMap<bool> &map) {
  std::vector<std::string> parts;
  for (const auto &entry : map)
    parts.push_back((entry.second ? "+" : "-") + entry.first().str());
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ",") + part;
  return text;
}

HostFeatures native() {
  HostFeatures features;
  features.triple = llvm::sys::getProcessTriple();
  features.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> map = llvm::sys::getHostCPUFeatures();
  features.features = joined(map);
  setFlags(features, [&](llvm::StringRef name) { return map.lookup(name); });
  return features;
}

/// Everything that a portable level has, with what its features build on.
llvm::StringMap<bool> featuresOfLevel(llvm::StringRef level) {
  llvm::SmallVector<llvm::StringRef> listed;
  llvm::X86::getFeaturesForCPU(level, listed);
  llvm::StringMap<bool> all;
  for (llvm::StringRef name : listed) {
    all[name] = true;
    llvm::X86::updateImpliedFeatures(name, true, all);
  }
  return all;
}

std::string modelName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (llvm::StringRef(line).starts_with("model name"))
      return llvm::StringRef(line).split(':').second.trim().str();
  return llvm::sys::getHostCPUName().str();
}

} // namespace

const HostFeatures &HostFeatures::host() {
  // A throw leaves the variable uninitialised, so that the next call reports the error again.
  static const HostFeatures &features = *new HostFeatures(native().with(environment().cpuFeatures));
  return features;
}

HostFeatures HostFeatures::named(std::string_view name) {
  if (name == "native")
    return native();
  HostFeatures features;
  features.triple = llvm::sys::getProcessTriple();
  features.cpu = name;
  if (!isX86()) {
    if (name != "generic")
      fail("unknown processor '" + std::string(name) + "'; known are native and generic");
    setFlags(features, [](llvm::StringRef) { return false; });
    return features;
  }
  if (std::find(std::begin(portableLevels), std::end(portableLevels), name) ==
      std::end(portableLevels))
    fail("unknown processor '" + std::string(name) +
         "'; known are native, x86-64, x86-64-v2, x86-64-v3 and x86-64-v4");
  llvm::StringMap<bool> on = featuresOfLevel(features.cpu);
  setFlags(features, [&](llvm::StringRef feature) { return on.lookup(feature); });
  return features;
}

std::vector<std::string> HostFeatures::runnable() {
  if (!isX86())
    return {"generic", "native"};
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const char *level : portableLevels) {
    // Features that the host's map does not list (x87, …) every 64-bit processor has.
    if (llvm::all_of(featuresOfLevel(level), [&](const llvm::StringMapEntry<bool> &feature) {
          auto found = host.find(feature.first());
          return !feature.second || found == host.end() || found->second;
        }))
      names.push_back(level);
  }
  names.push_back("native");
  return names;
}

HostFeatures HostFeatures::with(std::string_view changes) const {
  if (changes.empty())
    return *this;
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::StringMap<bool> wanted = host;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(changes.data(), changes.size()).split(parts, ',', -1, false);
  HostFeatures result;
  result.triple = triple;
  result.cpu = cpu;
  result.features = features;
  for (llvm::StringRef part : parts) {
    bool on = part.consume_front("+");
    if (!on && !part.consume_front("-"))
      fail("TL_CPU_FEATURES has '" + part.str() + "' where +feature or -feature is expected");
    auto known = host.find(part);
    if (known == host.end())
      fail("TL_CPU_FEATURES names the unknown processor feature '" + part.str() + "'");
    if (on && !known->second)
      fail("TL_CPU_FEATURES asks for '" + part.str() + "', which this processor does not have");
    if (!on && part == "64bit")
      fail("TL_CPU_FEATURES takes away '" + part.str() +
           "', which every program for this processor needs");
    wanted[part] = on;
    if (isX86())
      llvm::X86::updateImpliedFeatures(part, on, wanted); // LLVM does the same to its own list
    result.features += (result.features.empty() ? "" : ",") + ((on ? "+" : "-") + part.str());
  }
  setFlags(result, [&](llvm::StringRef name) { return wanted.lookup(name); });
  return result;
}

std::string HostFeatures::description() const {
  std::string text = modelName() + " (" + cpu;
  const std::pair<bool, const char *> names[] = {
      {avx512, "AVX-512"},  {avx2 && !avx512, "AVX2"},       {fma && !avx512, "FMA"},
      {avx512Bf16, "BF16"}, {avx512Vnni || avxVnni, "VNNI"}, {amxTile, "AMX"}};
  for (auto [on, name] : names)
    if (on && x86)
      text += std::string(", ") + name;
  return text + ")";
}

} // namespace tl::backend::cpu
