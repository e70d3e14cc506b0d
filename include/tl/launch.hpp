// SPDX-License-Identifier: MIT
#pragma once
// How is a kernel run? `kernel[grid](arguments…)` converts the arguments, finds or makes the
// compiled kernel for them, and hands it to the device; `kernel.compile(device, arguments…)` stops
// before the last step. This file has the grid, the options and the steps of a launch in order
// (launcher); impl/argument.hpp converts, impl/launch_cache.hpp finds, kernel.hpp traces.

#include "tl/c/tl.h"
#include "tl/compiled_kernel.hpp"
#include "tl/device.hpp"
#include "tl/error.hpp"
#include "tl/impl/argument.hpp"
#include "tl/impl/current_trace.hpp"
#include "tl/impl/launch_cache.hpp"
#include "tl/impl/parameter.hpp"
#include "tl/impl/unoptimized.hpp"
#include "tl/stream.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace tl {

/// How many programs run, along up to three axes. Made from integers of any type, also implicitly:
/// `.grid = {rows, 2}`. An extent of zero is a launch of nothing. Throws tl::invalid_argument for a
/// negative extent, one above 2^31 - 1 (program ids are 32-bit), or more than 2^40 programs.
///
///     tl::launch_grid tiles(tl::cdiv(M, 64), tl::cdiv(N, 64));
///     matmul<config>[tiles](a, b, c, M, N, K);
class launch_grid {
public:
  /// No grid: enough to compile, not to launch.
  constexpr launch_grid(std::source_location where = std::source_location::current())
      : where_(where) {}

  /// x * y * z programs.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr launch_grid(X x, Y y = 1, Z z = 1,
                        std::source_location where = std::source_location::current())
      : x_(extent("x", x, where)), y_(extent("y", y, where)), z_(extent("z", z, where)),
        is_given_(true), where_(where) {
    constexpr std::uint64_t most = std::uint64_t(1) << 40;
    const std::uint64_t plane = std::uint64_t(x_) * y_;
    if (z_ != 0 && plane > most / z_)
      throw invalid_argument("a grid of " + std::to_string(x_) + " x " + std::to_string(y_) +
                                 " x " + std::to_string(z_) +
                                 " programs is over the limit of 1099511627776",
                             {}, where);
  }

  /// The extent along x, for tl::program_id(0); 1 where none was given.
  constexpr std::uint32_t x() const { return x_; }
  /// The extent along y, for tl::program_id(1); 1 where none was given.
  constexpr std::uint32_t y() const { return y_; }
  /// The extent along z, for tl::program_id(2); 1 where none was given.
  constexpr std::uint32_t z() const { return z_; }
  /// Was a grid given at all?
  constexpr bool is_given() const { return is_given_; }
  /// Is this a launch of nothing?
  constexpr bool is_empty() const { return x_ == 0 || y_ == 0 || z_ == 0; }
  /// The user's line that made the grid, which stands for the launch in error reports.
  constexpr const std::source_location &where() const { return where_; }

private:
  template <class I>
  static constexpr std::uint32_t extent(const char *axis, I value,
                                        const std::source_location &where) {
    const bool negative = std::is_signed_v<I> && value < I(0);
    if (negative || static_cast<std::uint64_t>(value) > 0x7FFFFFFF)
      refuse(axis, std::to_string(value), where);
    return static_cast<std::uint32_t>(value);
  }
  [[noreturn]] TL_IMPL_UNOPTIMIZED static void refuse(const char *axis, const std::string &value,
                                                      const std::source_location &where) {
    throw invalid_argument(std::string("the grid's extent along ") + axis + " is " + value +
                               ", it must be between 0 and 2147483647",
                           {}, where);
  }

  std::uint32_t x_ = 1, y_ = 1, z_ = 1;
  bool is_given_ = false;
  std::source_location where_;
};

/// A grid that depends on the configuration that an autotuner tries (autotune.hpp).
template <class F> struct grid_function {
  F extents;                  ///< from the configuration to an integer or a launch_grid
  std::source_location where; ///< the user's line that made it
};

/// A grid of x * y * z programs.
///
///     add<1024>[tl::grid(tl::cdiv(n, 1024))](x, y, out, n);
///     matmul<config>[tl::grid(rows, columns)](a, b, c, M, N, K);
template <std::integral X, std::integral Y = int, std::integral Z = int>
constexpr launch_grid grid(X x, Y y = 1, Z z = 1,
                           std::source_location where = std::source_location::current()) {
  return launch_grid(x, y, z, where);
}

/// A grid computed from each configuration of an autotuned kernel.
///
///     tuned[tl::grid([&](gemm_config c) { return tl::cdiv(M, c.block_m); })](a, b, c, M, N, K);
template <class F>
  requires(!std::integral<F>)
grid_function<F> grid(F extents, std::source_location where = std::source_location::current()) {
  return {std::move(extents), where};
}

namespace impl {

/// A stream or none; a device or none.
struct optional_stream {
  tl_stream *handle = nullptr;
  constexpr optional_stream() = default;
  optional_stream(const tl::stream &s) : handle(s.handle()) {}
};
struct optional_device {
  tl_device *handle = nullptr;
  constexpr optional_device() = default;
  optional_device(tl::device d) : handle(d.handle()) {}
};

/// A device together with the line where it was given to compile().
struct located_device {
  tl_device *handle;
  std::source_location where;
  located_device(tl::device d, std::source_location at = std::source_location::current())
      : handle(d.handle()), where(at) {}
};

} // namespace impl

/// Everything that can be said about a launch. Name the members in this order.
///
///     softmax<float, 1024>[{.grid = {rows}, .num_warps = 8}](out, in, stride, n_cols);
///     softmax<float, 1024>[{.grid = {rows}, .stream = s}](out, in, stride, n_cols);
///
/// `Grid` is tl::launch_grid, and for a tuned kernel what a function of the configuration converts
/// to, too.
template <class Grid> struct basic_launch_options {
  Grid grid = {};        ///< how many programs; a launch needs it, tl::kernel::compile does not
  int num_warps = 4;     ///< of 32 threads each; a power of two from 1 to 32. GPUs only.
  int num_stages = 3;    ///< iterations of a loop of products in flight; 1: one. GPUs only.
  int num_ctas = 1;      ///< blocks of threads a program of products may have. sm_90a only.
  int max_registers = 0; ///< of a thread; 0 leaves it to the compiler. GPUs only.
  bool fp_fusion = true; ///< is a * b + c rounded once? See docs/explanation/types.md, "One value".
  bool debug = false;    ///< is tl::device_assert checked? On the interpreter offsets are, too.
  bool deterministic = false;    ///< the same bits in every run, with any num_warps, or an error
  bool sanitize_overflow = true; ///< with debug: must results of + - * fit? See tl::add.
  impl::optional_stream stream = {}; ///< default: the default stream of the device
  impl::optional_device device = {}; ///< default: the device of the buffers, else device::best()

  /// The same options with another grid.
  template <class Other> basic_launch_options<Other> with_grid(Other other) const {
#define TL_IMPL_OPTION(name, ...) name,
    return {std::move(other),
            TL_IMPL_COMPILE_OPTIONS(TL_IMPL_OPTION, TL_IMPL_OPTION) sanitize_overflow, stream,
            device};
#undef TL_IMPL_OPTION
  }
};
/// The options of a kernel's launch: tl::basic_launch_options with a grid of given extents.
///
///     tl::launch_options options;
///     options.grid = tl::grid(rows);
///     options.num_warps = 8;
///     softmax<float, 1024>[options](out, in, stride, n_cols);
using launch_options = basic_launch_options<launch_grid>;

namespace impl {

inline compile_settings settings_of(const launch_options &options) {
#define TL_IMPL_OPTION(name, ...) options.name,
  return {TL_IMPL_COMPILE_OPTIONS(TL_IMPL_OPTION, TL_IMPL_OPTION) options.sanitize_overflow};
#undef TL_IMPL_OPTION
}

/// The user's line that made options without a grid: that of options in braces. Options that were
/// made before have the one of the header in which they are declared, which says nothing.
[[gnu::cold, gnu::noinline]] inline std::source_location
line_without_grid(const launch_grid &grid) {
  const std::string_view here = std::source_location::current().file_name();
  const std::string_view headers = here.substr(0, here.rfind('/') + 1);
  return std::string_view(grid.where().file_name()).starts_with(headers) ? std::source_location()
                                                                         : grid.where();
}

/// The questions about the number of arguments, named so that compilers show both numbers.
template <std::size_t Given, std::size_t Expected> struct argument_count {
  static constexpr bool is_right = Given == Expected;
};

/// A kernel together with how to run it: what kernel[…] gives. Call it with the arguments.
template <class Kernel> class launcher {
  using parameters = typename Kernel::parameters;
  static constexpr std::size_t slots = slot_count<parameters>;
  using pack = argument_pack<slots>;
  static constexpr std::size_t words = fact_word<slots>::words;
  using cache = launch_cache<words>;

public:
  launcher(const Kernel &kernel, const launch_options &options, const char *source)
      : kernel_(kernel), options_(options), source_(source) {}

  /// Runs the kernel with the arguments and returns it. Buffers and device pointers go to tl::ptr
  /// parameters, numbers to scalar ones, tl::tensor_descriptor to tl::descriptor. To a struct
  /// parameter goes a struct, std::tuple or std::array of such, member by member. On a GPU this
  /// returns before the kernel has run.
  ///
  /// Throws tl::invalid_argument for a number that its parameter cannot hold, data on different
  /// devices, or a missing grid; tl::compile_error if the kernel is wrong; tl::out_of_resources
  /// and tl::runtime_error if the launch fails.
  template <class... A> compiled_kernel operator()(A &&...arguments) const {
    using count = argument_count<sizeof...(A), parameters::count>;
    static_assert(count::is_right, "the kernel has another number of parameters: "
                                   "argument_count<given, expected>");
    if constexpr (count::is_right) {
      const launch_context context = make_context(options_.grid.where());
      if (current_trace) [[unlikely]]
        context.refuse_in_kernel();
      if (!options_.grid.is_given()) [[unlikely]]
        make_context(line_without_grid(options_.grid)).refuse_without_grid();
      pack p(context);
      bind_all(p, parameters(), arguments...);
      const auto *entry = prepare(p);
      if (!options_.grid.is_empty()) {
        void *addresses[slots + 1];
        for (std::size_t i = 0; i < slots; ++i)
          addresses[i] = &p.values[i];
        tl_stream *stream = options_.stream.handle ? options_.stream.handle : entry->stream;
        check(tl_launch(entry->kernel, stream, options_.grid.x(), options_.grid.y(),
                        options_.grid.z(), addresses, slots),
              context.where);
      }
      return compiled_kernel(entry->kernel);
    } else {
      return compiled_kernel(nullptr);
    }
  }

  /// Compiles the kernel for the device and for arguments like these, and does not run it. A later
  /// launch with like arguments finds it compiled. Throws as a launch does.
  template <class... A> compiled_kernel compile(located_device dev, A &&...arguments) const {
    using count = argument_count<sizeof...(A), parameters::count>;
    static_assert(count::is_right, "the kernel has another number of parameters: "
                                   "argument_count<given, expected>");
    if constexpr (count::is_right) {
      only_on_host("compile() of a kernel", dev.where);
      const launch_context context =
          make_context(options_.grid.is_given() ? options_.grid.where() : dev.where);
      pack p(context);
      p.device = dev.handle;
      bind_all(p, parameters(), arguments...);
      return compiled_kernel(prepare(p)->kernel);
    } else {
      return compiled_kernel(nullptr);
    }
  }

private:
  launch_context make_context(const std::source_location &where) const {
    return {where, &kernel_,
            [](const void *kernel) { return static_cast<const Kernel *>(kernel)->name(); },
            position_text<parameters>};
  }

  template <class... P, class... A>
  static void bind_all(pack &p, parameter_list<P...>, A &...arguments) {
    [&]<std::size_t... Number>(std::index_sequence<Number...>) {
      std::size_t slot = 0;
      ((bind_argument<Number, P>(p, slot, arguments), slot += parameter<P>::slots), ...);
      (void)slot;
    }(std::index_sequence_for<P...>{});
    note_aliasing<parameters>(p);
  }

  /// The device: that of the data, else the one asked for, else the best. All that are named agree.
  tl_device *choose_device(pack &p) const {
    if (options_.stream.handle)
      note_device(p, tl_stream_device(options_.stream.handle), the_launch);
    if (options_.device.handle)
      note_device(p, options_.device.handle, the_launch);
    if (!p.device)
      p.device = tl::device::best().handle();
    return p.device;
  }

  const typename cache::entry *prepare(pack &p) const {
    const typename cache::key key{p.facts.array(), choose_device(p), settings_of(options_),
                                  source_};
    auto &known = launch_cache_of<Kernel, words>;
    if (const auto *entry = known.find(key)) [[likely]]
      return entry;
    if (std::string wrong = wrong_setting(key.settings); !wrong.empty())
      p.context.refuse(std::move(wrong));
    const std::string text = kernel_.trace_from(
        source_, specialization(p.facts.array().data(), slots, environment_of(key)));
    return known.insert(key, compile_text(key.device, text, key.settings, p.context.where),
                        default_stream_of(key.device));
  }

  static trace_environment environment_of(const typename cache::key &key) {
    return {tl_device_target(key.device), key.settings.num_warps,
            key.settings.debug && key.settings.sanitize_overflow};
  }

  const Kernel &kernel_;
  launch_options options_;
  const char *source_;
};

/// Base of the kernel class: how a kernel is launched. A kernel K derives from launchable<K> and
/// has
///  - `parameters`, a parameter_list;
///  - `std::string name() const`, for messages;
///  - `const char *source()`, which tells kernels of several files apart (lambda_location.hpp);
///  - `std::string trace_from(const char *source, const specialization &) const`, a TTIR module
///    with one public function of one parameter per slot (parameter.hpp).
/// What asks for the source is a part of its caller: only there it is the caller's.
template <class Kernel> class launchable {
public:
  /// The kernel on a grid: `kernel[tl::grid(n)](arguments…)`, or just `kernel[n](arguments…)`.
  TL_IMPL_INLINE launcher<Kernel> operator[](launch_grid grid) const {
    launch_options options;
    options.grid = grid;
    return {self(), options, Kernel::source()};
  }

  /// The kernel with options: `kernel[{.grid = {n}, .num_warps = 8}](arguments…)`.
  TL_IMPL_INLINE launcher<Kernel> operator[](launch_options options) const {
    return {self(), options, Kernel::source()};
  }

  /// Names what to write instead.
  template <class... A> void operator()(const A &...) const {
    static_assert(sizeof...(A) == ~0u, "a kernel is launched on a grid: write "
                                       "kernel[tl::grid(n)](arguments…) instead of kernel(…)");
  }

  /// Compiles the kernel for the device and for arguments like these, and does not run it. A later
  /// launch with like arguments finds it compiled. Throws as a launch does.
  ///
  ///     auto k = add<1024>.compile(dev, x, y, out, n);
  template <class... A>
  TL_IMPL_INLINE compiled_kernel compile(located_device dev, A &&...arguments) const {
    return launcher<Kernel>(self(), {}, Kernel::source())
        .compile(dev, std::forward<A>(arguments)...);
  }

private:
  const Kernel &self() const { return static_cast<const Kernel &>(*this); }
};

} // namespace impl
} // namespace tl
