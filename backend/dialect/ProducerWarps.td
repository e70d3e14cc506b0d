// SPDX-License-Identifier: MIT
//
// Warps beside those that a program has asked for, which bring what the others multiply.
#ifndef TL_DIALECT_PRODUCER_WARPS
#define TL_DIALECT_PRODUCER_WARPS

include "Layouts.td"
include "Traits.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ProducerWarpsOp : Gpu_Op<"producer_warps", [SingleBlock, NoTerminator]> {
  let summary = "what a group of warps does that the program has beside the others";
  let description = [{
    The program has four warps more than it has asked for. One of them runs the region, all four have
    `registers` registers a thread, and end with it; the others do not run the region, have
    `others` registers a thread, and go on after the operation. The region computes with scalars,
    waits at barriers in shared memory, starts copies, and orders them by these barriers alone. It
    stands in no other region; before it a kernel has shared memory, its barriers, and a joining of all
    warps.
  }];
  let example = [{
    ttg.producer_warps attributes {registers = 24 : i32, others = 240 : i32} {
      ttg.join_warps
    }
  }];
  let arguments = (ins I32Attr:$registers, I32Attr:$others);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def JoinWarpsOp : Gpu_Op<"join_warps"> {
  let summary = "producer warps and all others wait for each other";
  let description = [{
    As often as the others come to it, a producer does; before `producer_warps` all warps come to it.
    What either of them has written to shared memory before, barriers among it, both see after.
  }];
  let example = "ttg.join_warps";
  let assemblyFormat = "attr-dict";
}

#endif
