// SPDX-License-Identifier: MIT
#include "costs.hpp"
#include "kernel_list.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/softmax.hpp"
#include "kernels/vector_add.hpp"

#include <chrono>
#include <random>
#include <stdexcept>

namespace bench::gpu {
namespace {

/// The TTIR with every mention of the kernel's name followed by a number.
std::string renamed(std::string text, const std::string &name, std::uint64_t number) {
  const std::string from = "@" + name, to = from + "_" + std::to_string(number);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// From the lambda to the end of its first run. All arguments are divisible by 16.
template <class Kernel>
double milliseconds(tl::device device, tl_stream *stream, const Kernel &kernel, int num_warps,
                    std::vector<void *> arguments) {
  static std::uint64_t number = std::random_device()();
  tl::impl::fact_word<16> facts;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    facts.set(i, tl::impl::fact::divisible_by_16);
  tl_compile_options options = {};
  options.size = sizeof options;
  options.num_warps = num_warps;
  const auto start = std::chrono::steady_clock::now();
  const std::string text =
      renamed(kernel.trace(tl::impl::specialization(facts.array().data(), arguments.size())),
              kernel.name(), ++number);
  tl_kernel *compiled = nullptr;
  tl::impl::check(
      tl_compile(device.handle(), text.data(), text.size(), nullptr, &options, &compiled));
  tl::impl::check(tl_launch(compiled, stream, 1, 1, 1, arguments.data(), arguments.size()));
  tl::impl::check(tl_stream_synchronize(stream));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace

double measure_compilation(tl::device device, tl_stream *stream, std::string_view kernel) {
  tl::buffer<float> memory(device, 6 * 1024);
  void *a[6];
  for (int i = 0; i < 6; ++i)
    a[i] = memory.data() + i * 1024;
  int n = 1024;
  float eps = 1e-5f;
  if (kernel == "vector_add")
    return milliseconds(device, stream, kernels::add<1024>, 4, {&a[0], &a[1], &a[2], &n});
  if (kernel == "softmax")
    return milliseconds(device, stream, kernels::softmax<float, 1024>, 4, {&a[0], &a[1], &n, &n});
  if (kernel == "layer_norm")
    return milliseconds(device, stream, kernels::layer_norm<1024>, 4,
                        {&a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &n, &eps});
  throw std::invalid_argument("no compilation of '" + std::string(kernel) + "' is measured");
}

} // namespace bench::gpu
