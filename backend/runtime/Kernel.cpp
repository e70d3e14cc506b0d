// SPDX-License-Identifier: MIT
#include "runtime/Kernel.h"

#include "lowering/HiddenParameters.h"
#include "runtime/Reproducer.h"
#include "support/Environment.h"
#include "support/Error.h"
#include "support/Fork.h"
#include "support/LargeStack.h"

#include "tl/impl/number_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

namespace tl::backend {

static bool takesAllArguments(const CompiledKernel &code) {
  const HiddenParameters *hidden = code.hiddenParameters();
  return !hidden || std::none_of(hidden->tensorMaps.begin(), hidden->tensorMaps.end(),
                                 [](const TensorMapRecipe &map) { return map.isOfPointers; });
}

Kernel::Kernel(OpenDevice &device, KernelSource source, std::string_view entry,
               const CompileOptions &options)
    : handle(HandleKind::Kernel, this), device(&device) {
  const std::string_view ttir = source.text;
  const bool isGeneral = source.isGeneral;
  compile(device.device->target(), std::move(source), entry, options);
  if (!isGeneral && !takesAllArguments(*compiled)) {
    general = std::make_unique<General>();
    general->ttir = ttir;
    general->entry = entry;
    general->options = options;
  }
  auto start = std::chrono::steady_clock::now();
  try {
    loaded = device.device->load(*compiled);
  } catch (Error &error) {
    complete(error);
    throw;
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  milliseconds.emplace_back("load", spent.count());
  report();
}

Kernel::Kernel(std::unique_ptr<Target> bare, KernelSource source, std::string_view entry,
               const CompileOptions &options)
    : handle(HandleKind::Kernel, this), target(std::move(bare)) {
  compile(*target, std::move(source), entry, options);
  report();
}

/// What compiling takes of the stack. An operation is a line of some 80 bytes, and may be a step of
/// less than a kilobyte.
static size_t stackFor(std::string_view ttir) { return (size_t(512) << 10) + 16 * ttir.size(); }

void Kernel::compile(const Target &how, KernelSource source, std::string_view entry,
                     const CompileOptions &options) {
  Error error;
  const std::string_view ttir = source.text;
  ForkPoints points; // between the steps of a compilation
  try {
    onLargeStack(stackFor(ttir),
                 [&] { compiled = how.compile(std::move(source), entry, options); });
    parameterCount = compiled->parameters.size();
    names = compiled->stageNames();
    milliseconds = compiled->milliseconds;
    return;
  } catch (Error &thrown) {
    error = std::move(thrown);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &unexpected) {
    error.message = unexpected.what();
  } catch (...) {
    error.message = "an unknown exception left the compiler";
  }
  // An error in the text has nothing to do with the target.
  if (error.device.empty() && error.status != TL_COMPILE_ERROR)
    error.device = how.name();
  if (error.kernel.empty())
    error.kernel = entry;
  if (error.status == TL_INTERNAL_ERROR)
    attachReproducer(error, ttir, entry, how.name(), options);
  throw error;
}

const std::string &Kernel::stage(std::string_view name) {
  // The lock is held while the text is made: a second caller wants the same text anyway.
  std::lock_guard lock(stageMutex);
  auto found = stages.find(name);
  if (found != stages.end())
    return found->second;
  std::string known;
  for (const std::string &candidate : names) {
    if (candidate == name)
      return stages.emplace(std::string(name), compiled->stage(name)).first->second;
    known += (known.empty() ? "" : ", ") + candidate;
  }
  raise(TL_INVALID_ARGUMENT, "kernel " + compiled->name + " has no stage '" +
                                 std::string(name.substr(0, 40)) + "', its stages are " + known);
}

void Kernel::launchGeneral(OpenStream &stream, Grid grid, void *const *arguments,
                           size_t argumentCount) {
  if (!general) // only a text can bring this about that says itself what was made of pointers
    throw Error(TL_INVALID_ARGUMENT, "the arguments of kernel " + compiled->name +
                                         " do not fit the tensor maps that it has for pointers")
        .inKernel(compiled->name)
        .onDevice(device->name);
  {
    std::lock_guard lock(general->mutex);
    if (!general->kernel)
      general->kernel = std::make_unique<Kernel>(
          *device, KernelSource{general->ttir, nullptr, true}, general->entry, general->options);
  }
  general->kernel->launch(stream, grid, arguments, argumentCount);
}

void Kernel::report() const {
  if (!environment().timePasses)
    return;
  std::string line = "tl: compiled " + compiled->name + ":";
  for (const auto &[step, time] : milliseconds)
    line += " " + step + " " + impl::number_text(time, 2, std::chars_format::fixed) + " ms";
  std::fprintf(stderr, "%s\n", line.c_str());
}

void Kernel::complete(Error &error) const {
  if (error.kernel.empty())
    error.kernel = compiled->name;
  if (error.device.empty())
    error.device = device->name;
}

void Kernel::rejectLaunch(const OpenStream &stream, size_t argumentCount) const {
  const std::string &name = compiled->name;
  if (!device)
    throw Error(TL_INVALID_ARGUMENT,
                "kernel " + name + " was compiled for the target " + std::string(target->name()) +
                    " alone and cannot be launched",
                "compile it for a device with tl_compile")
        .inKernel(name)
        .onDevice(target->name());
  const std::string message = &stream.device != device
                                  ? "kernel " + name + " was compiled for " + device->name +
                                        ", the stream belongs to " + stream.device.name
                                  : "kernel " + name + " takes " + std::to_string(parameterCount) +
                                        (parameterCount == 1 ? " argument" : " arguments") +
                                        ", but " + std::to_string(argumentCount) +
                                        (argumentCount == 1 ? " was" : " were") + " given";
  throw Error(TL_INVALID_ARGUMENT, message).inKernel(name).onDevice(device->name);
}

void Kernel::rejectArgument(void *const *arguments, size_t index) const {
  throw Error(TL_INVALID_ARGUMENT,
              arguments ? "the address of argument " + std::to_string(index) + " of kernel " +
                              compiled->name + " (" + compiled->parameters[index].type + ") is null"
                        : "the arguments of kernel " + compiled->name + " are null")
      .withHelp("arguments[i] is the address of the value; to pass a null pointer to the kernel, "
                "pass the address of a null pointer")
      .inKernel(compiled->name)
      .onDevice(device->name);
}

void Kernel::rejectGrid(Grid grid) const {
  throw Error(TL_INVALID_ARGUMENT,
              "a grid of " + std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" +
                  std::to_string(grid.z) + " programs for kernel " + compiled->name +
                  " exceeds the limit of " + std::to_string(static_cast<uint64_t>(maxPrograms)) +
                  " programs a launch")
      .inKernel(compiled->name)
      .onDevice(device->name);
}

} // namespace tl::backend
