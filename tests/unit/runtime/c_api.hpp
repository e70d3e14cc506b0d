// SPDX-License-Identifier: MIT
//
// Short ways to call the C API in tests.
#pragma once

#include "fake_devices.hpp"

#include "tl/c/tl.h"

#include <doctest/doctest.h>
#include <string>

namespace c_api {

inline tl_device *device(const char *name) {
  tl_device *device = nullptr;
  REQUIRE(tl_device_open(name, &device) == TL_OK);
  return device;
}

inline tl_stream *stream(const char *deviceName) {
  tl_stream *stream = nullptr;
  REQUIRE(tl_stream_default(device(deviceName), &stream) == TL_OK);
  return stream;
}

inline tl_kernel *compile(const std::string &text, const char *deviceName = "cpu") {
  tl_kernel *kernel = nullptr;
  REQUIRE(tl_compile(device(deviceName), text.data(), text.size(), nullptr, nullptr, &kernel) ==
          TL_OK);
  REQUIRE(kernel);
  return kernel;
}

/// The message that a call left, after checking its status.
inline std::string refused(tl_status status, tl_status expected = TL_INVALID_ARGUMENT) {
  CHECK(status == expected);
  const tl_diagnostic *last = tl_last_diagnostic();
  REQUIRE(last);
  CHECK(last->status == expected);
  for (const char *text : {last->message, last->help, last->file, last->kernel, last->device})
    REQUIRE(text);
  return last->message;
}

inline std::string lastMessage() {
  return tl_last_diagnostic() ? tl_last_diagnostic()->message : "";
}

} // namespace c_api
