// SPDX-License-Identifier: MIT
#pragma once
// A GPU's driver as a program beside tl uses it: streams, memory, graphs and launches that tl did
// not make. The vendors' functions take the same arguments; driver_names.hpp in a vendor's folder
// has their names and the environment variable that names another library.

#include "driver_names.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

class driver_functions {
public:
  void *create_stream() const {
    void *stream = nullptr;
    call(driver_names::create_stream, &stream, 1u);
    return stream;
  }

  /// Memory of a kind: "device", "managed" or "pinned".
  void *allocate(const std::string &kind, std::size_t bytes) const {
    void *pointer = nullptr;
    if (kind == "device")
      call(driver_names::allocate, &pointer, bytes);
    else if (kind == "managed")
      call(driver_names::allocate_managed, &pointer, bytes, 1u);
    else
      call(driver_names::allocate_host, &pointer, bytes, 0u);
    return pointer;
  }
  void release(const std::string &kind, void *pointer) const {
    call(kind == "pinned" ? driver_names::free_host : driver_names::free, pointer);
  }

  void fill_words(void *pointer, unsigned word, std::size_t count, void *stream) const {
    call(driver_names::fill_words, pointer, word, count, stream);
  }
  std::vector<float> read(const void *pointer, std::size_t count) const {
    std::vector<float> host(count);
    call(driver_names::read, static_cast<void *>(host.data()), pointer, count * sizeof(float));
    return host;
  }

  void begin_capture(void *stream) const { call(driver_names::begin_capture, stream, 0u); }
  /// Ends the capture; the graph, ready to run.
  void *end_capture(void *stream) const {
    void *graph = nullptr, *ready = nullptr;
    call(driver_names::end_capture, stream, &graph);
    call(driver_names::instantiate, &ready, graph, 0ull);
    return ready;
  }
  void launch_graph(void *graph, void *stream) const {
    call(driver_names::launch_graph, graph, stream);
  }

  /// The entry of machine code.
  void *load(const char *image, const char *symbol) const {
    void *module = nullptr, *function = nullptr;
    call(driver_names::load_module, &module, image);
    call(driver_names::find_function, &function, module, symbol);
    return function;
  }
  /// The driver's own launch: function, grid, block, shared bytes, stream, arguments, null.
  using launch_function = int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, void *, void **, void **);
  launch_function launch() const {
    return reinterpret_cast<launch_function>(find(driver_names::launch));
  }

private:
  friend const driver_functions &driver();

  driver_functions() {
    if (const char *name = std::getenv(driver_names::variable); name && *name)
      library_ = dlopen(name, RTLD_NOW);
    else
      for (const char *file : driver_names::files)
        if (!library_)
          library_ = dlopen(file, RTLD_NOW);
  }

  void *find(const char *symbol) const {
    void *function = library_ ? dlsym(library_, symbol) : nullptr;
    if (!function)
      throw std::runtime_error(std::string("the GPU's driver has no ") + symbol);
    return function;
  }
  template <class... A> void call(const char *symbol, A... arguments) const {
    if (const int result = reinterpret_cast<int (*)(A...)>(find(symbol))(arguments...))
      throw std::runtime_error(std::string(symbol) + " gave " + std::to_string(result));
  }

  void *library_ = nullptr;
};

inline const driver_functions &driver() {
  static const driver_functions functions;
  return functions;
}
