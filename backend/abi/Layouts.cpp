// SPDX-License-Identifier: MIT
//
// The C API: diagrams of layouts.
#include "abi/Diagnostics.h"
#include "dialect/LayoutReader.h"
#include "layout/LayoutDiagram.h"

#include <cstring>

using namespace tl::backend;

tl_status tl_layout_picture(const char *layout, const char *format, uint32_t element_bits,
                            const char **diagram, size_t *size) {
  static thread_local std::string last;
  return guarded([&] {
    require("tl_layout_picture", "diagram", diagram);
    *diagram = nullptr;
    if (size)
      *size = 0;
    require("tl_layout_picture", "layout", layout);
    require("tl_layout_picture", "format", format);
    bool svg = std::strcmp(format, "svg") == 0;
    if (!svg && std::strcmp(format, "text") != 0)
      raise(TL_INVALID_ARGUMENT, "tl_layout_picture got a format that is neither svg nor text");
    if (element_bits > 64 || (element_bits & (element_bits - 1)) != 0)
      raise(TL_INVALID_ARGUMENT, "elements of " + std::to_string(element_bits) +
                                     " bits, expected a power of two up to 64");
    ReadLayout read = readLayout(layout);
    if (element_bits && read.elementBits && element_bits != read.elementBits)
      raise(TL_INVALID_ARGUMENT, "elements of " + std::to_string(element_bits) +
                                     " bits, but the type has elements of " +
                                     std::to_string(read.elementBits) + " bits");
    unsigned bits = read.elementBits ? read.elementBits : element_bits ? element_bits : 32;
    LayoutDiagram what{read.layout, read.kind, bits, layout};
    if (std::string error = errorInDiagram(what); !error.empty())
      raise(TL_INVALID_ARGUMENT, error);
    last = svg ? drawSvg(what) : drawTable(what);
    *diagram = last.c_str();
    if (size)
      *size = last.size();
  });
}
