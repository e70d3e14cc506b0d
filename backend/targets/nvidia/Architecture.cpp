// SPDX-License-Identifier: MIT
#include "targets/nvidia/Architecture.h"

namespace tl::backend::nvidia {

std::optional<Architecture> Architecture::parse(std::string_view name) {
  if (name.substr(0, 3) != "sm_")
    return std::nullopt;
  std::string_view digits = name.substr(3);
  char variant = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    variant = digits.back();
    digits.remove_suffix(1);
  }
  if (digits.size() < 2 || digits.size() > 3 || digits.front() == '0')
    return std::nullopt;
  unsigned number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return std::nullopt;
    number = number * 10 + unsigned(c - '0');
  }
  for (unsigned known : {80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121})
    if (number == known && (variant == 0 || number >= (variant == 'a' ? 90u : 100u)))
      return Architecture{std::string(name), number};
  return std::nullopt;
}

std::string Architecture::ptxFeature() const {
  if (name.back() == 'f' && number < 110 && number != 103)
    return "ptx88";
  if (number >= 110 || number == 103 || number == 88)
    return "ptx90";
  if (number >= 100)
    return number >= 120 ? "ptx87" : "ptx86";
  return number >= 90 ? "ptx83" : number >= 89 ? "ptx81" : "ptx74";
}

/// PTX 8.1 raised the limit.
uint64_t Architecture::maxParameterBytes() const { return number >= 89 ? 32764 : 4096; }

uint64_t Architecture::maxSharedBytes() const {
  if (number == 86 || number == 89 || number >= 120)
    return 99 * 1024;
  return number >= 90 ? 227 * 1024 : 163 * 1024;
}

} // namespace tl::backend::nvidia
