// SPDX-License-Identifier: MIT
#include "kernel_list.hpp"

#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace bench::gpu {

const std::vector<measured_kernel> &kernel_list() {
  static const std::vector<measured_kernel> list = {
      vector_add(),
      softmax(),
      layer_norm(),
      layer_norm_backward(),
      rms_norm(),
      transpose(),
      row_sum(),
      large_sum(),
      cumsum(),
      sort(),
      topk(),
      dropout(),
      histogram(),
      gather(),
      blocks(),
      functions(),
      matmul_f16(),
      matmul_bf16(),
      matmul_tf32(),
      matmul_fp8(),
      matmul_int8(),
      attention_forward(),
      attention_backward(),
      matmul_steps(),
      matmul_int4(),
      paged_decode(),
      matmul_ieee(),
      matmul_batched(),
      matmul_gelu(),
      gated_delta_rule(),
      fused_moe(),
  };
  return list;
}

const measured_kernel *find_kernel(std::string_view name) {
  for (const measured_kernel &kernel : kernel_list())
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

namespace {

const configuration *find(const measured_kernel &kernel, std::string_view name,
                          const launch_arguments &arguments) {
  for (const configuration &c : kernel.configurations)
    if (c.name == name && c.fits(arguments))
      return &c;
  return nullptr;
}

} // namespace

const configuration &find_configuration(const measured_kernel &kernel, std::string_view name,
                                        const launch_arguments &arguments) {
  std::string wanted(name);
  if (wanted.empty()) {
    std::string variable = "TL_BENCH_";
    for (const char *c = kernel.name; *c; ++c)
      variable += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    // What the variable asks for holds for the sizes that it fits.
    if (const char *value = std::getenv(variable.c_str()))
      if (const configuration *c = find(kernel, value, arguments))
        return *c;
    wanted = kernel.choose(arguments);
  }
  if (const configuration *c = find(kernel, wanted, arguments))
    return *c;
  std::string known;
  for (const configuration &c : kernel.configurations)
    if (c.fits(arguments))
      known += known.empty() ? c.name : ", " + c.name;
  throw std::runtime_error("no configuration '" + wanted + "' of " + kernel.name +
                           " fits; there are: " + known);
}

} // namespace bench::gpu
