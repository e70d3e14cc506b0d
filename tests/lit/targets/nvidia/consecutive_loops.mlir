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
