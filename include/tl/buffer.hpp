// SPDX-License-Identifier: MIT
#pragma once
// How do arrays get onto a device and back? tl::buffer<T> owns an array of elements there. Kernels
// take buffers for their tl::ptr parameters. Constness is deep: a const buffer, or a buffer of
// const elements, goes to tl::ptr<const T> only.

#include "tl/c/tl.h"
#include "tl/device.hpp"
#include "tl/dtype.hpp"
#include "tl/error.hpp"
#include "tl/host_buffer.hpp"
#include "tl/impl/current_trace.hpp"
#include "tl/stream.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tl {

/// An owned array on a device. Movable; copying is spelled clone(). What it was not given is not
/// written: a kernel that reads it reads rubbish, and the device "interpreter" reports that.
///
///     tl::buffer<float> x(dev, host_vector), out(dev, 1000);
///     add<1024>[tl::grid(1)](x, x, out, 1000);
///     std::vector<float> result = out.to_vector();
///
/// What makes, copies or fills a buffer throws tl::runtime_error if the device fails,
/// tl::out_of_resources if it has no memory left, and tl::compile_error in the lambda of a kernel.
template <class T> class buffer {
public:
  using element = std::remove_const_t<T>;
  static_assert((void(impl::check_element_type<element>()), true),
                "a tl::buffer holds tl element types");

  /// `size` elements, not written. Throws tl::invalid_argument for a negative size.
  template <std::integral Size>
  buffer(tl::device dev, Size size, std::source_location where = std::source_location::current())
      : buffer(dev, allocate_only{}, checked_size(size), where) {}

  /// `size` elements for work that is queued in the stream from now on. Nothing waits, neither here
  /// nor when the buffer is destroyed, which frees the memory in the order of the stream; that must
  /// live until then.
  template <std::integral Size>
  buffer(const tl::stream &s, Size size,
         std::source_location where = std::source_location::current())
      : device_(s.device()), size_(checked_size(size)) {
    impl::only_on_host("tl::buffer", where);
    check_bytes(size_);
    if (size_ != 0) {
      impl::check(tl_allocate_in_order(s.handle(), bytes(), &data_));
      stream_ = s.handle();
    }
  }

  /// A copy of host data: anything that converts to a std::span, such as a std::vector.
  buffer(tl::device dev, std::span<const element> host,
         std::source_location where = std::source_location::current())
      : buffer(dev, allocate_only{}, host.size(), where) {
    upload(host);
  }

  /// A copy of host data, for T = bool, which std::vector packs.
  buffer(tl::device dev, const std::vector<bool> &host,
         std::source_location where = std::source_location::current())
    requires std::same_as<element, bool>
      : buffer(dev, allocate_only{}, host.size(), where) {
    const std::vector<std::uint8_t> bytes(host.begin(), host.end());
    upload_bytes(bytes.data());
  }

  buffer(buffer &&other) noexcept
      : device_(other.device_), data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)), stream_(std::exchange(other.stream_, nullptr)) {}
  buffer &operator=(buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~buffer() {
    if (data_ && !(stream_ && tl_free_in_order(stream_, data_) == TL_OK))
      tl_free(device_.handle(), data_);
  }

  /// A new buffer on the same device with the same elements.
  buffer clone(std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::buffer::clone", where);
    buffer copy(device_, allocate_only{}, size_, where);
    if (size_ != 0)
      impl::check(tl_copy_on_device(default_stream(), copy.data_, data_, bytes()));
    return copy;
  }

  /// Overwrites all elements; the host may reuse its memory at once. Throws tl::invalid_argument
  /// unless the sizes are equal.
  void copy_from(std::span<const element> host,
                 std::source_location where = std::source_location::current())
    requires(!std::is_const_v<T>)
  {
    impl::only_on_host("tl::buffer::copy_from", where);
    require_size(host.size(), "copy_from");
    upload(host);
  }

  /// Overwrites all elements with those of another buffer, on any device. Between two devices the
  /// copy waits for the work queued so far on the default streams of both, and later work there
  /// waits for the copy; two GPUs copy directly where they can. Throws tl::invalid_argument unless
  /// the sizes are equal.
  void copy_from(const buffer<element> &other,
                 std::source_location where = std::source_location::current())
    requires(!std::is_const_v<T>)
  {
    impl::only_on_host("tl::buffer::copy_from", where);
    require_size(other.size(), "copy_from");
    if (size_ != 0)
      impl::check(
          tl_copy_across(default_stream(), data_, other.device().handle(), other.data(), bytes()));
  }

  /// Queues a copy of all elements into the stream and returns at once: the host's memory must stay
  /// as it is until the stream has been waited for. Throws tl::invalid_argument unless the sizes
  /// are equal.
  void copy_from(const host_buffer<element> &host, const tl::stream &s,
                 std::source_location where = std::source_location::current())
    requires(!std::is_const_v<T>)
  {
    impl::only_on_host("tl::buffer::copy_from", where);
    require_size(host.size(), "copy_from");
    if (size_ != 0)
      impl::check(tl_queue_copy_to_device(s.handle(), data_, host.data(), bytes()));
  }

  /// Queues a copy of all elements to the host into the stream: they are there when the stream has
  /// been waited for. Throws tl::invalid_argument unless the sizes are equal.
  void copy_to(host_buffer<element> &host, const tl::stream &s,
               std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::buffer::copy_to", where);
    require_size(host.size(), "copy_to");
    if (size_ != 0)
      impl::check(tl_queue_copy_from_device(s.handle(), host.data(), data_, bytes()));
  }

  /// Copies all elements to the host after the work queued so far on the default stream. Throws
  /// tl::invalid_argument unless the sizes are equal.
  void copy_to(std::span<element> host,
               std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::buffer::copy_to", where);
    require_size(host.size(), "copy_to");
    download(default_stream(), host.data());
  }

  /// The elements, after the work queued so far on the default stream. Throws what went wrong in
  /// that work, if anything did.
  std::vector<element>
  to_vector(std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::buffer::to_vector", where);
    return read(default_stream());
  }

  /// The elements, after the work queued so far on this stream.
  std::vector<element>
  to_vector(const tl::stream &after,
            std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::buffer::to_vector", where);
    return read(after.handle());
  }

  /// Sets every element to the value.
  void fill(element value, std::source_location where = std::source_location::current())
    requires(!std::is_const_v<T>)
  {
    impl::only_on_host("tl::buffer::fill", where);
    if (size_ == 0)
      return;
    unsigned char pattern[sizeof(element)];
    std::memcpy(pattern, &value, sizeof value);
    bool uniform = true;
    for (const unsigned char byte : pattern)
      uniform = uniform && byte == pattern[0];
    if constexpr (sizeof(element) > 1) {
      if (!uniform) {
        const std::vector<element> host(size_, value);
        upload_bytes(host.data());
        return;
      }
    }
    impl::check(tl_fill(default_stream(), data_, pattern[0], bytes()));
  }

  /// The address on the device; null if the buffer is empty. Arithmetic on it is fine, reading
  /// through it is for kernels.
  T *data() { return static_cast<T *>(data_); }
  const T *data() const { return static_cast<const T *>(data_); }

  /// The number of elements.
  std::size_t size() const { return size_; }
  /// Has it no elements?
  bool empty() const { return size_ == 0; }
  /// The size in bytes.
  std::size_t bytes() const { return size_ * sizeof(T); }
  /// The device on which it lives.
  tl::device device() const { return device_; }

private:
  struct allocate_only {};

  buffer(tl::device dev, allocate_only, std::size_t size, const std::source_location &where)
      : device_(dev), size_(size) {
    impl::only_on_host("tl::buffer", where);
    check_bytes(size);
    if (size != 0)
      impl::check(tl_allocate(dev.handle(), bytes(), &data_));
  }

  static void check_bytes(std::size_t size) {
    if (size > SIZE_MAX / sizeof(T))
      throw invalid_argument("tl::buffer of " + std::to_string(size) +
                             " elements is larger than the address space");
  }

  template <class Size> static std::size_t checked_size(Size size) {
    if constexpr (std::is_signed_v<Size>)
      if (size < 0)
        throw invalid_argument("tl::buffer cannot have " + std::to_string(size) + " elements");
    return static_cast<std::size_t>(size);
  }

  void require_size(std::size_t host, const char *function) const {
    if (host != size_)
      throw invalid_argument("tl::buffer::" + std::string(function) + " takes " +
                             std::to_string(size_) + " elements, not " + std::to_string(host));
  }

  tl_stream *default_stream() const {
    tl_stream *stream = nullptr;
    impl::check(tl_stream_default(device_.handle(), &stream));
    return stream;
  }

  void upload(std::span<const element> host) { upload_bytes(host.data()); }
  void upload_bytes(const void *host) {
    if (size_ != 0)
      impl::check(tl_copy_to_device(default_stream(), data_, host, bytes()));
  }
  void download(tl_stream *stream, void *host) const {
    if (size_ != 0)
      impl::check(tl_copy_from_device(stream, host, data_, bytes()));
    impl::check(tl_stream_synchronize(stream));
  }

  std::vector<element> read(tl_stream *stream) const {
    if constexpr (std::same_as<element, bool>) {
      std::vector<std::uint8_t> host(size_);
      download(stream, host.data());
      return std::vector<bool>(host.begin(), host.end());
    } else {
      std::vector<element> host(size_);
      download(stream, host.data());
      return host;
    }
  }

  tl::device device_;
  void *data_ = nullptr;
  std::size_t size_ = 0;
  tl_stream *stream_ = nullptr; // in whose order the memory is freed; null: not in order
};

template <class Host>
  requires requires(const Host &host) { std::span(host); }
buffer(tl::device, const Host &) -> buffer<
    std::remove_const_t<typename decltype(std::span(std::declval<const Host &>()))::element_type>>;
buffer(tl::device, const std::vector<bool> &) -> buffer<bool>;

} // namespace tl
