// SPDX-License-Identifier: MIT
#pragma once
// What launching and compiling cost on the host.

#include <tl/tl.hpp>

namespace bench::gpu {

/// Microseconds of a launch with five arguments, back to back.
struct launch_cost {
  double driver = 0;  ///< cuLaunchKernel with the same machine code; 0 without a driver
  double c_api = 0;   ///< tl_launch
  double spelled = 0; ///< kernel[grid](...)
};
launch_cost measure_launches(tl::device device, int launches);

/// Milliseconds to trace, compile, load and run the kernel (vector_add, softmax, layer_norm), under
/// a name that no cache knows. Throws std::invalid_argument for another name.
double measure_compilation(tl::device device, tl_stream *stream, std::string_view kernel);

} // namespace bench::gpu
