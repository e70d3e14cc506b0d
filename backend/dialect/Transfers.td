// SPDX-License-Identifier: MIT
//
// Copies between global and shared memory that go on while the threads do something else, and what
// they are waited for with: groups of copies of each thread, barriers in shared memory that count
// arrivals and bytes, and copies of boxes of a tensor by TMA. pipeline-loops
// writes them; those that it does not write come from TTGIR texts (tl-opt --lower-to-ptx).
#ifndef TL_DIALECT_TRANSFERS
#define TL_DIALECT_TRANSFERS

include "Enums.td"
include "Layouts.td"

def TTG_PointerTensor : Type<CPred<"::tl::ttg::isPointerTensor($_self)">, "tensor of pointers">;
def TTG_DescriptorPointer
    : Type<CPred<"::llvm::isa<::tl::tt::PointerType>($_self)">, "pointer to a tensor map">;

// ---- Copies by the threads

def AsyncCopyOp : Gpu_Op<"async_copy_global_to_local", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of a tensor into shared memory";
  let description = [{
    Each thread starts copies of the elements that the layout of the pointers gives it; they are a part
    of the group that the next `ttg.async_commit_group` closes. Where `mask` is false, `other` is
    written, or zero. Copies that the hardware cannot make this way (elements narrower than 4 bytes
    that do not lie together) are made at once.
  }];
  let example = [{
    ttg.async_copy_global_to_local %p, %m
      : tensor<1024x!tt.ptr<f32>, #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>>
        -> !ttg.memdesc<1024xf32, #ttg.shared<rows [1024], order = [0]>>
  }];
  let arguments = (ins TTG_PointerTensor:$src,
      Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst, Optional<AnyRankedTensor>:$mask,
      Optional<AnyRankedTensor>:$other);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? attr-dict
    `:` type($src) `->` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def AsyncCommitGroupOp : Gpu_Op<"async_commit_group"> {
  let summary = "closes a group of copies";
  let description = "The copies that this thread has started since the last group are a new one.";
  let example = "ttg.async_commit_group";
  let assemblyFormat = "attr-dict";
}

def AsyncWaitOp : Gpu_Op<"async_wait"> {
  let summary = "waits for groups of copies";
  let description = [{
    Waits until at most the `num` last groups go on. What the earlier ones have copied can be read by
    `ttg.local_load` from here on. If there is a condition, it says that the copies of the last groups
    have been started as far as their masks are one value for all elements; if it is false, all groups
    are waited for. GPUs that count copies, not groups, need to know it.
  }];
  let example = "ttg.async_wait if %started {num = 1 : i32}";
  let arguments = (ins I32Attr:$num, Optional<I1>:$condition);
  let assemblyFormat = "(`if` $condition^)? attr-dict";
  let hasVerifier = 1;
}

def AsyncCopyArriveOp : Gpu_Op<"async_copy_arrive"> {
  let summary = "arrives at a barrier when copies have come";
  let description = [{
    Each thread arrives once at the barrier as soon as all copies that it has started so far have come;
    it does not wait for that. The barrier is made for as many arrivals as there are threads.
  }];
  let example =
      "ttg.async_copy_arrive %b : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments =
      (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

// ---- Barriers in shared memory

class Barrier_Op<string mnemonic> : Gpu_Op<mnemonic> { let hasVerifier = 1; }

def InitBarrierOp : Barrier_Op<"init_barrier"> {
  let summary = "makes a barrier of a piece of shared memory";
  let description = [{
    The barrier is in phase 0, which ends after `count` arrivals and after all bytes that were
    announced have come.
  }];
  let example = "ttg.init_barrier %b, 1 : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$barrier, I32Attr:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` qualified(type($barrier))";
}

def InvalBarrierOp : Barrier_Op<"inval_barrier"> {
  let summary = "ends the life of a barrier";
  let description = "The memory may be used for something else.";
  let example = "ttg.inval_barrier %b : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def BarrierExpectOp : Barrier_Op<"barrier_expect"> {
  let summary = "announces bytes, and arrives";
  let description = "The phase does not end before `bytes` more have come. One thread does it.";
  let example =
      "ttg.barrier_expect %b, 4096 : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments =
      (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier,
          I32Attr:$bytes);
  let assemblyFormat = "$barrier `,` $bytes attr-dict `:` qualified(type($barrier))";
}

def ArriveBarrierOp : Barrier_Op<"arrive_barrier"> {
  let summary = "arrives at a barrier";
  let description = [{
    All threads have come this far; one of them arrives `count` times. With `each_warp`, no warp waits
    for another one: each arrives `count` times when its own threads have come. If there is a
    condition and it is false, nothing happens. With `tt.multicast = n` each warp arrives once at the
    barrier of each of the n blocks of its cluster.
  }];
  let example =
      "ttg.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments =
      (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier,
          I32Attr:$count, Optional<I1>:$condition, UnitAttr:$each_warp);
  let assemblyFormat = [{
    $barrier `,` $count (`if` $condition^)? attr-dict `:` qualified(type($barrier))
  }];
}

def WaitBarrierOp : Barrier_Op<"wait_barrier"> {
  let summary = "waits for a phase of a barrier";
  let description = [{
    All threads wait until the phase of the given parity (0 or 1) has ended. What was copied for it is
    there for all of them. If there is a condition and it is false, nothing happens. With
    `one_warp`, only the warp of the thread that starts copies of boxes waits.
  }];
  let example =
      "ttg.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>";
  let arguments =
      (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$barrier,
          I32:$phase, Optional<I1>:$condition, UnitAttr:$one_warp);
  let assemblyFormat = [{
    $barrier `,` $phase (`if` $condition^)? attr-dict `:` qualified(type($barrier))
  }];
}

def ClusterBarrierOp : Gpu_Op<"cluster_barrier"> {
  let summary = "all threads of a cluster of blocks wait for each other";
  let description = [{
    Of threads that have not ended. Barriers in shared memory that were made before are known to all
    blocks after.
  }];
  let example = "ttg.cluster_barrier";
  let assemblyFormat = "attr-dict";
}

// ---- Boxes of a tensor

def TensorMapOp : Gpu_Op<"make_tensor_map", [AttrSizedOperandSegments]> {
  let summary = "describes a tensor in global memory to TMA";
  let description = [{
    Writes the 128 bytes that describe a tensor of extents `shape` and strides `strides` (in elements,
    the last 1) at `base` to `map`, which all later copies through it read. `box` is what one copy
    moves. Where `nan` is set, elements outside of the tensor read as not-a-number, else as zero.
    `base` and all strides must be multiples of 16 bytes.
  }];
  let example = [{
    ttg.make_tensor_map %map, %base, [%rows, %columns], [%stride, %one] {box = array<i32: 32, 64>}
      : !tt.ptr<i8>, !tt.ptr<f16>
  }];
  let arguments = (ins TTG_DescriptorPointer:$map, TTG_DescriptorPointer:$base,
      Variadic<I32>:$shape, Variadic<I64>:$strides, DenseI32ArrayAttr:$box, UnitAttr:$nan);
  let assemblyFormat = [{
    $map `,` $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($map) `,` type($base)
  }];
  let hasVerifier = 1;
}

def TmaLoadOp : Gpu_Op<"tma_load"> {
  let summary = "starts a copy of a box into shared memory";
  let description = [{
    One thread starts the copy of the box whose first element has the given coordinates; `barrier`
    counts the bytes. What lies outside of the tensor reads as the tensor map says.
  }];
  let example = [{
    ttg.tma_load %map[%i, %j], %m, %b
      : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #ttg.shared<rows [32, 64], order = [1, 0]>>, !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>
  }];
  let arguments = (ins TTG_DescriptorPointer:$map, Variadic<I32>:$coordinates,
      Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst, TTG_MemDesc:$barrier);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $dst `,` $barrier attr-dict
    `:` type($map) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def AsyncDescriptorLoadOp : Gpu_Op<"async_descriptor_load"> {
  let summary = "starts a copy of a described tensor's block into shared memory";
  let description = [{
    One thread starts copies of the block whose first element is at `indices`; `barrier` counts the
    bytes. The shared memory has the hardware's swizzle that the descriptor's `ttg.swizzle` names, with
    the last axis running along its pattern. Leading extents of 1 may be missing in it. With
    `tt.multicast = n`, on the descriptor as well, all n blocks of a cluster start the same copy: each
    brings one nth of the rows to the same place of all blocks, whose barriers count the bytes that
    have come to them.
  }];
  let example = [{
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] {ttg.swizzle = 128 : i32} : <f16>, <32x64xf16>
    ttg.async_descriptor_load %d[%i, %j], %m, %b
      : !tt.tensordesc<32x64xf16> -> !ttg.memdesc<32x64xf16, #ttg.shared<hardware_swizzled [32, 64], bits = 16, bytes = 128, order = [1, 0]>>, !ttg.memdesc<1xi64, #ttg.shared<rows [1], order = [0]>>
  }];
  let arguments = (ins AnyType:$desc, Variadic<I32>:$indices,
      Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst, TTG_MemDesc:$barrier);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $dst `,` $barrier attr-dict
    `:` qualified(type($desc)) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TmaStoreOp : Gpu_Op<"tma_store"> {
  let summary = "starts a copy of a box to global memory";
  let description = [{
    One thread starts the copy; what lies outside of the tensor is left out. The shared memory must not
    be written before `ttg.tma_store_wait`.
  }];
  let example = [{
    ttg.tma_store %m, %map[%i, %j]
      : !ttg.memdesc<32x64xf16, #ttg.shared<rows [32, 64], order = [1, 0]>> -> !tt.ptr<i8>
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src,
      TTG_DescriptorPointer:$map, Variadic<I32>:$coordinates);
  let assemblyFormat = [{
    $src `,` $map `[` $coordinates `]` attr-dict `:` qualified(type($src)) `->` type($map)
  }];
  let hasVerifier = 1;
}

def TmaReduceOp : Gpu_Op<"tma_reduce"> {
  let summary = "combines a box with what global memory holds";
  let description = [{
    As `ttg.tma_store`, but each element of global memory becomes the combination (`add`, `min`, `max`,
    `and`, `or`, `xor`) of what it was and of the box's element, in one step.
  }];
  let example = [{
    ttg.tma_reduce add, %m, %map[%i, %j]
      : !ttg.memdesc<32x64xf32, #ttg.shared<rows [32, 64], order = [1, 0]>> -> !tt.ptr<i8>
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind,
      Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src, TTG_DescriptorPointer:$map,
      Variadic<I32>:$coordinates);
  let assemblyFormat = [{
    $kind `,` $src `,` $map `[` $coordinates `]` attr-dict `:` qualified(type($src)) `->` type($map)
  }];
  let hasVerifier = 1;
}

def TmaStoreWaitOp : Gpu_Op<"tma_store_wait"> {
  let summary = "waits for copies of boxes to global memory";
  let description = [{
    Waits until at most the `num` last copies go on. Earlier ones have read their shared memory, and
    what they wrote is there for the threads of the program.
  }];
  let example = "ttg.tma_store_wait {num = 0 : i32}";
  let arguments = (ins I32Attr:$num);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
