// SPDX-License-Identifier: MIT
#pragma once
// How is a tensor in memory described to a kernel that reads and writes it by blocks? A
// tl::tensor_descriptor on the host says where it is, how large, and how far apart its rows are; a
// kernel receives it through a tl::descriptor parameter. Descriptors that a kernel makes itself are
// in ops/descriptors.hpp.

#include "tl/buffer.hpp"
#include "tl/error.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tl {

/// What is read out of the bounds of a descriptor; nan for floats only.
enum class padding { zero, nan };

/// Options of tl::tensor_descriptor and tl::make_tensor_descriptor. Name the members in this order.
struct descriptor_options {
  tl::padding padding = tl::padding::zero; ///< what is read out of bounds
  bool round_f32_to_tf32 = false; ///< is a float that is read rounded as tl::round_to_tf32 does?
};

namespace impl {

/// An extent or stride as users give it: any integer, so that {rows, cols} takes size_t and int.
struct extent_value {
  std::int64_t value;
  template <std::integral I> constexpr extent_value(I i) : value(static_cast<std::int64_t>(i)) {}
};

/// An owned array of T on a device: a tl::buffer, or what goes wherever one goes.
template <class Memory, class T>
concept array_of = requires(Memory &memory) {
  { memory.data() } -> std::same_as<T *>;
  { memory.size() } -> std::convertible_to<std::size_t>;
  { memory.device().handle() } -> std::same_as<tl_device *>;
};

} // namespace impl

/// A tensor in device memory, to be accessed in blocks of the extents Block. Row-major; all strides
/// count elements. Does not own the memory.
///
///     tl::buffer<tl::float16> a(dev, M * K);
///     tl::tensor_descriptor<tl::float16, 128, 64> tiles(a, {M, K});
///     kernel[tl::grid(M / 128)](tiles, out);   // received as tl::descriptor<tl::float16, 128, 64>
///     tl::tensor_descriptor<tl::float16, 128, 64> open(a, {M, K}, {.padding = tl::padding::nan});
///
/// The last axis of the block spans at least 16 bytes. The constructors throw tl::invalid_argument
/// if the address or a stride but the last is no multiple of 16 bytes, the last stride is not 1, an
/// extent is negative or above 2^31 - 1, the tensor leaves its buffer, or an option is for floats
/// and T is not one. Kernels are compiled apart for different options.
template <class T, int... Block> class tensor_descriptor {
public:
  /// The number of axes, 1 to 5.
  static constexpr std::size_t rank = sizeof...(Block);
  static_assert((void(impl::check_element_type<T>()), true),
                "a tl::tensor_descriptor holds tl element types");
  static_assert(rank >= 1 && rank <= 5, "a tl::tensor_descriptor has one to five axes");
  static_assert(((Block > 0) && ...),
                "every extent of a tl::tensor_descriptor's block is at least 1");
  /// The extents of a block, in elements.
  static constexpr std::array<int, rank> block{Block...};
  static_assert(rank == 0 || block[rank - 1] * sizeof(T) >= 16,
                "the last axis of a tl::tensor_descriptor block spans at least 16 bytes");

  /// A dense row-major tensor in a buffer.
  template <impl::array_of<T> Memory>
  tensor_descriptor(Memory &memory, const impl::extent_value (&shape)[rank],
                    descriptor_options options = {})
      : tensor_descriptor(memory.data(), memory.device().handle(), options) {
    set_shape(shape);
    set_dense();
    reach_ = checked_reach(memory.size());
  }

  /// A tensor in a buffer whose rows (planes, …) are `strides` elements apart.
  template <impl::array_of<T> Memory>
  tensor_descriptor(Memory &memory, const impl::extent_value (&shape)[rank],
                    const impl::extent_value (&strides)[rank], descriptor_options options = {})
      : tensor_descriptor(memory.data(), memory.device().handle(), options) {
    set_shape(shape);
    set_strides(strides);
    reach_ = checked_reach(memory.size());
  }

  /// A tensor in any device memory; its size is not known and so not checked.
  tensor_descriptor(T *base, const impl::extent_value (&shape)[rank],
                    const impl::extent_value (&strides)[rank], descriptor_options options = {})
      : tensor_descriptor(base, static_cast<tl_device *>(nullptr), options) {
    set_shape(shape);
    set_strides(strides);
    reach_ = checked_reach(SIZE_MAX);
  }

  /// The address of the first element.
  T *base() const { return base_; }
  /// The extent of an axis, in elements.
  std::int32_t shape(std::size_t axis) const { return static_cast<std::int32_t>(shape_[axis]); }
  /// The distance of neighbours along an axis, in elements.
  std::int64_t stride(std::size_t axis) const { return strides_[axis]; }
  /// How many elements it spans in memory, from the first to the last, the gaps between rows
  /// included; 0 if it has none.
  std::size_t reach() const { return reach_; }
  /// What its reads give.
  const descriptor_options &options() const { return options_; }
  /// The device of the buffer, null if the memory was given as a pointer.
  tl_device *device_handle() const { return device_; }

private:
  tensor_descriptor(T *base, tl_device *device, const descriptor_options &options)
      : base_(base), device_(device), options_(options) {}

  void set_shape(const impl::extent_value (&shape)[rank]) {
    for (std::size_t axis = 0; axis < rank; ++axis)
      shape_[axis] = shape[axis].value;
  }
  void set_strides(const impl::extent_value (&strides)[rank]) {
    for (std::size_t axis = 0; axis < rank; ++axis)
      strides_[axis] = strides[axis].value;
  }
  void set_dense() {
    std::int64_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      strides_[axis] = stride;
      // A wrong extent is reported by checked_reach(); it must not overflow here.
      stride *= shape_[axis] >= 0 && shape_[axis] <= INT32_MAX ? shape_[axis] : 1;
      stride = stride > INT64_MAX / INT32_MAX ? INT64_MAX / INT32_MAX : stride;
    }
  }

  std::size_t checked_reach(std::size_t available) const {
    const auto refuse = [](const std::string &what) {
      throw invalid_argument("tl::tensor_descriptor: " + what);
    };
    const auto on_axis = [](std::size_t axis) { return " of axis " + std::to_string(axis); };
    if (options_.padding == padding::nan && !impl::element<T>::is_float)
      refuse("integers have no NaN to pad with");
    if (options_.round_f32_to_tf32 && !std::same_as<T, float>)
      refuse("only float is rounded to TF32");
    if (reinterpret_cast<std::uintptr_t>(base_) % 16 != 0)
      refuse("the address is not a multiple of 16 bytes");
    if (strides_[rank - 1] != 1)
      refuse("the last stride is " + std::to_string(strides_[rank - 1]) + ", it must be 1");
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (shape_[axis] < 0 || shape_[axis] > INT32_MAX)
        refuse("the extent" + on_axis(axis) + " is " + std::to_string(shape_[axis]) +
               ", it must be between 0 and 2147483647");
    bool empty = false;
    std::size_t last = 0; // index of the last element
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t extent = shape_[axis], stride = strides_[axis];
      if (stride < 0 || (axis + 1 < rank && stride % (16 / std::int64_t(sizeof(T))) != 0))
        refuse("the stride" + on_axis(axis) + " is " + std::to_string(stride) +
               " elements, it must be a multiple of 16 bytes and not negative");
      empty = empty || extent == 0;
      std::size_t reach = 0;
      if (extent > 0 &&
          (__builtin_mul_overflow(std::size_t(extent - 1), std::size_t(stride), &reach) ||
           __builtin_add_overflow(last, reach, &last)))
        refuse("the tensor is larger than the address space");
    }
    if (!empty && last >= available)
      refuse("the tensor needs " + std::to_string(last + 1) + " elements, the buffer has " +
             std::to_string(available));
    return empty ? 0 : last + 1;
  }

  T *base_;
  tl_device *device_;
  descriptor_options options_;
  std::size_t reach_ = 0;
  std::array<std::int64_t, rank> shape_{};
  std::array<std::int64_t, rank> strides_{};
};

} // namespace tl
