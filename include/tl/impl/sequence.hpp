// SPDX-License-Identifier: MIT
#pragma once
// Why not std::vector? The tracer is compiled in every file that holds a kernel, and each instance
// of std::vector costs a C++ compiler ten times what this does: together a fifth of a second per
// file.

#include "tl/impl/compiler.hpp"
#include "tl/impl/unoptimized.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::impl {

/// A growing array of default-constructible elements; as much of std::vector as the tracer needs.
template <class T> class sequence {
public:
  sequence() = default;
  sequence(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
  sequence(const sequence &other) { assign(other.data_, other.size_); }
  sequence(sequence &&other) noexcept { swap(other); }
  sequence &operator=(sequence other) noexcept {
    swap(other);
    return *this;
  }
  ~sequence() { delete[] data_; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_)
      return;
    if (capacity > PTRDIFF_MAX / sizeof(T)) // GCC's link-time optimizer warns of such a size
      __builtin_unreachable();
    T *fresh = new T[capacity];
    for (std::size_t i = 0; i < size_; ++i)
      fresh[i] = std::move(data_[i]);
    delete[] data_;
    data_ = fresh;
    capacity_ = capacity;
  }
  T &push_back(T value) {
    if (size_ == capacity_)
      reserve(size_ < 4 ? 4 : 2 * size_);
    data_[size_] = std::move(value);
    return data_[size_++];
  }
  void pop_back() { data_[--size_] = T(); }
  void resize(std::size_t size) {
    reserve(size);
    for (; size_ < size; ++size_)
      data_[size_] = T();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &operator[](std::size_t i) { return data_[i]; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  T &back() { return data_[size_ - 1]; }
  const T &back() const { return data_[size_ - 1]; }

private:
  void assign(const T *values, std::size_t size) {
    reserve(size);
    for (; size_ < size; ++size_)
      data_[size_] = values[size_];
  }
  void swap(sequence &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T *data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

} // namespace tl::impl

TL_IMPL_UNOPTIMIZED_END
