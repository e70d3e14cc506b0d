// SPDX-License-Identifier: MIT
//
// The interfaces that a new target implements: Target turns TTIR into code and needs no hardware;
// Device owns memory, streams and launches. Neither mentions MLIR, so that the runtime
// stays quick to build. Next: targets/cpu for the smallest complete implementation, and
// abi/DeviceList.cpp for the explicit list of all of them.
#pragma once

#include "support/CompileOptions.h"
#include "support/Error.h"
#include "support/KernelSource.h"
#include "support/Parameter.h"
#include "tl/c/tl.h"

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tl::backend {

struct HiddenParameters; // lowering/HiddenParameters.h

/// What a Target makes of a kernel. A target derives from it to keep what its Device needs to load
/// (an object file, a decoded program).
struct CompiledKernel {
  virtual ~CompiledKernel() = default;
  /// The stages in order, and the bytes of one, made on demand where expensive (assembly text).
  virtual std::vector<std::string> stageNames() const = 0;
  virtual std::string stage(std::string_view name) const = 0;

  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds; // step, time
  int64_t registers = 0, spills = 0, sharedBytes = 0, threads = 1;
  std::string symbol; // of the entry in the code, for those who load it by themselves; or empty
  /// What the code takes after the parameters; null for nothing.
  virtual const HiddenParameters *hiddenParameters() const { return nullptr; }
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  /// Compiles `entry` (empty: the only public function). Throws Error. Called from any thread.
  virtual std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                                  const CompileOptions &options) const = 0;
  /// The options that change the code. The module cache tells kernels apart by these alone.
  virtual CompileOptionSet followedOptions() const = 0;
  /// Whether the source lines in the TTIR are a part of what the compiled kernel does (it names
  /// them when it runs). The module cache then tells apart kernels that differ in lines alone.
  virtual bool keepsLocations(const CompileOptions &options) const { return options.debug; }
};

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// A kernel made ready on a device.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
};

/// A queue of work. On devices that run synchronously it only names its device.
class Stream {
public:
  virtual ~Stream() = default;
};

/// A point in a stream's work.
class Event {
public:
  virtual ~Event() = default;
};

/// Thrown by a launch, which has then done nothing, for arguments that the kernel takes but not the
/// code that was made of it: that compiled with KernelSource::isGeneral takes all.
struct UnfitArguments {};

class Device;

/// The memory of a device. Those who use it hold pointers into it and nothing else.
class DeviceMemory {
public:
  virtual void *allocate(uint64_t bytes) = 0;
  virtual void release(void *pointer) = 0;
  /// In the order of the stream's work, where the device can do that without waiting.
  virtual void *allocateInOrder(Stream &, uint64_t bytes) { return allocate(bytes); }
  virtual void releaseInOrder(Stream &, void *pointer) { release(pointer); }
  /// Memory of the host that the device copies from and to without the host's help.
  virtual void *allocateHost(uint64_t bytes);
  virtual void releaseHost(void *pointer);

  /// Copies with the host, done on return.
  virtual void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  virtual void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  /// Copies with the host that may still be queued on return.
  virtual void queueCopyToDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
    copyToDevice(stream, dst, src, bytes);
  }
  virtual void queueCopyFromDevice(Stream &stream, void *dst, const void *src, uint64_t bytes) {
    copyFromDevice(stream, dst, src, bytes);
  }
  virtual void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  /// From another device into this one, in the order of both streams; false where the two know no
  /// way, and the caller goes through the host.
  virtual bool copyFromPeer(Stream &, void * /*dst*/, Device & /*source*/, Stream & /*of source*/,
                            const void * /*src*/, uint64_t /*bytes*/) {
    return false;
  }
  virtual void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) = 0;

protected:
  ~DeviceMemory() = default;
};

/// The order of a device's work.
class DeviceStreams {
public:
  /// The stream for work that names none.
  virtual std::unique_ptr<Stream> createDefaultStream() { return createStream(); }
  virtual std::unique_ptr<Stream> createStream() = 0;
  virtual std::unique_ptr<Stream> wrapStream(void *native) = 0;
  virtual void synchronize(Stream &) = 0;
  virtual std::unique_ptr<Event> createEvent() = 0;
  virtual void record(Event &, Stream &) = 0;
  virtual void synchronize(Event &) = 0;
  virtual void wait(Stream &, Event &) = 0;
  virtual double elapsedMilliseconds(Event &start, Event &end) = 0;

protected:
  ~DeviceStreams() = default;
};

/// All of a device: its memory, the order of its work, and the kernels that it runs.
class Device : public DeviceMemory, public DeviceStreams {
public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;        // "cpu", "cuda:0"
  virtual std::string_view description() const = 0; // human-readable
  virtual const Target &target() const = 0;

  virtual std::unique_ptr<LoadedKernel> load(const CompiledKernel &) = 0;
  /// `arguments[i]` points to the value of parameter i; the count has been checked. The grid is not
  /// empty. Throws Error, or UnfitArguments.
  virtual void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) = 0;
};

inline void *DeviceMemory::allocateHost(uint64_t bytes) {
  return bytes ? ::operator new(bytes, std::align_val_t(64)) : nullptr;
}
inline void DeviceMemory::releaseHost(void *pointer) {
  if (pointer)
    ::operator delete(pointer, std::align_val_t(64));
}

} // namespace tl::backend
