// SPDX-License-Identifier: MIT
#pragma once
// What do a kernel and its launcher agree on? The parameter types, the slots into which they are
// flattened, and the facts about the arguments that a kernel is specialised on. tensor.hpp says for
// each type that may stand in a parameter list which of the three kinds it is; argument.hpp
// converts arguments; kernel.hpp traces under the facts.
//
// A slot is one parameter of the compiled kernel: eight bytes or less. A scalar and a pointer are
// one slot each. A descriptor of rank R is 2 R + 1 slots: the base pointer, R extents as i32 and R
// strides as i64 (in elements; the last one is 1). The kernel makes its descriptor of them on
// entry, so that a device needs to know pointers and numbers only. Kernels of upstream's that take
// descriptors have the same slots (backend/passes/ReceiveDescriptors.cpp). A struct has the slots
// of its members, in order: a kernel that takes one is that of the members.

#include "tl/dtype.hpp"
#include "tl/impl/members.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tl {

template <class T, int... Block> class tensor_descriptor;

namespace impl {

/// The parameter types of a kernel, in order.
template <class... P> struct parameter_list {
  static constexpr std::size_t count = sizeof...(P);
};

enum class parameter_kind { scalar, pointer, descriptor, structure };

/// What a parameter type is to the launcher: specialise it, deriving from one of the three below,
/// beside each type that may stand in a kernel's parameter list. A structure of such types, as
/// members.hpp takes them apart, is one, too.
template <class P> struct parameter {
  static constexpr bool known = false;
  static constexpr parameter_kind kind = parameter_kind::scalar;
  static constexpr std::size_t slots = 0;
};

/// A value of the element type T, such as tl::i32.
template <class T> struct scalar_parameter {
  static constexpr bool known = true;
  static constexpr parameter_kind kind = parameter_kind::scalar;
  static constexpr std::size_t slots = 1;
  using element = T;
};

/// tl::ptr<T>; T is const where the kernel only reads.
template <class T> struct pointer_parameter {
  static constexpr bool known = true;
  static constexpr parameter_kind kind = parameter_kind::pointer;
  static constexpr std::size_t slots = 1;
  using element = T;
};

/// tl::descriptor<T, Block...>.
template <class T, int... Block> struct descriptor_parameter {
  static constexpr bool known = true;
  static constexpr parameter_kind kind = parameter_kind::descriptor;
  static constexpr std::size_t slots = 2 * sizeof...(Block) + 1;
  using element = T;
  using host = tensor_descriptor<T, Block...>;
};

template <class T>
concept constant_parameter = std::is_empty_v<T> && std::is_default_constructible_v<T>;

/// A struct of parameters.
template <class Members> struct structure_parameter;
template <class... M> struct structure_parameter<type_list<M...>> {
  using member_list = type_list<M...>;
  static constexpr bool known = (parameter<M>::known && ...);
  static constexpr parameter_kind kind = parameter_kind::structure;
  static constexpr std::size_t slots = (0 + ... + parameter<M>::slots);
};
/// What is known to the compiler, such as a std::integral_constant, has no slots.
template <constant_parameter P> struct parameter<P> : structure_parameter<type_list<>> {};
template <class P>
  requires(!constant_parameter<P> && members<P>::known)
struct parameter<P> : structure_parameter<typename members<P>::types> {};

/// The questions about a member of a struct parameter. Named members, so that a failed
/// static_assert shows the struct, which member it is, and its type.
template <class Struct, std::size_t Number, class Member> struct structure_member {
  static constexpr bool is_not_const = !std::is_const_v<Member>;
  static constexpr bool is_a_parameter = parameter<Member>::known;
};
/// Refuses a member that is no parameter: the innermost one.
template <class Struct, std::size_t Number, class Member> constexpr void refuse_member();
/// Refuses a struct that is no parameter. Returns false, having said nothing, of what is no struct.
template <class P> constexpr bool refuse_structure() {
  if constexpr (members<P>::known) {
    []<class... M, std::size_t... I>(type_list<M...>, std::index_sequence<I...>) {
      (refuse_member<P, I, M>(), ...);
    }(typename members<P>::types(), std::make_index_sequence<members<P>::count>());
    return true;
  } else {
    return refuse_aggregate<P>();
  }
}
template <class Struct, std::size_t Number, class Member> constexpr void refuse_member() {
  if constexpr (!parameter<Member>::known) {
    using check = structure_member<Struct, Number, Member>;
    static_assert(check::is_not_const, "a member of a struct that a kernel takes is not const: "
                                       "structure_member<struct, number from 0, type>");
    if constexpr (check::is_not_const && !refuse_structure<Member>())
      static_assert(check::is_a_parameter,
                    "a member of a struct that a kernel takes is a tl::ptr<T>, a scalar such as "
                    "tl::i32 or tl::f32, a tl::descriptor<T, …>, or a struct of them: "
                    "structure_member<struct, number from 0, type>");
  }
}

template <class List> inline constexpr bool has_structures = false;
template <template <class...> class List, class... P>
inline constexpr bool has_structures<List<P...>> =
    ((parameter<P>::kind == parameter_kind::structure) || ...);

/// The parameters with the members of structures in their place.
template <class List, bool = has_structures<List>> struct flat_parameters;
template <class P> struct flat_parameter {
  using type = type_list<P>;
};
template <class P>
  requires(parameter<P>::kind == parameter_kind::structure)
struct flat_parameter<P> : flat_parameters<typename parameter<P>::member_list> {};
template <template <class...> class List, class... P> struct flat_parameters<List<P...>, false> {
  using type = type_list<P...>;
};
template <template <class...> class List, class... P> struct flat_parameters<List<P...>, true> {
  using type = typename joined_lists<typename flat_parameter<P>::type...>::type;
};
template <class List> using flat_list = typename flat_parameters<List>::type;

template <class List> inline constexpr std::size_t slot_count = 0;
template <class... P>
inline constexpr std::size_t slot_count<parameter_list<P...>> = (0 + ... + parameter<P>::slots);

/// What is known about the argument of a slot, beyond its type. Integers (bool excepted) and
/// pointers have facts; floats have none. A null pointer is `null`, not `divisible_by_16`, so that
/// a kernel may drop what an absent argument is for. An integer is `divisible_by_8` if it is not
/// divisible by 16: float16 rows of that length still begin at multiples of 16 bytes. The last
/// extent of a descriptor is `divisible_by_8` if it is a multiple of 16 bytes, and its last stride,
/// which is 1 always, is `null` if NaN is read out of bounds.
enum class fact : std::uint8_t {
  none = 0,
  divisible_by_16 = 1,
  equal_to_1 = 2,
  null = 3,          ///< of a pointer
  divisible_by_8 = 3 ///< of an integer
};

/// The elements of `bytes` bytes that 16 bytes hold. The base and the strides of a host descriptor,
/// in bytes, are multiples of 16.
constexpr int elements_in_16_bytes(std::size_t bytes) { return bytes < 16 ? int(16 / bytes) : 1; }

/// What kernels are specialised on: the facts of all slots, two bits each, then a bit for each slot
/// that is a pointer and may lead to the same memory as another one, where one of them is written.
/// That of the last stride of a descriptor says that what is read is rounded to TF32.
template <std::size_t Slots> class fact_word {
public:
  static constexpr std::size_t words = Slots == 0 ? 1 : (3 * Slots + 63) / 64;

  constexpr void set(std::size_t slot, fact f) {
    bits_[slot / 32] |= std::uint64_t(f) << (slot % 32 * 2);
  }
  constexpr void set_may_alias(std::size_t slot) {
    const std::size_t bit = 2 * Slots + slot;
    bits_[bit / 64] |= std::uint64_t(1) << bit % 64;
  }
  /// What reads of a descriptor give, at the slot of its last stride.
  constexpr void set_reads(std::size_t slot, bool pad_with_nan, bool round_to_tf32) {
    set(slot, pad_with_nan ? fact::null : fact::equal_to_1);
    if (round_to_tf32)
      set_may_alias(slot);
  }
  constexpr const std::array<std::uint64_t, words> &array() const { return bits_; }

private:
  std::array<std::uint64_t, words> bits_{};
};

/// What a trace for a launch knows of its compilation: where the kernel will run, and how.
struct trace_environment {
  std::string_view target = {}; ///< "cpu", "interpreter", "sm_90a"; empty: any
  int num_warps = 0;            ///< of a GPU; 0: any
  bool checks_overflow = false; ///< do sums, differences and products assert that they fit?
};

/// A view of a specialisation word, as a kernel's trace reads it, and where it will run.
///
///     if (facts[3] == fact::equal_to_1)
///       value = constant(1);
class specialization {
public:
  constexpr specialization() = default;
  constexpr specialization(const std::uint64_t *words, std::size_t slots,
                           const trace_environment &environment = {})
      : words_(words), slots_(slots), environment_(environment) {}

  constexpr const trace_environment &environment() const { return environment_; }

  constexpr std::size_t size() const { return slots_; }
  /// The fact about the slot; `none` past the last one, so that an empty view knows nothing.
  constexpr fact operator[](std::size_t slot) const {
    return slot < slots_ ? fact(words_[slot / 32] >> (slot % 32 * 2) & 3) : fact::none;
  }

  constexpr bool may_alias(std::size_t slot) const {
    const std::size_t bit = 2 * slots_ + slot;
    return slot < slots_ && (words_[bit / 64] >> bit % 64 & 1) != 0;
  }

  /// Of the slot of a descriptor's last stride.
  constexpr bool reads_nan(std::size_t slot) const { return (*this)[slot] == fact::null; }
  constexpr bool rounds_reads(std::size_t slot) const { return may_alias(slot); }

private:
  const std::uint64_t *words_ = nullptr;
  std::size_t slots_ = 0;
  trace_environment environment_;
};

} // namespace impl
} // namespace tl
