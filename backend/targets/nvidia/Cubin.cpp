// SPDX-License-Identifier: MIT
//
// A cubin is an ELF file. The section ".text.<kernel>" has the number of registers in the upper
// byte of its info field; ".nv.info" lists attributes as (format, attribute, size, data), among
// them the size of the stack frame of each function symbol.
#include "targets/nvidia/Cubin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tl::backend::nvidia {

namespace {

/// Reads T at an offset, or zeros if it is outside.
template <class T> T at(std::string_view bytes, uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T))
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view text(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size())
    return {};
  std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

} // namespace

CubinResources resourcesOf(const std::string &cubin, const std::string &symbol) {
  CubinResources resources;
  std::string_view bytes = cubin;
  auto header = at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr))
    return resources;
  auto section = [&](unsigned i) {
    return at<Elf64_Shdr>(bytes, header.e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
  };
  Elf64_Shdr names = section(header.e_shstrndx);
  const std::string code = ".text." + symbol;
  uint32_t function = ~0u;
  Elf64_Shdr info{};
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr one = section(i);
    std::string_view name = text(bytes, names.sh_offset + one.sh_name);
    if (name == code)
      resources.registers = one.sh_info >> 24;
    if (name == ".nv.info")
      info = one;
    if (one.sh_type == SHT_SYMTAB) {
      Elf64_Shdr strings = section(one.sh_link);
      for (uint64_t s = 0; s * sizeof(Elf64_Sym) < one.sh_size; ++s) {
        auto entry = at<Elf64_Sym>(bytes, one.sh_offset + s * sizeof(Elf64_Sym));
        if (text(bytes, strings.sh_offset + entry.st_name) == symbol)
          function = uint32_t(s);
      }
    }
  }
  constexpr uint8_t sized = 4, frameSize = 0x11, registerCount = 0x2f;
  for (uint64_t offset = 0; offset + 4 <= info.sh_size;) {
    uint64_t place = info.sh_offset + offset;
    uint8_t format = at<uint8_t>(bytes, place), attribute = at<uint8_t>(bytes, place + 1);
    uint16_t size = at<uint16_t>(bytes, place + 2);
    if (format == sized && size == 8 && at<uint32_t>(bytes, place + 4) == function) {
      uint32_t value = at<uint32_t>(bytes, place + 8);
      if (attribute == frameSize)
        resources.localBytes = value;
      if (attribute == registerCount)
        resources.registers = value;
    }
    offset += 4 + (format == sized ? size : 0);
  }
  return resources;
}

const std::string &disassemblerPath() {
  static const std::string &path = *new std::string([]() -> std::string {
    std::vector<std::string> folders;
    for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char *folder = std::getenv(variable); folder && *folder)
        folders.push_back(std::string(folder) + "/bin");
    folders.push_back("/usr/local/cuda/bin");
    if (const char *list = std::getenv("PATH")) {
      std::string_view rest = list;
      while (!rest.empty()) {
        size_t end = rest.find(':');
        folders.push_back(std::string(rest.substr(0, end)));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      }
    }
    for (const std::string &folder : folders)
      if (std::string file = folder + "/nvdisasm"; access(file.c_str(), X_OK) == 0)
        return file;
    return "";
  }());
  return path;
}

std::string disassemble(const std::string &cubin) {
  const char *folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/tl-XXXXXX";
  int file = mkstemp(name.data());
  if (file < 0)
    return "";
  std::string listing;
  if (write(file, cubin.data(), cubin.size()) == ssize_t(cubin.size())) {
    std::string command = "'" + disassemblerPath() + "' '" + name + "' 2>/dev/null";
    if (FILE *pipe = popen(command.c_str(), "r")) {
      char buffer[65536];
      for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        listing.append(buffer, count);
      pclose(pipe);
    }
  }
  close(file);
  unlink(name.c_str());
  return listing;
}

} // namespace tl::backend::nvidia
