// SPDX-License-Identifier: MIT
#include "targets/nvidia/TensorMaps.h"

#include "targets/gpu/LaunchValues.h"

#include <algorithm>

namespace tl::backend::nvidia {

using gpu::isStride;
using gpu::strideLimit;

namespace {

/// Stands for the base of a tensor without elements, which may be null.
constexpr uintptr_t nowhere = 128;

/// What is wrong with a description that the driver has refused.
[[noreturn]] void refuse(const CudaApi &cuda, gpu::Result result, const NvidiaKernel &code,
                         const TensorMapRecipe &recipe, const void *base, const uint64_t *strides,
                         const std::string &device) {
  auto ours = [&](Error error) { return std::move(error).inKernel(code.name).onDevice(device); };
  if (!base || reinterpret_cast<uintptr_t>(base) % 16 != 0)
    throw ours(
        {TL_INVALID_ARGUMENT,
         "argument " + std::to_string(recipe.base) + ", the base of a tensor descriptor, is " +
             (base ? "not a multiple of 16 bytes, as the kernel promises" : "a null pointer")});
  size_t rank = recipe.box.size();
  for (size_t i = 0; i + 1 < rank; ++i)
    if (!isStride(strides[i]))
      throw ours({TL_INVALID_ARGUMENT,
                  "the stride of axis " + std::to_string(rank - 2 - i) +
                      " of a tensor descriptor is " + std::to_string(int64_t(strides[i])) +
                      " bytes, " + device + " takes multiples of 16 from 0 to " +
                      std::to_string(strideLimit - 16),
                  "address the tensor by pointers, or set TL_TMA=0"});
  throw ours({TL_RUNTIME_ERROR, "cannot describe a tensor to TMA: " + cuda.describe(result)});
}

} // namespace

TensorMaps::TensorMaps(const CudaApi &cuda, const NvidiaKernel &code, void *const *arguments,
                       const std::string &device) {
  constexpr int noInterleave = 0, lines = 2; // lines of 128 bytes into the L2 cache
  constexpr uint32_t ones[5] = {1, 1, 1, 1, 1};
  const auto valueOf = [&](const LaunchNumber &number) {
    return gpu::valueOf(number, code.parameters, arguments);
  };
  for (const TensorMapRecipe &recipe : code.hidden.tensorMaps) {
    if (!gpu::fitsArguments(recipe, code.parameters, arguments))
      throw UnfitArguments{};
    uint64_t extents[5] = {}, strides[5] = {};
    bool isEmpty = false;
    for (size_t i = 0; i < recipe.extents.size(); ++i) {
      int64_t extent = valueOf(recipe.extents[i]);
      isEmpty |= extent < 1;
      extents[i] = uint64_t(std::max<int64_t>(1, extent));
    }
    for (size_t i = 0; i < recipe.strides.size(); ++i) {
      strides[i] = uint64_t(valueOf(recipe.strides[i])) * recipe.elementBytes;
      if (extents[i + 1] == 1 && !isStride(strides[i]))
        strides[i] = 16; // has no second element: no matter how far away that were
    }
    void *base = *static_cast<void *const *>(arguments[recipe.base]);
    if (!base && (isEmpty || recipe.isOfPointers))
      base = reinterpret_cast<void *>(nowhere);
    gpu::Result result = cuda.encodeTensorMap(
        &maps[count++], int(recipe.element), uint32_t(recipe.box.size()), base, extents, strides,
        recipe.box.data(), ones, noInterleave, int(swizzleNumber(recipe.swizzleBytes)), lines,
        recipe.padWithNan ? 1 : 0);
    if (result != gpu::success) [[unlikely]]
      refuse(cuda, result, code, recipe, base, strides, device);
  }
}

} // namespace tl::backend::nvidia
