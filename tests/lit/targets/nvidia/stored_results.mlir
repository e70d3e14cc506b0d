// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ttgir | FileCheck %s --check-prefix=IR
// RUN: %each_kernel %s --target sm_90a --num-warps 8 --emit ptx | FileCheck %s
// Results of products in a loop over tiles are stored by TMA, out of memory that is swizzled as wide as its rows. Who
// copies other memory does not wait for it: a store waits for the one before, and then until its memory has been read.

// IR-LABEL: @tiles
// IR: tt.make_tensor_descriptor {{.*}} {ttg.swizzle = 128 : i32} : <f16>, <64x64xf16>
// IR: tt.descriptor_store

// CHECK-LABEL: .entry tiles(
// CHECK-NOT: fence.proxy.async;
// CHECK: stmatrix
// CHECK: cp.async.bulk.wait_group {{ *}}0;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}0;
// CHECK-NOT: fence.proxy.async;
tt.func public @tiles(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %count: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.extsi %k : i32 to i64
  %width = arith.constant 64 : i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %unit] : <f16>, <64x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %block], [%width, %unit] : <f16>, <64x64xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %block], [%width, %unit] : <f16>, <64x64xf16>
  scf.for %tile = %zero to %count step %step : i32 {
    %row = arith.muli %tile, %block : i32
    %sum = scf.for %i = %zero to %k step %block iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
      %d = tt.dot %x, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %r = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tt.descriptor_store %dc[%row, %zero], %r : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
  }
  tt.return
}

// What a loop adds to memory goes on while the next iteration computes, which waits until the sums before have been read
// before it writes there again; nobody waits for them to be written.
// IR-LABEL: @sums
// IR: tt.make_tensor_descriptor {{.*}} {ttg.swizzle = 128 : i32} : <f32>, <1x64x64xf32>
// IR: scf.for
// IR: ttg.async_descriptor_load
// IR: tt.descriptor_reduce

// CHECK-LABEL: .entry sums(
// CHECK-NOT: fence.proxy.async;
// CHECK: wgmma.mma_async
// CHECK: cp.async.bulk.wait_group.read {{ *}}0;
// CHECK: bar.sync
// CHECK: st.shared
// CHECK: cp.reduce.async.bulk.tensor.3d.global.shared::cta.add
// CHECK-NOT: cp.async.bulk.wait_group {{ *}}0;
// CHECK-NOT: fence.proxy.async;
// CHECK: cp.async.bulk.wait_group.read {{ *}}0;
// CHECK: ret;
tt.func public @sums(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %da = tt.make_tensor_descriptor %a, [%rows, %block], [%width, %unit] : <f16>, <64x64xf16>
  %db = tt.make_tensor_descriptor %b, [%rows, %block], [%width, %unit] : <f16>, <64x64xf16>
  %dc = tt.make_tensor_descriptor %c, [%one, %rows, %block], [%width, %width, %unit] : <f32>, <1x64x64xf32>
  scf.for %i = %zero to %rows step %block : i32 {
    %x = tt.descriptor_load %da[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %y, %none : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %e = tt.expand_dims %d {axis = 0 : i32} : tensor<64x64xf32> -> tensor<1x64x64xf32>
    tt.descriptor_reduce add, %dc[%zero, %i, %zero], %e : !tt.tensordesc<1x64x64xf32>, tensor<1x64x64xf32>
  }
  tt.return
}

// Where rings last for all tiles, so does the memory that a tile is stored from: the copy goes on while the next tile is
// computed. A block of 128 KiB passes through two places of 16 KiB in eight parts of 32 columns, each a box: the third part
// waits until the first one has been read, and so on; the first one until the tile before has been written.
// IR-LABEL: @parts
// IR: ttg.local_alloc {ordered} : () -> !ttg.memdesc<4x
// IR: ttg.producer_warps
// IR: tt.descriptor_store

// CHECK-LABEL: .entry parts(
// CHECK: wgmma.mma_async
// CHECK: cp.async.bulk.wait_group {{ *}}0;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK-NOT: cp.async.bulk.wait_group
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group.read {{ *}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: st.shared.v2
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK-NOT: st.shared.v2
// CHECK: cp.async.bulk.wait_group.read {{ *}}0;
// CHECK: ret;
tt.func public @parts(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %c: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %count: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %block = arith.constant 128 : i32
  %columns = arith.constant 256 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0> : tensor<128x256xi32>
  %pitch = arith.extsi %k : i32 to i64
  %width = arith.constant 256 : i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %unit] : <i8>, <128x128xi8>
  %db = tt.make_tensor_descriptor %b, [%columns, %k], [%pitch, %unit] : <i8>, <256x128xi8>
  %dc = tt.make_tensor_descriptor %c, [%rows, %columns], [%width, %unit] : <i32>, <128x256xi32>
  scf.for %tile = %zero to %count step %step : i32 {
    %row = arith.muli %tile, %block : i32
    %sum = scf.for %i = %zero to %k step %block iter_args(%acc = %none) -> (tensor<128x256xi32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x128xi8> -> tensor<128x128xi8>
      %y = tt.descriptor_load %db[%zero, %i] : !tt.tensordesc<256x128xi8> -> tensor<256x128xi8>
      %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<256x128xi8> -> tensor<128x256xi8>
      %d = tt.dot %x, %t, %acc : tensor<128x128xi8> * tensor<128x256xi8> -> tensor<128x256xi32>
      scf.yield %d : tensor<128x256xi32>
    }
    tt.descriptor_store %dc[%row, %zero], %sum : !tt.tensordesc<128x256xi32>, tensor<128x256xi32>
  } {tt.flatten}
  tt.return
}

// The memory of a store that goes on counts for the rings of all loops: they have fewer buffers, and TMA stays.
// IR-LABEL: @two_loops
// IR: ttg.local_alloc {ordered} : () -> !ttg.memdesc<5x
// IR: ttg.async_descriptor_load
// IR: tt.descriptor_store

// CHECK-LABEL: .entry two_loops(
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: ret;
tt.func public @two_loops(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %rows: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %count: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %block = arith.constant 128 : i32
  %depth = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %pitch = arith.extsi %k : i32 to i64
  %width = arith.constant 128 : i64
  %da = tt.make_tensor_descriptor %a, [%rows, %k], [%pitch, %unit] : <f16>, <128x64xf16>
  %db = tt.make_tensor_descriptor %b, [%k, %block], [%width, %unit] : <f16>, <64x128xf16>
  %dc = tt.make_tensor_descriptor %c, [%rows, %block], [%width, %unit] : <f32>, <128x128xf32>
  scf.for %tile = %zero to %count step %step : i32 {
    %row = arith.muli %tile, %block : i32
    %sum = scf.for %i = %zero to %k step %depth iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    } {tt.num_stages = 5 : i32}
    %sum2 = scf.for %i = %zero to %k step %depth iter_args(%acc = %sum) -> (tensor<128x128xf32>) : i32 {
      %x = tt.descriptor_load %da[%zero, %i] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
      %y = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    } {tt.num_stages = 5 : i32}
    tt.descriptor_store %dc[%row, %zero], %sum2 : !tt.tensordesc<128x128xf32>, tensor<128x128xf32>
  } {tt.flatten}
  tt.return
}
