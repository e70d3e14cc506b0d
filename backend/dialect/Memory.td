// SPDX-License-Identifier: MIT
//
// Operations on memory: pointer arithmetic, loads and stores, atomics, tensor descriptors. Memory
// operations of one program happen in the order of the text, those through different parameters too
// if these are marked tt.may_alias; nothing is promised between programs beyond what the atomics say.
#ifndef TL_DIALECT_MEMORY
#define TL_DIALECT_MEMORY

include "Enums.td"
include "Types.td"

class Memory_Op<string mnemonic, list<Trait> traits = []> : TT_Op<mnemonic, "memory", traits>;

class Atomic_Op<string mnemonic, list<Trait> traits = []>
    : Memory_Op<mnemonic, !listconcat([TT_AccessOpInterface, TT_AtomicOpInterface], traits)>;

class DescriptorAccess_Op<string mnemonic, list<Trait> traits>
    : Memory_Op<mnemonic, !listconcat([TT_DescriptorAccessOpInterface], traits)>;

// Arguments that every access by pointer has in common.
defvar TT_cacheArguments = (ins
  DefaultValuedAttr<TT_CacheModifier, "::tl::tt::CacheModifier::NONE">:$cache,
  DefaultValuedAttr<TT_EvictionPolicy, "::tl::tt::EvictionPolicy::NORMAL">:$evict);

def AddPtrOp : Memory_Op<"addptr", [Pure, Elementwise, TT_StaysInBuffer, SameOperandsAndResultShape,
    TypesMatchWith<"the result has the type of the pointer", "result", "ptr", "$_self">]> {
  let summary = "pointer plus a number of elements";
  let description = [{
    The offset is signed whatever its width, and counts elements, not bytes. Wrap-around is that of
    64-bit addresses: the offset is extended before it is scaled.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let example = "%q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>";
  let hasFolder = 1;
}

def LoadOp : Memory_Op<"load", [AttrSizedOperandSegments, TT_AccessOpInterface, TT_Deferrable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads the elements that pointers point to";
  let description = [{
    Reads one element per pointer. Where `mask` is false nothing is read and the result is `other`,
    or unspecified if there is no `other`. Mask and other have the pointer's shape; `other` has the
    type of the result. A volatile load is performed exactly once, where it stands.

    Cache hints: `cacheModifier` is none, ca, cg, cs or cv; `evictionPolicy` is evict_normal,
    evict_first or evict_last. They never change a result.

    Through a block pointer a whole block is read. It has no mask; nothing is read where the coordinate
    along one of the axes in `boundaryCheck` is negative or not below the tensor's extent, and the
    result there is what `padding` says, or unspecified.
  }];
  let arguments = !con((ins TT_PtrOrBlockPtr:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Any>:$other),
                       TT_cacheArguments,
                       (ins DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                            OptionalAttr<DenseI32ArrayAttr>:$boundaryCheck,
                            OptionalAttr<TT_PaddingOption>:$padding));
  let results = (outs TT_Any:$result);
  let hasCustomAssemblyFormat = 1;
  let example = "%v = tt.load %ps, %m, %x : tensor<64x!tt.ptr<f32>>";
  let extraClassDeclaration = "bool changesMemory() { return false; }";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask, CArg<"::mlir::Value", "{}">:$other,
                   CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict,
                   CArg<"bool", "false">:$isVolatile)>
  ];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def StoreOp : Memory_Op<"store", [TT_AccessOpInterface, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes elements where pointers point to";
  let description = [{
    Writes one element per pointer, only where `mask` is true. If two lanes of one store have the same
    address, one of their values is written, unspecified which. Through a block pointer a whole block is
    written, without a mask, but for the coordinates that `boundaryCheck` leaves out as in `tt.load`.
  }];
  let arguments = !con((ins TT_PtrOrBlockPtr:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask),
                       TT_cacheArguments, (ins UnitAttr:$ignore_cta,
                                               OptionalAttr<DenseI32ArrayAttr>:$boundaryCheck));
  let hasCustomAssemblyFormat = 1;
  let example = "tt.store %ps, %x, %m : tensor<64x!tt.ptr<f32>>";
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getValue(); }";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict, CArg<"bool", "false">:$ignoreCta), [{
      build($_builder, $_state, ptr, value, mask, cache, evict, ignoreCta, ::mlir::DenseI32ArrayAttr());
    }]>
  ];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def AtomicRMWOp
    : Atomic_Op<"atomic_rmw", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "combines a value with memory, atomically";
  let description = [{
    For every lane whose mask is true: reads the old value, writes `op(old, val)`, returns the old
    value. Each lane is applied, also when several have the same address. Lanes whose mask is false
    do nothing and return an unspecified value.

    `and or xor add max min umax umin` take integers, `fadd` floats, `exch` any of 16, 32 or 64 bits.
    `sem` is relaxed, acquire, release or acq_rel, `scope` is cta, gpu or sys.
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, TT_Any:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let example = [{
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %ps, %x, %m
        : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getVal(); }";
}

def AtomicCASOp
    : Atomic_Op<"atomic_cas", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes a value if memory holds another, atomically";
  let description = [{
    For every lane whose mask is true: reads the old value, writes `val` if the old value equals `cmp`
    bit for bit, and returns the old value. Lanes whose mask is false do nothing and return an
    unspecified value; upstream has no mask here. Elements have 16, 32 or 64 bits.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$cmp, TT_Any:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let example = "%old = tt.atomic_cas acq_rel, gpu, %pi, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getVal(); }";
}

def AtomicPollOp
    : Atomic_Op<"atomic_poll", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "waits until memory holds a value";
  let description = [{
    Reads a scalar again and again until it equals `expected` or, if a timeout is given, that many
    nanoseconds have passed. Returns whether the value was seen. `sem` is acquire or relaxed; the
    integer has 16, 32 or 64 bits.
  }];
  let arguments = (ins TT_Ptr:$ptr, TT_Int:$expected, Optional<I64>:$timeout, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:`
    qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
  let example = "%seen = tt.atomic_poll acquire, gpu, %pi, %c1 timeout %t : !tt.ptr<i32>, i32 -> i1";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getMask() { return {}; }";
}

def AtomicLoadOp
    : Atomic_Op<"atomic_load", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "reads memory, atomically and in order";
  let description = [{
    Reads one element per pointer whose mask is true; other lanes are unspecified. `sem` is acquire
    or relaxed.
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let example = "%v = tt.atomic_load acquire, gpu, %pi : (!tt.ptr<i32>) -> i32";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool changesMemory() { return false; }";
}

def AtomicStoreOp : Atomic_Op<"atomic_store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"the value has the type that the pointer points to", "ptr", "val",
                   "::tl::tt::getPointeeType($_self)">,
    TypesMatchWith<"the mask is i1 of the pointer's shape", "ptr", "mask",
                   "::tl::tt::getI1SameShape($_self)", "$_op.getNumOperands() < 3 || std::equal_to<>()">]> {
  let summary = "writes memory, atomically and in order";
  let description = [{
    Writes one element per pointer whose mask is true. `sem` is release or relaxed.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$val, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` type($ptr)";
  let example = "tt.atomic_store release, gpu, %pi, %c1 : !tt.ptr<i32>";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getVal(); }";
}

def GridDependencyWaitOp
    : Memory_Op<"grid_dependency_wait", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "waits for the kernels that this launch depends on";
  let description = [{
    With programmatic dependent launch a kernel may start before its predecessor has ended; after this
    operation the predecessor's writes are visible. Elsewhere it does nothing.
  }];
  let assemblyFormat = "attr-dict";
  let example = "tt.grid_dependency_wait";
}

def GridDependencyLaunchDependentsOp
    : Memory_Op<"grid_dependency_launch_dependents",
                [TT_TouchesNoBuffer, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "lets dependent kernels start";
  let assemblyFormat = "attr-dict";
  let example = "tt.grid_dependency_launch_dependents";
}

def MakeTensorPtrOp : Memory_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize,
    TypesMatchWith<"the base points to the elements of the block", "result", "base",
                   "::tl::tt::PointerType::get(::mlir::cast<BlockPointerType>($_self).getBlockType().getElementType())">]> {
  let summary = "points to a block of a tensor in memory";
  let description = [{
    The tensor starts at `base` and has `shape` elements along each axis, `strides` elements apart; the
    block's first element is at `offsets`. `order` names the axes from the one with the smallest stride
    on and promises nothing. Releases before 3.9 write it; `tt.make_tensor_descriptor` came after it.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let example = [{
    %b = tt.make_tensor_ptr %p, [%s, %s], [%s, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  }];
  let hasVerifier = 1;
}

def AdvanceOp : Memory_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves a block pointer";
  let description = [{
    The block's first element moves by `offsets` elements along each axis.
  }];
  let arguments = (ins TT_BlockPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let example = [{
    %b0 = tt.make_tensor_ptr %p, [%s, %s], [%s, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
    %b = tt.advance %b0, [%i, %j] : <tensor<32x64xf16>>
  }];
  let hasVerifier = 1;
}

def MakeTensorDescOp : Memory_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "describes a tensor in memory";
  let description = [{
    The tensor starts at `base` and has `shape` elements along each axis, `strides` elements apart.
    The innermost stride is 1. Elements that a block reads out of bounds are zero, or NaN with
    `padding = nan`; elements that it writes there are dropped. `order`, which some releases write,
    names the axes from the innermost on.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOption, "::tl::tt::PaddingOption::PAD_ZERO">:$padding,
                       OptionalAttr<DenseI32ArrayAttr>:$order);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let example = "%d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <32x64xf16>";
  let hasVerifier = 1;
}

def DescriptorLoadOp : DescriptorAccess_Op<"descriptor_load", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "reads a block of a described tensor";
  let description = [{
    Reads the block whose first element is at `indices`. Leading extents of 1 may be missing in the
    result.
  }];
  let arguments = !con((ins TT_TensorDesc:$desc, Variadic<I32>:$indices), TT_cacheArguments);
  let results = (outs TT_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let example = "%t = tt.descriptor_load %desc[%i, %j] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>";
  let hasVerifier = 1;
}

def DescriptorStoreOp : DescriptorAccess_Op<"descriptor_store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes a block of a described tensor";
  let arguments = (ins TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let example = "tt.descriptor_store %desc[%i, %j], %t : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getSrc(); }";
}

def DescriptorReduceOp
    : DescriptorAccess_Op<"descriptor_reduce",
                          [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "combines a block with a described tensor, atomically";
  let description = [{
    Each element in bounds is combined on its own, relaxed. `add` takes integers and floats, `min`
    and `max` too (integers by the sign of the descriptor's element type: `ui32` is unsigned), `and or
    xor inc dec` integers. `inc` and `dec` wrap around at the given value.
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let example = "tt.descriptor_reduce add, %desc[%i, %j], %t : !tt.tensordesc<32x64xf16>, tensor<32x64xf16>";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getSrc(); }";
}

def DescriptorGatherOp : DescriptorAccess_Op<"descriptor_gather", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "reads chosen rows of a described tensor";
  let description = [{
    Row `k` of the result is the described tensor's row `x_offsets[k]`, from column `y_offset` on. The
    descriptor is 2-D with a block of one row. At least 8 rows; at least `256 / bits` columns; elements
    of at most 32 bits.
  }];
  let arguments = (ins TT_TensorDesc:$desc, TT_IndexTensor:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    %t = tt.descriptor_gather %rows[%xs, %j] : (!tt.tensordesc<1x64xf16>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  }];
  let hasVerifier = 1;
}

def DescriptorScatterOp
    : DescriptorAccess_Op<"descriptor_scatter", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "writes chosen rows of a described tensor";
  let description = [{
    The opposite of `tt.descriptor_gather`, with the same rules.
  }];
  let arguments = (ins TT_TensorDesc:$desc, TT_IndexTensor:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:`
    qualified(type($desc)) `,` type($x_offsets) `,` type($y_offset) `,` type($src)
  }];
  let example = [{
    tt.descriptor_scatter %rows[%xs, %j], %t : !tt.tensordesc<1x64xf16>, tensor<32xi32>, i32, tensor<32x64xf16>
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Value getStoredValue() { return getSrc(); }";
}

#endif
