// SPDX-License-Identifier: MIT
#pragma once
// The kernels that are measured on a GPU, under one calling convention: a list of numbers and
// addresses goes in, a configuration (block, warps …) is chosen by the sizes. Each kernel has a
// file that holds its variants and its table of choices; kernel_list.cpp names them all.
// Used by module.cpp, which Python loads, and by alone.cpp, the report without Python.

#include <tl/tl.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench::gpu {

/// What a launch gets: the caller's addresses and integers in the order of the kernel's
/// `parameters`, and where to run.
struct launch_arguments {
  const std::int64_t *values = nullptr;
  tl_stream *stream = nullptr;
  int multiprocessors = 1;
  bool programs_may_wait = false; ///< for each other, as they may on a GPU

  template <class T> T *pointer(int index) const {
    return reinterpret_cast<T *>(static_cast<std::uintptr_t>(values[index]));
  }
  int number(int index) const { return static_cast<int>(values[index]); }

  /// Options of a launch of this many programs on the caller's stream.
  /// `max_registers` a thread makes more programs fit; 0 leaves it to the compiler.
  tl::launch_options on(tl::launch_grid grid, int num_warps, int max_registers = 0) const {
    tl::launch_options options;
    options.grid = grid;
    options.num_warps = num_warps;
    options.max_registers = max_registers;
    options.stream.handle = stream;
    return options;
  }
};

/// One way to run a kernel: "one 1024 4" is one block of 1024 a row and 4 warps.
struct configuration {
  std::string name;
  bool (*fits)(const launch_arguments &);
  /// Launches, and returns the kernel that did most of the work.
  tl::compiled_kernel (*run)(const launch_arguments &);
};

struct measured_kernel {
  const char *name;
  const char *parameters; ///< "out in rows cols": for messages and for counting
  std::vector<configuration> configurations;
  /// The name of the configuration for these sizes.
  std::string (*choose)(const launch_arguments &);
};

/// "one 1024 4" from "one" and the numbers; a last number of 0 is left out.
inline std::string named(const char *kind, std::initializer_list<int> numbers) {
  std::string name = kind;
  for (const int &number : numbers)
    if (number != 0 || &number + 1 != numbers.end())
      name += ' ' + std::to_string(number);
  return name;
}

/// The first power of two that is not less.
inline int rounded_up(int n) {
  int power = 1;
  while (power < n)
    power *= 2;
  return power;
}

measured_kernel vector_add();
measured_kernel softmax();
measured_kernel layer_norm();
measured_kernel layer_norm_backward();
measured_kernel rms_norm();
measured_kernel transpose();
measured_kernel blocks();
measured_kernel row_sum();
measured_kernel large_sum();
measured_kernel cumsum();
measured_kernel sort();
measured_kernel topk();
measured_kernel dropout();
measured_kernel histogram();
measured_kernel gather();
measured_kernel functions();
measured_kernel matmul_f16();
measured_kernel matmul_bf16();
measured_kernel matmul_tf32();
measured_kernel matmul_fp8();
measured_kernel matmul_int8();
measured_kernel matmul_ieee();
measured_kernel matmul_batched();
measured_kernel matmul_gelu();
measured_kernel matmul_int4();
measured_kernel matmul_steps();
measured_kernel attention_forward();
measured_kernel attention_backward();
measured_kernel paged_decode();
measured_kernel gated_delta_rule();
measured_kernel fused_moe();

/// All of them; made once.
const std::vector<measured_kernel> &kernel_list();
const measured_kernel *find_kernel(std::string_view name);

/// The configuration asked for by name, or, where the name is empty, by the environment variable
/// TL_BENCH_<KERNEL>, or else by the kernel's table. Throws std::runtime_error listing those that
/// fit if there is none of the name.
const configuration &find_configuration(const measured_kernel &kernel, std::string_view name,
                                        const launch_arguments &arguments);

} // namespace bench::gpu
