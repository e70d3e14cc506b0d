// SPDX-License-Identifier: MIT
//
// Copies that go on by themselves, as PTX: cp.async by threads (sm_80), barriers in shared memory
// and the copy unit's boxes (sm_90). The copy unit sees memory through a proxy of its own, so what
// threads have written must be fenced before it looks.
#include "targets/nvidia/Hooks.h"
#include "targets/nvidia/InlinePtx.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

/// The 32-bit address that instructions on shared memory take.
Value *address(llvm::IRBuilderBase &b, Value *shared) {
  return b.CreatePtrToInt(shared, b.getInt32Ty());
}

std::string number(uint64_t value) { return std::to_string(value); }

/// "{$2, $3}", and the constraints of so many registers.
std::string list(unsigned first, size_t count, std::string &constraints) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + number(first + i);
    constraints += ",r";
  }
  return text + "}";
}

} // namespace

bool NvidiaHooks::hasAsyncCopy(unsigned bytes) const {
  return bytes == 4 || bytes == 8 || bytes == 16;
}

void NvidiaHooks::asyncCopy(Builder &b, Value *shared, const GlobalAccess &access) const {
  unsigned bytes = access.elementBytes * access.elements;
  // Whole lines pass by the first cache.
  std::string text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") +
                     ".shared.global [$0], [$1], " + number(bytes);
  llvm::SmallVector<Value *> operands = {address(b, shared), access.pointer};
  std::string constraints = "r,l";
  if (access.predicate) {
    operands.push_back(b.CreateSelect(access.predicate, b.getInt32(bytes), b.getInt32(0)));
    constraints += ",r";
    text += ", $2";
  }
  emitPtx(b, b.getVoidTy(), text + ";", constraints, operands, true);
}

void NvidiaHooks::asyncCommit(Builder &b) const {
  emitPtx(b, b.getVoidTy(), "cp.async.commit_group;", "", {}, true);
}

void NvidiaHooks::asyncWait(Builder &b, unsigned groups) const {
  emitPtx(b, b.getVoidTy(), "cp.async.wait_group " + number(groups) + ";", "", {}, true);
}

// ---- Barriers in shared memory -----------------------------------------------------------------

void NvidiaHooks::barrierInit(Builder &b, Value *barrier, unsigned count) const {
  emitPtx(b, b.getVoidTy(),
          "mbarrier.init.shared::cta.b64 [$0], " + number(count) +
              ";\n\tfence.proxy.async.shared::cta;",
          "r", {address(b, barrier)}, true);
}

void NvidiaHooks::barrierInvalidate(Builder &b, Value *barrier) const {
  emitPtx(b, b.getVoidTy(), "mbarrier.inval.shared::cta.b64 [$0];", "r", {address(b, barrier)},
          true);
}

void NvidiaHooks::barrierExpect(Builder &b, Value *barrier, unsigned bytes) const {
  emitPtx(b, b.getVoidTy(),
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + number(bytes) + ";", "r",
          {address(b, barrier)}, true);
}

void NvidiaHooks::barrierArrive(Builder &b, Value *barrier, unsigned count) const {
  emitPtx(b, b.getVoidTy(), "mbarrier.arrive.shared::cta.b64 _, [$0], " + number(count) + ";", "r",
          {address(b, barrier)}, true);
}

void NvidiaHooks::barrierWait(Builder &b, Value *barrier, Value *phase) const {
  emitPtx(b, b.getVoidTy(),
          "{\n\t.reg .pred done;\n"
          "wait:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
          "\t@!done bra wait;\n\t}",
          "r,r", {address(b, barrier), phase}, true, /*convergent=*/true);
}

// ---- Boxes -------------------------------------------------------------------------------------

/// Without a state space the fence waits for all of the thread's accesses, as far as the second
/// cache.
void NvidiaHooks::orderTensorCopies(Builder &b, bool global) const {
  emitPtx(b, b.getVoidTy(), global ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;", "",
          {}, true);
}

bool NvidiaHooks::hasTensorMaps() const {
  char suffix = architecture.name.back();
  return hasTensorCopies() && (suffix == 'a' || suffix == 'f');
}

void NvidiaHooks::markTensorMap(llvm::Argument &parameter) const {
  llvm::LLVMContext &context = parameter.getContext();
  auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 128);
  parameter.addAttr(llvm::Attribute::getWithByValType(context, bytes));
  parameter.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
  parameter.addAttr(llvm::Attribute::get(context, "nvvm.grid_constant"));
}

/// The number by which PTX knows an element; up to f32 the two count alike.
static unsigned elementNumber(TensorElement element) {
  return element == TensorElement::f64    ? 9
         : element == TensorElement::bf16 ? 10
                                          : unsigned(element);
}
static_assert(int(TensorElement::u8) == 0 && int(TensorElement::f32) == 7);

void NvidiaHooks::tensorMap(Builder &b, Value *map, Value *shared, Value *lane,
                            const TensorMap &parts) const {
  llvm::SmallVector<Value *> operands = {address(b, shared), map, lane, parts.base};
  std::string constraints = "r,l,r,l", text = "{\n\t.reg .pred first;\n\t.reg .b32 word;\n"
                                              "\tsetp.eq.u32 first, $2, 0;\n"
                                              "\tmad.lo.u32 word, $2, 4, $0;\n"
                                              "\tst.shared.b32 [word], 0;\n"
                                              "\tbar.warp.sync -1;\n";
  auto replace = [&](const std::string &field, const std::string &type, const std::string &value) {
    text += "\t@first tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [$0], " +
            value + ";\n";
  };
  auto operand = [&](Value *value, const char *constraint) {
    constraints += std::string(",") + constraint;
    operands.push_back(value);
    return "$" + number(operands.size() - 1);
  };
  unsigned rank = unsigned(parts.box.size());
  replace("global_address", "b64", "$3");
  replace("rank", "b32", number(rank - 1));
  for (unsigned axis = 0; axis < rank; ++axis) {
    std::string at = number(axis) + ", ";
    auto replaceAt = [&](const std::string &field, const std::string &type,
                         const std::string &value) {
      text += "\t@first tensormap.replace.tile." + field + ".shared::cta.b1024." + type +
              " [$0], " + at + value + ";\n";
    };
    replaceAt("box_dim", "b32", number(parts.box[axis]));
    replaceAt("global_dim", "b32", operand(parts.extents[axis], "r"));
    replaceAt("element_stride", "b32", "1");
    if (axis + 1 < rank)
      replaceAt("global_stride", "b64", operand(parts.strides[axis], "l"));
  }
  replace("elemtype", "b32", number(elementNumber(parts.element)));
  replace("interleave_layout", "b32", "0");
  replace("swizzle_mode", "b32", "0");
  replace("fill_mode", "b32", parts.padWithNan ? "1" : "0");
  text +=
      "\tbar.warp.sync -1;\n"
      "\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[$1], [$0], 128;\n"
      "\tfence.proxy.tensormap::generic.acquire.gpu [$1], 128;\n\t}";
  emitPtx(b, b.getVoidTy(), text, constraints, operands, true, /*convergent=*/true);
}

void NvidiaHooks::tensorLoad(Builder &b, Value *shared, Value *map,
                             llvm::ArrayRef<Value *> coordinates, Value *barrier) const {
  llvm::SmallVector<Value *> operands = {address(b, shared), map, address(b, barrier)};
  operands.append(coordinates.begin(), coordinates.end());
  std::string constraints = "r,l,r";
  std::string at = list(3, coordinates.size(), constraints);
  emitPtx(b, b.getVoidTy(),
          "cp.async.bulk.tensor." + number(coordinates.size()) +
              "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, " + at + "], [$2];",
          constraints, operands, true);
}

void NvidiaHooks::tensorStore(Builder &b, Value *map, llvm::ArrayRef<Value *> coordinates,
                              Value *shared, std::optional<tt::DescriptorReduceKind> kind) const {
  llvm::SmallVector<Value *> operands = {map, address(b, shared)};
  operands.append(coordinates.begin(), coordinates.end());
  std::string constraints = "l,r";
  std::string at = list(2, coordinates.size(), constraints);
  std::string text = kind ? "cp.reduce.async.bulk.tensor." : "cp.async.bulk.tensor.";
  text += number(coordinates.size()) + "d.global.shared::cta.";
  if (kind)
    text += tt::stringifyDescriptorReduceKind(*kind).str() + ".tile.";
  emitPtx(b, b.getVoidTy(),
          text + "bulk_group [$0, " + at + "], [$1];\n\tcp.async.bulk.commit_group;", constraints,
          operands, true);
}

void NvidiaHooks::tensorStoreWait(Builder &b, unsigned groups, bool onlyRead) const {
  emitPtx(b, b.getVoidTy(),
          std::string("cp.async.bulk.wait_group") + (onlyRead ? ".read " : " ") + number(groups) +
              ";",
          "", {}, true);
}

/// The unit writes past the first cache: what lies there is dropped.
void NvidiaHooks::acceptTensorStores(Builder &b) const {
  emitPtx(b, b.getVoidTy(), "fence.proxy.async;\n\tfence.acq_rel.gpu;", "", {}, true);
}

void NvidiaHooks::prefetchTensorMap(Builder &b, Value *map) const {
  emitPtx(b, b.getVoidTy(), "prefetch.tensormap [$0];", "l", {map}, true);
}

} // namespace tl::backend::nvidia
