// SPDX-License-Identifier: MIT
#include "interpreter/Device.h"

#include "interpreter/Interpreter.h"
#include "support/Environment.h"
#include "support/FloatingMode.h"
#include "support/Fork.h"

#include <cstring>

namespace tl::backend::interpreter {

namespace {

struct LoadedProgram final : LoadedKernel {
  Program program; // a copy: the compiled kernel need not outlive the load
  bool debug = false;
};

} // namespace

InterpreterDevice::InterpreterDevice() : HostDevice("the interpreter") {
  onFork([](void *object) { new (&static_cast<InterpreterDevice *>(object)->mutex) std::mutex; },
         this);
}

void *InterpreterDevice::allocate(uint64_t bytes) {
  auto lock = lockOutside(mutex);
  return memory.allocate(bytes);
}

void InterpreterDevice::release(void *pointer) {
  auto lock = lockOutside(mutex);
  memory.release(pointer);
}

void InterpreterDevice::copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  auto lock = lockOutside(mutex);
  memory.checkRange(dst, bytes, "tl_copy_to_device");
  if (bytes == 0)
    return;
  std::memcpy(dst, src, bytes);
  memory.markWritten(dst, bytes);
}

void InterpreterDevice::copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  auto lock = lockOutside(mutex);
  memory.checkRange(src, bytes, "tl_copy_from_device");
  if (bytes != 0)
    std::memcpy(dst, src, bytes);
}

void InterpreterDevice::copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  auto lock = lockOutside(mutex);
  memory.checkRange(dst, bytes, "tl_copy_on_device");
  memory.checkRange(src, bytes, "tl_copy_on_device");
  if (bytes == 0)
    return;
  std::memmove(dst, src, bytes);
  memory.copyWritten(dst, src, bytes);
}

void InterpreterDevice::fill(Stream &, void *dst, uint8_t value, uint64_t bytes) {
  auto lock = lockOutside(mutex);
  memory.checkRange(dst, bytes, "tl_fill");
  if (bytes == 0)
    return;
  std::memset(dst, value, bytes);
  memory.markWritten(dst, bytes);
}

std::unique_ptr<LoadedKernel> InterpreterDevice::load(const CompiledKernel &kernel) {
  auto &interpreted = ownKernel<InterpretedKernel>(kernel);
  auto loaded = std::make_unique<LoadedProgram>();
  loaded->program = interpreted.program;
  loaded->debug = interpreted.debug;
  return loaded;
}

void InterpreterDevice::launch(LoadedKernel &kernel, Stream &, Grid grid, void *const *arguments) {
  auto &loaded = static_cast<LoadedProgram &>(kernel);
  ForkGuard inside;
  ForkPoints points; // between instructions
  auto lock = lockOutside(mutex);
  const Options options = {loaded.debug, readEnvironment().interpreterSteps};
  FloatingFlags flags; // sums of double are computed in long double
  Machine machine(loaded.program, memory, options);
  machine.launch(grid, arguments);
}

std::unique_ptr<Device> openInterpreter() { return std::make_unique<InterpreterDevice>(); }

} // namespace tl::backend::interpreter
