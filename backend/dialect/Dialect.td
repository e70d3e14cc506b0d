// SPDX-License-Identifier: MIT
//
// The `tt` dialect and the base of its operation records. A record is the single source for an
// operation: its name, arguments, types, group, documentation and example stand there, and
// docs/reference/generate turns them into the reference page. Operations live in one file a group.
#ifndef TL_DIALECT_DIALECT
#define TL_DIALECT_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "Traits.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tl::tt";
  let summary = "operations on block tensors: the language in which kernels are exchanged";
  let description = [{
    A kernel is a `tt.func` that is run once for every point of a grid. It works on scalars and on
    block tensors of static shape, padded to powers of two by the passes. Arithmetic comes from
    `arith` and `math`, structured control flow from `scf`, branches from `cf`; this dialect adds
    pointers, memory, reductions, products, shapes and the launch grid.

    Two spellings of the text are in use. They differ in tensor descriptors
    (`!tt.tensordesc<tensor<32x64xf16>>` before, `!tt.tensordesc<32x64xf16>` since 3.8) and in cache
    hints (`cacheModifier = cg` before, `cachePolicy = #tt.cache_policy<...>` since 3.9). Both are
    read; the newer one is printed unless the dialect is set otherwise.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The release whose spelling is printed.
    enum class Spelling { Upstream36, Upstream39 };
    Spelling spelling = Spelling::Upstream39;

    /// Reads operations by names that earlier releases gave them: `tt.experimental_descriptor_load`.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;

    void registerTypes();
    void registerAttributes();
    void registerInterfaces();
    void registerCreationOps();
    void registerMemoryOps();
    void registerElementwiseOps();
    void registerReductionOps();
    void registerLinearAlgebraOps();
    void registerShapingOps();
    void registerControlFlowOps();
    void registerDebugOps();
  }];
}

class TT_Op<string mnemonic, string opGroup, list<Trait> traits = []>
    : Op<TT_Dialect, mnemonic, !listconcat(traits, [TT_WellFormed])> {
  // creation, memory, elementwise, reduction, linear_algebra, shaping, control_flow or debug.
  string group = opGroup;
  // A short text in which the operation is used; it parses inside a function whose arguments are
  // the values that it uses.
  string example = "";
}

// The memory that pointers of address space 1 reach. Effects on it do not order operations that
// touch other resources.
def TT_GlobalMemory : Resource<"::tl::tt::GlobalMemory">;

#endif
