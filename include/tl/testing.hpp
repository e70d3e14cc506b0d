// SPDX-License-Identifier: MIT
#pragma once
// How is a kernel tested? Run it on every device with fresh random inputs and guarded outputs, and
// compare with a reference under a stated tolerance. Everything here works with any test framework;
// what allclose and intact return prints itself under doctest's CHECK.
//
//     TEST_CASE("softmax sums to one") {
//       for (tl::device dev : tl::testing::devices()) {
//         auto host = tl::testing::random_values<float>(rows * cols);
//         tl::testing::guarded_buffer<float> out(dev, rows);
//         row_sums<cols>[{.grid = {rows}}](out, tl::buffer<float>(dev, host));
//         CHECK(tl::testing::allclose(out, reference(host), {.rtol = 1e-6}));
//         CHECK(out.intact());
//       }
//     }

#include "tl/buffer.hpp"
#include "tl/device.hpp"
#include "tl/dtype.hpp"
#include "tl/error.hpp"
#include "tl/impl/argument.hpp"
#include "tl/impl/current_trace.hpp"
#include "tl/impl/default_arithmetic.hpp"
#include "tl/impl/float_format.hpp"
#include "tl/impl/number_text.hpp"

#include <bit>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tl::testing {

/// Says that the running test case was left out, and why; test runners count such lines.
///
///     if (tl::testing::devices("cuda").size() < 2)
///       return tl::testing::skip("there is one GPU");
inline void skip(std::string_view reason) {
  std::printf("[SKIP] %.*s\n", static_cast<int>(reason.size()), reason.data());
}

/// The devices to test on: all of this machine, the interpreter included, or those that the
/// environment variable TL_TEST_DEVICES lists, separated by commas. With a kind ("cuda"), those
/// whose names start with it; if there is none, the test case is reported as skipped.
///
///     for (tl::device dev : tl::testing::devices())
///       add<1024>[{.grid = {1}, .device = dev}](x, y, out, n);
inline std::vector<device> devices(std::string_view kind = {}) {
  std::vector<device> found;
  const char *variable = std::getenv("TL_TEST_DEVICES");
  if (variable && *variable) {
    std::string_view list = variable;
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      found.push_back(device(list.substr(0, comma)));
      list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
    }
  } else {
    found = tl::devices();
  }
  std::erase_if(found, [&](device d) { return !d.name().starts_with(kind); });
  if (!found.empty())
    return found;
  std::string why = "there is no device";
  if (!kind.empty())
    why += " of kind '" + std::string(kind) + "'";
  for (std::size_t i = 0; const char *missing = tl_missing(i); ++i)
    if (std::string_view(missing).starts_with(kind))
      why += "; " + std::string(missing);
  skip(why);
  return found;
}

// ---- Comparing

/// The outcome of a comparison: true or false, and a text that says why. CHECK prints the text.
///
///     tl::testing::verdict same = tl::testing::allclose(out, host_vector);
///     if (!same)
///       std::puts(same.text().c_str());
class verdict {
public:
  /// True, or false with the text that says why.
  verdict() = default;
  explicit verdict(std::string why_not) : why_not_(std::move(why_not)), good_(false) {}

  /// Is it as expected?
  explicit operator bool() const { return good_; }
  /// Why not; of a good one "equal within tolerance".
  std::string text() const { return good_ ? "equal within tolerance" : why_not_; }

  /// Writes text().
  template <class Stream> friend Stream &operator<<(Stream &out, const verdict &v) {
    out << v.text();
    return out;
  }

private:
  std::string why_not_;
  bool good_ = true;
};

/// |value - expected| may be atol + rtol * |expected|. The default asks for equality, also of an
/// integer and a float; two integers are always compared exactly. Infinities must be equal.
///
///     CHECK(tl::testing::allclose(out, host_vector, {.rtol = 1e-6, .atol = 1e-30}));
struct tolerance {
  double rtol = 0;        ///< relative to the expected value
  double atol = 0;        ///< absolute, added to that
  bool equal_nan = false; ///< does NaN equal NaN?
};

/// An owned array on a device with guard words on both sides, whose elements start as poison: a
/// pattern that is a huge number or NaN in every float type. (On the interpreter they start
/// unwritten, which it reports when they are read.) Goes wherever a tl::buffer<T> goes.
///
///     tl::testing::guarded_buffer<float> out(dev, n);
///     kernel[grid](out, n);
///     CHECK(out.intact());
template <class T> class guarded_buffer {
public:
  static constexpr std::size_t guard = 1024 / sizeof(T); ///< guard elements on each side
  /// The bytes of elements that were not written, and of the guard words.
  static constexpr unsigned char poison = 0xFE, guard_byte = 0xA5;

  /// `size` elements between two guards. Throws as the constructor of tl::buffer does.
  guarded_buffer(tl::device dev, std::size_t size,
                 std::source_location where = std::source_location::current())
      : memory_(dev, size + 2 * guard, where), size_(size) {
    const std::string_view name = dev.name();
    if (name != "interpreter")
      write(guard, std::vector<unsigned char>(size * sizeof(T), poison));
    const std::vector<unsigned char> words(guard * sizeof(T), guard_byte);
    write(0, words);
    write(guard + size, words);
  }

  /// Are the guard words as they were? If not, the verdict says how far outside was written.
  verdict intact(std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::testing::guarded_buffer::intact", where);
    std::vector<unsigned char> bytes(memory_.bytes());
    tl_stream *stream = nullptr;
    impl::check(tl_stream_default(device().handle(), &stream));
    impl::check(tl_copy_from_device(stream, bytes.data(), memory_.data(), bytes.size()));
    impl::check(tl_stream_synchronize(stream));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::ptrdiff_t index =
          static_cast<std::ptrdiff_t>(i / sizeof(T)) - static_cast<std::ptrdiff_t>(guard);
      const bool inside = index >= 0 && index < static_cast<std::ptrdiff_t>(size_);
      if (!inside && bytes[i] != guard_byte)
        return verdict("element [" + std::to_string(index) + "] of a buffer of " +
                       std::to_string(size_) + " was written on device " +
                       std::string(device().name()));
    }
    return {};
  }

  /// The elements without the guards, after the work queued so far on the default stream.
  std::vector<T> to_vector(std::source_location where = std::source_location::current()) const {
    std::vector<T> all = memory_.to_vector(where);
    return std::vector<T>(all.begin() + guard, all.begin() + guard + size_);
  }

  /// The address of the first element on the device.
  T *data() { return memory_.data() + guard; }
  const T *data() const { return memory_.data() + guard; }
  /// The number of elements, without the guards.
  std::size_t size() const { return size_; }
  /// The device on which it lives.
  tl::device device() const { return memory_.device(); }

private:
  void write(std::size_t first, const std::vector<unsigned char> &bytes) {
    if (bytes.empty())
      return;
    tl_stream *stream = nullptr;
    impl::check(tl_stream_default(device().handle(), &stream));
    impl::check(tl_copy_to_device(stream, memory_.data() + first, bytes.data(), bytes.size()));
  }

  buffer<T> memory_;
  std::size_t size_;
};

} // namespace tl::testing

namespace tl::impl {

/// An element as a number: floats are the same object, a bool becomes 0 or 1.
template <class X> decltype(auto) number_of(const X &element) {
  if constexpr (std::is_floating_point_v<X> || requires { X::format; })
    return (element);
  else
    return +element;
}

template <class T> std::string value_text(const T &value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return number_text(std::bit_cast<double>(double_encoding(value)),
                       std::is_same_v<T, double> ? 17 : 9);
  }
}

/// Values to compare: host ranges as they are, buffers copied to the host.
template <class Values> decltype(auto) on_host(const Values &values) {
  if constexpr (requires { values.to_vector(); })
    return values.to_vector();
  else
    return (values);
}
template <class Values> std::string device_text(const Values &values) {
  if constexpr (requires { values.device().name(); })
    return " on device " + std::string(values.device().name());
  else
    return {};
}

/// What is left of a number after its conversion to double: not 0 for some integers of 64 bits.
template <class T> double rest_of_double(T value) {
  if constexpr (std::is_integral_v<T> && std::numeric_limits<T>::digits > 53) {
    constexpr T largest = std::numeric_limits<T>::max();
    constexpr double beyond = 2.0 * static_cast<double>(largest / 2 + 1);
    const double rounded = static_cast<double>(value);
    if (rounded == beyond)
      return -1 - static_cast<double>(largest - value);
    const T whole = static_cast<T>(rounded);
    return value < whole ? -static_cast<double>(whole - value) : static_cast<double>(value - whole);
  }
  return 0;
}

/// How far apart two values are.
struct separation {
  double distance = 0;      // 0: equal by the tolerance
  bool is_infinite = false; // one of them is NaN, or infinite in another way than the other

  bool is_none() const { return distance == 0 && !is_infinite; }
  friend bool operator<(const separation &a, const separation &b) {
    return !a.is_infinite && (b.is_infinite || a.distance < b.distance);
  }
};

template <class T, class U>
separation separation_of(const T &value, const U &expected, const testing::tolerance &allowed) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
    if (std::cmp_equal(value, expected))
      return {};
    const double far = static_cast<double>(value) - static_cast<double>(expected);
    return {far == 0 ? 1 : far < 0 ? -far : far};
  } else {
    const std::uint64_t left = double_encoding(value), right = double_encoding(expected);
    const auto a = std::bit_cast<double>(left), b = std::bit_cast<double>(right);
    if (is_nan(a) || is_nan(b))
      return {.is_infinite = !(allowed.equal_nan && is_nan(a) && is_nan(b))};
    if (is_infinite(a) || is_infinite(b))
      return {.is_infinite = left != right};
    const double far = __builtin_fabs(a - b + (rest_of_double(value) - rest_of_double(expected)));
    if (far <= allowed.atol + allowed.rtol * __builtin_fabs(b))
      return {};
    return {far, is_infinite(far)};
  }
}

/// The number that TL_TEST_SEED holds.
inline std::uint64_t seed_from(const char *text) {
  char *end = nullptr;
  errno = 0;
  const std::uint64_t number = std::strtoull(text, &end, 0);
  // strtoull takes spaces and signs, too.
  if (*text < '0' || *text > '9' || *end != 0 || errno == ERANGE)
    throw invalid_argument("environment variable TL_TEST_SEED is '" + std::string(text) +
                           "', expected a whole number of 64 bits");
  return number;
}

/// Refuses intervals in which no number is uniform.
inline void check_interval(const double &low, const double &high) {
  if (!is_finite(low) || !is_finite(high))
    throw invalid_argument("tl::testing::random_values takes an interval of finite numbers, not " +
                           ("from " + number_text(low) + " to " + number_text(high)));
}

/// A whole number modulo 2^64.
inline std::uint64_t low_bits(double whole) {
  const double rest = std::fmod(whole, 0x1p64);
  return rest < 0 ? 0 - static_cast<std::uint64_t>(-rest) : static_cast<std::uint64_t>(rest);
}

} // namespace tl::impl

namespace tl::testing {

/// Are all values within tolerance of the expected ones? Both may be buffers or host ranges of any
/// element types. If not, the verdict shows the first and the worst mismatch:
///
///     2 of 1024 elements differ on device cpu (rtol 0.001, atol 0)
///       first at [3]: 1.5, expected 1.25, off by 0.25
///       worst at [77]: 2.5, expected 1.25, off by 1.25
template <class Values, class Expected>
verdict allclose(const Values &values, const Expected &expected, tolerance allowed = {},
                 std::source_location where = std::source_location::current()) {
  impl::only_on_host("tl::testing::allclose", where);
  const auto &got = impl::on_host(values);
  const auto &want = impl::on_host(expected);
  if (got.size() != want.size())
    return verdict("there are " + std::to_string(got.size()) + " elements, expected " +
                   std::to_string(want.size()));
  const impl::default_arithmetic arithmetic;
  const auto apart = [&](std::size_t i) {
    return impl::separation_of(impl::number_of(got[i]), impl::number_of(want[i]), allowed);
  };
  std::size_t differing = 0, first = 0, worst = 0;
  impl::separation farthest;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const impl::separation far = apart(i);
    if (far.is_none())
      continue;
    if (differing++ == 0)
      first = i;
    if (farthest < far) {
      farthest = far;
      worst = i;
    }
  }
  if (differing == 0)
    return {};
  const auto mismatch = [&](std::size_t i) {
    const impl::separation far = apart(i);
    return '[' + std::to_string(i) + "]: " + impl::value_text(impl::number_of(got[i])) +
           ", expected " + impl::value_text(impl::number_of(want[i])) + ", off by " +
           (far.is_infinite ? "inf" : impl::number_text(far.distance, 9));
  };
  return verdict(std::to_string(differing) + " of " + std::to_string(got.size()) +
                 " elements differ" + impl::device_text(values) + " (rtol " +
                 impl::number_text(allowed.rtol, 9) + ", atol " +
                 impl::number_text(allowed.atol, 9) + ")\n  first at " + mismatch(first) +
                 "\n  worst at " + mismatch(worst));
}

// ---- Random inputs

/// The seed of this run: fresh each time, or TL_TEST_SEED. Printed when first used, so that a
/// failing run can be repeated. Throws tl::invalid_argument if TL_TEST_SEED is no whole number.
///
///     std::mt19937_64 own(tl::testing::seed());
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    std::uint64_t s = 0;
    const char *variable = std::getenv("TL_TEST_SEED");
    if (variable && *variable) {
      s = impl::seed_from(variable);
    } else {
      timespec now{};
      std::timespec_get(&now, TIME_UTC);
      s = static_cast<std::uint64_t>(now.tv_nsec) * 1000003u +
          static_cast<std::uint64_t>(now.tv_sec);
      s %= 1000000000; // short enough to type
    }
    std::printf("random inputs: TL_TEST_SEED=%llu\n", static_cast<unsigned long long>(s));
    return s;
  }();
  return value;
}

/// Random numbers from a seed: SplitMix64. One generator is for one thread.
///
///     tl::testing::generator source(42);   // the same numbers in each run
///     auto host = tl::testing::random_values<float>(n, {0, 1}, source);
class generator {
public:
  /// Equal starts give equal numbers.
  explicit generator(std::uint64_t start = seed()) : state_(start) {}

  /// 64 random bits.
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

private:
  std::uint64_t state_;
};

/// Where random values lie: low <= value < high. Integers that leave their type wrap. Where the
/// type has no such value they are the nearest. Both ends are finite.
struct interval {
  double low = -1; ///< the smallest value
  double high = 1; ///< above the largest value
};

/// `count` random values. Floats are uniform in the interval, which defaults to [-1, 1). Integers
/// take all values of their type unless an interval is given; bool is either. Throws
/// tl::invalid_argument for an interval that is not finite.
///
///     auto host = tl::testing::random_values<tl::float16>(n);
///     auto ids = tl::testing::random_values<std::int32_t>(n, {0, 100});
template <element_type T>
std::vector<T> random_values(std::size_t count, interval range, generator &source) {
  impl::check_interval(range.low, range.high);
  std::vector<T> values(count);
  if constexpr (std::same_as<T, bool>) {
    for (std::size_t i = 0; i < count; ++i)
      values[i] = source.bits() >> 63;
  } else if constexpr (std::integral<T>) {
    const double low = std::ceil(range.low), high = std::ceil(range.high);
    const std::uint64_t first = impl::low_bits(low);
    // Modulo 2^64, so that 0 stands for all of that.
    const std::uint64_t span = low < high ? impl::low_bits(high) - first : 1;
    for (T &value : values)
      value = static_cast<T>(first + (span == 0 ? source.bits() : source.bits() % span));
  } else {
    // Halves have a difference that is a number however wide the interval, but halves of the
    // smallest numbers are none.
    constexpr double half = std::numeric_limits<double>::max() / 2;
    const double scale = -half <= range.low && range.high <= half ? 1 : 2;
    const double low = range.low / scale, width = range.high / scale - low;
    for (T &value : values)
      // What was rounded out of the interval is drawn again.
      for (int draws = 0; draws < 100; ++draws) {
        value = static_cast<T>(scale * (low + source.uniform() * width));
        const double drawn = static_cast<double>(value);
        if ((drawn >= range.low && drawn < range.high) || !(range.low < range.high))
          break;
      }
  }
  return values;
}

/// The generator of this thread.
inline generator &shared_generator() {
  thread_local generator source;
  return source;
}

template <element_type T> std::vector<T> random_values(std::size_t count, interval range) {
  return random_values<T>(count, range, shared_generator());
}

template <element_type T> std::vector<T> random_values(std::size_t count) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    std::vector<T> values(count);
    for (T &value : values)
      value = static_cast<T>(shared_generator().bits());
    return values;
  } else {
    return random_values<T>(count, interval{}, shared_generator());
  }
}

} // namespace tl::testing

namespace tl::impl {

/// A guarded buffer is passed to kernels as a buffer is.
template <class T> struct address_argument<testing::guarded_buffer<T>> {
  static constexpr bool known = true, any = false;
  using pointee = T;
  static const void *address(const testing::guarded_buffer<T> &b) { return b.data(); }
  static std::size_t bytes(const testing::guarded_buffer<T> &b) { return b.size() * sizeof(T); }
  static tl_device *device(const testing::guarded_buffer<T> &b) { return b.device().handle(); }
};
template <class T>
struct address_argument<const testing::guarded_buffer<T>>
    : address_argument<testing::guarded_buffer<T>> {
  using pointee = const T;
};

} // namespace tl::impl
