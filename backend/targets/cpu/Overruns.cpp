// SPDX-License-Identifier: MIT
#include "targets/cpu/Overruns.h"

#include "support/Error.h"
#include "support/Fork.h"

#include <cstdio>

namespace tl::backend::cpu {
namespace {

[[noreturn]] void fail(const Damage &damage, const std::string &buffer,
                       const std::set<std::string> &kernels) {
  std::string who;
  for (const std::string &kernel : kernels)
    who += (who.empty() ? "" : ", ") + kernel;
  std::string message = kernels.empty()       ? "the program itself, not a kernel,"
                        : kernels.size() == 1 ? "kernel " + who
                                              : "one of the kernels " + who;
  message += damage.first < 0 ? " wrote before the buffer" : " wrote past the end of the buffer";
  message += buffer + ": " + std::to_string(damage.count) +
             (damage.count == 1 ? " byte is" : " bytes are") +
             " overwritten, the first at offset " + std::to_string(damage.first);
  if (damage.others)
    message += ", and " + std::to_string(damage.others) +
               (damage.others == 1 ? " other buffer" : " other buffers");
  const char *help = kernels.empty() ? ""
                                     : "mask off the lanes that lie beyond the buffer; the device "
                                       "\"interpreter\" finds the line of the access";
  throw Error(TL_RUNTIME_ERROR, message, help)
      .inKernel(kernels.size() == 1 ? who : "")
      .onDevice("cpu");
}

} // namespace

std::string bufferText(const void *buffer, uint64_t bytes, const std::vector<Parameter> &parameters,
                       void *const *arguments) {
  const std::string size = " of " + std::to_string(bytes) + " bytes";
  const auto begin = reinterpret_cast<uintptr_t>(buffer);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].isPointer)
      if (const auto address = *static_cast<const uintptr_t *>(arguments[i]);
          address >= begin && address - begin <= bytes)
        return size + " passed as argument " + std::to_string(i);
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(begin));
  return size + " at " + text;
}

std::string locationText(int64_t offset, uint64_t bytes) {
  if (offset < 0)
    return std::to_string(-offset) + " bytes before";
  if (uint64_t(offset) < bytes)
    return "at offset " + std::to_string(offset) + " of";
  return std::to_string(uint64_t(offset) - bytes) + " bytes past the end of";
}

void Overruns::begin(const std::string &kernel) {
  ForkGuard inside;
  std::lock_guard<std::mutex> lock(mutex);
  running.insert(kernel);
}

void Overruns::end(const std::string &kernel, const std::vector<Parameter> &parameters,
                   void *const *arguments) {
  ForkGuard inside;
  std::set<std::string> kernels;
  {
    std::lock_guard<std::mutex> lock(mutex);
    kernels.insert(running.begin(), running.end()); // this one among them
    running.erase(running.find(kernel));
  }
  if (auto damage = buffers.findDamage())
    fail(*damage, bufferText(damage->buffer, damage->bytes, parameters, arguments), kernels);
}

void Overruns::report(const std::optional<Damage> &damage) {
  if (!damage)
    return;
  std::set<std::string> kernels;
  {
    std::lock_guard<std::mutex> lock(mutex);
    kernels.insert(running.begin(), running.end());
  }
  fail(*damage, bufferText(damage->buffer, damage->bytes, {}, nullptr), kernels);
}

} // namespace tl::backend::cpu
