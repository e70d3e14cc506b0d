// SPDX-License-Identifier: MIT
//
// Texts of layouts: every form with fields drawn at random is read as the map that its fields mean,
// and what is printed of the map is read as the same map.
#include "dialect/Context.h"
#include "dialect/Layouts.h"
#include "layout/LayoutForms.h"

#include "mlir/AsmParser/AsmParser.h"

#include <doctest/doctest.h>

#include <random>

using namespace tl::backend;

namespace {

struct Reader {
  std::unique_ptr<mlir::MLIRContext> context = tl::tt::makeContext();
  Reader() { context->loadDialect<tl::ttg::TTGDialect>(); }

  /// The map of a text without brackets; nothing if it is refused.
  std::optional<LinearLayout> read(const std::string &text, LayoutKind kind) {
    bool distributed = kind == LayoutKind::Distributed;
    mlir::Attribute attribute = mlir::parseAttribute(
        (distributed ? "#ttg.layout<" : "#ttg.shared<") + text + ">", context.get());
    if (auto layout = llvm::dyn_cast_or_null<tl::ttg::LayoutAttr>(attribute))
      return layout.getMap();
    if (auto layout = llvm::dyn_cast_or_null<tl::ttg::SharedLayoutAttr>(attribute))
      return layout.getMap();
    return std::nullopt;
  }
};

class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}

  int64_t below(int64_t count) { return int64_t(random() % uint64_t(count)); }
  int64_t power(int64_t mostBits) { return int64_t(1) << below(mostBits + 1); }

  WrittenLayout layout(const LayoutForm &form) {
    WrittenLayout written{&form, {}, {}};
    int64_t most = std::min<int64_t>(form.mostAxes, 4);
    int64_t axes = std::max<int64_t>(form.leastAxes, 1);
    axes += below(most - axes + 1);
    for (int64_t axis = 0; axis < axes; ++axis)
      written.shape.push_back(power(axes > 2 ? 5 : 8));
    for (const LayoutField &field : form.fields) {
      std::vector<int64_t> values;
      if (field.type == LayoutField::Number) {
        values.push_back(field.allowed.empty()
                             ? power(4)
                             : field.allowed[size_t(below(int64_t(field.allowed.size())))]);
      } else if (std::string_view(field.name) == "order") {
        for (int64_t axis = 0; axis < axes; ++axis)
          values.push_back(axis);
        std::shuffle(values.begin(), values.end(), random);
      } else {
        // Lanes are 32 in all, warps up to 8, registers a few.
        std::string_view name = field.name;
        int64_t left = name == "lanes" ? 5 : below(4);
        for (int64_t axis = 0; axis < axes; ++axis) {
          int64_t bits = axis + 1 == axes ? left : below(left + 1);
          values.push_back(int64_t(1) << bits);
          left -= bits;
        }
      }
      written.values.push_back(values);
    }
    return written;
  }

  std::mt19937_64 random;
};

std::string textOf(const WrittenLayout &written) {
  auto list = [](const std::vector<int64_t> &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text + "]";
  };
  std::string text = written.form->name;
  if (*written.form->family)
    text += std::string(" ") + written.form->family;
  text += " " + list(written.shape);
  for (size_t i = 0; i < written.values.size(); ++i) {
    const LayoutField &field = written.form->fields[i];
    text += std::string(", ") + field.name + " = ";
    text += field.type == LayoutField::Number ? std::to_string(written.values[i].front())
                                              : list(written.values[i]);
  }
  return text;
}

/// Whether a tile of a blocked form is larger than the tensor.
bool overhangs(const WrittenLayout &written) {
  for (size_t axis = 0; axis < written.shape.size(); ++axis) {
    int64_t extent = 1;
    for (size_t i = 0; i < written.values.size(); ++i)
      if (std::string_view name = written.form->fields[i].name;
          name == "registers" || name == "lanes" || name == "warps")
        extent *= written.values[i][axis];
    if (extent > written.shape[axis])
      return true;
  }
  return false;
}

} // namespace

TEST_CASE("every form of a layout is read as its fields say, and printed as a name") {
  Reader reader;
  mlir::ScopedDiagnosticHandler quiet(reader.context.get(), [](mlir::Diagnostic &) {});
  Draw draw(7);
  for (const LayoutForm &form : layoutForms()) {
    int made = 0;
    for (int iteration = 0; iteration < 400; ++iteration) {
      WrittenLayout written = draw.layout(form);
      auto meant = makeLayout(written);
      std::string text = textOf(written);
      CAPTURE(text);
      auto read = reader.read(text, form.kind);
      // What has an error is refused by the reader, too.
      REQUIRE(read.has_value() == std::holds_alternative<LinearLayout>(meant));
      if (!read)
        continue;
      ++made;
      CHECK(*read == std::get<LinearLayout>(meant));
      std::string printed = layoutText(*read, form.kind);
      CAPTURE(printed);
      // Copies of threads beyond the tensor look like those that share an operand.
      if (form.family != std::string_view("blocked") || !overhangs(written))
        CHECK(printed.substr(0, 6) != "linear");
      auto again = reader.read(printed, form.kind);
      REQUIRE(again);
      CHECK(*again == *read);
    }
    CAPTURE(std::string(form.name));
    CAPTURE(std::string(form.family));
    CHECK(made > 25);
  }
}

TEST_CASE("slices and maps without a name are read as they were printed") {
  Reader reader;
  Draw draw(8);
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const auto &forms = layoutForms();
    const LayoutForm &form = forms[size_t(draw.below(int64_t(forms.size())))];
    if (form.kind != LayoutKind::Distributed)
      continue;
    auto parent = makeLayout(draw.layout(form));
    if (!std::holds_alternative<LinearLayout>(parent))
      continue;
    LinearLayout map = std::get<LinearLayout>(parent);
    unsigned rank = unsigned(map.outs().size());
    unsigned axis = unsigned(draw.below(rank));
    if (rank > 1)
      map = sliceLayout(map, axis);
    if (draw.below(2)) {
      // Mixing two axes leaves the map without a name, if there are two.
      std::vector<LinearLayout::InDim> ins = map.ins();
      auto &registers = ins[0].images;
      for (size_t bit = 1; bit < registers.size(); ++bit)
        registers[bit] ^= registers[bit - 1];
      map = LinearLayout(ins, map.outs());
    }
    std::string printed = layoutText(map, LayoutKind::Distributed);
    CAPTURE(printed);
    auto read = reader.read(printed, LayoutKind::Distributed);
    REQUIRE(read);
    CHECK(*read == map);
  }
}

TEST_CASE(
    "texts of layouts that are cut or damaged are refused with a sentence, or read as a layout") {
  Reader reader;
  std::string said;
  mlir::ScopedDiagnosticHandler keep(reader.context.get(),
                                     [&](mlir::Diagnostic &d) { said = d.str(); });
  Draw draw(9);
  const std::string alphabet = "[]<>=,0123456789abc -#";
  int refused = 0, taken = 0;
  for (const LayoutForm &form : layoutForms())
    for (int iteration = 0; iteration < 300; ++iteration) {
      std::string text = textOf(draw.layout(form));
      for (int64_t change = draw.below(3); change >= 0; --change) {
        size_t at = size_t(draw.below(int64_t(text.size())));
        if (draw.below(4) == 0)
          text = text.substr(0, at + 1);
        else
          text[at] = alphabet[size_t(draw.below(int64_t(alphabet.size())))];
      }
      CAPTURE(text);
      said.clear();
      auto read = reader.read(text, form.kind);
      CHECK(read.has_value() == said.empty());
      if (!read) {
        ++refused;
        continue;
      }
      ++taken;
      std::string printed = layoutText(*read, form.kind);
      CAPTURE(printed);
      auto again = reader.read(printed, form.kind);
      REQUIRE(again);
      CHECK(*again == *read);
    }
  CHECK(refused > 100);
  CHECK(taken > 20);
}
