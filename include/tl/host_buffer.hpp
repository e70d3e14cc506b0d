// SPDX-License-Identifier: MIT
#pragma once
// How do copies run beside other work? Memory of the host that the operating system may move is
// copied while the host waits; a tl::host_buffer stays where it is, so that a device copies from
// and to it by itself, in the order of a stream. tl::buffer has the copies.

#include "tl/c/tl.h"
#include "tl/device.hpp"
#include "tl/dtype.hpp"
#include "tl/error.hpp"
#include "tl/impl/current_trace.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace tl {

/// An owned array of the host for queued copies from and to a device; page-locked where that is a
/// GPU. Movable. Its elements are not initialised. Keep it until the copies have been waited for.
///
///     tl::host_buffer<float> staging(dev, n);
///     x.copy_from(staging, s);  // queued: the host goes on
///     kernel[{.grid = {g}, .stream = s}](x, y);
///     y.copy_to(staging, s);
///     s.synchronize();          // now the elements are there
///
/// The constructor throws tl::out_of_resources where so much memory cannot be locked, and
/// tl::invalid_argument for a negative size.
template <class T> class host_buffer {
public:
  static_assert(!std::is_const_v<T>, "a tl::host_buffer is for elements that can be written");
  static_assert((void(impl::check_element_type<T>()), true),
                "a tl::host_buffer holds tl element types");

  /// `size` elements that the device can copy from and to.
  template <std::integral Size>
  host_buffer(tl::device dev, Size size,
              std::source_location where = std::source_location::current())
      : device_(dev) {
    impl::only_on_host("tl::host_buffer", where);
    if constexpr (std::is_signed_v<Size>)
      if (size < 0)
        throw invalid_argument("tl::host_buffer cannot have " + std::to_string(size) + " elements");
    size_ = static_cast<std::size_t>(size);
    if (size_ > SIZE_MAX / sizeof(T))
      throw invalid_argument("tl::host_buffer of " + std::to_string(size_) +
                             " elements is larger than the address space");
    if (size_ != 0)
      impl::check(tl_allocate_host(device_.handle(), bytes(), &data_));
  }

  host_buffer(host_buffer &&other) noexcept
      : device_(other.device_), data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  host_buffer &operator=(host_buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~host_buffer() {
    if (data_)
      tl_free_host(device_.handle(), data_);
  }

  /// The elements, in memory of the host; kernels of a GPU can use the address, too.
  T *data() { return static_cast<T *>(data_); }
  const T *data() const { return static_cast<const T *>(data_); }
  /// Element i, counted from 0; i is not checked.
  T &operator[](std::size_t i) { return data()[i]; }
  const T &operator[](std::size_t i) const { return data()[i]; }
  /// The first element, for range-for and std::span.
  T *begin() { return data(); }
  const T *begin() const { return data(); }
  /// Behind the last element.
  T *end() { return data() + size_; }
  const T *end() const { return data() + size_; }

  /// The number of elements.
  std::size_t size() const { return size_; }
  /// The size in bytes.
  std::size_t bytes() const { return size_ * sizeof(T); }
  /// The device that copies from and to it.
  tl::device device() const { return device_; }

private:
  tl::device device_;
  void *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace tl
