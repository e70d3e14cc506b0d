// SPDX-License-Identifier: MIT
#include "targets/simt/Driver.h"

#include "support/Environment.h"
#include "support/FloatingMode.h"
#include "support/Fork.h"
#include "targets/gpu/LaunchValues.h"
#include "targets/simt/Functions.h"
#include "targets/simt/Launch.h"
#include "targets/simt/Target.h"
#include "targets/simt/TensorMap.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tl::backend::simt {

namespace {

TensorMap mapOf(const TensorMapRecipe &recipe, const SimtKernel &code, void *const *arguments) {
  if (!gpu::fitsArguments(recipe, code.parameters, arguments))
    throw UnfitArguments{};
  const auto valueOf = [&](const LaunchNumber &number) {
    return gpu::valueOf(number, code.parameters, arguments);
  };
  TensorMap map;
  std::memcpy(&map.base, arguments[recipe.base], sizeof map.base);
  map.rank = uint8_t(recipe.box.size() - 1);
  for (size_t i = 0; i < recipe.box.size(); ++i) {
    map.box[i] = uint16_t(recipe.box[i]);
    map.extents[i] = uint32_t(std::max<int64_t>(1, valueOf(recipe.extents[i])));
    if (i + 1 < recipe.box.size())
      map.strides[i] = uint64_t(valueOf(recipe.strides[i])) * recipe.elementBytes;
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
    : HostDevice("an emulated GPU"), label(std::move(name)), compiler(openTarget(label)),
      memory(environment().check) {
  text = "emulated GPU, " + std::string(compiler->name());
  onFork([](void *mutex) { new (mutex) std::mutex; }, &launching);
}

SimtDevice::~SimtDevice() = default;

// ---- Memory

void *SimtDevice::allocate(uint64_t bytes) {
  void *place = memory.allocate(bytes);
  if (!place && bytes)
    failToAllocate(bytes, 0);
  return place;
}

void SimtDevice::release(void *pointer) {
  if (pointer && !memory.release(pointer))
    failToRelease();
}

void SimtDevice::copy(void *dst, const void *src, uint64_t bytes) const {
  if (hasBytesToCopy(dst, src, bytes))
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
  if (!hasBytesToFill(dst, bytes))
    return;
  std::memset(dst, value, bytes);
  memory.noteWritten(dst, bytes);
}

// ---- Kernels

std::unique_ptr<LoadedKernel> SimtDevice::load(const CompiledKernel &kernel) {
  auto &compiled = ownKernel<SimtKernel>(kernel);
  return std::make_unique<LoadedSimtKernel>(
      compiled, cpu::loadCode(compiled.object, compiled.entry, functionSymbols()));
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
  const GridWords gridWords = {static_cast<const uint32_t *>(counterPlace),
                               hidden.gridBarrier ? static_cast<const uint32_t *>(recordPlace)
                                                  : nullptr};
  Launch launched(kernel, grid, std::move(all), gridWords, memory, spare, label,
                  environment().check, environment().bankConflicts);
  launched.run();
  if (const BankConflicts *banks = launched.bankConflicts()) {
    lastBanks = banks->total();
    std::fputs(banks->report(code.name, label, code.sites).c_str(), stderr);
  }
  if (!record)
    return;
  const auto &failure = *static_cast<const FailureRecord *>(recordPlace);
  if (failure.taken && failure.site < hidden.sites.size())
    throw errorOf(failure, hidden.sites[failure.site]).inKernel(code.name).onDevice(name());
}

} // namespace tl::backend::simt
