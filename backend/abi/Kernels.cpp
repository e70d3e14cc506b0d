// SPDX-License-Identifier: MIT
//
// The C API: compilation, what a kernel can tell, launch, and the module cache.
#include "abi/Diagnostics.h"
#include "runtime/ModuleCache.h"
#include "runtime/Registry.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

using namespace tl::backend;

namespace {

/// The largest TTIR text that is looked at: MLIR counts some things of a buffer in 32 bits.
constexpr size_t maxText = size_t(1) << 30;

[[noreturn]] void rejectOption(const char *name, int32_t value, const std::string &expected) {
  raise(TL_INVALID_ARGUMENT, "compile option " + std::string(name) + " is " +
                                 std::to_string(value) + ", expected " + expected);
}

CompileOptions parseOptions(const tl_compile_options *given) {
  CompileOptions result;
  if (!given)
    return result;
  if (given->size < sizeof(size_t) || given->size % sizeof(int32_t) != 0 || given->size > 4096)
    raise(TL_INVALID_ARGUMENT,
          "the size field of tl_compile_options is " + std::to_string(given->size),
          "set it to sizeof(tl_compile_options)");
  // An older program has fewer fields, whose defaults are zero. A later one may have more, which
  // this libtl can honour only where they are zero.
  tl_compile_options options{};
  static_assert(std::has_unique_object_representations_v<tl_compile_options>, "has no padding");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  const char *bytes = reinterpret_cast<const char *>(given);
  if (options.reserved != 0 ||
      (given->size > sizeof options &&
       std::any_of(bytes + sizeof options, bytes + given->size, [](char c) { return c != 0; })))
    raise(TL_UNSUPPORTED,
          "tl_compile_options sets fields that version " TL_VERSION " of libtl does not have");

  // Zero is the default: a number's own, and of a switch the usual position.
#define NUMBER(name, member, usual, least, most, isPowerOfTwo, ...)                                \
  if (options.name != 0) {                                                                         \
    if (!tl::impl::is_legal(options.name, least, most, isPowerOfTwo))                              \
      rejectOption(#name, options.name,                                                            \
                   tl::impl::legal_values(least, most, isPowerOfTwo) +                             \
                       (usual == 0 ? ", or 0 for the default" : ""));                              \
    result.member = options.name;                                                                  \
  }
#define SWITCH(name, member, usual, field, ...)                                                    \
  if (options.field != 0 && options.field != 1)                                                    \
    rejectOption(#field, options.field, "0 or 1");                                                 \
  result.member = usual != (options.field != 0);
  TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)
#undef NUMBER
#undef SWITCH
  return result;
}

std::string_view parseText(const char *function, const char *text, size_t length) {
  if (length == 0)
    raise(TL_COMPILE_ERROR, "the TTIR text is empty");
  require(function, "text", text);
  if (length > maxText)
    raise(TL_INVALID_ARGUMENT, "a TTIR text of " + std::to_string(length) +
                                   " bytes exceeds the limit of " + std::to_string(maxText) +
                                   " bytes");
  return {text, length};
}

} // namespace

tl_status tl_compile(tl_device *device, const char *text, size_t length, const char *entry,
                     const tl_compile_options *options, tl_kernel **kernel) {
  return guarded([&] {
    require("tl_compile", "kernel", kernel);
    *kernel = nullptr;
    OpenDevice &where = resolve("tl_compile", device);
    std::string_view ttir = parseText("tl_compile", text, length);
    CompileOptions parsed = parseOptions(options);
    *kernel = ModuleCache::instance()
                  .get(where, ttir, entry ? entry : "", parsed)
                  ->handle.as<tl_kernel>();
  });
}

tl_status tl_compile_for(const char *target, const char *text, size_t length, const char *entry,
                         const tl_compile_options *options, tl_kernel **kernel) {
  return guarded([&] {
    require("tl_compile_for", "kernel", kernel);
    *kernel = nullptr;
    require("tl_compile_for", "target", target);
    std::unique_ptr<Target> how = Registry::instance().target(target);
    std::string_view ttir = parseText("tl_compile_for", text, length);
    CompileOptions parsed = parseOptions(options);
    *kernel =
        (new Kernel(std::move(how), {ttir}, entry ? entry : "", parsed))->handle.as<tl_kernel>();
  });
}

void tl_kernel_destroy(tl_kernel *kernel) {
  if (!kernel)
    return;
  guarded([&] {
    Kernel &owned = resolve("tl_kernel_destroy", kernel);
    if (owned.isLoaded())
      raise(TL_INVALID_ARGUMENT, "tl_kernel_destroy got the kernel " + owned.code().name +
                                     " of tl_compile, which the module cache owns");
    delete &owned;
  });
}

const char *tl_kernel_name(const tl_kernel *kernel) {
  return guardedOr("", [&] { return resolve("tl_kernel_name", kernel).code().name.c_str(); });
}

size_t tl_kernel_parameter_count(const tl_kernel *kernel) {
  return guardedOr(size_t(0), [&] {
    return resolve("tl_kernel_parameter_count", kernel).code().parameters.size();
  });
}

const char *tl_kernel_parameter_type(const tl_kernel *kernel, size_t index) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    const auto &parameters = resolve("tl_kernel_parameter_type", kernel).code().parameters;
    return index < parameters.size() ? parameters[index].type.c_str() : nullptr;
  });
}

const char *tl_kernel_stage_name(const tl_kernel *kernel, size_t index) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    const auto &names = resolve("tl_kernel_stage_name", kernel).stageNames();
    return index < names.size() ? names[index].c_str() : nullptr;
  });
}

tl_status tl_kernel_stage(const tl_kernel *kernel, const char *stage, const char **data,
                          size_t *size) {
  return guarded([&] {
    require("tl_kernel_stage", "data", data);
    *data = nullptr;
    if (size)
      *size = 0;
    Kernel &compiled = resolve("tl_kernel_stage", kernel);
    require("tl_kernel_stage", "stage", stage);
    const std::string &bytes = compiled.stage(stage);
    *data = bytes.c_str();
    if (size)
      *size = bytes.size();
  });
}

const char *tl_kernel_time(const tl_kernel *kernel, size_t index, double *milliseconds) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    if (milliseconds)
      *milliseconds = 0;
    const auto &times = resolve("tl_kernel_time", kernel).times();
    if (index >= times.size())
      return nullptr;
    if (milliseconds)
      *milliseconds = times[index].second;
    return times[index].first.c_str();
  });
}

int64_t tl_kernel_get(const tl_kernel *kernel, tl_kernel_property property) {
  return guardedOr(int64_t(-1), [&] {
    const CompiledKernel &code = resolve("tl_kernel_get", kernel).code();
    // A C program may pass any number, which C++ must not read as the enumeration.
    const int number = std::bit_cast<int>(property);
    switch (number) {
    case TL_KERNEL_REGISTERS:
      return code.registers;
    case TL_KERNEL_SPILLS:
      return code.spills;
    case TL_KERNEL_SHARED_BYTES:
      return code.sharedBytes;
    case TL_KERNEL_THREADS:
      return code.threads;
    }
    raise(TL_INVALID_ARGUMENT, "tl_kernel_get got the unknown property " + std::to_string(number));
  });
}

tl_status tl_launch(tl_kernel *kernel, tl_stream *stream, uint32_t grid_x, uint32_t grid_y,
                    uint32_t grid_z, void *const *arguments, size_t argument_count) {
  return guardedThroughForks([&] {
    resolve("tl_launch", kernel)
        .launch(resolve("tl_launch", stream), {grid_x, grid_y, grid_z}, arguments, argument_count);
  });
}

void tl_cache_get_statistics(tl_cache_statistics *statistics) {
  guarded([&] {
    require("tl_cache_get_statistics", "statistics", statistics);
    *statistics = ModuleCache::instance().statistics();
  });
}

void tl_cache_clear(void) {
  guarded([] { ModuleCache::instance().clear(); });
}
