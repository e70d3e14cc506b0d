// SPDX-License-Identifier: MIT
#include "targets/cpu/Printing.h"

#include "support/ElementType.h"
#include "tl/impl/float_format.hpp"
#include "tl/impl/number_text.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace tl::backend::cpu {
namespace {

std::mutex printing; // so that lines stay together

template <typename T> T read(const void *memory) {
  T value;
  std::memcpy(&value, memory, sizeof value);
  return value;
}

/// Bytes of an element in memory and whether it is a float; pointers are 8-byte integers.
struct Element {
  unsigned bytes;
  double (*decode)(const void *); // null for integers
};

template <impl::float_format Format, typename Bits> double decodeSmall(const void *memory) {
  return impl::decode<Format>(read<Bits>(memory));
}

Element elementOf(const std::string &type) {
#define SMALL(id, kind, bytes, name, class, format)                                                \
  if (type == #id)                                                                                 \
    return {bytes, decodeSmall<impl::format, std::conditional_t<bytes == 1, uint8_t, uint16_t>>};
#define WIDE(id, kind, bytes, name, class, Float)                                                  \
  if (type == #id)                                                                                 \
    return {bytes, [](const void *memory) { return double(read<Float>(memory)); }};
#define INTEGER(id, kind, bytes, ...)                                                              \
  if (type == #id)                                                                                 \
    return {bytes, nullptr};
  TL_FLOAT_TYPES(SMALL, WIDE)
  TL_INTEGER_TYPES(INTEGER)
#undef SMALL
#undef WIDE
#undef INTEGER
  return {8, nullptr}; // pointers
}

uint64_t readUnsigned(const void *memory, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, memory, bytes); // little endian
  return value;
}

std::string valueText(const Element &element, const void *memory, const Site::Operand &operand,
                      bool hex) {
  char text[64];
  uint64_t bits = readUnsigned(memory, element.bytes);
  if (hex || operand.type.rfind("!tt.ptr", 0) == 0) {
    std::snprintf(text, sizeof text, "0x%0*" PRIx64, int(2 * element.bytes), bits);
  } else if (element.decode) {
    return tl::impl::number_text(element.decode(memory), element.bytes == 8 ? 17 : 9);
  } else if (operand.isSigned && operand.type != "i1") {
    unsigned shift = 64 - 8 * element.bytes;
    std::snprintf(text, sizeof text, "%" PRId64, int64_t(bits << shift) >> shift);
  } else {
    std::snprintf(text, sizeof text, "%" PRIu64, operand.type == "i1" ? bits & 1 : bits);
  }
  return text;
}

/// Whether an element is none of the padding.
bool isPrinted(uint64_t element, const Site::Operand &operand) {
  for (size_t axis = operand.shape.size(); axis-- > 0;) {
    if (element % uint64_t(operand.shape[axis]) >= uint64_t(operand.printed[axis]))
      return false;
    element /= uint64_t(operand.shape[axis]);
  }
  return true;
}

} // namespace

std::string programText(const std::array<uint32_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " +
         std::to_string(program[2]) + ")";
}

std::string positionText(uint64_t element, const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "(" + std::to_string(element) + ")";
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(element % uint64_t(shape[axis])) + (text.empty() ? "" : ", ") + text;
    element /= uint64_t(shape[axis]);
  }
  return "(" + text + ")";
}

void printSite(const Site &site, const std::array<uint32_t, 3> &program,
               const void *const *operands) {
  std::string pid = "pid " + programText(program) + " idx ";
  std::string text;
  if (site.operands.empty())
    text = pid + "()" + site.message + "\n";
  for (size_t i = 0; i < site.operands.size(); ++i) {
    const Site::Operand &operand = site.operands[i];
    Element element = elementOf(operand.type);
    uint64_t count = 1;
    for (int64_t extent : operand.shape)
      count *= uint64_t(extent);
    std::string label =
        site.operands.size() > 1 ? "(operand " + std::to_string(i) + ") " : std::string();
    for (uint64_t k = 0; k < count; ++k) {
      if (!isPrinted(k, operand))
        continue;
      const char *memory = static_cast<const char *>(operands[i]) + k * element.bytes;
      text += pid + (operand.shape.empty() ? "()" : positionText(k, operand.shape)) + site.message +
              label + valueText(element, memory, operand, site.hex) + "\n";
    }
  }
  std::lock_guard<std::mutex> lock(printing);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void freePrintingLock() { new (&printing) std::mutex; }

} // namespace tl::backend::cpu
