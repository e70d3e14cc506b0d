// SPDX-License-Identifier: MIT
#include "targets/gpu/LaunchValues.h"

#include <cstring>

namespace tl::backend::gpu {

namespace {

/// The lowest bits of a number, extended to 64.
int64_t extend(uint64_t value, unsigned bits, bool isUnsigned) {
  const unsigned rest = 64 - bits;
  return isUnsigned ? int64_t(value << rest >> rest) : int64_t(value << rest) >> rest;
}

} // namespace

int64_t valueOf(const LaunchNumber &number, const std::vector<Parameter> &parameters,
                void *const *arguments) {
  auto product = uint64_t(number.constant);
  for (unsigned i = 0; i < number.factors; ++i) {
    const unsigned parameter = number.parameters[i], bytes = parameters[parameter].bytes;
    uint64_t value = 0; // little-endian, as the machines are that have such GPUs
    std::memcpy(&value, arguments[parameter], bytes);
    product *= uint64_t(extend(value, 8 * bytes, number.isUnsigned));
  }
  return extend(product, number.bits, number.isUnsigned);
}

bool isStride(uint64_t bytes) { return bytes < uint64_t(strideLimit) && bytes % 16 == 0; }

bool fitsArguments(const TensorMapRecipe &recipe, const std::vector<Parameter> &parameters,
                   void *const *arguments) {
  if (!recipe.isOfPointers)
    return true;
  const auto value = [&](const LaunchNumber &number) {
    return valueOf(number, parameters, arguments);
  };
  uint64_t base = 0;
  std::memcpy(&base, arguments[recipe.base], sizeof base);
  if (base % 16 != 0)
    return false;
  for (const LaunchNumber &extent : recipe.extents)
    if (value(extent) < 1)
      return false;
  for (const LaunchNumber &stride : recipe.strides)
    if (!isStride(uint64_t(value(stride)) * recipe.elementBytes))
      return false;
  for (unsigned parameter : recipe.counts) {
    const int64_t count = value(LaunchNumber::ofParameter(parameter, 64));
    if (count < 0 || count > mostCount)
      return false;
  }
  return true;
}

} // namespace tl::backend::gpu
