// SPDX-License-Identifier: MIT
//
// Prints the milliseconds that the first kernel of a process takes once the CUDA context exists:
// opening the device, memory, tracing, compiling, loading, launching and waiting. Started by the
// benchmarks.
//
//     first_kernel [DEVICE]

#include "driver_library.hpp"
#include "kernels/vector_add.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// Makes the GPU's primary context as any program that uses CUDA does, without tl.
bool make_context(int ordinal) {
  using namespace bench::gpu;
  void *library = driver_library();
  auto *init = driver_function<int(unsigned)>(library, "cuInit");
  auto *get = driver_function<int(int *, int)>(library, "cuDeviceGet");
  auto *retain = driver_function<int(void **, int)>(library, "cuDevicePrimaryCtxRetain");
  auto *use = driver_function<int(void *)>(library, "cuCtxSetCurrent");
  auto *allocate =
      driver_function<int(unsigned long long *, std::size_t)>(library, "cuMemAlloc_v2");
  int device = 0;
  void *context = nullptr;
  unsigned long long memory = 0;
  return init && get && retain && use && allocate && !init(0) && !get(&device, ordinal) &&
         !retain(&context, device) && !use(context) && !allocate(&memory, 1 << 20);
}

} // namespace

int main(int argc, char **argv) try {
  const std::string name = argc > 1 ? argv[1] : "cuda:0";
  if (name.starts_with("cuda:") && !make_context(std::atoi(name.c_str() + 5))) {
    std::fprintf(stderr, "there is no CUDA device %s\n", name.c_str());
    return EXIT_FAILURE;
  }
  const int n = 4096;
  const std::vector<float> ones(n, 1.0f);
  const auto start = std::chrono::steady_clock::now();
  tl::device device{name};
  tl::buffer<float> x(device, ones), y(device, ones), out(device, n);
  const auto before = std::chrono::steady_clock::now();
  kernels::add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
  tl::stream::default_of(device).synchronize();
  const auto end = std::chrono::steady_clock::now();
  if (out.to_vector() != std::vector<float>(n, 2.0f)) {
    std::fprintf(stderr, "the sum is wrong\n");
    return EXIT_FAILURE;
  }
  const auto milliseconds = [](auto duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
  };
  std::printf("%.2f %.2f\n", milliseconds(end - start), milliseconds(end - before));
  return EXIT_SUCCESS;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
