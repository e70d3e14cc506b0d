// SPDX-License-Identifier: MIT
#pragma once
// In which order does work run? Work in one tl::stream runs in the order in which it was queued;
// streams run beside each other. A tl::event marks a point in a stream, to wait for or to measure
// with. On the CPU and the interpreter work is done when the call that queued it returns.

#include "tl/c/tl.h"
#include "tl/device.hpp"
#include "tl/error.hpp"
#include "tl/impl/current_trace.hpp"

#include <source_location>
#include <utility>

namespace tl {

class event;

/// A queue of work on a device. Movable, not copyable; destroying it waits for its work.
///
///     tl::stream s(dev);
///     add<1024>[{.grid = {96}, .stream = s}](x, y, out, n);
///     s.synchronize();
class stream {
public:
  /// A new stream. Throws tl::runtime_error if the device cannot make one.
  explicit stream(tl::device dev, std::source_location where = std::source_location::current())
      : owned_(true) {
    impl::only_on_host("tl::stream", where);
    impl::check(tl_stream_create(dev.handle(), &handle_));
  }

  /// The stream that is used where none is named. It is the device's: never destroyed.
  static stream default_of(tl::device dev) {
    stream result;
    impl::check(tl_stream_default(dev.handle(), &result.handle_));
    return result;
  }

  /// Uses a stream that the caller owns (a CUstream or hipStream_t) and leaves it alive. Throws
  /// tl::unsupported on the CPU and the interpreter.
  static stream wrap(tl::device dev, void *native) {
    stream result;
    impl::check(tl_stream_wrap(dev.handle(), native, &result.handle_));
    result.owned_ = true;
    return result;
  }

  stream(stream &&other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), owned_(std::exchange(other.owned_, false)) {
  }
  stream &operator=(stream &&other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~stream() {
    if (owned_)
      tl_stream_destroy(handle_);
  }

  /// Waits for all work queued so far. Throws what failed first since the last wait:
  /// tl::runtime_error with the kernel's name and, where it is known, the user's line. While the
  /// stream is being captured into a graph, throws tl::invalid_argument and leaves the capture be.
  void synchronize(std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::stream::synchronize", where);
    impl::check(tl_stream_synchronize(handle_));
  }

  /// Makes work that is queued from now on wait for the event, of any stream of the device.
  void wait(const event &point, std::source_location where = std::source_location::current()) const;

  /// The device whose work it queues.
  tl::device device() const { return tl::device(tl_stream_device(handle_)); }
  /// The handle of the C API; null after a move.
  tl_stream *handle() const { return handle_; }

private:
  stream() = default;

  tl_stream *handle_ = nullptr;
  bool owned_ = false;
};

/// A point in the work of a stream. Movable, not copyable.
///
///     tl::event start(dev), end(dev);
///     start.record(s); kernel[grid](x); end.record(s);
///     double ms = end.milliseconds_since(start);
class event {
public:
  /// A new event, which marks nothing yet.
  explicit event(tl::device dev, std::source_location where = std::source_location::current()) {
    impl::only_on_host("tl::event", where);
    impl::check(tl_event_create(dev.handle(), &handle_));
  }

  event(event &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  event &operator=(event &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event() {
    if (handle_)
      tl_event_destroy(handle_);
  }

  /// Marks the present end of the stream's work. A later record moves the mark.
  void record(const stream &s, std::source_location where = std::source_location::current()) {
    impl::only_on_host("tl::event::record", where);
    impl::check(tl_event_record(handle_, s.handle()));
  }

  /// Waits on the host until the mark is reached.
  void synchronize(std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::event::synchronize", where);
    impl::check(tl_event_synchronize(handle_));
  }

  /// The time from `start` to this event; waits for both. Throws tl::invalid_argument if one of
  /// them was never recorded.
  double milliseconds_since(const event &start,
                            std::source_location where = std::source_location::current()) const {
    impl::only_on_host("tl::event::milliseconds_since", where);
    start.synchronize();
    synchronize();
    double milliseconds = 0;
    impl::check(tl_event_elapsed(start.handle_, handle_, &milliseconds));
    return milliseconds;
  }

  /// The handle of the C API; null after a move.
  tl_event *handle() const { return handle_; }

private:
  tl_event *handle_ = nullptr;
};

inline void stream::wait(const event &point, std::source_location where) const {
  impl::only_on_host("tl::stream::wait", where);
  impl::check(tl_stream_wait(handle_, point.handle()));
}

} // namespace tl
