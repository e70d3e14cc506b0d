// SPDX-License-Identifier: MIT
#pragma once
// The CUDA driver as a program beside tl uses it: streams, memory and graphs that tl did not make.
// TL_LIBCUDA names another driver.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace cuda {

class driver_functions {
public:
  void *create_stream() const {
    void *stream = nullptr;
    call("cuStreamCreate", &stream, 1u);
    return stream;
  }

  /// Memory of a kind: "device", "managed" or "pinned".
  void *allocate(const std::string &kind, std::size_t bytes) const {
    void *pointer = nullptr;
    if (kind == "device")
      call("cuMemAlloc_v2", &pointer, bytes);
    else if (kind == "managed")
      call("cuMemAllocManaged", &pointer, bytes, 1u);
    else
      call("cuMemHostAlloc", &pointer, bytes, 0u);
    return pointer;
  }
  void release(const std::string &kind, void *pointer) const {
    call(kind == "pinned" ? "cuMemFreeHost" : "cuMemFree_v2", pointer);
  }

  void fill_words(void *pointer, unsigned word, std::size_t count, void *stream) const {
    call("cuMemsetD32Async", pointer, word, count, stream);
  }
  std::vector<float> read(const void *pointer, std::size_t count) const {
    std::vector<float> host(count);
    call("cuMemcpyDtoH_v2", static_cast<void *>(host.data()), pointer, count * sizeof(float));
    return host;
  }

  void begin_capture(void *stream) const { call("cuStreamBeginCapture_v2", stream, 0u); }
  /// Ends the capture; the graph, ready to run.
  void *end_capture(void *stream) const {
    void *graph = nullptr, *ready = nullptr;
    call("cuStreamEndCapture", stream, &graph);
    call("cuGraphInstantiateWithFlags", &ready, graph, 0ull);
    return ready;
  }
  void launch_graph(void *graph, void *stream) const { call("cuGraphLaunch", graph, stream); }

private:
  friend const driver_functions &driver();

  driver_functions() {
    const char *name = std::getenv("TL_LIBCUDA");
    library_ = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW);
  }

  template <class... A> void call(const char *symbol, A... arguments) const {
    auto function = library_ ? reinterpret_cast<int (*)(A...)>(dlsym(library_, symbol)) : nullptr;
    if (!function)
      throw std::runtime_error(std::string("the CUDA driver has no ") + symbol);
    if (const int result = function(arguments...))
      throw std::runtime_error(std::string(symbol) + " gave " + std::to_string(result));
  }

  void *library_;
};

inline const driver_functions &driver() {
  static const driver_functions functions;
  return functions;
}

} // namespace cuda
