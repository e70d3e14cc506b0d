// SPDX-License-Identifier: MIT
//
// The two interfaces that a new target implements: Target turns TTIR into code and needs no
// hardware; Device owns memory, streams and launches. Neither mentions MLIR, so that the runtime
// stays quick to build. Next: targets/cpu for the smallest complete implementation, and
// runtime/Inventory.cpp for the explicit list of all of them.
#pragma once

#include "tl/c/tl.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tl::backend {

/// The one exception of the backend: a diagnostic on its way to the C door, which catches it.
struct Error {
  tl_status status = TL_INTERNAL_ERROR;
  std::string message;
  std::string help;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string kernel;
  std::string device;
  uint64_t required = 0;
  uint64_t limit = 0;
};

struct CompileOptions {
  int numWarps = 4;
  int numStages = 3;
  int numCtas = 1;
  int maxRegisters = 0; // 0: the compiler's choice
  bool fpFusion = true;
  bool debug = false;
};

/// A kernel parameter as the launcher sees it.
struct Parameter {
  std::string type;   // as printed in TTIR: "!tt.ptr<f32>", "i32", "bf16"
  unsigned bytes = 0; // bytes read through the argument pointer
  bool isPointer = false;
};

struct Stage {
  std::string name; // "ttir", "llir", "asm", "obj", "ttgir", "ptx", "cubin"
  std::string bytes;
};

/// What a Target makes of a kernel. A target derives from it to keep what its Device needs to load
/// (an object file, a decoded program).
struct CompiledKernel {
  virtual ~CompiledKernel() = default;
  /// The stages in order, and the bytes of one, made on demand where that is dear (assembly text).
  virtual std::vector<std::string> stageNames() const = 0;
  virtual std::string stage(std::string_view name) const = 0;

  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, double>> milliseconds; // step, time
  int64_t registers = 0, spills = 0, sharedBytes = 0, threads = 1;
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  /// Compiles `entry` (empty: the only public function). Throws Error. Called from any thread.
  virtual std::unique_ptr<CompiledKernel> compile(std::string_view ttir, std::string_view entry,
                                                  const CompileOptions &options) const = 0;
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

class Device {
public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;        // "cpu", "cuda:0"
  virtual std::string_view description() const = 0; // for people
  virtual const Target &target() const = 0;

  virtual void *allocate(uint64_t bytes) = 0;
  virtual void release(void *pointer) = 0;
  virtual void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  virtual void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  virtual void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) = 0;
  virtual void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) = 0;

  virtual std::unique_ptr<Stream> createStream() = 0;
  virtual std::unique_ptr<Stream> wrapStream(void *native) = 0;
  virtual void synchronize(Stream &) = 0;
  virtual std::unique_ptr<Event> createEvent() = 0;
  virtual void record(Event &, Stream &) = 0;
  virtual void synchronize(Event &) = 0;
  virtual void wait(Stream &, Event &) = 0;
  virtual double elapsedMilliseconds(Event &start, Event &end) = 0;

  virtual std::unique_ptr<LoadedKernel> load(const CompiledKernel &) = 0;
  /// `arguments[i]` points to the value of parameter i; the count has been checked. The grid is not
  /// empty.
  virtual void launch(LoadedKernel &, Stream &, Grid, void *const *arguments) = 0;
};

} // namespace tl::backend
