// SPDX-License-Identifier: MIT
//
// The C API: what a kernel takes after the parameters of its text, for those who launch it by
// hand. What stands here repeats targets/nvidia/Launch.cpp in words of tl.h.
#include "lowering/HiddenParameters.h"
#include "abi/Diagnostics.h"

#include <algorithm>
#include <cstring>

using namespace tl::backend;

namespace {

tl_launch_number publicNumber(const LaunchNumber &number) {
  tl_launch_number known{number.constant, number.factors, {}, number.bits, number.isUnsigned};
  std::copy_n(number.parameters, number.factors, known.parameters);
  return known;
}

tl_tensor_map publicMap(const TensorMapRecipe &recipe) {
  tl_tensor_map map{};
  map.base = recipe.base;
  map.rank = uint32_t(recipe.box.size());
  map.data_type = uint32_t(recipe.element);
  map.element_bytes = recipe.elementBytes;
  std::transform(recipe.extents.begin(), recipe.extents.end(), map.extents, publicNumber);
  std::transform(recipe.strides.begin(), recipe.strides.end(), map.strides, publicNumber);
  std::copy(recipe.box.begin(), recipe.box.end(), map.box);
  map.nan_filled = recipe.padWithNan;
  map.swizzle = swizzleNumber(recipe.swizzleBytes);
  map.may_be_null = recipe.isOfPointers;
  return map;
}

/// All of them, in the order in which the code takes them.
std::vector<tl_hidden_parameter> listHidden(const CompiledKernel &code) {
  std::vector<tl_hidden_parameter> list;
  const HiddenParameters *hidden = code.hiddenParameters();
  if (!hidden)
    return list;
  auto pointer = [&](tl_hidden_kind kind, uint64_t bytes) {
    list.push_back({sizeof(tl_hidden_parameter), kind, 8, 8, bytes, {}});
  };
  if (hidden->gridBarrier)
    pointer(TL_HIDDEN_GRID_BARRIER, sizeof(uint32_t));
  if (!hidden->sites.empty())
    pointer(TL_HIDDEN_FAILURE_RECORD, sizeof(FailureRecord));
  if (hidden->globalBytes)
    pointer(TL_HIDDEN_WORKSPACE, hidden->globalBytes);
  for (const TensorMapRecipe &recipe : hidden->tensorMaps)
    list.push_back(
        {sizeof(tl_hidden_parameter), TL_HIDDEN_TENSOR_MAP, 128, 64, 0, publicMap(recipe)});
  return list;
}

} // namespace

const char *tl_kernel_symbol(const tl_kernel *kernel) {
  return guardedOr("", [&] { return resolve("tl_kernel_symbol", kernel).code().symbol.c_str(); });
}

size_t tl_kernel_hidden_count(const tl_kernel *kernel) {
  return guardedOr(size_t(0), [&] {
    return listHidden(resolve("tl_kernel_hidden_count", kernel).code()).size();
  });
}

tl_status tl_kernel_hidden(const tl_kernel *kernel, size_t index, tl_hidden_parameter *parameter) {
  return guarded([&] {
    require("tl_kernel_hidden", "parameter", parameter);
    const size_t given = parameter->struct_size;
    if (given < offsetof(tl_hidden_parameter, map) || given > 4096)
      raise(TL_INVALID_ARGUMENT,
            "the struct_size field of tl_hidden_parameter is " + std::to_string(given),
            "set it to sizeof(tl_hidden_parameter)");
    std::memset(reinterpret_cast<char *>(parameter) + sizeof given, 0, given - sizeof given);
    const CompiledKernel &code = resolve("tl_kernel_hidden", kernel).code();
    std::vector<tl_hidden_parameter> list = listHidden(code);
    if (index >= list.size())
      raise(TL_INVALID_ARGUMENT, "kernel " + code.name + " has no hidden parameter " +
                                     std::to_string(index) + ", it has " +
                                     std::to_string(list.size()));
    list[index].struct_size = given;
    std::memcpy(parameter, &list[index], std::min(given, sizeof *parameter));
  });
}

tl_status tl_kernel_failure(const tl_kernel *kernel, const tl_failure_record *record) {
  return guarded([&] {
    const CompiledKernel &code = resolve("tl_kernel_failure", kernel).code();
    require("tl_kernel_failure", "record", record);
    if (record->taken == 0)
      return;
    FailureRecord own;
    std::memcpy(&own, record, sizeof own);
    const HiddenParameters *hidden = code.hiddenParameters();
    const size_t sites = hidden ? hidden->sites.size() : 0;
    if (own.site >= sites)
      raise(TL_INVALID_ARGUMENT, "tl_kernel_failure got a record of assertion " +
                                     std::to_string(own.site) + ", kernel " + code.name + " has " +
                                     std::to_string(sites));
    throw errorOf(own, hidden->sites[own.site]).inKernel(code.name);
  });
}
