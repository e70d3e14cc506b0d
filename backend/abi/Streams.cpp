// SPDX-License-Identifier: MIT
//
// The C API: streams and events.
#include "abi/Diagnostics.h"

using namespace tl::backend;

tl_status tl_stream_default(tl_device *device, tl_stream **stream) {
  return guarded([&] {
    require("tl_stream_default", "stream", stream);
    *stream = nullptr;
    *stream = resolve("tl_stream_default", device).defaultStream().handle.as<tl_stream>();
  });
}

tl_status tl_stream_create(tl_device *device, tl_stream **stream) {
  return guarded([&] {
    require("tl_stream_create", "stream", stream);
    *stream = nullptr;
    OpenDevice &owner = resolve("tl_stream_create", device);
    *stream = (new OpenStream(owner, owner.device->createStream()))->handle.as<tl_stream>();
  });
}

tl_status tl_stream_wrap(tl_device *device, void *native, tl_stream **stream) {
  return guarded([&] {
    require("tl_stream_wrap", "stream", stream);
    *stream = nullptr;
    OpenDevice &owner = resolve("tl_stream_wrap", device);
    *stream = (new OpenStream(owner, owner.device->wrapStream(native)))->handle.as<tl_stream>();
  });
}

tl_status tl_stream_destroy(tl_stream *stream) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_stream_destroy", stream);
    if (&queue == &queue.device.defaultStream())
      raise(TL_INVALID_ARGUMENT, "tl_stream_destroy got the default stream of " +
                                     queue.device.name + ", which lives as long as the device");
    std::unique_ptr<OpenStream> owned(&queue); // freed even if its work has failed
    queue.device.device->synchronize(*queue.stream);
  });
}

tl_status tl_stream_synchronize(tl_stream *stream) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_stream_synchronize", stream);
    queue.device.device->synchronize(*queue.stream);
  });
}

tl_device *tl_stream_device(const tl_stream *stream) {
  return guardedOr<tl_device *>(
      nullptr, [&] { return resolve("tl_stream_device", stream).device.handle.as<tl_device>(); });
}

tl_status tl_event_create(tl_device *device, tl_event **event) {
  return guarded([&] {
    require("tl_event_create", "event", event);
    *event = nullptr;
    OpenDevice &owner = resolve("tl_event_create", device);
    *event = (new OpenEvent(owner, owner.device->createEvent()))->handle.as<tl_event>();
  });
}

tl_status tl_event_destroy(tl_event *event) {
  return guarded([&] { delete &resolve("tl_event_destroy", event); });
}

static void requireSameDevice(const char *function, const OpenEvent &event,
                              const OpenDevice &device) {
  if (&event.device != &device)
    raise(TL_INVALID_ARGUMENT, std::string(function) + " got an event of " + event.device.name +
                                   " together with a stream or event of " + device.name);
}

static void requireRecorded(const char *function, const OpenEvent &event) {
  if (!event.recorded)
    raise(TL_INVALID_ARGUMENT, std::string(function) + " got an event that has never been recorded",
          "record it with tl_event_record first");
}

tl_status tl_event_record(tl_event *event, tl_stream *stream) {
  return guarded([&] {
    OpenEvent &mark = resolve("tl_event_record", event);
    OpenStream &queue = resolve("tl_event_record", stream);
    requireSameDevice("tl_event_record", mark, queue.device);
    mark.device.device->record(*mark.event, *queue.stream);
    mark.recorded = true;
  });
}

tl_status tl_event_synchronize(tl_event *event) {
  return guarded([&] {
    OpenEvent &mark = resolve("tl_event_synchronize", event);
    if (mark.recorded) // else there is nothing to wait for
      mark.device.device->synchronize(*mark.event);
  });
}

tl_status tl_stream_wait(tl_stream *stream, tl_event *event) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_stream_wait", stream);
    OpenEvent &mark = resolve("tl_stream_wait", event);
    requireSameDevice("tl_stream_wait", mark, queue.device);
    if (mark.recorded)
      queue.device.device->wait(*queue.stream, *mark.event);
  });
}

tl_status tl_event_elapsed(tl_event *start, tl_event *end, double *milliseconds) {
  return guarded([&] {
    require("tl_event_elapsed", "milliseconds", milliseconds);
    *milliseconds = 0;
    OpenEvent &first = resolve("tl_event_elapsed", start);
    OpenEvent &last = resolve("tl_event_elapsed", end);
    requireSameDevice("tl_event_elapsed", last, first.device);
    requireRecorded("tl_event_elapsed", first);
    requireRecorded("tl_event_elapsed", last);
    first.device.device->synchronize(*first.event);
    last.device.device->synchronize(*last.event);
    *milliseconds = first.device.device->elapsedMilliseconds(*first.event, *last.event);
  });
}
