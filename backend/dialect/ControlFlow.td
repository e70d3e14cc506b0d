// SPDX-License-Identifier: MIT
//
// Functions, calls and returns. Loops and branches come from `scf` and `cf`.
#ifndef TL_DIALECT_CONTROL_FLOW
#define TL_DIALECT_CONTROL_FLOW

include "Enums.td"
include "Types.td"

class ControlFlow_Op<string mnemonic, list<Trait> traits = []> : TT_Op<mnemonic, "control_flow", traits>;

def FuncOp : ControlFlow_Op<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface,
    FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a kernel or a device function";
  let description = [{
    A public function without results is a kernel: it is run once per point of the grid. Argument
    attributes `tt.divisibility`, `tt.contiguity`, `tt.constancy` and `tt.pointer_range` are
    promises about the values; the last one, of 32, that what is accessed through a pointer ends within
    2^31 bytes after it. Parameters lead to memory of their own, as far as one of two is
    written, unless both have `tt.may_alias`. A call to a function marked `noinline` stays a call.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs,
                                 CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let example = [{
    tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
      tt.return
    }
  }];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::llvm::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
  }];
}

def CallOp : ControlFlow_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a function of the same module";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let example = "%r = tt.call @f(%s, %s) : (f32, f32) -> f32";
  let builders = [OpBuilder<(ins "FuncOp":$callee, CArg<"::mlir::ValueRange", "{}">:$operands), [{
    build($_builder, $_state, callee.getFunctionType().getResults(),
          ::mlir::FlatSymbolRefAttr::get(callee), operands, nullptr, nullptr);
  }]>];
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return ::llvm::cast<::mlir::SymbolRefAttr>((*this)->getAttr("callee"));
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      (*this)->setAttr("callee", ::llvm::cast<::mlir::SymbolRefAttr>(callee));
    }
  }];
}

def ReturnOp : ControlFlow_Op<"return", [HasParent<"FuncOp">, Pure, ReturnLike, Terminator]> {
  let summary = "returns from a function";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
  let example = "tt.return";
}

def GridBarrierOp
    : ControlFlow_Op<"grid_barrier", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "waits for all programs of the grid";
  let description = [{
    The programs of a launch meet here; accesses of memory that any of them made before are seen by
    all of them after. All programs run at the same time, so a launch whose grid does not fit onto
    the device is refused. Every program comes here equally often: a branch or a loop around it must
    not depend on the program's id, on the old value of an atomic or on anything computed from them.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let example = "tt.grid_barrier";
}

#endif
