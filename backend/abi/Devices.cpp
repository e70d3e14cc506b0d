// SPDX-License-Identifier: MIT
//
// The C API: version, devices and device memory.
#include "abi/Diagnostics.h"
#include "runtime/Registry.h"

using namespace tl::backend;

const char *tl_version(void) { return TL_VERSION; }

size_t tl_device_count(void) {
  return guardedOr(size_t(0), [] {
    ForkGuard inside;
    return Registry::instance().deviceCount();
  });
}

tl_status tl_device_at(size_t index, tl_device **device) {
  return guarded([&] {
    require("tl_device_at", "device", device);
    *device = nullptr;
    *device = Registry::instance().deviceAt(index).handle.as<tl_device>();
  });
}

tl_status tl_device_open(const char *name, tl_device **device) {
  return guarded([&] {
    require("tl_device_open", "device", device);
    *device = nullptr;
    require("tl_device_open", "name", name);
    *device = Registry::instance().deviceNamed(name).handle.as<tl_device>();
  });
}

tl_status tl_device_best(tl_device **device) {
  return guarded([&] {
    require("tl_device_best", "device", device);
    *device = nullptr;
    *device = Registry::instance().bestDevice().handle.as<tl_device>();
  });
}

const char *tl_device_name(const tl_device *device) {
  return guardedOr("", [&] { return resolve("tl_device_name", device).name.c_str(); });
}

const char *tl_device_description(const tl_device *device) {
  return guardedOr("",
                   [&] { return resolve("tl_device_description", device).description.c_str(); });
}

const char *tl_device_target(const tl_device *device) {
  return guardedOr("", [&] { return resolve("tl_device_target", device).target.c_str(); });
}

const char *tl_missing(size_t index) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    ForkGuard inside;
    const std::vector<std::string> &missing = Registry::instance().missing();
    return index < missing.size() ? missing[index].c_str() : nullptr;
  });
}

tl_status tl_allocate(tl_device *device, uint64_t bytes, void **pointer) {
  return guarded([&] {
    require("tl_allocate", "pointer", pointer);
    *pointer = nullptr;
    *pointer = resolve("tl_allocate", device).allocate(bytes);
  });
}

tl_status tl_free(tl_device *device, void *pointer) {
  return guarded([&] { resolve("tl_free", device).free("tl_free", pointer, nullptr); });
}

tl_status tl_allocate_in_order(tl_stream *stream, uint64_t bytes, void **pointer) {
  return guarded([&] {
    require("tl_allocate_in_order", "pointer", pointer);
    *pointer = nullptr;
    OpenStream &queue = resolve("tl_allocate_in_order", stream);
    *pointer = queue.device.allocate(bytes, &queue);
  });
}

tl_status tl_free_in_order(tl_stream *stream, void *pointer) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_free_in_order", stream);
    queue.device.free("tl_free_in_order", pointer, &queue);
  });
}

tl_status tl_allocate_host(tl_device *device, uint64_t bytes, void **pointer) {
  return guarded([&] {
    require("tl_allocate_host", "pointer", pointer);
    *pointer = nullptr;
    *pointer = resolve("tl_allocate_host", device).allocateHost(bytes);
  });
}

tl_status tl_free_host(tl_device *device, void *pointer) {
  return guarded([&] { resolve("tl_free_host", device).freeHost(pointer); });
}

// A copy of nothing needs no memory, on either side.
static bool isNothing(const char *function, const void *dst, const void *src, uint64_t bytes) {
  if (bytes == 0)
    return true;
  require(function, "destination", dst);
  require(function, "source", src);
  return false;
}

tl_status tl_copy_to_device(tl_stream *stream, void *device_dst, const void *host_src,
                            uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_copy_to_device", stream);
    if (isNothing("tl_copy_to_device", device_dst, host_src, bytes))
      return;
    queue.device.checkRange("tl_copy_to_device", device_dst, bytes);
    queue.device.device->copyToDevice(*queue.stream, device_dst, host_src, bytes);
  });
}

tl_status tl_copy_from_device(tl_stream *stream, void *host_dst, const void *device_src,
                              uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_copy_from_device", stream);
    if (isNothing("tl_copy_from_device", host_dst, device_src, bytes))
      return;
    queue.device.checkRange("tl_copy_from_device", device_src, bytes);
    queue.device.device->copyFromDevice(*queue.stream, host_dst, device_src, bytes);
  });
}

tl_status tl_queue_copy_to_device(tl_stream *stream, void *device_dst, const void *host_src,
                                  uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_queue_copy_to_device", stream);
    if (isNothing("tl_queue_copy_to_device", device_dst, host_src, bytes))
      return;
    queue.device.checkRange("tl_queue_copy_to_device", device_dst, bytes);
    queue.device.device->queueCopyToDevice(*queue.stream, device_dst, host_src, bytes);
  });
}

tl_status tl_queue_copy_from_device(tl_stream *stream, void *host_dst, const void *device_src,
                                    uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_queue_copy_from_device", stream);
    if (isNothing("tl_queue_copy_from_device", host_dst, device_src, bytes))
      return;
    queue.device.checkRange("tl_queue_copy_from_device", device_src, bytes);
    queue.device.device->queueCopyFromDevice(*queue.stream, host_dst, device_src, bytes);
  });
}

tl_status tl_copy_across(tl_stream *stream, void *dst, tl_device *source, const void *src,
                         uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_copy_across", stream);
    OpenDevice &from = resolve("tl_copy_across", source);
    if (isNothing("tl_copy_across", dst, src, bytes))
      return;
    queue.device.checkRange("tl_copy_across", dst, bytes);
    from.checkRange("tl_copy_across", src, bytes);
    queue.device.copyFrom(queue, dst, from, src, bytes);
  });
}

tl_status tl_copy_on_device(tl_stream *stream, void *dst, const void *src, uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_copy_on_device", stream);
    if (isNothing("tl_copy_on_device", dst, src, bytes))
      return;
    queue.device.checkRange("tl_copy_on_device", dst, bytes);
    queue.device.checkRange("tl_copy_on_device", src, bytes);
    queue.device.device->copyOnDevice(*queue.stream, dst, src, bytes);
  });
}

tl_status tl_fill(tl_stream *stream, void *device_dst, uint8_t value, uint64_t bytes) {
  return guarded([&] {
    OpenStream &queue = resolve("tl_fill", stream);
    if (isNothing("tl_fill", device_dst, device_dst, bytes))
      return;
    queue.device.checkRange("tl_fill", device_dst, bytes);
    queue.device.device->fill(*queue.stream, device_dst, value, bytes);
  });
}
