// SPDX-License-Identifier: MIT
//
// Which inline assembly has a meaning on every device? What reads a register that only tells where
// or when the program runs, and what orders launches. Upstream's kernels write these texts, and so
// does tl::cuda (include/tl/ops/cuda.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tl::backend {

enum class SpecialRegister : uint8_t {
  GlobalTimer,      // nanoseconds that count up, of 64 bits
  MultiprocessorId, // which one runs the program; 0 where there are none
  GridDependency    // none: launches that do not overlap need no order; the result is 0
};

/// What the text reads, if it does nothing but that.
inline std::optional<SpecialRegister> specialRegisterOf(std::string_view text) {
  auto skip = [](std::string_view blanks, std::string_view from) {
    const auto first = from.find_first_not_of(blanks);
    return first == from.npos ? std::string_view() : from.substr(first);
  };
  text = skip(" \t\n", text);
  const auto end = text.find(';');
  if (end == text.npos)
    return std::nullopt;
  const std::string_view instruction = text.substr(0, end);
  const std::string_view rest = skip(" \t\n", text.substr(end + 1));
  if (!rest.empty() && !(rest.starts_with("//") && rest.find('\n') == rest.npos))
    return std::nullopt;
  if (instruction == "mov.u64 $0, %globaltimer")
    return SpecialRegister::GlobalTimer;
  if (instruction == "mov.u32 $0, %smid")
    return SpecialRegister::MultiprocessorId;
  if (instruction == "griddepcontrol.wait" || instruction == "griddepcontrol.launch_dependents")
    return SpecialRegister::GridDependency;
  return std::nullopt;
}

} // namespace tl::backend
