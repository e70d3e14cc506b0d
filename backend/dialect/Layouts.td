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
    All forms below can be read. A layout is written by its name where it has one, whatever form it
    was read in, and by the images of its bits where it has none.

    | form | fields | what it is |
    |---|---|---|
    | `blocked [S]` | `registers`, `lanes`, `warps`, `order` | tiles of elementwise code; `order` lists the axes from the most minor |
    | `mma [S]` | `bits` (32, the default, or 64), `warps` | accumulators of `mma.sync`: 16x8 a warp, or 8x8 for 64 bits |
    | `wgmma [S]` | `n`, `warps` | accumulators of `wgmma`: 64 rows and `n` columns for four warps |
    | `mfma [S]` | `side` (16 or 32), `warps` | accumulators of AMD's MFMA on 64 lanes |
    | `wmma [S]` | `version` (1: gfx11, 2: gfx12), `warps` | accumulators of AMD's WMMA: 16x16 a warp |
    | `dot_operand mma [S]` | `index`, `bits`, `warps` | operand of `mma.sync`: `index` 0 is m x k, 1 is k x n; `bits` of an element |
    | `dot_operand wgmma [S]` | `index` (0), `bits`, `warps` | first operand of `wgmma` in registers |
    | `dot_operand mfma [S]` | `index`, `side`, `k_width`, `warps` | operand of MFMA, `k_width` consecutive k a lane |
    | `dot_operand wmma [S]` | `index`, `version`, `k_width`, `warps` | operand of WMMA |
    | `dot_operand blocked [S]` | `index`, then those of `blocked` | operand of multiply-adds: all of k in each thread |
    | `slice <L>` | `axis` | L without one of its axes: the result of a reduction |
    | `linear [S]` | `register`, `lane`, `warp`, `block` | the image of each bit; dimensions at the end that have no bits may be left out |

    ```mlir
    #ttg.layout<blocked [128, 64], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
    #ttg.layout<slice <mma [128, 64], warps = [2, 2]>, axis = 1>
    #ttg.layout<dot_operand mma [128, 32], index = 0, bits = 16, warps = [2, 2]>
    #ttg.layout<linear [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []>
    ```

    `tlc layout` draws any of them.
  }];
}

def TTG_SharedLayout : TTG_LayoutAttr<"SharedLayout", "shared"> {
  let summary = "which offset of shared memory holds an element";
  let description = [{
    A linear map from the offset, in elements, to the coordinates. Swizzles are such maps:

    | form | fields | what it is |
    |---|---|---|
    | `rows [S]` | `order` | row after row; `order` lists the axes from the most minor |
    | `swizzled [S]` | `vector`, `per_phase`, `max_phase`, `order` | groups of `vector` elements of a row, exchanged by xor with (row / `per_phase`) % `max_phase` |
    | `hardware_swizzled [S]` | `bits`, `bytes` (0, 32, 64 or 128), `order` | panels of rows of `bytes` bytes with the swizzle of TMA and `wgmma`, for elements of `bits` bits |
    | `linear [S]` | `offset`, `block` | the image of each bit |

    ```mlir
    #ttg.shared<rows [64, 32], order = [1, 0]>
    #ttg.shared<swizzled [64, 32], vector = 8, per_phase = 2, max_phase = 4, order = [1, 0]>
    #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
    #ttg.shared<linear [4, 4], offset = [[0, 1], [0, 2], [1, 1], [2, 2]], block = []>
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
