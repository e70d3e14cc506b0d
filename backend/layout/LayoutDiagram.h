// SPDX-License-Identifier: MIT
//
// Diagrams of layouts: a grid of the tensor's elements, each with the thread and the
// register that hold it, or with its offset and bank in shared memory. As SVG, with the warps (or
// the banks) in colours, or as a table for a terminal. `tlc layout` shows them.
#pragma once

#include "layout/LayoutForms.h"

#include <string>

namespace tl::backend {

/// The most elements that a diagram shows, and the most places (registers of all threads) that it
/// looks through.
inline constexpr int64_t maxDiagramElements = int64_t(1) << 16;
inline constexpr unsigned maxDiagramRegisterBits = 20;

/// What is drawn: a layout, of which kind, and the size of an element for the banks.
struct LayoutDiagram {
  const LinearLayout &layout;
  LayoutKind kind;
  unsigned elementBits = 32;
  std::string title; // stands above the diagram
};

/// Why there is no diagram ("... elements, at most ... are drawn"), or "".
std::string errorInDiagram(const LayoutDiagram &diagram);
std::string drawSvg(const LayoutDiagram &diagram);
std::string drawTable(const LayoutDiagram &diagram);

} // namespace tl::backend
