// SPDX-License-Identifier: MIT
#include "NpyFile.h"

#include "CommandLine.h"
#include "Failure.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>

namespace tlc {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct ElementType {
  std::string_view dtype, name;
  unsigned bytes;
};

// NumPy writes '|' where the byte order does not matter; '=' and '<' are the same on our hosts.
constexpr ElementType elementTypes[] = {
    {"|b1", "bool", 1},   {"|i1", "int8", 1},    {"|u1", "uint8", 1},   {"<i2", "int16", 2},
    {"<u2", "uint16", 2}, {"<i4", "int32", 4},   {"<u4", "uint32", 4},  {"<i8", "int64", 8},
    {"<u8", "uint64", 8}, {"<f2", "float16", 2}, {"<f4", "float32", 4}, {"<f8", "float64", 8},
};

const ElementType *findType(std::string_view dtype) {
  for (const ElementType &type : elementTypes)
    if (type.dtype == dtype)
      return &type;
  return nullptr;
}

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

/// The header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, in any order.
class HeaderParser {
public:
  HeaderParser(const std::string &path, std::string_view text) : path(path), rest(text) {}

  NpyArray parse() {
    NpyArray array;
    std::optional<bool> fortranOrder;
    bool haveShape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = parseString();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          failFile(path + " holds records, tlc takes arrays of numbers");
        array.dtype = parseString();
      } else if (key == "fortran_order") {
        fortranOrder = parseBoolean();
      } else if (key == "shape") {
        array.shape = parseShape();
        haveShape = true;
      } else {
        malformed();
      }
      if (!accept(',') && peek() != '}')
        malformed();
    }
    if (peek() != '\0' || array.dtype.empty() || !fortranOrder || !haveShape)
      malformed();
    if (*fortranOrder && array.shape.size() > 1)
      failFile(path + " is in Fortran order, tlc takes C order", "save numpy.ascontiguousarray(x)");
    return array;
  }

private:
  [[noreturn]] void malformed() const { failFile(path + " has a malformed .npy header"); }

  char peek() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
    return rest.empty() ? '\0' : rest[0];
  }
  bool accept(char c) {
    if (peek() != c || c == '\0')
      return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      malformed();
  }

  std::string parseString() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      malformed();
    size_t end = rest.find(quote, 1);
    if (end == rest.npos)
      malformed();
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }

  bool parseBoolean() {
    peek();
    for (std::string_view word : {"True", "False"})
      if (rest.starts_with(word)) {
        rest.remove_prefix(word.size());
        return word == "True";
      }
    malformed();
  }

  std::vector<uint64_t> parseShape() {
    std::vector<uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      peek();
      size_t digits = rest.find_first_not_of("0123456789");
      std::optional<uint64_t> extent = parseUnsigned(rest.substr(0, digits));
      if (digits == rest.npos || !extent)
        malformed();
      shape.push_back(*extent);
      rest.remove_prefix(digits);
      if (!accept(',') && peek() != ')')
        malformed();
    }
    return shape;
  }

  const std::string &path;
  std::string_view rest;
};

uint64_t dataSize(const std::string &path, const NpyArray &array) {
  uint64_t size = elementBytes(array.dtype);
  bool overflow = false, empty = false;
  for (uint64_t extent : array.shape) {
    empty = empty || extent == 0;
    overflow = overflow || __builtin_mul_overflow(size, extent, &size);
  }
  if (overflow && !empty)
    failFile(path + " has a shape of more than 2^64 bytes");
  return empty ? 0 : size;
}

} // namespace

unsigned elementBytes(const std::string &dtype) {
  const ElementType *type = findType(dtype);
  return type ? type->bytes : 0;
}

std::string NpyArray::typeName() const {
  const ElementType *type = findType(dtype);
  return type ? std::string(type->name) : dtype;
}

std::vector<char> readFile(const std::string &path) {
  std::unique_ptr<std::FILE, FileCloser> opened;
  std::FILE *file = stdin;
  if (path != "-") {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
      failFile("cannot read " + path + ": it is a folder");
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (!opened)
      failFile("cannot read " + path + ": " + std::strerror(errno));
    file = opened.get();
  }
  std::vector<char> content;
  char block[1 << 16];
  while (size_t count = std::fread(block, 1, sizeof block, file))
    content.insert(content.end(), block, block + count);
  if (std::ferror(file))
    failFile("cannot read " + (path == "-" ? "the standard input" : path) + ": " +
             std::strerror(errno));
  return content;
}

void writeFile(const std::string &path, const std::string &content) {
  std::unique_ptr<std::FILE, FileCloser> opened;
  std::FILE *file = stdout;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "wb"));
    if (!opened)
      failFile("cannot write " + path + ": " + std::strerror(errno));
    file = opened.get();
  }
  if (std::fwrite(content.data(), 1, content.size(), file) != content.size() ||
      std::fflush(file) != 0)
    failFile("cannot write " + (path == "-" ? "the standard output" : path) + ": " +
             std::strerror(errno));
}

void finishOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return;
  // Of a failure in the past nothing is known but that it was.
  failFile("cannot write the standard output" +
           (errno ? std::string(": ") + std::strerror(errno) : std::string()));
}

NpyArray readNpy(const std::string &path) {
  std::vector<char> content = readFile(path);
  std::string_view file(content.data(), content.size());
  if (!file.starts_with(magic))
    failFile(path + " is not a .npy file");
  size_t lengthBytes = 0;
  if (file.size() >= 8)
    lengthBytes = file[6] == 1 ? 2 : file[6] == 2 || file[6] == 3 ? 4 : 0;
  if (file.size() >= 8 && lengthBytes == 0)
    failFile(path + " has version " + std::to_string(static_cast<unsigned char>(file[6])) +
             " of the .npy format, tlc reads 1 to 3");
  size_t begin = 8 + lengthBytes, length = 0;
  if (file.size() < begin || lengthBytes == 0)
    failFile(path + " is truncated in its .npy header");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(file[8 + i])) << (8 * i);
  if (file.size() - begin < length)
    failFile(path + " is truncated in its .npy header");

  NpyArray array = HeaderParser(path, file.substr(begin, length)).parse();
  if (array.dtype.size() > 1 &&
      (array.dtype[0] == '=' || array.dtype[0] == '|' || array.dtype[0] == '<'))
    array.dtype[0] = array.dtype.ends_with("1") && array.dtype.size() == 3 ? '|' : '<';
  if (array.dtype.size() > 1 && array.dtype[0] == '>')
    failFile(path + " is big-endian (" + array.dtype + "), tlc takes little-endian arrays",
             "save x.astype(x.dtype.newbyteorder('<'))");
  if (elementBytes(array.dtype) == 0)
    failFile(path + " has the element type " + quoted(array.dtype) +
             ", tlc takes booleans, integers and floats of 1 to 8 bytes");

  uint64_t size = dataSize(path, array), have = file.size() - begin - length;
  if (have != size)
    failFile(path + " has " + std::to_string(have) + " bytes of elements, its shape needs " +
             std::to_string(size));
  array.bytes.assign(file.begin() + begin + length, file.end());
  return array;
}

void writeNpy(const std::string &path, const NpyArray &array) {
  std::string header = "{'descr': '" + array.dtype + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(array.shape[i]);
  header += array.shape.size() == 1 ? ",), }" : "), }";
  // The elements begin at a multiple of 64 bytes; the header ends in a newline.
  constexpr size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string content(magic);
  content += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
              static_cast<char>(header.size() >> 8)};
  content += header;
  content.append(array.bytes.data(), array.bytes.size());
  writeFile(path, content);
}

} // namespace tlc
