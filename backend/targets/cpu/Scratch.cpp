// SPDX-License-Identifier: MIT
#include "targets/cpu/Scratch.h"

#include "targets/Target.h"

#include <algorithm>

namespace tl::backend::cpu {

Slot *Scratch::allocate(uint64_t bytes) {
  auto slot = std::make_unique<Slot>();
  slot->bytes = (bytes + 63) / 64 * 64;
  llvm::IRBuilder<> builder(entry->getContext());
  if (llvm::Instruction *terminator = entry->getTerminator())
    builder.SetInsertPoint(terminator);
  else
    builder.SetInsertPoint(entry);
  // The index is a placeholder until assign().
  slot->address = llvm::GetElementPtrInst::CreateInBounds(builder.getInt8Ty(), base,
                                                          {builder.getInt64(0)}, "slot");
  builder.Insert(slot->address);
  slot->pointer = slot->address;
  slot->first = slot->last = clock;
  slot->loops.assign(loops.begin(), loops.end());
  slots.push_back(std::move(slot));
  return slots.back().get();
}

Slot *Scratch::external(llvm::Value *pointer, uint64_t bytes, bool readOnly) {
  auto slot = std::make_unique<Slot>();
  slot->pointer = pointer;
  slot->bytes = bytes;
  slot->readOnly = readOnly;
  slots.push_back(std::move(slot));
  return slots.back().get();
}

void Scratch::use(Slot &slot) {
  slot.last = std::max(slot.last, clock);
  if (loops.size() > slot.loops.size())
    touched[loops[slot.loops.size()]].push_back(&slot);
}

void Scratch::enterLoop() {
  loops.push_back(touched.size());
  touched.emplace_back();
  tick();
}

void Scratch::leaveLoop() {
  tick();
  for (Slot *slot : touched[loops.back()])
    slot->last = std::max(slot->last, clock);
  touched[loops.back()].clear();
  loops.pop_back();
  tick();
}

void Scratch::assign() {
  std::vector<Slot *> order; // by the time of their first use, as they were made
  for (auto &slot : slots)
    if (slot->address)
      order.push_back(slot.get());
  struct Placed {
    uint64_t begin, end;
    unsigned last;
  };
  std::vector<Placed> live; // by begin
  for (Slot *slot : order) {
    if (shared)
      live.erase(std::remove_if(live.begin(), live.end(),
                                [&](const Placed &placed) { return placed.last < slot->first; }),
                 live.end());
    uint64_t offset = 0;
    auto where = live.begin();
    for (; where != live.end() && where->begin < offset + slot->bytes; ++where)
      offset = where->end;
    live.insert(where, {offset, offset + slot->bytes, slot->last});
    total = std::max(total, offset + slot->bytes);
    slot->address->setOperand(
        1, llvm::ConstantInt::get(slot->address->getOperand(1)->getType(), offset));
  }
}

} // namespace tl::backend::cpu
