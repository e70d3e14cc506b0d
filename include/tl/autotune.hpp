// SPDX-License-Identifier: MIT
#pragma once
// Which configuration of a kernel is the fastest here? tl::autotune makes a kernel out of a family
// of kernels and a list of configurations. The first launch for each device and each set of key
// arguments tries all of them, remembers the fastest, and runs it; later launches run that one.

#include "tl/error.hpp"
#include "tl/impl/number_text.hpp"
#include "tl/impl/process_mutex.hpp"
#include "tl/impl/tuning.hpp"
#include "tl/launch.hpp"
#include "tl/stream.hpp"

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tl {

/// Some of a kernel's arguments, counted from 0. Made by tl::args.
struct argument_set {
  std::uint64_t bits = 0; ///< bit i stands for argument i
  /// Is argument i one of them?
  constexpr bool contains(std::size_t i) const { return i < 64 && (bits >> i & 1); }
};

/// The arguments with these numbers, counted from 0, each below 64.
///
///     tl::autotune_options options{.key = tl::args<3, 4, 5>};   // M, N and K
template <int... I>
inline constexpr argument_set args = [] {
  static_assert(((I >= 0 && I < 64) && ...), "tl::args takes numbers of arguments, from 0 to 63");
  return argument_set{(std::uint64_t(0) | ... | (std::uint64_t(1) << I))};
}();

/// How tl::autotune chooses. Name the members in this order.
///
///     static auto tuned = tl::autotune<config{64}, config{128}>(
///         []<config C> { return scale<C>; }, {.key = tl::args<2>, .milliseconds = 5});
struct autotune_options {
  /// The number arguments on which the choice depends: other values of them are tuned anew; of a
  /// struct all numbers in it. A launch whose argument is and has no number, or that has no such
  /// argument, throws tl::invalid_argument.
  argument_set key = {};
  /// Does memory that the kernel may write hold after the trials what it held before? It is then
  /// saved, and restored before each candidate: buffers given to a tl::ptr of elements that are not
  /// const, and the tensors of all descriptors. Memory that is given as a raw pointer has no known
  /// size and is not restored: pass tl::buffer, or make sure that running the kernel several times
  /// does no harm.
  bool preserve = true;
  /// How long each candidate is measured, after one run to warm up.
  double milliseconds = 20;
};

/// What became of one candidate.
///
///     for (const tl::tuning_trial &t : tuned.trials())
///       std::printf("%zu: %g ms %s\n", t.candidate, t.milliseconds, t.failure.c_str());
struct tuning_trial {
  std::size_t candidate;     ///< its place in the list, from 0
  double milliseconds = 0;   ///< of the fastest run; 0 if it failed
  std::string failure;       ///< why it cannot be used, or empty
  std::string kernel;        ///< the name of its kernel
  std::string configuration; ///< the values of its configuration: "{128, 64}"
  std::string key;           ///< "argument 2 = 512, argument 3 = 64"; empty if the key is
  std::string device;        ///< "cuda:0"
};

/// A kernel with several configurations, of which the fastest is used. Made by tl::autotune and
/// launched as a kernel is, with a grid that may depend on the configuration. All functions may be
/// called by several threads; tuning happens in one at a time.
template <class Family, auto... Configs> class autotuned {
  template <auto Config>
  using kernel_of = decltype(std::declval<const Family &>().template operator()<Config>());
  template <auto First, auto...> struct first {
    static constexpr auto value = First;
  };
  using config = std::remove_const_t<decltype(first<Configs...>::value)>;
  using parameters = typename kernel_of<first<Configs...>::value>::parameters;
  static constexpr std::size_t candidates = sizeof...(Configs);

public:
  /// Used by tl::autotune.
  constexpr autotuned(Family family, autotune_options options)
      : family_(family), options_(options) {}
  autotuned(const autotuned &) = delete;
  autotuned &operator=(const autotuned &) = delete;

  /// Launches on a grid that is computed from the chosen configuration.
  ///
  ///     tuned[tl::grid([&](gemm_config c) { return tl::cdiv(M, c.block_m); })](a, b, c, M, N, K);
  template <class F> auto operator[](grid_function<F> grid) const {
    launch_options options;
    return bound(std::move(grid), options);
  }
  /// Launches on the same grid whatever the configuration.
  auto operator[](launch_grid grid) const {
    launch_options options;
    return bound(grid, options);
  }
  /// Launches with options, as a kernel is; the grid may be computed from the configuration here,
  /// too. The configurations' own members take precedence over num_warps and the like.
  ///
  ///     tuned[{.grid = tl::grid([&](gemm_config c) { return tl::cdiv(M, c.block_m); }),
  ///            .stream = s}](a, b, c, M, N, K);
  auto operator[](basic_launch_options<impl::tuned_grid<config>> options) const {
    return bound(options.grid, options.with_grid(launch_grid()));
  }
  /// The same for options that were made before: a template, to leave braces to the one above.
  template <std::same_as<launch_options> Options> auto operator[](Options options) const {
    return bound(options.grid, options);
  }

  /// The trials of all tunings so far, in order.
  std::vector<tuning_trial> trials() const {
    const impl::process_lock lock(mutex_);
    drop_half_made(lock);
    return trials_;
  }

  /// The place in the list of the candidate that was chosen last; `size()` if none was yet.
  std::size_t chosen() const { return chosen_.load(std::memory_order_relaxed); }
  /// The number of candidates.
  static constexpr std::size_t size() { return candidates; }

private:
  using key_values = std::array<std::int64_t, impl::flat_list<parameters>::size + 1>;
  struct choice {
    tl_device *device;
    key_values key;
    std::size_t candidate;
    const choice *next;
  };

  /// Launches candidate number `which` with the grid and options; returns its compiled kernel.
  template <class Grid, class... A>
  compiled_kernel run(std::size_t which, const Grid &grid, const launch_options &given,
                      A &...arguments) const {
    std::optional<compiled_kernel> result;
    std::size_t i = 0;
    (void)((i++ == which &&
            (result.emplace(run_config<Configs>(grid, given, arguments...)), true)) ||
           ...);
    return *result;
  }
  template <auto Config, class Grid>
  static launch_options options_of(const Grid &grid, const launch_options &given) {
    launch_options options = impl::options_for<Config>(given);
    options.grid = impl::grid_of<Config>(grid);
    return options;
  }
  template <auto Config, class Grid, class... A>
  compiled_kernel run_config(const Grid &grid, const launch_options &given, A &...arguments) const {
    return family_.template operator()<Config>()[options_of<Config>(grid, given)](arguments...);
  }

  template <class Grid> auto bound(Grid grid, const launch_options &options) const {
    return [this, grid = std::move(grid), options](auto &&...arguments) {
      return this->launch(grid, options, arguments...);
    };
  }

  template <class Grid, class... A>
  compiled_kernel launch(const Grid &grid, const launch_options &options, A &...arguments) const {
    static_assert(sizeof...(A) == parameters::count,
                  "the autotuned kernel has another number of parameters");
    if (impl::current_trace) [[unlikely]]
      impl::refuse_launch("an autotuned kernel", impl::location_of(grid));
    check_key<A...>(grid);
    // An empty grid is not worth a choice.
    if (impl::grid_of<first<Configs...>::value>(grid).is_empty() || candidates == 1)
      return run(0, grid, options, arguments...);
    tl_device *device = device_of(options, arguments...);
    key_values key{};
    std::size_t i = 0;
    const auto add = [&]<std::size_t Number, class P, class Each>(const Each &each) {
      key[i++] = options_.key.contains(Number % impl::member_unit) ? impl::key_value(each) : 0;
    };
    impl::visit_arguments(parameters(), add, arguments...);
    const choice *known = find(device, key);
    if (!known)
      known = tune(device, key, grid, options, arguments...);
    return run(known->candidate, grid, options, arguments...);
  }

  /// Throws tl::invalid_argument if the key names an argument that is no number or does not exist.
  template <class... A, class Grid> void check_key(const Grid &grid) const {
    constexpr argument_set numbers = [] {
      argument_set set;
      std::size_t i = 0;
      ((set.bits |= i < 64 ? std::uint64_t(impl::holds_a_number<std::remove_const_t<A>>()) << i : 0,
        ++i),
       ...);
      return set;
    }();
    if ((options_.key.bits & ~numbers.bits) == 0) [[likely]]
      return;
    for (std::size_t i = 0; i < 64; ++i)
      if (options_.key.contains(i) && !numbers.contains(i)) {
        const std::string argument = "the key of tl::autotune names argument " + std::to_string(i);
        diagnostic d =
            diagnostic::at(impl::location_of(grid),
                           i < sizeof...(A) ? argument + ", which is no number"
                                            : argument + ", counted from 0, of a kernel that has " +
                                                  std::to_string(sizeof...(A)));
        d.kernel = family_.template operator()<first<Configs...>::value>().name();
        throw invalid_argument(std::move(d));
      }
  }

  template <class... A>
  static tl_device *device_of(const launch_options &options, const A &...arguments) {
    tl_device *device =
        options.stream.handle ? tl_stream_device(options.stream.handle) : options.device.handle;
    ((device = device ? device : impl::device_of_argument(arguments)), ...);
    return device ? device : tl::device::best().handle();
  }

  const choice *find(tl_device *device, const key_values &key) const {
    const choice *c = choices_.load(std::memory_order_acquire);
    while (c && !(c->device == device && c->key == key))
      c = c->next;
    return c;
  }

  template <class Grid, class... A>
  const choice *tune(tl_device *device, const key_values &key, const Grid &grid,
                     const launch_options &options, A &...arguments) const {
    const impl::process_lock lock(mutex_);
    drop_half_made(lock);
    if (const choice *known = find(device, key))
      return known; // another thread was faster
    tl_stream *stream = options.stream.handle ? options.stream.handle
                                              : tl::stream::default_of(tl::device(device)).handle();
    const std::string names[] = {family_.template operator()<Configs>().name()...};
    const std::string configs[] = {impl::config_text<Configs>()...};
    const std::string wrong[] = {
        impl::wrong_setting(impl::settings_of(impl::options_for<Configs>(options)))...};
    const std::string key_text = text_of_key(arguments...);
    diagnostic about = diagnostic::at(impl::location_of(grid), {});
    about.kernel = names[0];
    about.device = tl_device_name(device);
    // Before anything is queued: a stream that is being captured into a graph refuses to be waited
    // for, and would record the trials instead of running them.
    wait_for(stream, impl::location_of(grid), about);
    std::array<impl::known_memory, impl::flat_list<parameters>::size> written{};
    if (options_.preserve)
      written = impl::written_by(parameters(), arguments...);
    const impl::saved_memory saved(device, stream, written);
    std::size_t best = candidates;
    double best_time = 0;
    std::string failures;
    for (std::size_t i = 0; i < candidates; ++i) {
      tuning_trial trial{i, 0, {}, names[i], configs[i], key_text, about.device};
      saved.restore();
      try {
        if (!wrong[i].empty())
          throw compile_error(wrong[i], impl::location_of(grid));
        run(i, grid, options, arguments...); // compiles and warms up
        trial.milliseconds = measure(i, device, stream, grid, options, arguments...);
        if (best == candidates || trial.milliseconds < best_time) {
          best = i;
          best_time = trial.milliseconds;
        }
      } catch (const error &e) {
        trial.failure = e.message();
        report(trial);
        // A candidate that cannot be built or does not fit is out; any other failure is the user's.
        if (e.kind() != error_kind::compile_error && e.kind() != error_kind::out_of_resources &&
            e.kind() != error_kind::unsupported)
          throw;
        failures += "\n  " + configs[i] + ": " + location_text(e, about) + e.message();
        about.help = i == 0 || about.help == e.help() ? e.help() : "";
        trials_.push_back(std::move(trial));
        continue;
      }
      report(trial);
      trials_.push_back(std::move(trial));
    }
    saved.restore();
    if (best == candidates) {
      about.message = "no candidate of tl::autotune can be used" +
                      (key_text.empty() ? "" : " for " + key_text) + ":" + failures;
      throw compile_error(std::move(about));
    }
    chosen_.store(best, std::memory_order_relaxed);
    const auto *c = new choice{device, key, best, choices_.load(std::memory_order_relaxed)};
    choices_.store(c, std::memory_order_release);
    return c;
  }

  /// Waits for the work that is queued in the stream. Throws its error if it failed, and `about`,
  /// completed, if the stream cannot be waited for as it is being captured.
  static void wait_for(tl_stream *stream, const std::source_location &where, diagnostic about) {
    if (!tl_stream_device(stream))
      impl::check(TL_INVALID_ARGUMENT, where);
    const tl_status status = tl_stream_synchronize(stream);
    if (status != TL_INVALID_ARGUMENT)
      return impl::check(status, where); // earlier work may have failed
    about.message = "tl::autotune cannot try the candidates of kernel " + about.kernel + ": " +
                    impl::last_diagnostic().message;
    about.help = "launch it once before the capture, on the same device and with the same values "
                 "of the key";
    throw invalid_argument(std::move(about));
  }

  /// Where a candidate failed, if that is not where it was launched.
  static std::string location_text(const error &e, const diagnostic &launch) {
    if (e.file().empty() || (e.file() == launch.file && e.line() == launch.line))
      return {};
    return e.file() + ":" + std::to_string(e.line()) + ": ";
  }

  /// The key arguments of a launch as readable text.
  template <class... A> std::string text_of_key(const A &...arguments) const {
    std::string text;
    const auto add = [&]<std::size_t Number, class P, class Each>(const Each &each) {
      const std::string piece = impl::key_text<parameters>(Number, each);
      if (options_.key.contains(Number % impl::member_unit) && !piece.empty())
        text += (text.empty() ? "" : ", ") + piece;
    };
    impl::visit_arguments(parameters(), add, arguments...);
    return text;
  }

  /// Milliseconds of the fastest of several runs.
  template <class Grid, class... A>
  double measure(std::size_t which, tl_device *device, tl_stream *stream, const Grid &grid,
                 const launch_options &options, A &...arguments) const {
    constexpr int fewest = 3, most = 100;
    const tl::device dev(device);
    event start(dev), end(dev);
    impl::check(tl_stream_synchronize(stream));
    double fastest = 0, spent = 0;
    for (int i = 0; i < fewest || (i < most && spent < options_.milliseconds); ++i) {
      impl::check(tl_event_record(start.handle(), stream));
      run(which, grid, options, arguments...);
      impl::check(tl_event_record(end.handle(), stream));
      const double time = end.milliseconds_since(start);
      fastest = i == 0 || time < fastest ? time : fastest;
      spent += time;
    }
    return fastest;
  }

  static void report(const tuning_trial &trial) {
    const char *print = std::getenv("TL_PRINT_AUTOTUNING");
    if (!print || *print == 0 || *print == '0')
      return;
    const std::string result =
        trial.failure.empty()
            ? "takes " + impl::number_text(trial.milliseconds, 4, std::chars_format::fixed) + " ms"
            : "cannot be used: " + trial.failure;
    std::fprintf(stderr, "tl::autotune: %s on %s%s%s: candidate %zu, %s, %s\n",
                 trial.kernel.c_str(), trial.device.c_str(), trial.key.empty() ? "" : ", ",
                 trial.key.c_str(), trial.candidate, trial.configuration.c_str(), result.c_str());
  }

  /// Forgets the trials, which may be half changed, if the lock was held by a thread of the parent
  /// at the fork of this process.
  void drop_half_made(const impl::process_lock &lock) const {
    if (lock.is_orphaned())
      std::construct_at(&trials_);
  }

  [[no_unique_address]] Family family_;
  autotune_options options_;
  mutable impl::process_mutex mutex_;
  mutable std::vector<tuning_trial> trials_;
  mutable std::atomic<std::size_t> chosen_ = candidates;
  mutable std::atomic<const choice *> choices_ = nullptr; // never removed, as compiled kernels
};

/// Configurations that were counted up, to be given to tl::autotune as one. Made by
/// tl::combinations and tl::filtered.
template <class Config, std::size_t Count> struct candidate_list {
  std::array<Config, Count> values; ///< the configurations, in order
};

/// Some values of one member of a configuration, for tl::combinations.
///
///     auto blocks = tl::one_of(64, 128, 256);
template <class... T> constexpr auto one_of(T... values) {
  return std::array<std::common_type_t<T...>, sizeof...(T)>{values...};
}

namespace impl {

template <class T> struct choices {
  static constexpr std::size_t count = 1;
  static constexpr const T &pick(const T &value, std::size_t) { return value; }
};
template <class T, std::size_t N> struct choices<std::array<T, N>> {
  static constexpr std::size_t count = N;
  static constexpr const T &pick(const std::array<T, N> &values, std::size_t i) {
    return values[i];
  }
};

/// Configuration number `which` of all, the last member varying fastest.
template <class Config, class... M, class... T, std::size_t... I>
constexpr Config combination(type_list<M...>, std::index_sequence<I...>, std::size_t which,
                             const T &...values) {
  using types = std::tuple<M...>;
  std::array<std::size_t, sizeof...(T)> chosen{};
  constexpr std::array<std::size_t, sizeof...(T)> counts{choices<T>::count...};
  for (std::size_t i = sizeof...(T); i-- > 0; which /= counts[i])
    chosen[i] = which % counts[i];
  return Config{
      static_cast<std::tuple_element_t<I, types>>(choices<T>::pick(values, chosen[I]))...};
}

template <class C> inline constexpr std::size_t candidates_in = 1;
template <class C, std::size_t N>
inline constexpr std::size_t candidates_in<candidate_list<C, N>> = N;
/// The type of configurations, from candidates and lists of them.
template <class C, class...> struct configuration_of {
  using type = C;
  static constexpr bool is_list = false;
};
template <class C, std::size_t N, class... R> struct configuration_of<candidate_list<C, N>, R...> {
  using type = C;
  static constexpr bool is_list = true;
};

/// The configurations of all candidates and lists of them.
template <class Config, auto... Candidates> struct all_candidates {
  static constexpr std::size_t count =
      (0 + ... + candidates_in<std::remove_const_t<decltype(Candidates)>>);
  static constexpr std::array<Config, count> values = [] {
    std::array<Config, count> all{};
    std::size_t next = 0;
    const auto add = [&]<class C>(const C &candidate) {
      if constexpr (configuration_of<C>::is_list)
        for (const Config &each : candidate.values)
          all[next++] = each;
      else
        all[next++] = candidate;
    };
    (add(Candidates), ...);
    return all;
  }();
};
template <class Candidates, class Family, std::size_t... I>
constexpr auto autotune_all(Family family, autotune_options options, std::index_sequence<I...>) {
  return autotuned<Family, Candidates::values[I]...>(family, options);
}

} // namespace impl

/// All combinations of values for the members of a configuration, in the order of the members: of
/// each a value, or several in tl::one_of. The last one varies fastest; members that are left out
/// at the end keep their defaults.
///
///     constexpr auto list = tl::combinations<gemm_config>(tl::one_of(64, 128));   // two
template <class Config, class... T> constexpr auto combinations(const T &...values) {
  using m = impl::members<Config>;
  static_assert(
      m::known && sizeof...(T) <= m::count,
      "tl::combinations takes as many values as the configuration, a struct, has members");
  constexpr std::size_t count = (1 * ... * impl::choices<T>::count);
  candidate_list<Config, count> list{};
  if constexpr (m::known && sizeof...(T) <= m::count)
    for (std::size_t i = 0; i < count; ++i)
      list.values[i] = impl::combination<Config>(typename m::types(),
                                                 std::index_sequence_for<T...>(), i, values...);
  return list;
}

/// The configurations of a list for which a predicate, a lambda without captures, holds.
///
///     constexpr auto few = tl::filtered<tl::combinations<gemm_config>(tl::one_of(64, 128))>(
///         [](gemm_config c) { return c.block_m < 100; });
template <auto List, class Predicate> constexpr auto filtered(Predicate) {
  constexpr std::size_t count = [] {
    std::size_t found = 0;
    for (const auto &each : List.values)
      found += Predicate()(each) ? 1 : 0;
    return found;
  }();
  static_assert(count > 0, "the predicate of tl::filtered leaves no configuration");
  candidate_list<typename impl::configuration_of<std::remove_const_t<decltype(List)>>::type, count>
      kept{};
  std::size_t next = 0;
  for (const auto &each : List.values)
    if (Predicate()(each))
      kept.values[next++] = each;
  return kept;
}

/// A kernel that picks the fastest of its configurations. `Configs` are values of one type, such as
/// a struct of block sizes; `family` is a template lambda from a configuration to a kernel. Members
/// of a configuration called num_warps, num_stages, num_ctas or max_registers become launch
/// options. Candidates that do not compile or need more than the device has are left out; if none
/// is left the launch throws tl::compile_error with all reasons. In a stream that is being captured
/// into a graph nothing can be tried: there a launch that has no choice yet throws
/// tl::invalid_argument and records nothing. TL_PRINT_AUTOTUNING=1 prints the trials. A list that
/// tl::combinations made stands for its configurations.
///
///     inline auto tuned_copy = tl::autotune<copy_config{256}, copy_config{4096}>(
///         []<copy_config C> { return copy<C>; }, {.key = tl::args<2>});
///     tuned_copy[tl::grid([&](copy_config c) { return tl::cdiv(n, c.block); })](in, out, n);
template <auto... Configs, class Family>
constexpr auto autotune(Family family, autotune_options options = {}) {
  static_assert(sizeof...(Configs) > 0, "tl::autotune needs at least one configuration");
  if constexpr (!(impl::configuration_of<std::remove_const_t<decltype(Configs)>>::is_list || ...)) {
    return autotuned<Family, Configs...>(family, options);
  } else {
    using config = typename impl::configuration_of<std::remove_const_t<decltype(Configs)>...>::type;
    using candidates = impl::all_candidates<config, Configs...>;
    return impl::autotune_all<candidates>(family, options,
                                          std::make_index_sequence<candidates::count>());
  }
}

} // namespace tl
