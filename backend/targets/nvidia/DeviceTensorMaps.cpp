// SPDX-License-Identifier: MIT
//
// Tensor maps that a kernel writes: field by field in shared memory, then as one to global memory.
// Inline PTX: one lane replaces the fields, by predicate; LLVM's intrinsics would need a branch.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

using llvm::Value;

/// The number by which PTX knows an element; up to f32 the two count alike.
static unsigned elementNumber(TensorElement element) {
  return element == TensorElement::f64    ? 9
         : element == TensorElement::bf16 ? 10
                                          : unsigned(element);
}
static_assert(int(TensorElement::u8) == 0 && int(TensorElement::f32) == 7);

void TensorMaps::write(GpuBuilder &b, Value *map, Value *shared, Value *lane,
                       const TensorMap &parts) const {
  llvm::SmallVector<Value *> operands = {sharedAddress(b, shared), map, lane, parts.base};
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
    return "$" + std::to_string(operands.size() - 1);
  };
  unsigned rank = unsigned(parts.box.size());
  replace("global_address", "b64", "$3");
  replace("rank", "b32", std::to_string(rank - 1));
  for (unsigned axis = 0; axis < rank; ++axis) {
    std::string at = std::to_string(axis) + ", ";
    auto replaceAt = [&](const std::string &field, const std::string &type,
                         const std::string &value) {
      text += "\t@first tensormap.replace.tile." + field + ".shared::cta.b1024." + type +
              " [$0], " + at + value + ";\n";
    };
    replaceAt("box_dim", "b32", std::to_string(parts.box[axis]));
    replaceAt("global_dim", "b32", operand(parts.extents[axis], "r"));
    replaceAt("element_stride", "b32", "1");
    if (axis + 1 < rank)
      replaceAt("global_stride", "b64", operand(parts.strides[axis], "l"));
  }
  replace("elemtype", "b32", std::to_string(elementNumber(parts.element)));
  replace("interleave_layout", "b32", "0");
  replace("swizzle_mode", "b32", std::to_string(swizzleNumber(parts.swizzleBytes)));
  replace("fill_mode", "b32", parts.padWithNan ? "1" : "0");
  text +=
      "\tbar.warp.sync -1;\n"
      "\ttensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[$1], [$0], 128;\n"
      "\tfence.proxy.tensormap::generic.acquire.gpu [$1], 128;\n\t}";
  emitPtx(b, b.getVoidTy(), text, constraints, operands, true, /*convergent=*/true);
}

} // namespace tl::backend::nvidia
