// SPDX-License-Identifier: MIT
#include "EarlierSpelling.h"

#include "Failure.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tlc {
namespace {

constexpr std::string_view releases[] = {"3.6", "3.7", "3.8", "3.9"};
using Release = size_t; // among the above
constexpr Release v3_7 = 1, v3_8 = 2, v3_9 = 3, never = std::size(releases);

/// An operation that is younger than the first release, and what stood for it before.
struct Operation {
  std::string_view name;
  Release since;
  std::string_view before;
};

constexpr Operation operations[] = {
    {"ttg.barrier", v3_7, "gpu.barrier"},
    {"tt.approx_divf", v3_9, "arith.divf"},
    {"tt.atomic_load", v3_9, ""},
    {"tt.atomic_poll", v3_9, ""},
    {"tt.atomic_store", v3_9, ""},
    {"tt.grid_dependency_launch_dependents", v3_9, ""},
    {"tt.grid_dependency_wait", v3_9, ""},
    {"tt.grid_barrier", never, ""},
    {"tt.hint", never, ""},
};

bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

/// Copies a text word by word and replaces what the release spells in another way.
class Speller {
public:
  Speller(Release release, std::string_view text) : release(release), rest(text) {}

  std::string spell() {
    while (!rest.empty()) {
      const char c = rest.front();
      if (c == '"')
        copy(endOfString());
      else if (rest.starts_with("//"))
        copy(rest.find('\n'));
      else if (isNameCharacter(c))
        spellWord();
      else if (c == '%' || c == '@' || c == '^' || c == '#') // names of values, symbols and blocks
        copy(1 + lengthOfName(1));
      else if (c == '<' && makesDescriptor && std::isdigit(static_cast<unsigned char>(second())))
        spellDescribed(); // the short form, without the type's name
      else
        copy(1);
      if (c == '\n')
        makesDescriptor = false;
    }
    return out;
  }

private:
  void spellWord() {
    const std::string_view word = rest.substr(0, lengthOfName(0));
    makesDescriptor |= word == "tt.make_tensor_descriptor";
    const auto *known = std::find_if(std::begin(operations), std::end(operations),
                                     [&](const Operation &one) { return one.name == word; });
    if (known == std::end(operations) || release >= known->since) {
      copy(word.size());
      if (word == "tt.tensordesc" && rest.starts_with('<'))
        spellDescribed();
      return;
    }
    if (known->before.empty())
      throw Failure{KernelFailed,
                    known->since == never ? "no release of Triton has " + std::string(word)
                                          : "Triton " + std::string(releases[release]) +
                                                " has no " + std::string(word),
                    ""};
    out += known->before;
    rest.remove_prefix(word.size());
    if (word == "ttg.barrier") // which memories it orders: before, all
      while (!rest.empty() &&
             (isNameCharacter(rest.front()) || rest.front() == '|' ||
              (rest.front() == ' ' && isNameCharacter(second()) && !rest.starts_with(" loc"))))
        rest.remove_prefix(1);
  }

  /// `<16x16xf32>`, which was `<tensor<16x16xf32>>` before 3.8.
  void spellDescribed() {
    const size_t end = rest.find('>');
    if (release >= v3_8 || end == rest.npos || rest.starts_with("<tensor<"))
      return copy(1);
    out += "<tensor";
    copy(end + 1);
    out += '>';
  }

  size_t lengthOfName(size_t at) const {
    const std::string_view name = rest.substr(std::min(at, rest.size()));
    return size_t(std::find_if_not(name.begin(), name.end(), isNameCharacter) - name.begin());
  }

  size_t endOfString() const {
    for (size_t at = 1; at < rest.size(); at += rest[at] == '\\' ? 2 : 1)
      if (rest[at] == '"')
        return at + 1;
    return rest.size();
  }

  char second() const { return rest.size() > 1 ? rest[1] : '\0'; }

  void copy(size_t count) {
    count = std::min(count, rest.size());
    out += rest.substr(0, count);
    rest.remove_prefix(count);
  }

  Release release;
  std::string_view rest;
  std::string out;
  bool makesDescriptor = false; // on this line
};

} // namespace

void checkRelease(const std::string &release) {
  if (std::find(std::begin(releases), std::end(releases), release) == std::end(releases))
    failUsage("option --ttir-version is " + quoted(release) + ", expected 3.6, 3.7, 3.8 or 3.9");
}

std::string spelledFor(const std::string &release, std::string_view ttir) {
  const auto *known = std::find(std::begin(releases), std::end(releases), release);
  return Speller(Release(known - std::begin(releases)), ttir).spell();
}

} // namespace tlc
