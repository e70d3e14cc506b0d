// SPDX-License-Identifier: MIT
//
// What a module says of the GPU that it is compiled for, so that every pass on TTGIR can be run
// alone on the text of the one before it. A target writes these attributes; GpuTarget.h names them.
#ifndef TL_DIALECT_GPU_TARGET
#define TL_DIALECT_GPU_TARGET

include "mlir/IR/AttrTypeBase.td"
include "GpuDialect.td"

def TTG_MatrixInstruction : AttrDef<TTG_Dialect, "MatrixInstruction"> {
  let mnemonic = "matrix_instruction";
  let summary = "an instruction that multiplies matrices";
  let description = [{
    `shape` is m, n and k of one instruction, `element` what its operands have, `sum` what it adds
    up in. `family` names the layouts that it works in: for `mma`, the result has the layout `mma`
    and the operands are `dot_operand mma`, all in registers. For `wgmma`, an instruction of four warps,
    the result has the layout `wgmma`; the second operand lies in shared memory, the first one too or
    in registers as `dot_operand wgmma`. For `mfma`, `wmma1` and `wmma2` all is in registers, as for `mma`, in the
    layouts `mfma` of side m, and `wmma` of version 1 and 2. A `scaled_mfma` computes `tt.dot_scaled`: its
    operands are bytes (`element` is i8) of any two formats of 8 or 4 bits, k counts numbers, and each
    32 of them along k have an exponent.

    A module lists those that its GPU has in `ttg.gpu`, the best first. A `tt.dot` that is computed
    by one carries it as `ttg.instruction`: `select-matrix-instructions` puts it there, and the
    lowering does what it says.

    ```mlir
    #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>
    ```
  }];
  let parameters = (ins StringRefParameter<"the layouts it works in">:$family,
                    "::mlir::DenseI64ArrayAttr":$shape, "::mlir::Type":$element, "::mlir::Type":$sum);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getM() const { return getShape()[0]; }
    int64_t getN() const { return getShape()[1]; }
    int64_t getK() const { return getShape()[2]; }
    /// Bits that an element of an operand takes in a register.
    unsigned getOperandBits() const;
  }];
}

def TTG_Gpu : AttrDef<TTG_Dialect, "Gpu"> {
  let mnemonic = "gpu";
  let summary = "the GPU that a module is compiled for";
  let description = [{
    An attribute of the module by the name `ttg.gpu`. A program has `warps` warps of `lanes` lanes.
    A thread accesses at most `access_bytes` bytes of global memory at a time; memory moves
    `sector_bytes` bytes at least. A program may have `shared_bytes` bytes of shared memory, and its
    threads `max_registers` registers each, if that is limited.

    ```mlir
    module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448,
        matrix_instructions = [#ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>]>} {
    ```
  }];
  let parameters = (ins "unsigned":$warps, "unsigned":$lanes, "unsigned":$access_bytes,
                    "unsigned":$sector_bytes, "unsigned":$shared_bytes,
                    "::mlir::ArrayAttr":$matrix_instructions,
                    DefaultValuedParameter<"unsigned", "0">:$max_registers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
