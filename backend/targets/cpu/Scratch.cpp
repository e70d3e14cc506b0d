// SPDX-License-Identifier: MIT
#include "targets/cpu/Scratch.h"

#include "targets/Target.h"

#include <algorithm>

namespace tl::backend::cpu {

ScratchBuffer *Scratch::allocate(uint64_t bytes) {
  auto buffer = std::make_unique<ScratchBuffer>();
  buffer->bytes = (bytes + 63) / 64 * 64;
  llvm::IRBuilder<> builder(entry->getContext());
  if (llvm::Instruction *terminator = entry->getTerminator())
    builder.SetInsertPoint(terminator);
  else
    builder.SetInsertPoint(entry);
  // The index is a placeholder until assign().
  buffer->address = llvm::GetElementPtrInst::CreateInBounds(builder.getInt8Ty(), base,
                                                            {builder.getInt64(0)}, "buffer");
  builder.Insert(buffer->address);
  buffer->pointer = buffer->address;
  buffer->first = buffer->last = clock;
  buffer->loops.assign(loops.begin(), loops.end());
  buffers.push_back(std::move(buffer));
  return buffers.back().get();
}

ScratchBuffer *Scratch::external(llvm::Value *pointer, uint64_t bytes, bool readOnly) {
  auto buffer = std::make_unique<ScratchBuffer>();
  buffer->pointer = pointer;
  buffer->bytes = bytes;
  buffer->readOnly = readOnly;
  buffers.push_back(std::move(buffer));
  return buffers.back().get();
}

void Scratch::use(ScratchBuffer &buffer) {
  buffer.last = std::max(buffer.last, clock);
  if (loops.size() > buffer.loops.size())
    touched[loops[buffer.loops.size()]].push_back(&buffer);
}

void Scratch::enterLoop() {
  loops.push_back(touched.size());
  touched.emplace_back();
  tick();
}

void Scratch::leaveLoop() {
  tick();
  for (ScratchBuffer *buffer : touched[loops.back()])
    buffer->last = std::max(buffer->last, clock);
  touched[loops.back()].clear();
  loops.pop_back();
  tick();
}

void Scratch::assign() {
  std::vector<ScratchBuffer *> order; // by the time of their first use, as they were made
  for (auto &buffer : buffers)
    if (buffer->address)
      order.push_back(buffer.get());
  struct Placed {
    uint64_t begin, end;
    unsigned last;
  };
  std::vector<Placed> live; // by begin
  for (ScratchBuffer *buffer : order) {
    if (shared)
      live.erase(std::remove_if(live.begin(), live.end(),
                                [&](const Placed &placed) { return placed.last < buffer->first; }),
                 live.end());
    uint64_t offset = 0;
    auto where = live.begin();
    for (; where != live.end() && where->begin < offset + buffer->bytes; ++where)
      offset = where->end;
    live.insert(where, {offset, offset + buffer->bytes, buffer->last});
    total = std::max(total, offset + buffer->bytes);
    buffer->address->setOperand(
        1, llvm::ConstantInt::get(buffer->address->getOperand(1)->getType(), offset));
  }
}

} // namespace tl::backend::cpu
