// SPDX-License-Identifier: MIT
//
// Both diagrams are made of the same cells: planes of rows of labels with a colour.
#include "layout/LayoutDiagram.h"

#include "tl/impl/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace tl::backend {

namespace {

constexpr unsigned banks = 32;
constexpr unsigned bankBytes = 4;
/// Elements of a tensor of one axis that stand on a line.
constexpr int64_t lineLength = 32;

/// An element: who holds it (the first of all holders), and what picks its colour.
struct Cell {
  std::string label;
  unsigned hue = 0, shade = 0;
};

/// A matrix of cells, and what comes before it ("[2, :, :]", or "" if there is only one).
struct Plane {
  std::string name;
  int64_t rows = 1, columns = 1;
  std::vector<Cell> cells;
  /// What the first cell of a row is called.
  std::vector<std::string> rowNames;
};

struct Drawing {
  std::string title, legend;
  std::vector<std::string> notes;
  std::vector<Plane> planes;
  unsigned hues = 1;
};

uint64_t inputOf(const LinearLayout &layout, uint64_t flat, std::string_view name) {
  for (const auto &in : layout.ins()) {
    uint64_t mask = (uint64_t(1) << in.images.size()) - 1;
    if (in.name == name)
      return flat & mask;
    flat >>= in.images.size();
  }
  return 0;
}

unsigned bankOf(uint64_t offset, unsigned elementBits) {
  return unsigned(offset * std::max(8u, elementBits) / 8 / bankBytes % banks);
}

/// How a place is called: "warp:lane:register" without what there is only one of, "offset/bank".
std::string labelOf(const LayoutDiagram &diagram, uint64_t flat) {
  const LinearLayout &layout = diagram.layout;
  auto number = [&](std::string_view name) { return std::to_string(inputOf(layout, flat, name)); };
  std::string label = layout.inBits("block") ? number("block") + ":" : "";
  if (diagram.kind == LayoutKind::Shared)
    return label + number("offset") + "/" +
           std::to_string(bankOf(inputOf(layout, flat, "offset"), diagram.elementBits));
  if (layout.inBits("warp"))
    label += number("warp") + ":";
  return label + number("lane") + ":" + number("register");
}

std::string legendOf(const LayoutDiagram &diagram) {
  std::string legend = diagram.layout.inBits("block") ? "block:" : "";
  if (diagram.kind == LayoutKind::Shared)
    return legend + "offset/bank";
  return legend + (diagram.layout.inBits("warp") ? "warp:" : "") + "lane:register";
}

std::string coordinatesOf(const Shape &shape, int64_t element) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ", ") + text;
    element /= shape[axis];
  }
  return "(" + text + ")";
}

/// What a reader of the diagram should know besides.
std::vector<std::string> notesOf(const LayoutDiagram &diagram,
                                 const std::vector<std::vector<uint64_t>> &holders) {
  std::vector<std::string> notes;
  const LinearLayout &layout = diagram.layout;
  if (diagram.kind == LayoutKind::Shared) {
    notes.push_back("offsets in elements of " + std::to_string(diagram.elementBits) + " bits; " +
                    std::to_string(banks) + " banks of " + std::to_string(bankBytes) + " bytes");
    return notes;
  }
  auto count = [&](std::string_view name) { return uint64_t(1) << layout.inBits(name); };
  notes.push_back(std::to_string(count("warp")) + (count("warp") == 1 ? " warp" : " warps") +
                  " of " + std::to_string(count("lane")) +
                  (count("lane") == 1 ? " lane, " : " lanes, ") +
                  std::to_string(count("register")) +
                  (count("register") == 1 ? " register" : " registers") + " a thread");
  const std::vector<uint64_t> &first = holders.front();
  if (first.size() > 1) {
    std::string note = "each element is held " + std::to_string(first.size()) +
                       " times and shown at its first place; element " +
                       coordinatesOf(coveredShape(layout), 0) + " is at";
    for (size_t i = 0; i < first.size() && i < 8; ++i)
      note += (i ? ", " : " ") + labelOf(diagram, first[i]);
    notes.push_back(note + (first.size() > 8 ? ", ..." : ""));
  }
  return notes;
}

Drawing drawingOf(const LayoutDiagram &diagram) {
  const LinearLayout &layout = diagram.layout;
  Shape shape = coveredShape(layout);
  // Elements are numbered row by row, as the flattened outputs are.
  std::vector<std::vector<uint64_t>> holders(size_t(1) << layout.outBits());
  for (uint64_t place = 0; place < uint64_t(1) << layout.inBits(); ++place)
    holders[layout.apply(place)].push_back(place);

  Drawing drawing;
  drawing.title = diagram.title;
  drawing.legend = legendOf(diagram);
  drawing.notes = notesOf(diagram, holders);
  drawing.hues = diagram.kind == LayoutKind::Shared ? banks : 1u << layout.inBits("warp");
  int64_t columns = shape.empty() ? 1 : shape.back();
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  bool wrapped = shape.size() < 2 && columns > lineLength;
  if (wrapped) {
    rows = columns / lineLength;
    columns = lineLength;
  }
  int64_t elements = int64_t(holders.size());
  for (int64_t begin = 0; begin < elements; begin += rows * columns) {
    Plane plane{"", rows, columns, {}, {}};
    if (shape.size() > 2) {
      std::string at = coordinatesOf(Shape(shape.begin(), shape.end() - 2), begin / rows / columns);
      plane.name = "[" + at.substr(1, at.size() - 2) + ", :, :]";
    }
    for (int64_t row = 0; row < rows; ++row) {
      plane.rowNames.push_back(std::to_string(wrapped ? row * columns : row));
      for (int64_t column = 0; column < columns; ++column) {
        uint64_t place = holders[size_t(begin + row * columns + column)].front();
        Cell cell{labelOf(diagram, place), 0, unsigned(inputOf(layout, place, "block"))};
        cell.hue = diagram.kind == LayoutKind::Shared
                       ? bankOf(inputOf(layout, place, "offset"), diagram.elementBits)
                       : unsigned(inputOf(layout, place, "warp"));
        plane.cells.push_back(std::move(cell));
      }
    }
    drawing.planes.push_back(std::move(plane));
  }
  return drawing;
}

size_t widestLabel(const Drawing &drawing) {
  size_t widest = 1;
  for (const Plane &plane : drawing.planes) {
    widest = std::max(widest, std::to_string(plane.columns - 1).size());
    for (const Cell &cell : plane.cells)
      widest = std::max(widest, cell.label.size());
  }
  return widest;
}

// ---- Table

std::string padded(const std::string &text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// ---- SVG

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    default:
      result += c;
    }
  return result;
}

/// "#rrggbb" of a light colour: hues are spread over the circle, blocks get darker.
std::string colourOf(unsigned hue, unsigned hues, unsigned shade) {
  // Neighbouring numbers should differ much: go round in steps of the golden angle, unless the hues
  // are banks, whose order should show.
  double angle = hues == banks ? hue * 360.0 / banks : std::fmod(hue * 137.508 + 210, 360.0);
  double lightness = 0.82 - 0.06 * (shade % 8), saturation = hues == 1 ? 0.35 : 0.7;
  double a = saturation * std::min(lightness, 1 - lightness);
  auto channel = [&](double n) {
    double k = std::fmod(n + angle / 30, 12.0);
    double value = lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return int(std::lround(value * 255));
  };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", channel(0), channel(8), channel(4));
  return text;
}

std::string decimal(double x) { return impl::number_text(x); }

std::string textAt(double x, double y, const char *style, const std::string &text) {
  return "<text x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\"" + style + ">" + escaped(text) +
         "</text>\n";
}

std::string rectangle(double x, double y, double width, double height, const std::string &fill) {
  return "<rect x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" width=\"" + decimal(width) +
         "\" height=\"" + decimal(height) + "\" fill=\"" + fill + "\"/>\n";
}

} // namespace

std::string errorInDiagram(const LayoutDiagram &diagram) {
  const LinearLayout &layout = diagram.layout;
  if (layout.outBits() >= 63 || int64_t(1) << layout.outBits() > maxDiagramElements)
    return "the layout covers 2^" + std::to_string(layout.outBits()) + " elements, at most " +
           std::to_string(maxDiagramElements) + " are drawn";
  if (layout.inBits() > maxDiagramRegisterBits)
    return "the layout has 2^" + std::to_string(layout.inBits()) +
           " registers in all threads, at most 2^" + std::to_string(maxDiagramRegisterBits) +
           " are looked through";
  return "";
}

std::string drawTable(const LayoutDiagram &diagram) {
  Drawing drawing = drawingOf(diagram);
  std::string text = drawing.title + "\n";
  for (const std::string &note : drawing.notes)
    text += note + "\n";
  text += "each element as " + drawing.legend + "\n";
  size_t width = widestLabel(drawing) + 1;
  for (const Plane &plane : drawing.planes) {
    size_t left = plane.rowNames.back().size();
    text += "\n" + (plane.name.empty() ? "" : plane.name + "\n") + std::string(left + 1, ' ');
    for (int64_t column = 0; column < plane.columns; ++column)
      text += padded(std::to_string(column), width);
    text += "\n";
    for (int64_t row = 0; row < plane.rows; ++row) {
      text += padded(plane.rowNames[size_t(row)], left) + ":";
      for (int64_t column = 0; column < plane.columns; ++column)
        text += padded(plane.cells[size_t(row * plane.columns + column)].label, width);
      text += "\n";
    }
  }
  return text;
}

std::string drawSvg(const LayoutDiagram &diagram) {
  Drawing drawing = drawingOf(diagram);
  const double character = 6.1, line = 18, margin = 10;
  const double cellWidth = character * double(widestLabel(drawing)) + 8, cellHeight = line;
  double left = margin;
  double width = 0, y = margin + line;
  for (const Plane &plane : drawing.planes)
    left = std::max(left, margin + character * double(plane.rowNames.back().size()) + 6);

  std::string body = textAt(margin, y, " class=\"title\"", drawing.title);
  width = std::max(width, character * double(drawing.title.size()) * 1.2);
  drawing.notes.push_back("each element as " + drawing.legend +
                          (diagram.kind == LayoutKind::Shared ? "; one colour a bank"
                           : drawing.hues > 1                 ? "; one colour a warp"
                                                              : ""));
  for (const std::string &note : drawing.notes) {
    y += line;
    body += textAt(margin, y, "", note);
    width = std::max(width, character * double(note.size()));
  }
  for (const Plane &plane : drawing.planes) {
    y += line;
    if (!plane.name.empty()) {
      body += textAt(margin, y, "", plane.name);
      y += line;
    }
    for (int64_t column = 0; column < plane.columns; ++column)
      body += textAt(left + (double(column) + 0.5) * cellWidth, y, " class=\"cell axis\"",
                     std::to_string(column));
    y += 5;
    double top = y;
    for (int64_t row = 0; row < plane.rows; ++row, y += cellHeight) {
      body +=
          textAt(left - 4, y + cellHeight - 5, " class=\"row axis\"", plane.rowNames[size_t(row)]);
      const Cell *cells = &plane.cells[size_t(row * plane.columns)];
      // One rectangle for neighbours of one colour.
      for (int64_t begin = 0, end = 0; begin < plane.columns; begin = end) {
        while (end < plane.columns && cells[end].hue == cells[begin].hue &&
               cells[end].shade == cells[begin].shade)
          ++end;
        body += rectangle(left + double(begin) * cellWidth, y, double(end - begin) * cellWidth,
                          cellHeight, colourOf(cells[begin].hue, drawing.hues, cells[begin].shade));
      }
      for (int64_t column = 0; column < plane.columns; ++column)
        body += textAt(left + (double(column) + 0.5) * cellWidth, y + cellHeight - 5,
                       " class=\"cell\"", cells[column].label);
    }
    // The grid, as one path.
    std::string path;
    for (int64_t row = 0; row <= plane.rows; ++row)
      path += "M" + decimal(left) + " " + decimal(top + double(row) * cellHeight) + "h" +
              decimal(double(plane.columns) * cellWidth);
    for (int64_t column = 0; column <= plane.columns; ++column)
      path += "M" + decimal(left + double(column) * cellWidth) + " " + decimal(top) + "v" +
              decimal(double(plane.rows) * cellHeight);
    body += "<path d=\"" + path + "\" class=\"grid\"/>\n";
    width = std::max(width, left + double(plane.columns) * cellWidth);
    y += margin;
  }
  const auto whole = [](double x) { return impl::number_text(x, 0, std::chars_format::fixed); };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + whole(width + margin) +
         "\" height=\"" + whole(y + margin) +
         std::string("\">\n<style>text{font:10px monospace;fill:#222}.title{font-size:12px}"
                     ".cell{text-anchor:middle}.row{text-anchor:end}.axis{fill:#888}"
                     ".grid{stroke:#fff;stroke-width:1;fill:none}</style>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfc\"/>\n") +
         body + "</svg>\n";
}

} // namespace tl::backend
