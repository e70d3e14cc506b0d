// SPDX-License-Identifier: MIT
//
// A compiled kernel behind its handle: what the target made of it, the loaded code if it is for a
// device, its stages on demand, and the launch with the checks that every device shares.
// Next: ModuleCache.h, which owns the kernels of devices.
#pragma once

#include "runtime/OpenDevice.h"

namespace tl::backend {

class Kernel {
public:
  /// Compiles for a device and loads.
  Kernel(OpenDevice &device, KernelSource source, std::string_view entry,
         const CompileOptions &options);
  /// Compiles for a target; the kernel cannot be launched.
  Kernel(std::unique_ptr<Target> target, KernelSource source, std::string_view entry,
         const CompileOptions &options);

  const CompiledKernel &code() const { return *compiled; }
  /// False for kernels of a bare target, which the caller destroys.
  bool isLoaded() const { return loaded != nullptr; }

  /// The bytes of a stage, kept for the life of the kernel. Throws if there is no such stage.
  const std::string &stage(std::string_view name);
  const std::vector<std::string> &stageNames() const { return names; }
  /// Step and milliseconds, loading included.
  const std::vector<std::pair<std::string, double>> &times() const { return milliseconds; }

  void launch(OpenStream &stream, Grid grid, void *const *arguments, size_t argumentCount) {
    if (&stream.device != device || argumentCount != parameterCount)
      rejectLaunch(stream, argumentCount);
    for (size_t i = 0; i < argumentCount; ++i)
      if (!arguments || !arguments[i])
        rejectArgument(arguments, i);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
      return;
    checkSize(grid);
    try {
      device->device->launch(*loaded, *stream.stream, grid, arguments);
    } catch (const UnfitArguments &) {
      launchGeneral(stream, grid, arguments, argumentCount);
    } catch (Error &error) {
      complete(error);
      throw;
    }
  }

  Handle handle;

private:
  void compile(const Target &target, KernelSource source, std::string_view entry,
               const CompileOptions &options);
  /// With arguments that the code does not take: compiles the text once more, for any arguments.
  void launchGeneral(OpenStream &stream, Grid grid, void *const *arguments, size_t argumentCount);
  void report() const;
  void complete(Error &error) const;
  [[noreturn]] void rejectLaunch(const OpenStream &stream, size_t argumentCount) const;
  [[noreturn]] void rejectArgument(void *const *arguments, size_t index) const;
  [[noreturn]] void rejectGrid(Grid grid) const;

  /// More programs than this never end: at a nanosecond each they take twenty minutes.
  static constexpr unsigned __int128 maxPrograms = static_cast<unsigned __int128>(1) << 40;
  void checkSize(Grid grid) const {
    if (static_cast<unsigned __int128>(grid.x) * grid.y * grid.z > maxPrograms)
      rejectGrid(grid);
  }

  OpenDevice *device = nullptr;
  std::unique_ptr<Target> target; // of kernels without a device
  std::unique_ptr<CompiledKernel> compiled;
  std::unique_ptr<LoadedKernel> loaded;
  size_t parameterCount = 0;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, double>> milliseconds;
  std::mutex stageMutex;
  std::map<std::string, std::string, std::less<>> stages;

  /// Of code that does not take all arguments: what it was made of, and that which does.
  struct General {
    std::string ttir, entry;
    CompileOptions options;
    std::mutex mutex;
    std::unique_ptr<Kernel> kernel; // made when it is first needed
  };
  std::unique_ptr<General> general;
};

} // namespace tl::backend
