// SPDX-License-Identifier: MIT
//
// The attributes and the type that say where elements live: `#ttg.layout` for tensors in
// registers, `#ttg.shared` for shared memory, `!ttg.memdesc` for a piece of it. Each holds one
// linear map (layout/LinearLayout.h); the named forms are only ways to write it down.
#ifndef TL_DIALECT_LAYOUTS
#define TL_DIALECT_LAYOUTS

include "mlir/IR/AttrTypeBase.td"
include "GpuDialect.td"

def TTG_LinearLayout : AttrOrTypeParameter<"::tl::backend::LinearLayout", "linear map"> {
  let cppAccessorType = "const ::tl::backend::LinearLayout &";
}

class TTG_LayoutAttr<string name, string attrMnemonic> : AttrDef<TTG_Dialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = (ins TTG_LinearLayout:$map);
  let hasCustomAssemblyFormat = 1;
}

def TTG_Layout : TTG_LayoutAttr<"Layout", "layout"> {
  let summary = "which register of which lane of which warp holds an element";
  let description = [{
    The encoding of a tensor: a linear map from (register, lane, warp, block) to its coordinates.
    Blocked layouts are written by their name, all others by the images of their bits; both can be
    read:

    ```mlir
    #ttg.layout<blocked [128, 64], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
    #ttg.layout<linear [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []>
    ```
  }];
}

def TTG_SharedLayout : TTG_LayoutAttr<"SharedLayout", "shared"> {
  let summary = "which offset of shared memory holds an element";
  let description = [{
    A linear map from the offset, in elements, to the coordinates. Swizzles are such maps:

    ```mlir
    #ttg.shared<rows [64, 32], order = [1, 0]>
    #ttg.shared<linear [4, 4], offset = [[0, 1], [0, 2], [1, 1], [2, 2]]>
    ```
  }];
}

def TTG_MemDesc : TypeDef<TTG_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a tensor in shared memory";
  let description = [{
    Written `!ttg.memdesc<64x32xf16, #ttg.shared<...>>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                    "::tl::ttg::SharedLayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
}

#endif
