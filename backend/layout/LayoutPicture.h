// SPDX-License-Identifier: MIT
//
// Pictures of layouts for people: a grid of the tensor's elements, each with the thread and the
// register that hold it, or with its offset and bank in shared memory. As SVG, with the warps (or
// the banks) in colours, or as a table for a terminal. `tlc layout` shows them.
#pragma once

#include "layout/LayoutForms.h"

#include <string>

namespace tl::backend {

/// The most elements that a picture shows, and the most places (registers of all threads) that it
/// looks through.
inline constexpr int64_t maxPictureElements = int64_t(1) << 16;
inline constexpr unsigned maxPicturePlaceBits = 20;

/// What is drawn: a layout, of which kind, and the size of an element for the banks.
struct LayoutPicture {
  const LinearLayout &layout;
  LayoutKind kind;
  unsigned elementBits = 32;
  std::string title; // stands above the picture
};

/// Why there is no picture ("... elements, at most ... are drawn"), or "".
std::string errorInPicture(const LayoutPicture &picture);
std::string drawSvg(const LayoutPicture &picture);
std::string drawTable(const LayoutPicture &picture);

} // namespace tl::backend
