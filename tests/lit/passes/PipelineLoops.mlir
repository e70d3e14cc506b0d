// RUN: tl-opt --pipeline-loops %s | FileCheck %s
// RUN: tl-opt --pipeline-loops=num-stages=2 %s | FileCheck %s --check-prefix=TWO
// RUN: sed 's/shared_bytes = 232448/shared_bytes = 30000/' %s | tl-opt --pipeline-loops | FileCheck %s --check-prefix=LITTLE
// RUN: sed 's/shared_bytes = 232448/shared_bytes = 16000/' %s | tl-opt --pipeline-loops | FileCheck %s --check-prefix=NONE
// RUN: sed 's/shared_bytes = 232448/shared_bytes = 100000/' %s | tl-opt --pipeline-loops | FileCheck %s --check-prefix=MEETS
// Loads for products become copies into rings of buffers, some iterations ahead.

// Two buffers of 8192 bytes are too much for 16000 bytes.
// NONE-NOT: ttg.async_copy_global_to_local

#l = #ttg.layout<blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#row = #ttg.layout<blocked [1, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#line = #ttg.layout<slice <blocked [64, 64], registers = [1, 8], lanes = [4, 8], warps = [4, 1], order = [1, 0]>, axis = 0>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
#k = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#n = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [0, 1]>
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// Three stages: two iterations ahead. The sum is only handed on, so a product stays in flight while the next one starts,
// which needs a fourth buffer. In the loop: wait for the copies, multiply, copy.
// CHECK-LABEL: @sum
// CHECK: %[[RING:.*]] = ttg.local_alloc {ordered} : () -> !ttg.memdesc<4x64x64xf16, #
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[TRIPS:.*]] : i32
// CHECK: %[[MASK:.*]] = tt.splat %[[RUNS]]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %[[MASK]]
// CHECK-NEXT: ttg.async_commit_group
// CHECK: ttg.async_copy_global_to_local
// CHECK-NEXT: ttg.async_commit_group
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttg.fence_async_shared
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: %[[READ:.*]] = ttg.memdesc_index %[[RING]]
// CHECK-NEXT: %[[VIEW:.*]] = ttg.memdesc_trans %[[READ]]
// CHECK-NEXT: %[[D:.*]] = ttg.warp_group_dot %[[READ]], %[[VIEW]]
// CHECK-NEXT: ttg.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
// CHECK-NOT: tt.load
// CHECK: %[[WRITTEN:.*]] = ttg.memdesc_index %[[RING]]
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[WRITTEN]] mask
// CHECK-NEXT: ttg.async_commit_group
// CHECK: scf.yield
// CHECK: ttg.warp_group_dot_wait %{{.*}}#0 {pendings = 0 : i32}
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: ttg.local_dealloc %[[RING]]

// TWO-LABEL: @sum
// TWO: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// TWO-COUNT-1: ttg.async_copy_global_to_local
// TWO: scf.for
// TWO: ttg.async_wait {num = 0 : i32}

// Where there is room for three buffers, one iteration ahead.
// LITTLE-LABEL: @sum
// LITTLE: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// Where a buffer less lets a multiprocessor have a fourth program, there are three, and all threads have waited for the product
// before before they copy.
// MEETS-LABEL: @sum
// MEETS: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16, #
// MEETS-NOT: ttg.barrier local
// MEETS: scf.for
// MEETS: ttg.barrier local
// MEETS: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// MEETS: ttg.barrier local
// MEETS: ttg.async_copy_global_to_local
// MEETS: scf.yield
// MEETS-LABEL: @short
tt.func public @sum(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #k> -> !ttg.memdesc<64x64xf16, #n>
    %s = ttg.warp_group_dot %m, %t, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// Two iterations are begun and ended: their memory is left to other programs, unless the loop says how many stages it has,
// or one around it goes on from tile to tile.
// CHECK-LABEL: @short
// CHECK: scf.for
// CHECK: tt.load
// CHECK: ttg.local_alloc {ordered}
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: scf.yield
tt.func public @short(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %first = scf.for %i = %c0 to %c2 step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #k> -> !ttg.memdesc<64x64xf16, #n>
    %s = ttg.warp_group_dot %m, %t, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  %second = scf.for %i = %c0 to %c2 step %c1 iter_args(%c = %first) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #k> -> !ttg.memdesc<64x64xf16, #n>
    %s = ttg.warp_group_dot %m, %t, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  } {tt.num_stages = 3 : i32}
  tt.return
}
// CHECK-LABEL: @short_in_flattened
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func public @short_in_flattened(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %tiles: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %all = scf.for %tile = %c0 to %tiles step %c1 iter_args(%before = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%c = %before) -> (tensor<64x64xf32, #d>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
      %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
      %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #k> -> !ttg.memdesc<64x64xf16, #n>
      %s = ttg.warp_group_dot %m, %t, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
        : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #n> -> tensor<64x64xf32, #d>
      %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
      scf.yield %w : tensor<64x64xf32, #d>
    }
    scf.yield %sum : tensor<64x64xf32, #d>
  } {tt.flatten}
  tt.return
}

// A loop from anywhere by any step is made to count its iterations in 64 bits, where telling those that it does not have
// cannot overflow. The mask of the load is that of its iteration, and that there is one.
// CHECK-LABEL: @ragged
// CHECK: arith.divui {{.*}} : i64
// CHECK: %[[TRIPS:.*]] = arith.select {{.*}} : i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} -> {{.*}} : i64 {
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : i64
// CHECK: ttg.warp_group_dot
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}} : tensor<64x64xi32
// CHECK: %[[ALL:.*]] = tt.splat %[[RUNS]]
// CHECK: %[[MASK:.*]] = arith.andi %[[ALL]], %[[IN]]
// CHECK: ttg.async_copy_global_to_local %{{.*}} mask %[[MASK]] {{.*}} other %
tt.func public @ragged(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %at: tensor<64x64xi32, #l> {tt.constancy = dense<64> : tensor<2xi32>}, %from: i32, %to: i32, %by: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %sum = scf.for %i = %from to %to step %by iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %is = tt.splat %i : i32 -> tensor<64x64xi32, #l>
    %mask = arith.cmpi slt, %at, %is : tensor<64x64xi32, #l>
    %x = tt.load %p, %mask, %none : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// In known steps of 3 and more there are fewer than 2^31 iterations: 32 bits are enough to count them.
// CHECK-LABEL: @steps_of_3
// CHECK: arith.divui {{.*}} : i64
// CHECK: %[[TRIPS:.*]] = arith.select {{.*}} : i32
// CHECK: scf.for %{{.*}} to %[[TRIPS]] step %{{.*}} : i32 {
tt.func public @steps_of_3(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %from: i32, %to: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %step = arith.constant 3 : i32
  %sum = scf.for %i = %from to %to step %step iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// In steps of 2 there may be 2^31.
// CHECK-LABEL: @steps_of_2
// CHECK: arith.select {{.*}} : i64
// CHECK: scf.for {{.*}} : i64 {
tt.func public @steps_of_2(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %from: i32, %to: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %step = arith.constant 2 : i32
  %sum = scf.for %i = %from to %to step %step iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// Two loads have a ring each and one group of copies.
// CHECK-LABEL: @two
// CHECK-COUNT-2: ttg.local_alloc {ordered}
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: ttg.async_commit_group
// CHECK: ttg.async_copy_global_to_local
// CHECK-NEXT: ttg.async_commit_group
// CHECK: scf.for
// CHECK-COUNT-1: ttg.async_wait
// CHECK: scf.yield
// CHECK-COUNT-2: ttg.local_dealloc
tt.func public @two(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
    %n = ttg.local_alloc %y : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %n, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// A sum that is used in the loop is waited for at once: then a buffer more than iterations ahead is enough.
// CHECK-LABEL: @used
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// CHECK: scf.for
// CHECK: ttg.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK: scf.yield
tt.func public @used(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %v = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %w = arith.addf %v, %v : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// The loop's own number of stages counts; one is no pipeline.
// CHECK-LABEL: @own_stages
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<5x64x64xf16
// CHECK-COUNT-3: ttg.async_commit_group
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 2 : i32}
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @own_stages(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  } {tt.num_stages = 4 : i32}
  %other = scf.for %i = %c0 to %count step %c1 iter_args(%c = %sum) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  } {tt.num_stages = 1 : i32}
  tt.return
}

// Loads do not move up over what may write the memory that they read.
// CHECK-LABEL: @writes
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @writes(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.may_alias}, %out: !tt.ptr<i32> {tt.may_alias}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    tt.store %out, %i : !tt.ptr<i32>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// A check of the compiler's, a print and the start of other kernels write no memory that is read.
// CHECK-LABEL: @asserts
// CHECK: scf.for
// CHECK: tt.assert
// CHECK: tt.print
// CHECK: tt.grid_dependency_launch_dependents
// CHECK: ttg.async_copy_global_to_local
tt.func public @asserts(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %holds: i1, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    tt.assert %holds, "it holds" {tt.always_checked} : i1
    tt.print " i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
    tt.grid_dependency_launch_dependents
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// What the author asserts may be what a load relies on.
// CHECK-LABEL: @guarded
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @guarded(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %holds: i1, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    tt.assert %holds, "it holds" : i1
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// What is stored through another parameter lies elsewhere if one of the two does not say that it may overlap.
// CHECK-LABEL: @writes_elsewhere
// CHECK: scf.for
// CHECK: tt.store
// CHECK: ttg.async_copy_global_to_local
tt.func public @writes_elsewhere(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32> {tt.may_alias}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    tt.store %out, %i : !tt.ptr<i32>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// What lies in shared memory in two ways is copied twice.
// CHECK-LABEL: @two_ways
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @two_ways(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %n = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 64, order = [1, 0]>>
    %s = ttg.warp_group_dot %m, %n, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 64, order = [1, 0]>> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// Nor does an atomic operation there order loads, if it acquires nothing and nobody reads what it has found.
// CHECK-LABEL: @adds_elsewhere
// CHECK: scf.for
// CHECK: tt.atomic_rmw
// CHECK: ttg.async_copy_global_to_local
tt.func public @adds_elsewhere(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %old = tt.atomic_rmw add, relaxed, gpu, %out, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// One that releases lets later loads pass,
// CHECK-LABEL: @releases
// CHECK: scf.for
// CHECK: tt.atomic_rmw
// CHECK: ttg.async_copy_global_to_local
tt.func public @releases(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %old = tt.atomic_rmw add, release, gpu, %out, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// but not those before it that are still under way then.
// CHECK-LABEL: @releases_first
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @releases_first(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %old = tt.atomic_rmw add, release, gpu, %out, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// One that acquires does not.
// CHECK-LABEL: @acquires
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @acquires(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %old = tt.atomic_rmw add, acquire, gpu, %out, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// A load that gives a copy its address runs ahead with it, masked like it, and begins before the
// iteration waits.
// CHECK-LABEL: @follows
// CHECK: tt.load %{{.*}}, %{{.*}} : !tt.ptr<i32>
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.for
// CHECK: %[[N:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<i32>
// CHECK: ttg.async_wait
// CHECK: ttg.warp_group_dot
// CHECK: arith.muli %[[N]]
// CHECK: ttg.async_copy_global_to_local
// CHECK: tt.return
tt.func public @follows(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %table: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %entry = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %number = tt.load %entry : !tt.ptr<i32>
    %far = arith.constant 4096 : i32
    %begin = arith.muli %number, %far : i32
    %shift = tt.splat %begin : i32 -> tensor<64x64xi32, #l>
    %r = tt.addptr %p, %shift : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %x = tt.load %r : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// What the copies carry has run ahead when the loop ends: what is used after it is computed again beside the products.
// CHECK-LABEL: @after
// CHECK: %[[LOOP:.*]]:7 = scf.for {{.*}} iter_args(%{{[^,]*}}, %[[AHEAD:[^ ]*]] = %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[HERE:[^ ]*]] = %c0_i32)
// CHECK: ttg.warp_group_dot_wait
// CHECK: %[[NEXT:.*]] = arith.addi %[[HERE]], %c64
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[FURTHER:.*]] = arith.addi %[[AHEAD]], %c64
// CHECK: scf.yield %{{[^,]*}}, %[[FURTHER]], {{.*}}, %[[NEXT]] :
// CHECK: tt.store %{{.*}}, %[[LOOP]]#6
tt.func public @after(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %sum:2 = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero, %k = %c0) -> (tensor<64x64xf32, #d>, i32) : i32 {
    %shift = tt.splat %k : i32 -> tensor<64x64xi32, #l>
    %q = tt.addptr %p, %shift : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %mult = tt.addptr %q, %shift {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %x = tt.load %mult : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %next = arith.addi %k, %c64 : i32
    scf.yield %w, %next : tensor<64x64xf32, #d>, i32
  }
  tt.store %out, %sum#1 : !tt.ptr<i32>
  tt.return
}

// Who wants what a load brings before the product does waits for it, too.
// CHECK-LABEL: @wanted_before
// CHECK: scf.for
// CHECK: ttg.barrier local
// CHECK: %[[VALUE:.*]] = ttg.local_load
// CHECK: arith.addf %{{.*}}, %[[VALUE]]
// CHECK: ttg.warp_group_dot
tt.func public @wanted_before(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %none = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum:2 = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero, %t = %none) -> (tensor<64x64xf32, #d>, tensor<64x64xf16, #l>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %u = arith.addf %t, %x : tensor<64x64xf16, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w, %u : tensor<64x64xf32, #d>, tensor<64x64xf16, #l>
  }
  tt.return
}

// Pointers that change places, and values from before the loop that it yields.
// CHECK-LABEL: @swapped
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.yield
// CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<i32>
tt.func public @swapped(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %out: !tt.ptr<i32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum:4 = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero, %this = %p, %that = %q, %last = %c0)
      -> (tensor<64x64xf32, #d>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, i32) : i32 {
    %x = tt.load %this : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w, %that, %this, %count : tensor<64x64xf32, #d>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, i32
  }
  tt.store %out, %sum#3 : !tt.ptr<i32>
  tt.return
}

// What the loop itself puts into shared memory takes room, too.
// CHECK-LABEL: @room
// CHECK: ttg.local_alloc {ordered} : () -> !ttg.memdesc<3x64x64xf16
// LITTLE-LABEL: @room
// LITTLE: ttg.local_alloc {ordered} : () -> !ttg.memdesc<2x64x64xf16
tt.func public @room(%p: tensor<64x64x!tt.ptr<f16>, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %v: tensor<64x64xf16, #l>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %n = ttg.local_alloc %v : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %n, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    scf.yield %w : tensor<64x64xf32, #d>
  }
  tt.return
}

// What is too small to be copied, such as a scale, runs ahead and waits in registers.
// CHECK-LABEL: @scaled
// CHECK: %[[S0:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: %[[S1:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: scf.for {{.*}} = %[[S0]], %{{.*}} = %[[S1]])
// CHECK: tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: tt.splat %arg
// CHECK: scf.yield
tt.func public @scaled(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %at: tensor<64x64xi32, #l> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %scales: !tt.ptr<f32>, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %p = tt.addptr %bases, %at : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32, #d>) : i32 {
    %entry = tt.addptr %scales, %i : !tt.ptr<f32>, i32
    %scale = tt.load %entry : !tt.ptr<f32>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #k>
    %s = ttg.warp_group_dot %m, %m, %zero {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #k>, !ttg.memdesc<64x64xf16, #k> -> tensor<64x64xf32, #d>
    %w = ttg.warp_group_dot_wait %s {pendings = 0 : i32} : tensor<64x64xf32, #d>
    %many = tt.splat %scale : f32 -> tensor<64x64xf32, #d>
    %scaled = arith.mulf %w, %many : tensor<64x64xf32, #d>
    %next = arith.addf %c, %scaled : tensor<64x64xf32, #d>
    scf.yield %next : tensor<64x64xf32, #d>
  }
  tt.return
}

}
