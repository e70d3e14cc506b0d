// SPDX-License-Identifier: MIT
//
// Writes the TTIR that the front end makes of the examples' kernels, one file a kernel, for
// upstream.py to give to upstream Triton.
//
//     print_ttir FOLDER
#include "attention.hpp"
#include "dropout.hpp"
#include "kernel_texts.hpp"
#include "layer_norm.hpp"
#include "matmul.hpp"
#include "softmax.hpp"
#include "vector_add.hpp"

#include <cstdio>

namespace {

constexpr kernels::gemm_config small_tiles{32, 64, 32, 8};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: print_ttir FOLDER\n");
    return 2;
  }
  kernel_texts print(argv[1]);
  print("add", kernels::add<1024>);
  print("softmax", kernels::softmax<tl::float16, 1024>);
  print("matmul", kernels::matmul<tl::float16, small_tiles>);
  print("matmul_f32", kernels::matmul<float, small_tiles>);
  print("dropout", kernels::dropout<1024>);
  print("layer_norm", kernels::layer_norm<1024>);
  print("layer_norm_backward", kernels::layer_norm_backward<1024>);
  print("sum_columns", kernels::sum_columns<32, 64>);
  print("attention", kernels::attention<64, 32, 64, false>);
  print("attention_causal", kernels::attention<64, 32, 64, true>);
  if (!print.all_written())
    std::fprintf(stderr, "print_ttir: cannot write to %s\n", argv[1]);
  return print.all_written() ? 0 : 1;
}
