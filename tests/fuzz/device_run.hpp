// SPDX-License-Identifier: MIT
//
// One launch of a kernel on a device, through the C API.
#pragma once

#include <tl/c/tl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

/// The last error of the C API, in words.
inline std::string diagnostic() {
  const tl_diagnostic *d = tl_last_diagnostic();
  return d ? std::string(d->message) + " (line " + std::to_string(d->line) + ")" : "no diagnostic";
}

/// A compiled kernel and the memory of its launch, both freed at the end. Once something has failed
/// nothing more is done.
class device_run {
public:
  device_run(const std::string &device, const std::string &text,
             const tl_compile_options &options) {
    check(tl_device_open(device.c_str(), &device_), "open");
    if (good())
      check(tl_stream_default(device_, &stream_), "open");
    if (good())
      check(tl_compile(device_, text.data(), text.size(), nullptr, &options, &kernel_), "compile");
  }
  device_run(const device_run &) = delete;
  device_run &operator=(const device_run &) = delete;
  ~device_run() {
    for (const buffer &b : buffers_)
      tl_free(device_, b.device);
    tl_kernel_destroy(kernel_);
  }

  /// Memory with a copy of the host's, which the launch copies back.
  template <class T> T *memory(std::vector<T> &host) {
    return static_cast<T *>(add(host.data(), host.size() * sizeof(T), true));
  }
  template <class T> T *memory(const std::vector<T> &host) {
    return static_cast<T *>(add(const_cast<T *>(host.data()), host.size() * sizeof(T), false));
  }

  void launch(std::uint32_t programs, std::vector<void *> arguments) {
    if (good())
      check(tl_launch(kernel_, stream_, programs, 1, 1, arguments.data(), arguments.size()),
            "launch");
    for (const buffer &b : buffers_)
      if (good() && b.comes_back)
        check(tl_copy_from_device(stream_, b.host, b.device, b.bytes), "run");
  }

  bool good() const { return status == TL_OK; }
  /// Whether the device has refused the kernel for a reason, which is no fault of its.
  bool is_refused() const {
    return (step == "compile" || step == "launch") &&
           (status == TL_UNSUPPORTED || status == TL_OUT_OF_RESOURCES);
  }

  tl_status status = TL_OK;
  std::string why; ///< what failed; empty if nothing did

private:
  struct buffer {
    void *host, *device;
    std::uint64_t bytes;
    bool comes_back;
  };

  void *add(void *host, std::uint64_t bytes, bool comes_back) {
    void *pointer = nullptr;
    if (good())
      check(tl_allocate(device_, bytes, &pointer), "allocate");
    if (!good())
      return nullptr;
    buffers_.push_back({host, pointer, bytes, comes_back});
    check(tl_copy_to_device(stream_, pointer, host, bytes), "copy");
    return pointer;
  }

  void check(tl_status now, const char *doing) {
    status = now;
    step = doing;
    if (!good())
      why = step + ": " + diagnostic();
  }

  std::string step; // the last one

  tl_device *device_ = nullptr;
  tl_stream *stream_ = nullptr;
  tl_kernel *kernel_ = nullptr;
  std::vector<buffer> buffers_;
};

} // namespace fuzz
