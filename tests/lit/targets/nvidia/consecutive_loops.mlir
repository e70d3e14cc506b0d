// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ttgir | FileCheck %s
// Loops that come one after the other and load blocks of the same types share rings: nobody waits between them until all
// have come to the end of the first.

// The second one begins where the first one has ended, once what that has read last is free.
// CHECK-LABEL: @one_after_the_other
// CHECK-COUNT-8: ttg.init_barrier
// CHECK-COUNT-2: ttg.local_alloc {ordered}
// CHECK: ttg.barrier local
// CHECK: %[[FIRST:.*]]:5 = scf.for
// CHECK: ttg.warp_group_dot_wait %[[FIRST]]#0 {pendings = 0 : i32}
// CHECK-NEXT: %[[RAN:.*]] = arith.cmpi slt
// CHECK: ttg.arrive_barrier %{{.*}}, 1 if %[[RAN]] {each_warp}
// CHECK-NOT: ttg.{{(init|inval)}}_barrier
// CHECK-NOT: ttg.barrier
// CHECK: ttg.wait_barrier %{{.*}} {one_warp}
// CHECK: ttg.async_descriptor_load
// CHECK: scf.for {{.*}} = %[[FIRST]]#3, %{{.*}} = %[[FIRST]]#4)
// CHECK-NOT: ttg.init_barrier
// CHECK: ttg.local_dealloc
tt.func public @one_after_the_other(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %middle: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %tile = tt.get_program_id x : i32
  %row = arith.muli %tile, %c128 : i32
  %width = arith.constant 128 : i64
  %pitch = arith.extsi %k : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  %sum = scf.for %i = %zero to %middle step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %half = arith.constant dense<0.5> : tensor<128x128xf32>
  %scaled = arith.mulf %sum, %half : tensor<128x128xf32>
  %all = scf.for %i = %zero to %k step %c64 iter_args(%acc = %scaled) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.descriptor_store %dc[%row, %zero], %all : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  tt.return
}

// What is written between them may be what the second one loads: its copies begin after that.
// CHECK-LABEL: @writes_between
// CHECK: scf.for
// CHECK: tt.store
// CHECK: ttg.init_barrier
// CHECK: scf.for
tt.func public @writes_between(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %middle: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %tile = tt.get_program_id x : i32
  %row = arith.muli %tile, %c128 : i32
  %width = arith.constant 128 : i64
  %pitch = arith.extsi %k : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c128], [%width, %one] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c128], [%width, %one] : <f32>, <128x128xf32>
  %sum = scf.for %i = %zero to %middle step %c64 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %lanes = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %first = tt.splat %b : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %at = tt.addptr %first, %lanes : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %ones = arith.constant dense<1.0> : tensor<1024xf16>
  tt.store %at, %ones : tensor<1024x!tt.ptr<f16>>
  %all = scf.for %i = %zero to %k step %c64 iter_args(%acc = %sum) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.descriptor_store %dc[%row, %zero], %all : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  tt.return
}

// Where the rings would leave no room for what lies between the loops, each has its own.
// CHECK-LABEL: @no_room
// CHECK: ttg.init_barrier
// CHECK: scf.for
// CHECK: ttg.inval_barrier
// CHECK: tt.descriptor_store
// CHECK: ttg.init_barrier
// CHECK: scf.for
tt.func public @no_room(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %none = arith.constant dense<0.0> : tensor<128x256xf32>
  %tile = tt.get_program_id x : i32
  %row = arith.muli %tile, %c128 : i32
  %width = arith.constant 256 : i64
  %pitch = arith.extsi %k : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %one] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %c256], [%width, %one] : <f16>, <64x256xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c256], [%width, %one] : <f16>, <128x256xf16>
  %sum = scf.for %i = %zero to %k step %c64 iter_args(%acc = %none) -> (tensor<128x256xf32>) : i32 {
    %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x256xf16> -> tensor<64x256xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  } {tt.num_stages = 3 : i32}
  %narrow = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xf16>
  tt.descriptor_store %dc[%row, %zero], %narrow : !tt.tensordesc<128x256xf16>, tensor<128x256xf16>
  %below = arith.addi %row, %c128 : i32
  %all = scf.for %i = %zero to %k step %c64 iter_args(%acc = %sum) -> (tensor<128x256xf32>) : i32 {
    %x = tt.descriptor_load %da[%below, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x256xf16> -> tensor<64x256xf16>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  } {tt.num_stages = 3 : i32}
  %narrower = arith.truncf %all : tensor<128x256xf32> to tensor<128x256xf16>
  tt.descriptor_store %dc[%below, %zero], %narrower : !tt.tensordesc<128x256xf16>, tensor<128x256xf16>
  tt.return
}

// Loops whose second product is late, in a loop over tiles: what it has read last becomes free after each of them, and
// positions go on from loop to loop and from tile to tile, but where a loop has no iterations.
// CHECK-LABEL: @late_products
// CHECK: ttg.producer_warps
// CHECK-COUNT-8: ttg.init_barrier
// CHECK: ttg.join_warps
// CHECK-NOT: ttg.init_barrier
// CHECK: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK: ttg.arrive_barrier %{{.*}}, 1 {each_warp}
// CHECK: ttg.arrive_barrier %{{.*}}, 1 if %[[RAN:[0-9]+]] {each_warp}
// CHECK: %[[NEXT:.*]] = arith.select %[[RAN]], %{{.*}}, %{{.*}}
// CHECK: arith.select %[[RAN]], %{{.*}}, %{{.*}}
// CHECK: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK: ttg.arrive_barrier %{{.*}}, 1 {each_warp}
// CHECK: ttg.arrive_barrier %{{.*}}, 1 if %[[AGAIN:[0-9]+]] {each_warp}
// CHECK: arith.select %[[AGAIN]], %{{.*}}, %[[NEXT]]
// CHECK: scf.yield
tt.func public @late_products(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %middle: i32 {tt.divisibility = 16 : i32}, %length: i32 {tt.divisibility = 16 : i32}, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %c128 = arith.constant 128 : i32
  %width = arith.constant 128 : i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %lanes = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %across = tt.expand_dims %lanes {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %down = tt.expand_dims %lanes {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %c128s = arith.constant dense<128> : tensor<128x1xi32>
  %rowstarts = arith.muli %down, %c128s : tensor<128x1xi32>
  %wide = tt.broadcast %rowstarts : tensor<128x1xi32> -> tensor<128x128xi32>
  %along = tt.broadcast %across : tensor<1x128xi32> -> tensor<128x128xi32>
  %places = arith.addi %wide, %along : tensor<128x128xi32>
  %dk = tt.make_tensor_descriptor %k, [%length, %c128], [%width, %one] : <f16>, <128x128xf16>
  %dv = tt.make_tensor_descriptor %v, [%length, %c128], [%width, %one] : <f16>, <128x128xf16>
  scf.for %tile = %zero to %tiles step %c128 : i32 {
    %begin = arith.muli %tile, %c128 : i32
    %own = tt.addptr %q, %begin : !tt.ptr<f16>, i32
    %owns = tt.splat %own : !tt.ptr<f16> -> tensor<128x128x!tt.ptr<f16>>
    %each = tt.addptr %owns, %places : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
    %x = tt.load %each : tensor<128x128x!tt.ptr<f16>>
    %sum = scf.for %i = %zero to %middle step %c128 iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16>
      %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<128x128xf16> -> tensor<128x128xf16>
      %s = tt.dot %x, %t, %none : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
      %e = math.exp2 %s : tensor<128x128xf32>
      %w = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xf16>
      %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16>
      %d = tt.dot %w, %z, %acc : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    } {tt.num_stages = 2 : i32}
    %all = scf.for %i = %middle to %length step %c128 iter_args(%acc = %sum) -> (tensor<128x128xf32>) : i32 {
      %y = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16>
      %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<128x128xf16> -> tensor<128x128xf16>
      %s = tt.dot %x, %t, %none : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
      %f = arith.addf %s, %s : tensor<128x128xf32>
      %e = math.exp2 %f : tensor<128x128xf32>
      %w = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xf16>
      %z = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<128x128xf16> -> tensor<128x128xf16>
      %d = tt.dot %w, %z, %acc : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    } {tt.num_stages = 2 : i32}
    %to = tt.addptr %out, %begin : !tt.ptr<f32>, i32
    %tos = tt.splat %to : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
    %toeach = tt.addptr %tos, %places : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    tt.store %toeach, %all : tensor<128x128x!tt.ptr<f32>>
  } {tt.flatten, tt.warp_specialize}
  tt.return
}
