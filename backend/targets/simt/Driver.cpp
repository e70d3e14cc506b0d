// SPDX-License-Identifier: MIT
#include "targets/simt/Driver.h"

#include "support/Environment.h"
#include "support/FloatingMode.h"
#include "support/Fork.h"
#include "targets/simt/Functions.h"
#include "targets/simt/Launch.h"
#include "targets/simt/Target.h"
#include "targets/simt/TensorMap.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tl::backend::simt {

namespace {

using Clock = std::chrono::steady_clock;

class SimtStream final : public Stream {};

class SimtEvent final : public Event {
public:
  bool recorded = false;
  Clock::time_point when;
};

/// A number of a tensor's description: see LaunchNumber.
int64_t valueOf(const LaunchNumber &number, const SimtKernel &code, void *const *arguments) {
  auto extend = [&](uint64_t value, unsigned bits) {
    const unsigned rest = 64 - bits;
    return number.isUnsigned ? int64_t(value << rest >> rest) : int64_t(value << rest) >> rest;
  };
  auto product = uint64_t(number.constant);
  for (unsigned i = 0; i < number.factors; ++i) {
    const unsigned parameter = number.parameters[i], bytes = code.parameters[parameter].bytes;
    uint64_t value = 0;
    std::memcpy(&value, arguments[parameter], bytes);
    product *= uint64_t(extend(value, 8 * bytes));
  }
  return extend(product, number.bits);
}

TensorMap mapOf(const TensorMapRecipe &recipe, const SimtKernel &code, void *const *arguments) {
  TensorMap map;
  std::memcpy(&map.base, arguments[recipe.base], sizeof map.base);
  map.rank = uint8_t(recipe.box.size() - 1);
  for (size_t i = 0; i < recipe.box.size(); ++i) {
    map.box[i] = uint16_t(recipe.box[i]);
    map.extents[i] = uint32_t(std::max<int64_t>(1, valueOf(recipe.extents[i], code, arguments)));
    if (i + 1 < recipe.box.size())
      map.strides[i] = uint64_t(valueOf(recipe.strides[i], code, arguments)) * recipe.elementBytes;
  }
  map.element = uint8_t(recipe.element);
  map.swizzle = uint8_t(swizzleNumber(recipe.swizzleBytes));
  map.fillsWithNan = recipe.padWithNan;
  return map;
}

/// Memory of one launch.
class OfLaunch {
public:
  OfLaunch(Memory &memory, uint64_t bytes) : memory(memory), place(memory.allocate(bytes, true)) {
    if (!place)
      throw Error(TL_OUT_OF_RESOURCES, "there is no memory for the programs to work in");
    std::memset(place, 0, bytes);
  }
  ~OfLaunch() { memory.release(place); }
  OfLaunch(const OfLaunch &) = delete;
  OfLaunch &operator=(const OfLaunch &) = delete;

private:
  Memory &memory;

public:
  void *const place;
};

} // namespace

SimtDevice::SimtDevice(std::string name)
    : label(std::move(name)), compiler(openTarget(label)), memory(environment().check) {
  text = "emulated GPU, " + std::string(compiler->name());
  onFork([](void *mutex) { new (mutex) std::mutex; }, &launching);
}

SimtDevice::~SimtDevice() = default;

void SimtDevice::fail(tl_status status, std::string message, std::string help) const {
  throw Error(status, std::move(message)).withHelp(std::move(help)).onDevice(name());
}

// ---- Memory

void *SimtDevice::allocate(uint64_t bytes) {
  void *place = memory.allocate(bytes);
  if (!place && bytes)
    throw Error(TL_OUT_OF_RESOURCES,
                "out of memory: " + std::to_string(bytes) + " bytes were asked for")
        .onDevice(name())
        .exceeding(bytes, 0);
  return place;
}

void SimtDevice::release(void *pointer) {
  if (pointer && !memory.release(pointer))
    fail(TL_INVALID_ARGUMENT, "the pointer to free is not a live allocation of this device");
}

void SimtDevice::copy(void *dst, const void *src, uint64_t bytes) const {
  if (bytes == 0)
    return;
  if (!dst || !src)
    fail(TL_INVALID_ARGUMENT, "copy of " + std::to_string(bytes) + " bytes " +
                                  (dst ? "from" : "to") + " a null pointer");
  std::memmove(dst, src, bytes);
}

void SimtDevice::copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  copy(dst, src, bytes);
  memory.noteWritten(dst, bytes);
}
void SimtDevice::copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  copy(dst, src, bytes);
}
void SimtDevice::copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) {
  copy(dst, src, bytes);
  memory.noteCopied(dst, src, bytes);
}

void SimtDevice::fill(Stream &, void *dst, uint8_t value, uint64_t bytes) {
  if (bytes == 0)
    return;
  if (!dst)
    fail(TL_INVALID_ARGUMENT, "fill of " + std::to_string(bytes) + " bytes at a null pointer");
  std::memset(dst, value, bytes);
  memory.noteWritten(dst, bytes);
}

// ---- Streams: what is asked for is done on return

std::unique_ptr<Stream> SimtDevice::createStream() { return std::make_unique<SimtStream>(); }

std::unique_ptr<Stream> SimtDevice::wrapStream(void *) {
  fail(TL_UNSUPPORTED, "an emulated GPU has no native streams to wrap", "create a stream instead");
}

void SimtDevice::synchronize(Stream &) {}

std::unique_ptr<Event> SimtDevice::createEvent() { return std::make_unique<SimtEvent>(); }

void SimtDevice::record(Event &event, Stream &) {
  auto &own = static_cast<SimtEvent &>(event);
  own.when = Clock::now();
  own.recorded = true;
}

void SimtDevice::synchronize(Event &event) {
  if (!static_cast<SimtEvent &>(event).recorded)
    fail(TL_INVALID_ARGUMENT, "the event has not been recorded", "record it in a stream first");
}

void SimtDevice::wait(Stream &, Event &event) { synchronize(event); }

double SimtDevice::elapsedMilliseconds(Event &start, Event &end) {
  synchronize(start);
  synchronize(end);
  return std::chrono::duration<double, std::milli>(static_cast<SimtEvent &>(end).when -
                                                   static_cast<SimtEvent &>(start).when)
      .count();
}

// ---- Kernels

std::unique_ptr<LoadedKernel> SimtDevice::load(const CompiledKernel &kernel) {
  auto *compiled = dynamic_cast<const SimtKernel *>(&kernel);
  if (!compiled)
    throw Error(TL_INVALID_ARGUMENT, "the kernel was compiled for another target")
        .inKernel(kernel.name)
        .onDevice(name());
  return std::make_unique<LoadedSimtKernel>(
      *compiled, cpu::loadCode(compiled->object, compiled->entry, functionSymbols()));
}

void SimtDevice::launch(LoadedKernel &loaded, Stream &, Grid grid, void *const *arguments) {
  auto &kernel = static_cast<LoadedSimtKernel &>(loaded);
  const SimtKernel &code = kernel.compiled;
  const HiddenParameters &hidden = code.hidden;
  const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z * code.clusterBlocks;
  if (hidden.gridBarrier && blocks > Launch::mostBlocks)
    throw Error(TL_OUT_OF_RESOURCES, "a kernel with a grid-wide barrier needs all " +
                                         std::to_string(blocks) + " programs on " +
                                         std::string(name()) + " at once, " +
                                         std::to_string(Launch::mostBlocks) + " fit")
        .withHelp("launch fewer programs, each of which does more in a loop")
        .inKernel(code.name)
        .onDevice(name())
        .exceeding(blocks, Launch::mostBlocks);
  std::lock_guard<std::mutex> lock(launching);
  const FloatingMode mode;
  std::vector<void *> all(arguments, arguments + code.parameters.size());
  void *counterPlace = nullptr, *recordPlace = nullptr, *workspacePlace = nullptr;
  std::optional<OfLaunch> counter, record, workspace;
  if (hidden.gridBarrier) {
    counterPlace = counter.emplace(memory, 64).place;
    all.push_back(&counterPlace);
  }
  if (!hidden.sites.empty()) {
    recordPlace = record.emplace(memory, sizeof(FailureRecord)).place;
    all.push_back(&recordPlace);
  }
  if (hidden.globalBytes) {
    uint64_t bytes = hidden.globalBytes * code.clusterBlocks;
    for (uint64_t extent : {grid.x, grid.y, grid.z})
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        fail(TL_OUT_OF_RESOURCES, "the programs need more memory to work in than there is");
    workspacePlace = workspace.emplace(memory, bytes).place;
    all.push_back(&workspacePlace);
  }
  std::vector<TensorMap> maps;
  for (const TensorMapRecipe &recipe : hidden.tensorMaps)
    maps.push_back(mapOf(recipe, code, arguments));
  for (TensorMap &map : maps)
    all.push_back(&map);
  Launch(kernel, grid, std::move(all), memory, spare, label, environment().check).run();
  if (!record)
    return;
  const auto &failure = *static_cast<const FailureRecord *>(recordPlace);
  if (failure.taken && failure.site < hidden.sites.size())
    throw errorOf(failure, hidden.sites[failure.site]).inKernel(code.name).onDevice(name());
}

} // namespace tl::backend::simt
