// SPDX-License-Identifier: MIT
#pragma once
// Where do kernels run? A tl::device names a place: "cpu", "interpreter", "cuda:0". It is
// a light handle; the device itself lives as long as the process. Memory on it is tl::buffer,
// queues of work are tl::stream.

#include "tl/c/tl.h"
#include "tl/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// A place where kernels run. Copies name the same device; all threads may use it.
///
///     tl::device dev = tl::device::best();
///     tl::device checker("interpreter");
///     std::printf("%s\n", dev.description().data());
class device {
public:
  /// The device with this name. Throws tl::invalid_argument naming the devices that exist.
  explicit device(std::string_view name) {
    impl::check(tl_device_open(std::string(name).c_str(), &handle_));
  }

  /// Wraps a handle of the C API.
  explicit device(tl_device *handle) : handle_(handle) {}

  /// The device that the environment variable TL_DEVICE names, else a GPU if there is one, else the
  /// CPU. Throws tl::invalid_argument if TL_DEVICE names none.
  static device best() {
    tl_device *handle = nullptr;
    impl::check(tl_device_best(&handle));
    return device(handle);
  }

  /// The name that the constructor takes.
  std::string_view name() const { return tl_device_name(handle_); }

  /// What it is, human-readable: the processor or GPU, its threads and features.
  std::string_view description() const { return tl_device_description(handle_); }

  /// The code generation target: "cpu", "interpreter", "sm_90a".
  std::string_view target() const { return tl_device_target(handle_); }

  /// The handle of the C API.
  tl_device *handle() const { return handle_; }

  /// Are these the same device?
  friend bool operator==(device, device) = default;

private:
  tl_device *handle_ = nullptr;
};

/// All devices of this machine: the CPU first, then the interpreter, then the GPUs.
///
///     for (tl::device dev : tl::devices())
///       std::printf("%s\n", dev.name().data());
inline std::vector<device> devices() {
  std::vector<device> all;
  const std::size_t count = tl_device_count();
  for (std::size_t i = 0; i < count; ++i) {
    tl_device *handle = nullptr;
    impl::check(tl_device_at(i, &handle));
    all.push_back(device(handle));
  }
  return all;
}

} // namespace tl
