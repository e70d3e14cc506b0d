// SPDX-License-Identifier: MIT
//
// What passes and lowerings need to know of an operation, as traits and interfaces of its record: they
// ask these and keep no lists of operations. An operation that has the right ones is treated
// rightly by code that does not know its name.
#ifndef TL_DIALECT_TRAITS
#define TL_DIALECT_TRAITS

include "mlir/IR/OpBase.td"

class TT_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::tl::tt";
}

// ---- Traits; Traits.h says what each promises

def TT_WellFormed : TT_Trait<"WellFormed">;
def TT_MovesElements : TT_Trait<"MovesElements">;
def TT_MovesAxes : TT_Trait<"MovesAxes">;
def TT_StaysInBuffer : TT_Trait<"StaysInBuffer">;
def TT_Deferrable : TT_Trait<"Deferrable">;
def TT_PacksElements : TT_Trait<"PacksElements">;
def TT_OrderInsensitive : TT_Trait<"OrderInsensitive">;
def TT_TouchesNoBuffer : TT_Trait<"TouchesNoBuffer">;
def TT_Rematerialisable : TT_Trait<"Rematerialisable">;
def TT_AnchorsPlainLayout : TT_Trait<"AnchorsPlainLayout">;
def TT_OperandsShareLayout : TT_Trait<"OperandsShareLayout">;

// ---- Interfaces

def TT_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::tl::tt";
  let description = [{
    An access of memory by pointers, one element a pointer, of which a mask may switch some off.
    Whether it reads or writes is known from its side effects.
  }];
  let methods = [
    InterfaceMethod<"The pointer, or the tensor of pointers.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Which elements are accessed, in the pointers' shape; null if all are.",
                    "::mlir::Value", "getMask">,
    InterfaceMethod<"What is written, or combined with what is there; null for what only reads.",
                    "::mlir::Value", "getStoredValue", (ins), "", "return {};">,
    InterfaceMethod<[{
      Whether this program may find other values in memory after the operation than before: because
      it writes, or because others may have written while it waited.
    }], "bool", "changesMemory", (ins), "", "return true;">
  ];
}

def TT_AtomicOpInterface : OpInterface<"AtomicOpInterface", [TT_AccessOpInterface]> {
  let cppNamespace = "::tl::tt";
  let description = "An access that other programs see as one step, and as ordered as its attributes say.";
  let methods = [
    InterfaceMethod<"Which accesses before and after it are ordered.", "::tl::tt::MemSemantic", "getSem">,
    InterfaceMethod<"Among which threads.", "::tl::tt::MemSyncScope", "getScope">
  ];
}

def TT_DescriptorAccessOpInterface : OpInterface<"DescriptorAccessOpInterface"> {
  let cppNamespace = "::tl::tt";
  let description = "An access of memory by a tensor descriptor.";
  let methods = [
    InterfaceMethod<"The descriptor.", "::mlir::Value", "getDesc">,
    InterfaceMethod<"What is written, or combined with what is there; null for what only reads.",
                    "::mlir::Value", "getStoredValue", (ins), "", "return {};">
  ];
}

#endif
