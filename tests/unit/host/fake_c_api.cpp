// SPDX-License-Identifier: MIT
#include "fake_c_api.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

struct tl_device {
  const char *name;
  const char *description;
};
struct tl_stream {
  tl_device *device;
};
struct tl_event {
  tl_device *device;
};
struct tl_kernel {
  std::string text;
};

namespace fake {
launch last;
int launches = 0;
bool recording = true;
int compilations = 0;
tl_compile_options last_options = {};
std::vector<work> queued;
void (*body)(const launch &) = nullptr;
std::vector<double> clock;
} // namespace fake

namespace {

tl_device all_devices[] = {{"cpu", "a fake processor"}, {"interpreter", "a fake interpreter"}};
tl_stream default_streams[] = {{&all_devices[0]}, {&all_devices[1]}};

std::mutex mutex;
std::map<std::string, std::unique_ptr<tl_kernel>> kernels;
std::map<void *, std::uint64_t> allocations;
std::map<std::string, tl_diagnostic> failing;
thread_local tl_diagnostic reported;
thread_local bool has_reported = false;

tl_status report(const tl_diagnostic &d) {
  reported = d;
  has_reported = true;
  return d.status;
}

bool fails(const char *function, tl_status &status) {
  const std::lock_guard lock(mutex);
  const auto found = failing.find(function);
  if (found == failing.end())
    return false;
  status = report(found->second);
  failing.erase(found);
  return true;
}

void queue(const char *function, tl_stream *stream) {
  const std::lock_guard lock(mutex);
  if (fake::recording)
    fake::queued.push_back({function, stream});
}

tl_status invalid(const char *message) {
  return report({TL_INVALID_ARGUMENT, message, "", "", 0, 0, "", "", 0, 0});
}

} // namespace

namespace fake {

void fail_next(const char *function, tl_diagnostic diagnostic) {
  const std::lock_guard lock(mutex);
  if (*function)
    failing.insert_or_assign(function, diagnostic);
  else
    failing.clear();
}

std::int64_t allocated() {
  const std::lock_guard lock(mutex);
  std::int64_t sum = 0;
  for (const auto &[pointer, bytes] : allocations)
    sum += static_cast<std::int64_t>(bytes);
  return sum;
}

} // namespace fake

extern "C" {

const tl_diagnostic *tl_last_diagnostic(void) { return has_reported ? &reported : nullptr; }
const char *tl_version(void) { return "0.0.0"; }

size_t tl_device_count(void) { return 2; }
tl_status tl_device_at(size_t index, tl_device **device) {
  if (index >= 2)
    return invalid("no such device");
  *device = &all_devices[index];
  return TL_OK;
}
tl_status tl_device_open(const char *name, tl_device **device) {
  for (tl_device &d : all_devices)
    if (std::strcmp(d.name, name) == 0) {
      *device = &d;
      return TL_OK;
    }
  return invalid("there is no such device; there are cpu and interpreter");
}
tl_status tl_device_best(tl_device **device) {
  *device = &all_devices[0];
  return TL_OK;
}
const char *tl_device_name(const tl_device *device) { return device->name; }
const char *tl_device_description(const tl_device *device) { return device->description; }
const char *tl_device_target(const tl_device *device) { return device->name; }
const char *tl_missing(size_t index) {
  return index == 0 ? "cuda: libcuda.so.1 was not found" : nullptr;
}

tl_status tl_allocate(tl_device *, uint64_t bytes, void **pointer) {
  tl_status status;
  if (fails("tl_allocate", status))
    return status;
  *pointer = bytes ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
  const std::lock_guard lock(mutex);
  allocations[*pointer] = bytes;
  return TL_OK;
}
tl_status tl_free(tl_device *, void *pointer) {
  const std::lock_guard lock(mutex);
  allocations.erase(pointer);
  std::free(pointer);
  return TL_OK;
}

tl_status tl_allocate_in_order(tl_stream *stream, uint64_t bytes, void **pointer) {
  return tl_allocate(stream->device, bytes, pointer);
}
tl_status tl_free_in_order(tl_stream *stream, void *pointer) {
  tl_status status;
  if (fails("tl_free_in_order", status))
    return status;
  return tl_free(stream->device, pointer);
}
tl_status tl_allocate_host(tl_device *device, uint64_t bytes, void **pointer) {
  tl_status status;
  return fails("tl_allocate_host", status) ? status : tl_allocate(device, bytes, pointer);
}
tl_status tl_free_host(tl_device *device, void *pointer) { return tl_free(device, pointer); }

tl_status tl_queue_copy_to_device(tl_stream *, void *dst, const void *src, uint64_t bytes) {
  std::memcpy(dst, src, bytes);
  return TL_OK;
}
tl_status tl_queue_copy_from_device(tl_stream *, void *dst, const void *src, uint64_t bytes) {
  std::memcpy(dst, src, bytes);
  return TL_OK;
}
tl_status tl_copy_across(tl_stream *stream, void *dst, tl_device *, const void *src,
                         uint64_t bytes) {
  queue("tl_copy_across", stream);
  tl_status status;
  if (fails("tl_copy_across", status))
    return status;
  std::memcpy(dst, src, bytes);
  return TL_OK;
}

tl_status tl_copy_to_device(tl_stream *, void *dst, const void *src, uint64_t bytes) {
  std::memcpy(dst, src, bytes);
  return TL_OK;
}
tl_status tl_copy_from_device(tl_stream *, void *dst, const void *src, uint64_t bytes) {
  tl_status status;
  if (fails("tl_copy_from_device", status))
    return status;
  std::memcpy(dst, src, bytes);
  return TL_OK;
}
tl_status tl_copy_on_device(tl_stream *stream, void *dst, const void *src, uint64_t bytes) {
  queue("tl_copy_on_device", stream);
  tl_status status;
  if (fails("tl_copy_on_device", status))
    return status;
  std::memcpy(dst, src, bytes);
  return TL_OK;
}
tl_status tl_fill(tl_stream *, void *dst, uint8_t value, uint64_t bytes) {
  std::memset(dst, value, bytes);
  return TL_OK;
}

tl_status tl_stream_default(tl_device *device, tl_stream **stream) {
  *stream = &default_streams[device - all_devices];
  return TL_OK;
}
tl_status tl_stream_create(tl_device *device, tl_stream **stream) {
  *stream = new tl_stream{device};
  return TL_OK;
}
tl_status tl_stream_wrap(tl_device *, void *, tl_stream **) {
  return report({TL_UNSUPPORTED, "cpu has no native streams", "", "", 0, 0, "", "cpu", 0, 0});
}
tl_status tl_stream_destroy(tl_stream *stream) {
  delete stream;
  return TL_OK;
}
tl_status tl_stream_synchronize(tl_stream *) {
  tl_status status;
  return fails("tl_stream_synchronize", status) ? status : TL_OK;
}
tl_device *tl_stream_device(const tl_stream *stream) { return stream->device; }

tl_status tl_event_create(tl_device *device, tl_event **event) {
  *event = new tl_event{device};
  return TL_OK;
}
tl_status tl_event_destroy(tl_event *event) {
  delete event;
  return TL_OK;
}
tl_status tl_event_record(tl_event *, tl_stream *) { return TL_OK; }
tl_status tl_event_synchronize(tl_event *) { return TL_OK; }
tl_status tl_stream_wait(tl_stream *, tl_event *) { return TL_OK; }
tl_status tl_event_elapsed(tl_event *, tl_event *, double *milliseconds) {
  const std::lock_guard lock(mutex);
  *milliseconds = 1.5;
  if (!fake::clock.empty()) {
    *milliseconds = fake::clock.front();
    fake::clock.erase(fake::clock.begin());
  }
  return TL_OK;
}

tl_status tl_compile(tl_device *device, const char *text, size_t length, const char *,
                     const tl_compile_options *options, tl_kernel **kernel) {
  tl_status status;
  if (fails("tl_compile", status))
    return status;
  const std::lock_guard lock(mutex);
  fake::last_options = *options;
  const std::string content(text, length);
  auto &slot =
      kernels[std::string(device->name) + '/' + std::to_string(options->num_warps) + '/' + content];
  if (!slot) {
    ++fake::compilations;
    slot = std::make_unique<tl_kernel>(tl_kernel{content});
  }
  *kernel = slot.get();
  return TL_OK;
}
const char *tl_kernel_name(const tl_kernel *) { return "fake"; }
const char *tl_kernel_stage_name(const tl_kernel *, size_t index) {
  const char *names[] = {"ttir", "obj", nullptr};
  return names[index];
}
tl_status tl_kernel_stage(const tl_kernel *kernel, const char *stage, const char **data,
                          size_t *size) {
  if (std::strcmp(stage, "ttir") != 0 && std::strcmp(stage, "obj") != 0)
    return invalid("there is no such stage; there are ttir and obj");
  *data = std::strcmp(stage, "ttir") == 0 ? kernel->text.data()
                                          : "\x7F"
                                            "ELF";
  *size = std::strcmp(stage, "ttir") == 0 ? kernel->text.size() : 4;
  return TL_OK;
}
const char *tl_kernel_time(const tl_kernel *, size_t index, double *milliseconds) {
  *milliseconds = 0.25;
  return index == 0 ? "parse" : nullptr;
}
int64_t tl_kernel_get(const tl_kernel *, tl_kernel_property property) { return 10 + property; }

tl_status tl_launch(tl_kernel *kernel, tl_stream *stream, uint32_t x, uint32_t y, uint32_t z,
                    void *const *arguments, size_t count) {
  if (!fake::recording)
    return TL_OK;
  tl_status status;
  if (fails("tl_launch", status))
    return status;
  queue("tl_launch", stream);
  std::unique_lock lock(mutex);
  ++fake::launches;
  fake::last = {kernel->text, stream->device->name, stream, {x, y, z}, {}};
  for (size_t i = 0; i < count; ++i) {
    std::uint64_t value;
    std::memcpy(&value, arguments[i], sizeof value);
    fake::last.arguments.push_back(value);
  }
  const fake::launch now = fake::last;
  lock.unlock();
  if (fake::body)
    fake::body(now);
  return TL_OK;
}

} // extern "C"
