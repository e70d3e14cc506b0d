// SPDX-License-Identifier: MIT
#include "passes/Passes.h"
#include "support/SpecialRegister.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_KEEPORDER
#include "passes/Passes.h.inc"

namespace {

/// Whether anything but arithmetic that nobody uses reads a result of the operation.
bool isSeen(Operation *op) {
  SmallVector<Operation *> work = {op};
  llvm::DenseSet<Operation *> known;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (user->getNumResults() == 0 || user->getNumRegions() || !isMemoryEffectFree(user))
        return true;
      if (known.insert(user).second)
        work.push_back(user);
    }
  return false;
}

/// As users spell it.
StringRef nameOf(RMWOp kind) {
  switch (kind) {
  case RMWOp::AND:
    return "tl::atomic_and";
  case RMWOp::OR:
    return "tl::atomic_or";
  case RMWOp::XOR:
    return "tl::atomic_xor";
  case RMWOp::ADD:
  case RMWOp::FADD:
    return "tl::atomic_add";
  case RMWOp::MAX:
  case RMWOp::UMAX:
    return "tl::atomic_max";
  case RMWOp::MIN:
  case RMWOp::UMIN:
    return "tl::atomic_min";
  case RMWOp::XCHG:
    return "tl::atomic_xchg";
  }
  llvm_unreachable("kind of an atomic");
}

constexpr const char *rounds = "of floats rounds in the order in which programs run";
constexpr const char *returns = "returns what depends on the order in which programs run";
constexpr const char *oneWins = "keeps the value of the program that happens to be the last";

/// What an atomic does that another order of the programs would change; null if nothing.
const char *orderShownBy(Operation *op) {
  if (auto rmw = dyn_cast<AtomicRMWOp>(op)) {
    if (rmw.getAtomicRmwOp() == RMWOp::FADD)
      return rounds;
    if (isSeen(op))
      return returns;
    return rmw.getAtomicRmwOp() == RMWOp::XCHG ? oneWins : nullptr;
  }
  if (isa<AtomicCASOp>(op))
    return isSeen(op) ? returns : "keeps the value of the program that happens to be the first";
  if (isa<AtomicLoadOp>(op))
    return isSeen(op) ? returns : nullptr;
  if (auto poll = dyn_cast<AtomicPollOp>(op)) // without a timeout it returns true
    return poll.getTimeout() && isSeen(op) ? "returns whether others were fast enough" : nullptr;
  if (auto reduce = dyn_cast<DescriptorReduceOp>(op)) {
    if (reduce.getKind() == DescriptorReduceKind::ADD &&
        isa<FloatType>(getElementTypeOrSelf(reduce.getSrc().getType())))
      return rounds;
    if (reduce.getKind() == DescriptorReduceKind::INC ||
        reduce.getKind() == DescriptorReduceKind::DEC)
      return "wraps around in the order in which programs run";
  }
  if (auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op)) {
    auto read = backend::specialRegisterOf(assembly.getAsmString());
    if (read == backend::SpecialRegister::GlobalTimer)
      return "returns another time in every run";
    if (read == backend::SpecialRegister::MultiprocessorId)
      return "returns where a program happens to run";
  }
  return nullptr;
}

std::string nameOf(Operation *op) {
  if (auto rmw = dyn_cast<AtomicRMWOp>(op))
    return nameOf(rmw.getAtomicRmwOp()).str();
  if (auto reduce = dyn_cast<DescriptorReduceOp>(op))
    return ("tl::descriptor::atomic_" + stringifyEnum(reduce.getKind())).str();
  if (auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op))
    return backend::specialRegisterOf(assembly.getAsmString()) ==
                   backend::SpecialRegister::GlobalTimer
               ? "tl::cuda::globaltimer"
               : "tl::cuda::smid";
  return "tl::" + op->getName().stripDialect().str(); // they are spelled like their operation
}

struct KeepOrder : impl::KeepOrderBase<KeepOrder> {
  void runOnOperation() override {
    if (failed(keepOrder(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult keepOrder(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      reshape.setAllowReorder(false);
    const char *shows = orderShownBy(op);
    if (!shows)
      return WalkResult::advance();
    op->emitError() << nameOf(op) << " " << shows << ", which a deterministic launch refuses";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tl::tt
