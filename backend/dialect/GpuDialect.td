// SPDX-License-Identifier: MIT
//
// The `ttg` dialect: TTGIR. Barrier.td, Layouts.td, Gpu.td and Transfers.td have what it consists of.
#ifndef TL_DIALECT_GPU_DIALECT
#define TL_DIALECT_GPU_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tl::ttg";
  let summary = "operations on tensors that have layouts";
  let description = [{
    TTGIR: the operations of `tt` and others on tensors whose types say which thread holds which
    element, plus what only makes sense then: conversions between layouts and shared memory.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerLayouts();
    void registerGpuOps();
    void registerTransferOps();
    void registerMatrixProductOps();
  }];
}

class Gpu_Op<string mnemonic, list<Trait> traits = []> : Op<TTG_Dialect, mnemonic, traits> {
  string group = "shaping";
  string example = "";
}

def TTG_SharedMemory : Resource<"::tl::ttg::SharedMemory">;

#endif
