// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ttgir | FileCheck %s
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: %each_kernel %s --target sm_90a --num-warps 4 --num-stages 5 --emit ttgir | FileCheck %s --check-prefix=FOUR
// In a loop over tiles that asks for it, warps of their own go on to the blocks of the next tile: rings and their barriers
// are those of all tiles. Programs of fewer warps have no such warps, and rings of a tile, which end before its result is
// stored: so there is room for one buffer more.
// FOUR-NOT: ttg.producer_warps
// FOUR-LABEL: @flattened
// FOUR: scf.for
// FOUR: ttg.local_alloc {ordered} : () -> !ttg.memdesc<6x128x64xf16
// FOUR: ttg.init_barrier

// They wait for the others once, before the first tile; positions in the ring go on where the tile before has ended.
// CHECK-LABEL: @flattened
// CHECK: ttg.join_warps
// CHECK: ttg.producer_warps
// CHECK-NOT: ttg.join_warps
// CHECK: scf.for %{{.*}} iter_args(%[[NUMBER:.*]] = %{{.*}}, %[[PARITY:.*]] = %{{.*}}) -> (i32, i32)  : i32 {
// CHECK: scf.if
// CHECK: %[[TURN:.*]] = arith.xori %[[PARITY]]
// CHECK: ttg.wait_barrier %{{.*}}, %[[TURN]] {one_warp}
// CHECK: ttg.async_descriptor_load
// CHECK: %[[POSITIONS:.*]]:4 = scf.for
// CHECK: ttg.async_descriptor_load
// CHECK: scf.yield
// CHECK: scf.yield %[[POSITIONS]]#2, %[[POSITIONS]]#3
// The others: what the last product of a tile has read is free before its result is stored.
// CHECK: scf.for %{{.*}} iter_args(%[[AT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)  : i32 {
// CHECK-NOT: ttg.init_barrier
// CHECK: %[[LOOP:.*]]:5 = scf.for {{.*}}, %{{.*}} = %[[AT]], %{{.*}} = %[[PHASE]])
// CHECK: ttg.warp_group_dot
// CHECK: ttg.arrive_barrier
// CHECK: ttg.warp_group_dot_wait %[[LOOP]]#0 {pendings = 0 : i32}
// CHECK-NEXT: %[[RAN:.*]] = arith.cmpi slt
// CHECK: arith.cmpi eq, %[[LOOP]]#3
// CHECK: ttg.arrive_barrier %{{.*}}, 1 if %[[RAN]] {each_warp}
// CHECK-NOT: ttg.inval_barrier
// CHECK: tt.descriptor_store
// CHECK-NEXT: scf.yield %[[LOOP]]#3, %[[LOOP]]#4
// CHECK: ttg.local_dealloc

// PTX-LABEL: .entry flattened(
// PTX: mbarrier.init
// PTX: {{bar.sync|barrier.sync}} 0;
// PTX-NOT: mbarrier.init
// PTX-NOT: bar{{(rier)?}}.sync 15
// PTX: cp.async.bulk.tensor
// PTX: cp.async.bulk.tensor.2d.global.shared::cta
// PTX-NOT: mbarrier.init
// PTX: ret;
tt.func public @flattened(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %width = arith.constant 128 : i64
  %kw = arith.extsi %k : i32 to i64
  %rows = arith.muli %tiles, %c128 : i32
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%kw, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  %first = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  scf.for %tile = %first to %tiles step %programs : i32 {
    %row = arith.muli %tile, %c128 : i32
    %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  } {tt.flatten}
  tt.return
}

// A flag that is off asks for nothing.
// CHECK-LABEL: @not_asked
// CHECK-NOT: ttg.producer_warps
// CHECK: scf.for
// CHECK: ttg.init_barrier
// CHECK: ttg.inval_barrier
tt.func public @not_asked(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %width = arith.constant 128 : i64
  %kw = arith.extsi %k : i32 to i64
  %rows = arith.muli %tiles, %c128 : i32
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%kw, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  scf.for %tile = %zero to %tiles step %step : i32 {
    %row = arith.muli %tile, %c128 : i32
    %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  } {tt.flatten = false, tt.warp_specialize = false}
  tt.return
}

// Each tile waits for another program's: copies of the next one come after that, so that warps join in each tile.
// CHECK-LABEL: @ordered
// CHECK: ttg.producer_warps
// CHECK: scf.for
// CHECK: ttg.join_warps
// CHECK: ttg.async_descriptor_load
// CHECK: scf.for
// CHECK: tt.atomic_rmw
// CHECK: ttg.init_barrier
// CHECK: ttg.join_warps
// CHECK: ttg.inval_barrier
// PTX-LABEL: .entry ordered(
// PTX: {{^[^a-z]*}}barrier.sync 15, 288;
// PTX: {{^[^a-z]*}}barrier.sync 15, 288;
tt.func public @ordered(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<i32>, %tiles: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %always = arith.constant true
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %width = arith.constant 128 : i64
  %kw = arith.extsi %k : i32 to i64
  %rows = arith.muli %tiles, %c128 : i32
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%kw, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  scf.for %tile = %zero to %tiles step %step : i32 {
    %row = arith.muli %tile, %c128 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %flag, %step, %always : (!tt.ptr<i32>, i32, i1) -> i32
    %found = tt.addptr %flag, %step : !tt.ptr<i32>, i32
    tt.store %found, %old : !tt.ptr<i32>
    %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  } {tt.flatten}
  tt.return
}

// Two loops of a tile: each has rings of its own time, in the same memory.
// CHECK-LABEL: @two_loops
// CHECK: ttg.producer_warps
// CHECK: scf.for
// CHECK: ttg.join_warps
// CHECK: ttg.join_warps
tt.func public @two_loops(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %tiles: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %width = arith.constant 128 : i64
  %kw = arith.extsi %k : i32 to i64
  %rows = arith.muli %tiles, %c128 : i32
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%kw, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  scf.for %tile = %zero to %tiles step %step : i32 {
    %row = arith.muli %tile, %c128 : i32
    %half = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %sum = scf.for %i = %zero to %k step %c128 iter_args(%acc = %half) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  } {tt.flatten}
  tt.return
}
