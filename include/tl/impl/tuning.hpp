// SPDX-License-Identifier: MIT
#pragma once
// What does tl::autotune need beside the trials themselves? Memory that is saved and put back, keys
// and configurations as numbers and as text, and grids that depend on the configuration.

#include "tl/buffer.hpp"
#include "tl/error.hpp"
#include "tl/launch.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tl {

namespace impl {

/// Memory on a device of which the size is known.
struct known_memory {
  void *address = nullptr;
  std::size_t bytes = 0;
  tl_device *device = nullptr; // null: the argument does not say
};

/// The memory that a kernel may change through an argument of parameter P: that of a buffer or of
/// whatever else names its address, size and device, and what a descriptor leads to. Nothing for
/// numbers, constant memory and raw pointers.
template <class P, class Argument> known_memory written_memory(Argument &argument) {
  if constexpr (requires { argument.reach(); }) {
    return {argument.base(), argument.reach() * sizeof(*argument.base()), argument.device_handle()};
  } else if constexpr (requires { argument.data(); }) {
    using element = typename parameter<P>::element;
    if constexpr (!std::is_const_v<element> && array_of<Argument, element>)
      return {argument.data(), argument.size() * sizeof(element), argument.device().handle()};
  }
  return {};
}

/// Copies of the memory that the trials of one launch may change, to be put back. All copies are
/// queued in the stream that runs the trials, which orders them.
template <std::size_t Arguments> class saved_memory {
public:
  /// Saves nothing on other devices, whose data the launch refuses.
  saved_memory(tl_device *device, tl_stream *stream,
               const std::array<known_memory, Arguments> &memory)
      : stream_(stream), memory_(memory) {
    for (std::size_t i = 0; i < Arguments; ++i) {
      const known_memory &m = memory[i];
      if (m.bytes == 0 || (m.device && m.device != device))
        continue;
      check(tl_allocate_in_order(stream, m.bytes, &copies_[i].data));
      copies_[i].stream = stream;
      check(tl_copy_on_device(stream, copies_[i].data, m.address, m.bytes));
    }
  }
  /// Where the trials end by an exception, whoever threw it, the memory is put back. If that fails,
  /// too, what failed first is the cause.
  ~saved_memory() {
    if (std::uncaught_exceptions() > unwinding_)
      try {
        restore();
      } catch (const error &) {
      }
  }
  saved_memory(const saved_memory &) = delete;
  saved_memory &operator=(const saved_memory &) = delete;

  void restore() const {
    for (std::size_t i = 0; i < Arguments; ++i)
      if (copies_[i].data)
        check(tl_copy_on_device(stream_, memory_[i].address, copies_[i].data, memory_[i].bytes));
  }

private:
  struct copy {
    copy() = default;
    copy(const copy &) = delete;
    copy &operator=(const copy &) = delete;
    ~copy() {
      if (data && tl_free_in_order(stream, data) != TL_OK)
        tl_free(tl_stream_device(stream), data);
    }
    void *data = nullptr;
    tl_stream *stream = nullptr;
  };

  tl_stream *stream_;
  std::array<known_memory, Arguments> memory_;
  std::array<copy, Arguments> copies_;
  int unwinding_ = std::uncaught_exceptions();
};

/// Calls f<Number, P>(argument) for all arguments, those in structures one by one.
template <class... P, class F, class... A>
void visit_arguments(parameter_list<P...>, F &&f, A &...arguments) {
  [&]<std::size_t... Number>(std::index_sequence<Number...>) {
    (visit_argument<Number, P>(arguments, f), ...);
  }(std::index_sequence_for<P...>{});
}

template <class Parameters, class... A> auto written_by(Parameters parameters, A &...arguments) {
  std::array<known_memory, flat_list<Parameters>::size> memory{};
  std::size_t next = 0;
  const auto add = [&]<std::size_t, class P, class Each>(Each &each) {
    memory[next++] = written_memory<P>(each);
  };
  visit_arguments(parameters, add, arguments...);
  return memory;
}

/// Whether an argument is a number, or a structure with one in it.
template <class A> constexpr bool holds_a_number() {
  if constexpr (!host_number<A> && !address_argument<A>::known && members<A>::known)
    return []<class... M>(type_list<M...>) {
      return (holds_a_number<std::remove_cvref_t<M>>() || ...);
    }(typename members<A>::types());
  else
    return host_number<A>;
}

/// What an argument contributes to the key: an integer itself, a float its bits as a double; 0 for
/// what is no number.
template <class A> std::int64_t key_value(const A &argument) {
  if constexpr (std::is_integral_v<A>)
    return static_cast<std::int64_t>(argument);
  else if constexpr (host_number<A>)
    return std::bit_cast<std::int64_t>(static_cast<double>(argument));
  else
    return 0;
}

/// The same, human-readable: "argument 2 = 512"; nothing for what is no number.
template <class Parameters, class A> std::string key_text(std::size_t position, const A &argument) {
  if constexpr (host_number<A>)
    return position_text<Parameters>(position) + " = " + argument_text(argument);
  else
    return {};
}

/// A text that contains the compiler's spelling of the template argument. Returns a pointer, as the
/// text also spells the type of the result.
template <auto Config> const char *spelling_of() { return __PRETTY_FUNCTION__; }

/// The value of a member of a configuration.
template <auto Config, std::size_t I>
inline constexpr auto member_value = members<std::remove_const_t<decltype(Config)>>::apply(
    Config, [](const auto &...each) { return std::get<I>(std::tuple(each...)); });

/// The values of a configuration, human-readable: "{128, 64}" of a struct, without the name of its
/// type, "{.block_m = 128, .block_n = 64}" of one whose members' names are known, "64" of a number.
template <auto Config> std::string config_text() {
  using T = std::remove_const_t<decltype(Config)>;
  if constexpr (has_names<T>) {
    std::string text;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((text += (text.empty() ? "{" : ", ") +
                (name_of<T>(I).empty() ? "" : "." + std::string(name_of<T>(I)) + " = ") +
                config_text<member_value<Config, I>>()),
       ...);
    }(std::make_index_sequence<members<T>::count>());
    return text + "}";
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return std::to_string(Config); // which compilers spell as a character for some types
  }
  std::string_view text = spelling_of<Config>();
  text.remove_prefix(text.find(" = ") + 3);
  text.remove_suffix(1);
  if (text.ends_with('}')) {
    std::size_t first = text.size(), depth = 0;
    do
      depth += (text[first - 1] == '}') - (text[first - 1] == '{');
    while (--first > 0 && depth > 0);
    text.remove_prefix(first);
  }
  return std::string(text);
}

/// The given options with the numbers that a configuration carries under their names.
template <auto Config> launch_options options_for(const launch_options &given) {
  launch_options options = given;
#define TL_IMPL_NUMBER(name, ...)                                                                  \
  if constexpr (requires { Config.name; })                                                         \
    options.name = Config.name;
#define TL_IMPL_SWITCH(...)
  TL_IMPL_COMPILE_OPTIONS(TL_IMPL_NUMBER, TL_IMPL_SWITCH)
#undef TL_IMPL_NUMBER
#undef TL_IMPL_SWITCH
  return options;
}

/// What the user's function says about a configuration.
template <class F, class Config>
launch_grid extents_of(const grid_function<F> &grid, const Config &config) {
  if constexpr (std::integral<decltype(grid.extents(config))>)
    return launch_grid(grid.extents(config), 1, 1, grid.where);
  else
    return grid.extents(config);
}

/// The grid for a configuration: the given one, or what the user's function says.
template <auto Config> launch_grid grid_of(const launch_grid &grid) { return grid; }
template <auto Config, class F> launch_grid grid_of(const grid_function<F> &grid) {
  return extents_of(grid, Config);
}

/// The grid among the options of a tuned kernel: one for all configurations, or a function of the
/// configuration.
template <class Config> class tuned_grid {
public:
  tuned_grid() = default;
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  tuned_grid(X x, Y y = 1, Z z = 1, std::source_location where = std::source_location::current())
      : tuned_grid(launch_grid(x, y, z, where)) {}
  tuned_grid(const launch_grid &grid) : grid_(grid) {}
  template <class F>
  tuned_grid(grid_function<F> function)
      : grid_(0, 1, 1, function.where), function_(new holder<F>(std::move(function))) {
    static_assert(std::invocable<const F &, const Config &>,
                  "the function given to tl::grid takes a configuration of the tuned kernel");
  }
  tuned_grid(const tuned_grid &other)
      : grid_(other.grid_), function_(other.function_ ? other.function_->copy() : nullptr) {}
  tuned_grid(tuned_grid &&other) noexcept
      : grid_(other.grid_), function_(std::exchange(other.function_, nullptr)) {}
  tuned_grid &operator=(tuned_grid other) noexcept {
    std::swap(grid_, other.grid_);
    std::swap(function_, other.function_);
    return *this;
  }
  ~tuned_grid() { delete function_; }

  launch_grid of(const Config &config) const { return function_ ? function_->of(config) : grid_; }
  const std::source_location &where() const { return grid_.where(); }

private:
  struct any_function {
    virtual ~any_function() = default;
    virtual launch_grid of(const Config &config) const = 0;
    virtual any_function *copy() const = 0;
  };
  template <class F> struct holder : any_function {
    explicit holder(grid_function<F> f) : function(std::move(f)) {}
    launch_grid of(const Config &config) const override { return extents_of(function, config); }
    any_function *copy() const override { return new holder(*this); }
    grid_function<F> function;
  };

  launch_grid grid_;
  const any_function *function_ = nullptr;
};
template <auto Config, class C> launch_grid grid_of(const tuned_grid<C> &grid) {
  return grid.of(Config);
}

/// Where the user wrote a grid.
inline const std::source_location &location_of(const launch_grid &grid) { return grid.where(); }
template <class F> const std::source_location &location_of(const grid_function<F> &grid) {
  return grid.where;
}
template <class C> const std::source_location &location_of(const tuned_grid<C> &grid) {
  return grid.where();
}

} // namespace impl
} // namespace tl
