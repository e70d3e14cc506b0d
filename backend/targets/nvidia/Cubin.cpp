// SPDX-License-Identifier: MIT
//
// A cubin is an ELF file. The section ".text.<kernel>" has the number of registers in the upper
// byte of its info field; ".nv.info" lists attributes as (format, attribute, size, data), among
// them the size of the stack frame of each function symbol.
//
// From sm_80 on an instruction has 16 bytes: the operation in the lowest 12 bits, and from bit 105
// on what the assembler has decided about its timing: after how many cycles the next one may follow
// (4 bits), a hint (1), which of six scoreboards it frees when its result is there (3, 7 for none)
// and when its operands are read (3), and which ones have to be free before it starts (6).
#include "targets/nvidia/Cubin.h"

#include "targets/nvidia/Toolkit.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

namespace tl::backend::nvidia {

namespace {

using Elf = llvm::object::ELF64LE;
using ElfFile = llvm::object::ELFFile<Elf>;

/// What could be read; nothing where the file is broken.
template <class T> std::optional<T> valueOf(llvm::Expected<T> read) {
  if (read)
    return std::move(*read);
  llvm::consumeError(read.takeError());
  return std::nullopt;
}

/// The number of a symbol in the table; ~0 if it is not there.
uint32_t symbolNumber(const ElfFile &file, const Elf::Shdr &table, llvm::StringRef symbol) {
  auto symbols = valueOf(file.symbols(&table));
  auto strings = valueOf(file.getStringTableForSymtab(table));
  if (symbols && strings)
    for (const Elf::Sym &entry : *symbols)
      if (valueOf(entry.getName(*strings)) == symbol)
        return uint32_t(&entry - symbols->begin());
  return ~0u;
}

/// Reads the attributes of a function.
void readInfo(llvm::ArrayRef<uint8_t> info, uint32_t function, CubinResources &resources) {
  using llvm::support::endian::read16le;
  using llvm::support::endian::read32le;
  constexpr uint8_t sized = 4, frameSize = 0x11, registerCount = 0x2f;
  while (info.size() >= 4) {
    uint8_t format = info[0], attribute = info[1];
    uint16_t size = read16le(&info[2]);
    if (format == sized && size == 8 && info.size() >= 12 && read32le(&info[4]) == function) {
      uint32_t value = read32le(&info[8]);
      if (attribute == frameSize)
        resources.localBytes = value;
      if (attribute == registerCount)
        resources.registers = value;
    }
    info = info.drop_front(std::min<size_t>(info.size(), 4 + (format == sized ? size : 0)));
  }
}

int64_t countMemoryWaits(llvm::ArrayRef<uint8_t> code) {
  using llvm::support::endian::read64le;
  constexpr unsigned instructionBytes = 16, globalLoad = 0x981;
  int64_t waits = 0;
  unsigned loading = 0; // scoreboards, a bit each
  for (; code.size() >= instructionBytes; code = code.drop_front(instructionBytes)) {
    const uint64_t timing = read64le(&code[8]) >> 41;
    const unsigned result = timing >> 5 & 7, waited = timing >> 11 & 63;
    if (waited & loading) {
      ++waits;
      loading = 0;
    }
    if ((read64le(&code[0]) & 0xFFF) == globalLoad && result < 6)
      loading |= 1u << result;
  }
  return waits;
}

} // namespace

CubinResources resourcesOf(const std::string &cubin, const std::string &symbol) {
  CubinResources resources;
  auto file = valueOf(ElfFile::create(cubin));
  auto sections = file ? valueOf(file->sections()) : std::nullopt;
  if (!sections)
    return resources;
  const std::string code = ".text." + symbol;
  uint32_t function = ~0u;
  llvm::ArrayRef<uint8_t> info;
  for (const Elf::Shdr &section : *sections) {
    auto name = valueOf(file->getSectionName(section));
    if (name == llvm::StringRef(code)) {
      resources.registers = section.sh_info >> 24;
      if (auto text = valueOf(file->getSectionContents(section)))
        resources.memoryWaits = countMemoryWaits(*text);
    }
    if (name == llvm::StringRef(".nv.info"))
      info = valueOf(file->getSectionContents(section)).value_or(info);
    if (section.sh_type == llvm::ELF::SHT_SYMTAB)
      function = symbolNumber(*file, section, symbol);
  }
  readInfo(info, function, resources);
  return resources;
}

const std::string &disassemblerPath() {
  static const std::string &path = *new std::string(findToolkitProgram("nvdisasm"));
  return path;
}

std::string disassemble(const std::string &cubin) {
  TemporaryFile file, listing;
  file.write(cubin);
  (void)runProgram({disassemblerPath(), file.name()}, 0, &listing);
  return listing.read();
}

} // namespace tl::backend::nvidia
