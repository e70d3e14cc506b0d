// SPDX-License-Identifier: MIT
//
// Which devices are GPUs, real ones or emulated ones: their code is the same, and so is what it may
// be off by.
#pragma once

#include <tl/device.hpp>

#include <string_view>

namespace numeric {

inline bool is_gpu(std::string_view device) {
  return device.starts_with("cuda") || device.starts_with("hip") || device.starts_with("simt");
}

} // namespace numeric
