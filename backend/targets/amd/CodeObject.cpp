// SPDX-License-Identifier: MIT
#include "targets/amd/CodeObject.h"

#include "support/Error.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tl::backend::amd {

namespace {

[[noreturn]] void fail(const char *what) {
  raise(TL_INTERNAL_ERROR, std::string("a code object has no ") + what);
}

/// The note named AMDGPU of the metadata's type.
llvm::StringRef metadataOf(llvm::StringRef codeObject) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(codeObject);
  if (!file) {
    llvm::consumeError(file.takeError());
    fail("header");
  }
  auto headers = file->program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    fail("segments");
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error problem = llvm::Error::success();
    for (const auto &note : file->notes(header, problem))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA) {
        llvm::consumeError(std::move(problem));
        return note.getDescAsStringRef(header.p_align);
      }
    llvm::consumeError(std::move(problem));
  }
  fail("metadata");
}

} // namespace

KernelResources resourcesOf(llvm::StringRef codeObject) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(metadataOf(codeObject), false))
    fail("metadata that can be read");
  auto kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray() || kernels.getArray().size() != 1)
    fail("kernel of its own");
  llvm::msgpack::MapDocNode kernel = kernels.getArray()[0].getMap();
  auto number = [&](const char *name) -> int64_t {
    llvm::msgpack::DocNode node = kernel[name];
    return node.getKind() == llvm::msgpack::Type::UInt  ? int64_t(node.getUInt())
           : node.getKind() == llvm::msgpack::Type::Int ? node.getInt()
                                                        : 0;
  };
  KernelResources found;
  found.symbol = kernel[".name"].getString().str();
  found.vectorRegisters = number(".vgpr_count");
  found.scalarRegisters = number(".sgpr_count");
  found.spilledRegisters = number(".vgpr_spill_count") + number(".sgpr_spill_count");
  found.privateBytes = number(".private_segment_fixed_size");
  found.sharedBytes = number(".group_segment_fixed_size");
  found.parameterBytes = number(".kernarg_segment_size");
  found.lanes = number(".wavefront_size");
  found.mostThreads = number(".max_flat_workgroup_size");
  return found;
}

} // namespace tl::backend::amd
