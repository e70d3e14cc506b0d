// SPDX-License-Identifier: MIT
#include "targets/simt/Printing.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace tl::backend::simt {

namespace {

/// `next`: the bits of the next argument, which has that number of bytes.
template <class Next> void print(const char *format, Next next) {
  std::string out;
  for (const char *at = format; *at; ++at) {
    if (*at != '%') {
      out += *at;
      continue;
    }
    if (at[1] == '%') {
      out += '%';
      ++at;
      continue;
    }
    std::string conversion = "%";
    do
      conversion += *++at;
    while (*at && !std::strchr("diuxXcsgfepo", *at));
    const char last = conversion.back();
    char text[400];
    if (last == 'g' || last == 'f' || last == 'e')
      std::snprintf(text, sizeof text, conversion.c_str(), std::bit_cast<double>(next(8)));
    else if (conversion.find("ll") != conversion.npos)
      std::snprintf(text, sizeof text, conversion.c_str(), static_cast<long long>(next(8)));
    else
      std::snprintf(text, sizeof text, conversion.c_str(), static_cast<int>(next(4)));
    out += text;
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

template <class T> T readAt(const char *place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

} // namespace

void printList(const char *format, const char *list) {
  print(format, [&](uint64_t bytes) {
    auto at = (reinterpret_cast<uintptr_t>(list) + bytes - 1) / bytes * bytes;
    list = reinterpret_cast<const char *>(at + bytes);
    uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void *>(at), bytes);
    return bits;
  });
}

/// A record: its size in bytes from bit 2 on of a word, the format's hash, arguments of 8 bytes.
void printRecords(const PrintBuffer &buffer, const PrintFormats &formats) {
  const char *record = reinterpret_cast<const char *>(&buffer + 1);
  for (const char *end = record + buffer.taken; record < end;) {
    const auto bytes = readAt<uint32_t>(record) >> 2;
    const auto found = formats.find(readAt<uint64_t>(record + 4));
    if (bytes < 12 || found == formats.end())
      return; // written by something else
    const char *argument = record + 12;
    print(found->second.c_str(), [&](uint64_t) {
      const auto bits = readAt<uint64_t>(argument);
      argument += 8;
      return bits;
    });
    record += bytes;
  }
}

} // namespace tl::backend::simt
