// SPDX-License-Identifier: MIT
//
// The one operation of the `ttg` dialect that kernels contain before they have layouts:
// `debug_barrier` is written as `ttg.barrier` since 3.7, and as `gpu.barrier` before.
#ifndef TL_DIALECT_BARRIER
#define TL_DIALECT_BARRIER

include "GpuDialect.td"

def TTG_AddrSpaceNone : I32BitEnumAttrCaseNone<"None", "none">;
def TTG_AddrSpaceLocal : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_AddrSpaceGlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_AddrSpaceGlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_AddrSpaceTensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_AddrSpaceTensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_AddrSpaceAll
    : I32BitEnumAttrCaseGroup<"All", [TTG_AddrSpaceLocal, TTG_AddrSpaceGlobalRead, TTG_AddrSpaceGlobalWrite,
                                      TTG_AddrSpaceTensorRead, TTG_AddrSpaceTensorWrite], "all">;

def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "memories that a barrier orders", [
  TTG_AddrSpaceNone, TTG_AddrSpaceLocal, TTG_AddrSpaceGlobalRead, TTG_AddrSpaceGlobalWrite,
  TTG_AddrSpaceTensorRead, TTG_AddrSpaceTensorWrite, TTG_AddrSpaceAll]> {
  let cppNamespace = "::tl::ttg";
  let separator = "|";
  let printBitEnumPrimaryGroups = 1;
}

def BarrierOp : Op<TTG_Dialect, "barrier"> {
  string group = "debug";
  string example = "ttg.barrier all";
  let summary = "waits for all threads of a program";
  let description = [{
    Threads of the program meet here; accesses to the named memories (`local`, `global_read`,
    `global_write`, `tensor_read`, `tensor_write`, joined by `|`, or `all`) made before are seen
    after. Memory operations of one program happen in the order of the text, so no kernel needs it for
    its results.
  }];
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpace>($addrSpace) attr-dict";
}

#endif
