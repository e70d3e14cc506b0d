// SPDX-License-Identifier: MIT
#pragma once
// How does a host value become the argument of a kernel? Buffers and pointers give an address,
// numbers are converted to the parameter's type if it can hold them, host descriptors give several
// slots, structures those of their members. Converting also notes the facts that kernels are
// specialised on, and on which device the data is. What cannot be right for any value is refused by
// the C++ compiler, in one sentence.

#include "tl/buffer.hpp"
#include "tl/descriptor.hpp"
#include "tl/device.hpp"
#include "tl/error.hpp"
#include "tl/impl/current_trace.hpp"
#include "tl/impl/float_format.hpp"
#include "tl/impl/number_text.hpp"
#include "tl/impl/parameter.hpp"
#include "tl/impl/unoptimized.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tl::impl {

/// Throws tl::compile_error at `where`: a kernel was launched while another one is traced. `kernel`
/// opens the message, as in "kernel scale".
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_launch(const std::string &kernel,
                                                                 location where) {
  fail_in_kernel(kernel, " cannot be launched", where,
                 "launch one kernel after the other; what they share is a function of tensors");
}

/// Where a kernel is launched, and its name: what the errors of a launch say. `name` is called on
/// `kernel`, and `position` on the number of what was passed, only when something is refused.
struct launch_context {
  std::source_location where;
  const void *kernel;
  std::string (*name)(const void *kernel);
  std::string (*position)(std::size_t number);

  [[noreturn]] TL_IMPL_UNOPTIMIZED void refuse(std::string message, std::string help = {}) const {
    diagnostic d = diagnostic::at(where, std::move(message), std::move(help));
    d.kernel = name(kernel);
    throw invalid_argument(std::move(d));
  }
  // Apart, so that a launch stays small enough to be inlined.
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_without_grid() const {
    refuse("no grid was given",
           "write kernel[tl::grid(n)](…), or name .grid first in kernel[{.grid = {n}, …}](…)");
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_in_kernel() const {
    refuse_launch("kernel " + name(kernel), where);
  }
};

/// The number, in place of an argument's, that says that the launch itself decided the device.
inline constexpr std::size_t the_launch = ~std::size_t(0);

/// The numbers by which the errors of a launch name what was passed: that of an argument, and above
/// it, if it is a part of a structure, one more than that of the part, counted as flat_list does.
inline constexpr std::size_t member_unit = 65536;
template <class P> constexpr std::size_t member_position(std::size_t position, std::size_t member) {
  return []<class... M>(type_list<M...>, std::size_t place, std::size_t number) {
    const std::size_t sizes[] = {flat_list<type_list<M>>::size..., 0};
    std::size_t parts = place < member_unit;
    for (std::size_t i = 0; i < number; ++i)
      parts += sizes[i];
    return place + parts * member_unit;
  }(typename members<P>::types(), position, member);
}
TL_IMPL_UNOPTIMIZED inline std::string argument_number(std::size_t number) {
  return "argument " + std::to_string(number);
}
/// The name of a parameter's member, or its number.
template <class P> TL_IMPL_UNOPTIMIZED std::string member_text(std::size_t member) {
  const std::string_view name = name_of<P>(member);
  return name.empty() ? std::to_string(member) : std::string(name);
}
/// The members that lead to a part of a struct: "rows", "1.0".
template <class P> TL_IMPL_UNOPTIMIZED std::string member_path(std::size_t part) {
  std::string path;
  std::size_t i = 0;
  const auto find = [&]<class M>(type_list<M>) {
    constexpr std::size_t parts = flat_list<type_list<M>>::size;
    if (path.empty() && part < parts) {
      path = member_text<P>(i);
      if constexpr (parameter<M>::kind == parameter_kind::structure && parts > 0)
        path += "." + member_path<M>(part);
    }
    part -= parts;
    ++i;
  };
  [&]<class... M>(type_list<M...>) { (find(type_list<M>()), ...); }(typename members<P>::types());
  return path;
}
/// "argument 2", "member 1.0 of argument 0", "member rows of argument 0".
template <class Parameters> struct position_texts;
template <template <class...> class List, class... P> struct position_texts<List<P...>> {
  TL_IMPL_UNOPTIMIZED static std::string text(std::size_t position) {
    const std::size_t number = position % member_unit;
    const std::string argument = argument_number(number);
    if (position < member_unit)
      return argument;
    std::string member;
    std::size_t i = 0;
    const auto find = [&]<class Q>() {
      if constexpr (parameter<Q>::kind == parameter_kind::structure && !constant_parameter<Q>)
        if (i == number)
          member = member_path<Q>(position / member_unit - 1);
      ++i;
    };
    (find.template operator()<P>(), ...);
    return "member " + member + " of " + argument;
  }
};
template <class Parameters> inline constexpr auto *position_text = argument_number;
template <class Parameters>
  requires has_structures<Parameters>
inline constexpr auto *position_text<Parameters> = position_texts<Parameters>::text;

/// The converted arguments of one launch.
template <std::size_t Slots> struct argument_pack {
  explicit argument_pack(const launch_context &c) : context(c) {}

  const launch_context &context;
  std::uint64_t values[Slots + 1];
  std::uint64_t ends[Slots + 1]; // of pointers: where the memory ends; one byte if unknown
  fact_word<Slots> facts;
  tl_device *device = nullptr;              // where the data is; null if no argument says so
  std::size_t device_argument = the_launch; // which argument decided it, or the_launch

  template <class V> void put(std::size_t slot, const V &value) {
    static_assert(sizeof(V) <= 8);
    std::memcpy(&values[slot], &value, sizeof value);
  }
};

/// "tl::i32", "tl::f16", "tl::float8e5": the parameter type as users spell it.
template <class T> TL_IMPL_UNOPTIMIZED std::string parameter_name() {
  using e = element<T>;
  if (e::is_float && e::bits == 8)
    return "tl::float" + std::string(e::short_name.substr(2));
  return "tl::" + std::string(e::is_float ? e::mlir_name : e::short_name);
}

template <class A> TL_IMPL_UNOPTIMIZED std::string argument_text(const A &value) {
  if constexpr (std::is_integral_v<A>)
    return std::to_string(value);
  else
    return number_text(std::bit_cast<double>(double_encoding(value)));
}

/// Throws tl::invalid_argument: the parameter of type Element cannot hold the value of argument
/// `position`.
template <class Element, class Argument>
[[noreturn]] TL_IMPL_UNOPTIMIZED void refuse_value(const launch_context &context,
                                                   std::size_t position, const Argument &value) {
  context.refuse(context.position(position) + " is " + argument_text(value) +
                 ", which its parameter of type " + parameter_name<Element>() + " cannot hold");
}

/// Throws tl::invalid_argument: two arguments (or the launch itself) are on different devices.
[[noreturn]] TL_IMPL_UNOPTIMIZED inline void
refuse_mixed_devices(const launch_context &context, std::size_t first, tl_device *first_device,
                     std::size_t second, tl_device *second_device) {
  const auto where = [&](std::size_t position) {
    return position == the_launch ? std::string("the launch")
                                  : "the data of " + context.position(position);
  };
  context.refuse(where(first) + " is on device " + tl_device_name(first_device) + ", " +
                 where(second) + " on device " + tl_device_name(second_device));
}

/// Notes that argument `position`, or the_launch, is on the device; null, of an argument that does
/// not say, changes nothing. Throws tl::invalid_argument if another argument is on another device.
template <class Pack> void note_device(Pack &pack, tl_device *device, std::size_t position) {
  if (pack.device == device || !device) [[likely]]
    return;
  if (pack.device)
    refuse_mixed_devices(pack.context, pack.device_argument, pack.device, position, device);
  pack.device = device;
  pack.device_argument = position;
}

/// Address arguments: what they point to, and whether they know their device. The primary template
/// stands for what is no address; its members are there so that only `known` need be asked.
template <class A> struct address_argument {
  static constexpr bool known = false, any = true;
  using pointee = void;
  static const void *address(const A &) { return nullptr; }
  static std::size_t bytes(const A &) { return 0; } // 0: not known
  static tl_device *device(const A &) { return nullptr; }
};
template <class T> struct address_argument<buffer<T>> {
  static constexpr bool known = true, any = false;
  using pointee = T;
  static const void *address(const buffer<T> &b) { return b.data(); }
  static std::size_t bytes(const buffer<T> &b) { return b.size() * sizeof(T); }
  static tl_device *device(const buffer<T> &b) { return b.device().handle(); }
};
template <class T> struct address_argument<const buffer<T>> : address_argument<buffer<T>> {
  using pointee = const T;
};
template <class T> struct address_argument<T *> {
  static constexpr bool known = true, any = std::is_void_v<T>;
  using pointee = T;
  static const void *address(const void *p) { return p; }
  static std::size_t bytes(const void *) { return 0; }
  static tl_device *device(const void *) { return nullptr; }
};
template <class T> struct address_argument<T *const> : address_argument<T *> {};
template <> struct address_argument<std::nullptr_t> {
  static constexpr bool known = true, any = true;
  using pointee = void;
  static const void *address(std::nullptr_t) { return nullptr; }
  static std::size_t bytes(std::nullptr_t) { return 0; }
  static tl_device *device(std::nullptr_t) { return nullptr; }
};
template <> struct address_argument<const std::nullptr_t> : address_argument<std::nullptr_t> {};

/// The device that an argument, or one in a structure, says it is on; null if it does not say.
template <class A> tl_device *device_of_argument(const A &argument) {
  if constexpr (requires { argument.device_handle(); }) {
    return argument.device_handle();
  } else if constexpr (!address_argument<A>::known && members<A>::known) {
    tl_device *device = nullptr;
    members<A>::apply(argument, [&](const auto &...each) {
      ((device = device ? device : device_of_argument(each)), ...);
    });
    return device;
  } else {
    return address_argument<A>::device(argument);
  }
}

/// The questions about an argument for a tl::ptr parameter. Named members, so that a failed
/// static_assert shows the number of the argument, the parameter, and the argument's type.
template <std::size_t Number, class Parameter, class Argument> struct pointer_argument {
  using Element = typename parameter<Parameter>::element;
  using traits = address_argument<Argument>;
  using pointee = typename traits::pointee;
  static constexpr bool is_address = traits::known;
  static constexpr bool same_element =
      traits::any || std::is_same_v<std::remove_const_t<pointee>, std::remove_const_t<Element>>;
  static constexpr bool keeps_const = std::is_const_v<Element> || !std::is_const_v<pointee>;
};

/// `bytes`: how much memory there is, 0 if that is not known.
template <class Pack>
void put_address(Pack &pack, std::size_t slot, const void *address, std::size_t bytes) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  pack.values[slot] = bits;
  pack.ends[slot] = bits + (bytes ? bytes : 1);
  pack.facts.set(slot, bits == 0        ? fact::null
                       : bits % 16 == 0 ? fact::divisible_by_16
                                        : fact::none);
}

template <std::size_t Number, class P, class Argument, class Pack>
void bind_pointer(Pack &pack, std::size_t slot, Argument &argument) {
  using check = pointer_argument<Number % member_unit, P, Argument>;
  static_assert(check::is_address,
                "a tl::ptr parameter takes a tl::buffer, a pointer to device memory, or nullptr: "
                "pointer_argument<number from 0, parameter, argument>");
  static_assert(check::same_element,
                "the elements of the argument differ from those of the tl::ptr parameter: "
                "pointer_argument<number from 0, parameter, argument>");
  static_assert(check::keeps_const,
                "a tl::ptr<T> parameter is for memory that the kernel writes: pass a buffer or "
                "pointer that is not const, or declare the parameter tl::ptr<const T>");
  if constexpr (check::is_address && check::same_element && check::keeps_const) {
    put_address(pack, slot, check::traits::address(argument), check::traits::bytes(argument));
    note_device(pack, check::traits::device(argument), Number);
  }
}

/// `divisor`: what `divisible_by_8` stands for.
template <class Value> fact integer_fact(Value value, int divisor = 8) {
  return value == 1             ? fact::equal_to_1
         : value % 16 == 0      ? fact::divisible_by_16
         : value % divisor == 0 ? fact::divisible_by_8
                                : fact::none;
}

/// C++ numbers that a scalar parameter takes: arithmetic types and tl's small floats.
template <class A>
concept host_number = std::is_arithmetic_v<A> || floating<A>;

/// What a scalar parameter demands of its argument: a number, and a whole one for integers. Named
/// members, so that a failed static_assert shows the number, the parameter and the argument's type.
template <std::size_t Number, class Parameter, class Argument> struct scalar_argument {
  using Element = typename parameter<Parameter>::element;
  static constexpr bool is_number = host_number<Argument>;
  static constexpr bool is_whole =
      element<Element>::is_float || !is_number || std::is_integral_v<Argument>;
};

/// The value as an integer of type Element. Throws tl::invalid_argument if Element cannot hold it.
template <class Element, class Argument>
Element convert_integer(const launch_context &context, std::size_t position, Argument value) {
  // Compared as sign and magnitude, so that no promotion changes the value.
  bool fits = true;
  if constexpr (std::is_same_v<Argument, bool>) {
  } else if constexpr (std::is_same_v<Element, bool>) {
    fits = value == 0 || value == 1;
  } else {
    const auto converted = static_cast<Element>(value);
    fits = static_cast<Argument>(converted) == value && (converted < Element(0)) == (value < 0);
  }
  if (!fits)
    refuse_value<Element>(context, position, value);
  return static_cast<Element>(value);
}

template <class T> inline constexpr float_format encoding_format = T::format;
template <> inline constexpr float_format encoding_format<float> = f32_format;

/// A number rounded to a narrower float type, as its encoding: to nearest, whatever the rounding
/// mode of the program. Out of line, so that launches share the code.
template <class Element, class Argument>
[[gnu::noinline]] std::uint32_t rounded_encoding(const Argument &value) {
  if constexpr (std::is_integral_v<Argument>)
    return encode_integer<encoding_format<Element>>(value);
  else
    return encode<encoding_format<Element>>(std::bit_cast<double>(double_encoding(value)));
}

/// Throws tl::invalid_argument if the value, whose conversion gave an infinity, is finite.
template <class Element, class Argument>
[[gnu::cold, gnu::noinline]] void refuse_finite(const launch_context &context, std::size_t position,
                                                const Argument &value) {
  if (is_finite(std::bit_cast<double>(double_encoding(value))))
    refuse_value<Element>(context, position, value);
}

template <class Element, class Argument, class Pack>
void put_float(Pack &pack, std::size_t slot, std::size_t position, const Argument &argument) {
  if constexpr (std::is_same_v<Element, Argument>) {
    pack.put(slot, argument);
  } else if constexpr (std::is_same_v<Element, double>) {
    pack.put(slot, double_encoding(argument));
  } else {
    constexpr float_format format = encoding_format<Element>;
    const std::uint32_t encoding = rounded_encoding<Element>(argument);
    if (format.infinity != 0 && (encoding & format.magnitude_mask()) == format.infinity)
        [[unlikely]]
      refuse_finite<Element>(pack.context, position, argument);
    pack.put(slot,
             static_cast<std::conditional_t<
                 sizeof(Element) == 4, std::uint32_t,
                 std::conditional_t<sizeof(Element) == 2, std::uint16_t, std::uint8_t>>>(encoding));
  }
}

template <std::size_t Number, class P, class Argument, class Pack>
void bind_scalar(Pack &pack, std::size_t slot, const Argument &argument) {
  using check = scalar_argument<Number % member_unit, P, Argument>;
  using Element = typename check::Element;
  static_assert(check::is_number, "a scalar parameter takes a number of the host: "
                                  "scalar_argument<number from 0, parameter, argument>");
  static_assert(check::is_whole,
                "an integer parameter takes an integer: convert the floating-point argument "
                "explicitly; scalar_argument<number from 0, parameter, argument>");
  if constexpr (check::is_number && check::is_whole) {
    if constexpr (element<Element>::is_float) {
      put_float<Element>(pack, slot, Number, argument);
    } else {
      const Element value = convert_integer<Element>(pack.context, Number, argument);
      pack.put(slot, value);
      if constexpr (!element<Element>::is_bool)
        pack.facts.set(slot, integer_fact(value));
    }
  }
}

/// Whether the argument is the host descriptor that belongs to the parameter.
template <std::size_t Number, class P, class Argument> struct descriptor_argument {
  static constexpr bool matches = std::is_same_v<typename parameter<P>::host, Argument>;
};

template <std::size_t Number, class P, class Argument, class Pack>
void bind_descriptor(Pack &pack, std::size_t slot, const Argument &argument) {
  using check = descriptor_argument<Number % member_unit, P, Argument>;
  static_assert(check::matches,
                "a tl::descriptor<T, Block...> parameter takes a tl::tensor_descriptor of the same "
                "element type and block: descriptor_argument<number from 0, parameter, argument>");
  if constexpr (check::matches) {
    constexpr std::size_t rank = Argument::rank;
    constexpr int unit = elements_in_16_bytes(sizeof(typename parameter<P>::element));
    put_address(pack, slot++, argument.base(),
                argument.reach() * sizeof(typename parameter<P>::element));
    note_device(pack, argument.device_handle(), Number);
    for (std::size_t axis = 0; axis < rank; ++axis, ++slot) {
      pack.put(slot, argument.shape(axis));
      pack.facts.set(slot, integer_fact(argument.shape(axis), axis + 1 < rank ? 8 : unit));
    }
    for (std::size_t axis = 0; axis < rank; ++axis, ++slot) {
      pack.put(slot, argument.stride(axis));
      if (axis + 1 < rank) // a multiple of `unit` in any case
        pack.facts.set(slot, argument.stride(axis) % 16 == 0 ? fact::divisible_by_16 : fact::none);
      else
        pack.facts.set_reads(slot, argument.options().padding == padding::nan,
                             argument.options().round_f32_to_tf32);
    }
  }
}

/// What a struct parameter demands of its argument: the same members, found by their names where
/// both sides have names, else in order.
template <std::size_t Number, class Parameter, class Argument> struct structure_argument {
  using argument = std::remove_const_t<Argument>;
  using wanted = members<Parameter>;
  using given = members<argument>;
  static constexpr bool is_a_structure = given::known;
  static constexpr bool has_as_many_members = !given::known || given::count == wanted::count;
  static constexpr bool has_clear_names = names_are_clear<Parameter> && names_are_clear<argument>;
  /// Which member of the argument is for this one of the parameter; given::count if none is. The
  /// members without a name are in order among themselves.
  static constexpr std::size_t member(std::size_t number) {
    if constexpr (has_names<Parameter> && has_names<argument>) {
      const std::string_view name = name_of<Parameter>(number);
      std::size_t before = 0;
      for (std::size_t i = 0; i < number; ++i)
        before += name_of<Parameter>(i) == name;
      for (std::size_t i = 0; i < given::count; ++i)
        if (name_of<argument>(i) == name && before-- == 0)
          return i;
      return given::count;
    }
    return number;
  }
  static constexpr bool has_the_same_names = [] {
    for (std::size_t i = 0; i < wanted::count; ++i)
      if (member(i) >= given::count)
        return false;
    return true;
  }();
};
/// Whether an argument is what the compiler knows already.
template <std::size_t Number, class Parameter, class Argument> struct constant_argument {
  static constexpr bool is_the_same = std::is_same_v<Parameter, std::remove_const_t<Argument>>;
};

/// Calls f<Number, P>(argument) for each parameter that is no structure and the argument for it.
template <std::size_t Number, class P, class Argument, class F>
void visit_argument(Argument &argument, F &f) {
  using traits = parameter<P>;
  if constexpr (!traits::known) {
    // was refused by tl::kernel
  } else if constexpr (traits::kind != parameter_kind::structure) {
    f.template operator()<Number, P>(argument);
  } else if constexpr (constant_parameter<P>) {
    using check = constant_argument<Number % member_unit, P, Argument>;
    static_assert(check::is_the_same,
                  "a parameter that is a compile-time number takes the same one: "
                  "constant_argument<number from 0, parameter, argument>");
  } else {
    using check = structure_argument<Number % member_unit, P, Argument>;
    if constexpr (!check::is_a_structure && !refuse_aggregate<typename check::argument>())
      static_assert(check::is_a_structure,
                    "a struct parameter takes a struct, std::tuple or std::array of the host: "
                    "structure_argument<number from 0, parameter, argument>");
    static_assert(check::has_as_many_members,
                  "a struct parameter takes a structure of as many members: "
                  "structure_argument<number from 0, parameter, argument>");
    static_assert(check::has_clear_names,
                  "the names that Boost.Hana has for an aggregate must be those of members that "
                  "are no references: structure_argument<number from 0, parameter, argument>");
    static_assert(!check::is_a_structure || !check::has_as_many_members ||
                      !check::has_clear_names || check::has_the_same_names,
                  "a struct parameter takes a structure whose members have the same names: "
                  "structure_argument<number from 0, parameter, argument>");
    if constexpr (check::is_a_structure && check::has_as_many_members && check::has_clear_names &&
                  check::has_the_same_names)
      check::given::apply(argument, [&](auto &...each) {
        const auto all = std::tie(each...);
        const auto visit = [&]<class... M, std::size_t... I>(type_list<M...>,
                                                             std::index_sequence<I...>) {
          (visit_argument<member_position<P>(Number, I), M>(std::get<check::member(I)>(all), f),
           ...);
        };
        visit(typename members<P>::types(), std::make_index_sequence<members<P>::count>());
      });
  }
}

/// Converts argument `Number`, counted from 0, into the slots of its parameter P, the first of
/// which is `slot`, and notes its facts and device. A P that is no parameter type was refused by
/// tl::kernel and is left out here. Throws tl::invalid_argument if P cannot hold the argument.
template <std::size_t Number, class P, class Argument, class Pack>
void bind_argument(Pack &pack, std::size_t slot, Argument &argument) {
  using traits = parameter<P>;
  if constexpr (!traits::known) {
    // was refused
  } else if constexpr (traits::kind == parameter_kind::pointer) {
    bind_pointer<Number, P>(pack, slot, argument);
  } else if constexpr (traits::kind == parameter_kind::scalar) {
    bind_scalar<Number, P>(pack, slot, std::as_const(argument));
  } else if constexpr (traits::kind == parameter_kind::descriptor) {
    bind_descriptor<Number, P>(pack, slot, std::as_const(argument));
  } else {
    const auto bind = [&]<std::size_t Position, class Q, class A>(A &each) {
      bind_argument<Position, Q>(pack, slot, each);
      slot += parameter<Q>::slots;
    };
    visit_argument<Number, P>(argument, bind);
  }
}

/// A slot that is an address, and whether the kernel only reads through it.
struct address_slot {
  std::size_t slot;
  bool reads_only;
};

template <class P> constexpr bool is_address() {
  if constexpr (parameter<P>::known)
    return parameter<P>::kind != parameter_kind::scalar;
  else
    return false;
}

/// The slots of a list of parameters that are addresses.
template <class List> struct address_slots;
template <class... P> struct address_slots<type_list<P...>> {
  static constexpr std::size_t count = (0 + ... + is_address<P>());
  static constexpr std::array<address_slot, count> list = [] {
    std::array<address_slot, count> found{};
    std::size_t next = 0, slot = 0;
    [[maybe_unused]] const auto add = [&]<class Q>() {
      if constexpr (is_address<Q>())
        found[next++] = {slot, std::is_const_v<typename parameter<Q>::element>};
      slot += parameter<Q>::slots;
    };
    (add.template operator()<P>(), ...);
    return found;
  }();
  /// The pairs of which one may be written through.
  static constexpr std::size_t pair_count = [] {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        found += !(list[i].reads_only && list[j].reads_only);
    return found;
  }();
  static constexpr std::array<std::pair<address_slot, address_slot>, pair_count> pairs = [] {
    std::array<std::pair<address_slot, address_slot>, pair_count> found{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        if (!(list[i].reads_only && list[j].reads_only))
          found[next++] = {list[i], list[j]};
    return found;
  }();
};

/// Whether two ranges of memory, of which at least one is written, may overlap. A range of one byte
/// is a pointer without a known end: it lies in a known range or apart from it. Of two such
/// pointers it is known only that a tl::ptr<const T> promises not to see what is written.
constexpr bool ranges_may_alias(std::uint64_t a, std::uint64_t a_end, bool a_reads_only,
                                std::uint64_t b, std::uint64_t b_end, bool b_reads_only) {
  if (a == 0 || b == 0)
    return false;
  const bool no_ends = a_end - a == 1 && b_end - b == 1;
  return (a < b_end && b < a_end) || (no_ends && !a_reads_only && !b_reads_only);
}

template <class Slots, class Pack> [[gnu::cold, gnu::noinline]] void note_pairs(Pack &pack) {
  for (const auto &[a, b] : Slots::pairs)
    if (ranges_may_alias(pack.values[a.slot], pack.ends[a.slot], a.reads_only, pack.values[b.slot],
                         pack.ends[b.slot], b.reads_only)) {
      pack.facts.set_may_alias(a.slot);
      pack.facts.set_may_alias(b.slot);
    }
}

/// Notes which addresses may alias, once all arguments are converted. Every launch comes here: what
/// is found seldom is done apart.
template <class List, class Pack> void note_aliasing(Pack &pack) {
  using slots = address_slots<flat_list<List>>;
  if constexpr (slots::pair_count > 0) {
    bool any = false;
    for (const auto &[a, b] : slots::pairs) {
      const std::uint64_t a_end = pack.ends[a.slot], b_end = pack.ends[b.slot];
      any |= pack.values[a.slot] < b_end && pack.values[b.slot] < a_end;
      if (!a.reads_only && !b.reads_only)
        any |= (a_end - pack.values[a.slot] == 1) & (b_end - pack.values[b.slot] == 1);
    }
    if (any) [[unlikely]]
      note_pairs<slots>(pack);
  }
}

} // namespace tl::impl
