// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ttgir | FileCheck %s --check-prefix=IR
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 4 --emit ptx | FileCheck %s --check-prefix=FOUR
// RUN: %each_kernel %s --target sm_90a --num-warps 16 --emit ptx | FileCheck %s --check-prefix=SIXTEEN
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --max-registers 128 --emit ptx | FileCheck %s --check-prefix=LIMITED
// RUN: %each_kernel %s --target sm_80 --num-warps 8 --emit ptx | FileCheck %s --check-prefix=OLD
// Of two products, where one needs the other, the second is late; four warps more start the copies. Programs of four
// warps and other architectures have no warps of that kind, nor have those whose registers are limited so that a
// multiprocessor has two programs, unless they ask for it: then the program has with them what it would have without.
// FOUR-NOT: setmaxnreg
// OLD-NOT: setmaxnreg
// LIMITED-NOT: setmaxnreg

// The first product of the next iteration, and the second one of this, are started at once; the first is waited for
// while the second goes on, whose last one comes after the loop. Without iterations nothing is computed of memory
// that nobody wrote. An assertion that is not checked changes nothing.
// IR-LABEL: @chain
// IR: ttg.join_warps
// IR-NEXT: ttg.producer_warps attributes {others = 240 : i32, registers = 24 : i32} {
// IR-NOT: ttg.join_warps
// IR: scf.if %{{.*}} -> (tensor<128x128xf32
// IR-NEXT: %[[FIRST:.*]] = ttg.warp_group_dot
// IR-NEXT: ttg.warp_group_dot_wait %[[FIRST]] {pendings = 0 : i32}
// IR: scf.for
// IR: ttg.wait_barrier
// IR: %[[NEXT:.*]] = ttg.warp_group_dot
// IR: %[[LATE:.*]] = ttg.warp_group_dot
// IR: ttg.warp_group_dot_wait %[[NEXT]] {pendings = 1 : i32}
// IR: ttg.wait_barrier
// IR: ttg.warp_group_dot_wait %[[LATE]] {pendings = 0 : i32}
// IR: arith.truncf
// IR: scf.yield
// IR: scf.if
// IR: ttg.warp_group_dot
// IR: ttg.warp_group_dot_wait {{.*}} {pendings = 0 : i32}

// Twelve warps have 168 registers a thread at first, of which the producers give back what the others take.
// CHECK-LABEL: .entry chain(
// CHECK: .reqntid 384
// CHECK: .maxnreg 168
// CHECK: mbarrier.init
// CHECK: {{bar.sync|barrier.sync}} 0;
// CHECK: setmaxnreg.dec.sync.aligned.u32 24;
// CHECK: elect.sync
// CHECK-NOT: barrier.sync
// CHECK: cp.async.bulk.tensor
// CHECK: setmaxnreg.inc.sync.aligned.u32 240;
// CHECK: {{bar.sync|barrier.sync}} 0, 256;
// CHECK-NOT: barrier.sync
// CHECK: wgmma.wait_group.sync.aligned 1;
tt.func public @chain(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %end: i32, %scale: f32) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 128 : i32
  %head = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %scores = arith.constant dense<0.0> : tensor<128x128xf32>
  %dq = tt.make_tensor_descriptor %q, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %dk = tt.make_tensor_descriptor %k, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %dv = tt.make_tensor_descriptor %v, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %x = tt.descriptor_load %dq[%zero, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
  %s = tt.splat %scale : f32 -> tensor<128x64xf32>
  %sum = scf.for %i = %zero to %end step %block iter_args(%acc = %none) -> (tensor<128x64xf32>) : i32 {
    %inside = arith.cmpi slt, %i, %end : i32
    tt.assert %inside, "inside" : i1
    %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %t, %scores : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    %w = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xf16>
    %a = arith.mulf %acc, %s : tensor<128x64xf32>
    %e = tt.dot %w, %z, %a : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
    scf.yield %e : tensor<128x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Not late, where an atomic says that what comes before it has been read.
// IR-LABEL: @released_chain
// IR-NOT: pendings = 1
// IR: tt.atomic_rmw add, release
// IR-NOT: pendings = 1
// IR: tt.return
tt.func public @released_chain(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %end: i32, %scale: f32, %count: !tt.ptr<i32>, %go: i1) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 128 : i32
  %head = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %scores = arith.constant dense<0.0> : tensor<128x128xf32>
  %dq = tt.make_tensor_descriptor %q, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %dk = tt.make_tensor_descriptor %k, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %dv = tt.make_tensor_descriptor %v, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %x = tt.descriptor_load %dq[%zero, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
  %s = tt.splat %scale : f32 -> tensor<128x64xf32>
  %sum = scf.for %i = %zero to %end step %block iter_args(%acc = %none) -> (tensor<128x64xf32>) : i32 {
    %inside = arith.cmpi slt, %i, %end : i32
    tt.assert %inside, "inside" : i1
    %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %t, %scores : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    %w = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xf16>
    %a = arith.mulf %acc, %s : tensor<128x64xf32>
    %e = tt.dot %w, %z, %a : tensor<128x128xf16> * tensor<128x64xf16> -> tensor<128x64xf32>
    scf.if %go {
      %true = arith.constant true
      %old = tt.atomic_rmw add, release, gpu, %count, %block, %true : (!tt.ptr<i32>, i32, i1) -> i32
    }
    scf.yield %e : tensor<128x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// A multiprocessor has the registers for two programs, one of which multiplies while the other computes.
// IR-LABEL: @two_programs
// IR-NOT: ttg.producer_warps
// CHECK-LABEL: .entry two_programs(
// CHECK: .reqntid 256
// CHECK-NOT: setmaxnreg
tt.func public @two_programs(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %end: i32, %scale: f32) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %dq = tt.make_tensor_descriptor %q, [%rows, %block], [%wide, %one] : <f16>, <128x64xf16>
  %dk = tt.make_tensor_descriptor %k, [%rows, %block], [%wide, %one] : <f16>, <64x64xf16>
  %dv = tt.make_tensor_descriptor %v, [%rows, %block], [%wide, %one] : <f16>, <64x64xf16>
  %x = tt.descriptor_load %dq[%zero, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
  %s = tt.splat %scale : f32 -> tensor<128x64xf32>
  %sum = scf.for %i = %zero to %end step %block iter_args(%acc = %none) -> (tensor<128x64xf32>) : i32 {
    %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %t, %none : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %w = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xf16>
    %a = arith.mulf %acc, %s : tensor<128x64xf32>
    %e = tt.dot %w, %z, %a : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %e : tensor<128x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Sixteen warps have a multiprocessor for themselves, and producers if the results leave them registers.
// IR-LABEL: @sixteen_warps
// CHECK-LABEL: .entry sixteen_warps(
// SIXTEEN-LABEL: .entry sixteen_warps(
// SIXTEEN: .reqntid 640
// SIXTEEN: setmaxnreg.inc.sync.aligned.u32 112;
tt.func public @sixteen_warps(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %end: i32, %scale: f32) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<256x64xf32>
  %dq = tt.make_tensor_descriptor %q, [%rows, %block], [%wide, %one] : <f16>, <256x64xf16>
  %dk = tt.make_tensor_descriptor %k, [%rows, %block], [%wide, %one] : <f16>, <64x64xf16>
  %dv = tt.make_tensor_descriptor %v, [%rows, %block], [%wide, %one] : <f16>, <64x64xf16>
  %x = tt.descriptor_load %dq[%zero, %zero] : !tt.tensordesc<256x64xf16> -> tensor<256x64xf16>
  %s = tt.splat %scale : f32 -> tensor<256x64xf32>
  %sum = scf.for %i = %zero to %end step %block iter_args(%acc = %none) -> (tensor<256x64xf32>) : i32 {
    %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %t, %none : tensor<256x64xf16> * tensor<64x64xf16> -> tensor<256x64xf32>
    %w = arith.truncf %d : tensor<256x64xf32> to tensor<256x64xf16>
    %a = arith.mulf %acc, %s : tensor<256x64xf32>
    %e = tt.dot %w, %z, %a : tensor<256x64xf16> * tensor<64x64xf16> -> tensor<256x64xf32>
    scf.yield %e : tensor<256x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<256x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<256x64x!tt.ptr<f32>>
  tt.return
}

// Their results would not fit in 112 registers.
// IR-LABEL: @too_many_results
// CHECK-LABEL: .entry too_many_results(
// SIXTEEN-LABEL: .entry too_many_results(
// SIXTEEN: .reqntid 512
// SIXTEEN-NOT: setmaxnreg
tt.func public @too_many_results(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32, %end: i32, %scale: f32) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 128 : i32
  %head = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<256x64xf32>
  %scores = arith.constant dense<0.0> : tensor<256x128xf32>
  %dq = tt.make_tensor_descriptor %q, [%rows, %head], [%wide, %one] : <f16>, <256x64xf16>
  %dk = tt.make_tensor_descriptor %k, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %dv = tt.make_tensor_descriptor %v, [%rows, %head], [%wide, %one] : <f16>, <128x64xf16>
  %x = tt.descriptor_load %dq[%zero, %zero] : !tt.tensordesc<256x64xf16> -> tensor<256x64xf16>
  %s = tt.splat %scale : f32 -> tensor<256x64xf32>
  %sum = scf.for %i = %zero to %end step %block iter_args(%acc = %none) -> (tensor<256x64xf32>) : i32 {
    %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %t, %scores : tensor<256x64xf16> * tensor<64x128xf16> -> tensor<256x128xf32>
    %w = arith.truncf %d : tensor<256x128xf32> to tensor<256x128xf16>
    %a = arith.mulf %acc, %s : tensor<256x64xf32>
    %e = tt.dot %w, %z, %a : tensor<256x128xf16> * tensor<128x64xf16> -> tensor<256x64xf32>
    scf.yield %e : tensor<256x64xf32>
  }
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<256x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<256x64x!tt.ptr<f32>>
  tt.return
}

// One product, whose loop asks for it.
// IR-LABEL: @asked_by_its_loop
// IR: ttg.producer_warps
// CHECK-LABEL: .entry asked_by_its_loop(
// CHECK: .reqntid 384
// SIXTEEN-LABEL: .entry asked_by_its_loop(
// SIXTEEN: .reqntid 640
// SIXTEEN: .maxnreg 96
// SIXTEEN: setmaxnreg.dec.sync.aligned.u32 24;
// SIXTEEN: setmaxnreg.inc.sync.aligned.u32 112;
tt.func public @asked_by_its_loop(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x128xf16>
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %none) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %p, %q, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  } {tt.warp_specialize}
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// One whose results are few enough for that.
// LIMITED-LABEL: .entry asked_with_few_results(
// LIMITED: .reqntid 384
// LIMITED: .maxnreg 80
// LIMITED: setmaxnreg.dec.sync.aligned.u32 24;
// LIMITED: setmaxnreg.inc.sync.aligned.u32 104;
tt.func public @asked_with_few_results(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = arith.extsi %n : i32 to i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = tt.make_tensor_descriptor %a, [%n, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%n, %n], [%pitch, %one] : <f16>, <64x64xf16>
  %sum = scf.for %k = %zero to %n step %block iter_args(%c = %none) -> (tensor<128x64xf32>) : i32 {
    %p = tt.descriptor_load %x[%zero, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%k, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %p, %q, %c : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  } {tt.warp_specialize}
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
