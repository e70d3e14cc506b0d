// SPDX-License-Identifier: MIT
#pragma once
// A locale whose fractions have a comma, as many programs choose one. It is made here, as machines
// have few.

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

class comma_locale {
public:
  comma_locale() {
    char folder[] = "/tmp/tl-locale-XXXXXX";
    if (!mkdtemp(folder))
      return;
    folder_ = folder;
    std::ofstream(folder_ + "/source") << "comment_char %\nescape_char /\nLC_NUMERIC\n"
                                          "decimal_point \",\"\nthousands_sep \".\"\n"
                                          "grouping 3;3\nEND LC_NUMERIC\n";
    const std::string command =
        "localedef -c -i " + folder_ + "/source " + folder_ + "/comma > /dev/null 2>&1";
    (void)!std::system(command.c_str()); // warns about what else a locale has
    setenv("LOCPATH", folder, 1);
    is_set_ = std::setlocale(LC_NUMERIC, "comma") && *std::localeconv()->decimal_point == ',';
  }
  ~comma_locale() {
    std::setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    if (!folder_.empty())
      std::filesystem::remove_all(folder_);
  }
  comma_locale(const comma_locale &) = delete;
  comma_locale &operator=(const comma_locale &) = delete;

  /// Whether the program has it now: not without localedef.
  bool is_set() const { return is_set_; }

private:
  std::string folder_;
  bool is_set_ = false;
};
