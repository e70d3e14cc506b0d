# SPDX-License-Identifier: MIT
"""The reader of headers, of which the reference of the host side is made, sees what users see, and a public
member without a comment is an error."""
import sys

from project import ROOT, Report

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs/reference"))
import headers  # noqa: E402
import host  # noqa: E402

HEADER = """// SPDX-License-Identifier: MIT
#pragma once
// What is this? A header. More is in impl/inner.hpp.

#define TWICE(x) x x
namespace tl {
namespace impl {
/// Nobody's business.
struct hidden {};
} // namespace impl

/// A box of T, such as "{" or '}'.
///
///     tl::box<int> b(3);
template <class T>
  requires(sizeof(T) > 1 && requires(T t) { t + t; })
class box : public base {
public:
  /// With `size` elements.
  template <std::integral Size> explicit box(Size size, int more = {}) : size_(size), at_{nullptr} {}
  box(const box &) = delete;
  box &operator=(box &&other) noexcept { return *this; }
  ~box() { free(at_); }

  /// The first.
  T *data() { return at_; }
  const T *data() const { return at_; }
  /// Is it this one?
  friend bool operator==(box, box) = default;

private:
  int secret() const { return 1; }
  T *at_ = nullptr;
};

/// Options.
struct options {
  int warps = 4; ///< a power of two
  /// Whether to be loud.
  bool loud = false;
};

/// Calls it.
inline void call(box<int> b, std::source_location where = std::source_location::current());
} // namespace tl
"""

report = Report()
found = headers.scan(HEADER)
report.check([one.name for one in found] == ["box", "options", "call"], f"found {[one.name for one in found]}")
box, options, call = found
report.check((box.template, box.signature, box.base) == ("template <class T>", "class box", "base"), f"read {box}")
report.check([member.signature for member in box.members] ==
             ["box(Size size, int more = {})", "T *data()\nconst T *data() const",
              "bool operator==(box, box)"], f"members {[member.signature for member in box.members]}")
report.check([(member.signature, member.comment.strip()) for member in options.members] ==
             [("int warps = 4", "a power of two"), ("bool loud = false", "Whether to be loud.")], f"read {options}")
report.check(call.signature == "void call(box<int> b)", f"read {call}")
report.check(headers.introduction(HEADER) == "What is this? A header.", f"read {headers.introduction(HEADER)}")
text = host.entry(box, "box")
report.check("```cpp\ntl::box<int> b(3);\n```" in text and '`T *data()`<br>`const T *data() const`' in text, text)
for wanted, change in (("box::data", ("  /// The first.\n", "")), ("options::warps", (" ///< a power of two", "")),
                       ("call", ("/// Calls it.\n", ""))):
    try:
        for one in headers.scan(HEADER.replace(*change)):
            host.entry(one, "box")
        report.check(False, f"no error without the comment of {wanted}")
    except SystemExit as error:
        report.check(wanted in str(error) and "has no comment" in str(error), str(error))
report.finish()
