// RUN: %each_kernel %s --target gfx950 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s --check-prefix=CDNA3
// Loads that go to LDS by themselves: an instruction for 64 lanes of 16 bytes, no registers, and waits that count them.

// Two iterations ahead: four loads of the next one go on while this one's are waited for, and all are in the last ones.
// CHECK-LABEL: {{^}}small:
// CHECK: s_waitcnt vmcnt(4)
// CHECK-NOT: vmcnt
// CHECK: s_barrier
// CHECK-NOT: vmcnt
// CHECK-COUNT-4: v_mfma
// CHECK-COUNT-4: global_load_lds_dwordx4
// CHECK: .group_segment_fixed_size: 49152
// There a lane copies 4 bytes at most: what it loads by 16 bytes waits in registers.
// CDNA3-LABEL: {{^}}small:
// CDNA3-NOT: _lds_
// CDNA3: ds_write_b128
// CDNA3: .group_segment_fixed_size: 16384
tt.func public @small(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ar = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ac = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %k : i32 -> tensor<64x1xi32>
  %ad = arith.muli %are, %as : tensor<64x1xi32>
  %ax = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ay = tt.broadcast %ace : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ax, %ay : tensor<64x64xi32>
  %ab = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %ab, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %br = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bs = tt.splat %k : i32 -> tensor<1x64xi32>
  %bd = arith.muli %bce, %bs : tensor<1x64xi32>
  %bx = tt.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %by = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bx, %by : tensor<64x64xi32>
  %bb = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bb, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tt.splat %n : i32 -> tensor<64x1xi32>
  %cd = arith.muli %cre, %cs : tensor<64x1xi32>
  %cx = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cy = tt.broadcast %cce : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %cx, %cy : tensor<64x64xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %k step %step iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %as2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %bs2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %x = tt.addptr %ap, %as2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y = tt.addptr %bp, %bs2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %la = tt.load %x : tensor<64x64x!tt.ptr<f16>>
    %lb = tt.load %y : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The rows of the second operand lie across k. They are copied as they are, and reads that give each lane a column turn them, for
// which nothing waits that is still on its way to LDS: two for the 8 elements of k that an instruction takes of a lane.
// CHECK-LABEL: {{^}}across:
// CHECK: s_waitcnt vmcnt(4)
// CHECK-NOT: vmcnt
// CHECK: s_barrier
// CHECK-NOT: {{vmcnt|v_perm}}
// CHECK: ds_read_b128 v
// CHECK-COUNT-8: ds_read_b64_tr_b16 v
// CHECK-NOT: {{ds_read_[iu]|vmcnt|v_perm}}
// CHECK: v_mfma
// CHECK-COUNT-4: global_load_lds_dwordx4
// CHECK: .group_segment_fixed_size: 49152
// Elsewhere threads turn them in registers before they store them to LDS.
// CDNA3-LABEL: {{^}}across:
// CDNA3-NOT: _tr_
// CDNA3: v_perm
// CDNA3-NOT: _tr_
// CDNA3: .group_segment_fixed_size: 16384
tt.func public @across(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ar = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ac = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %k : i32 -> tensor<64x1xi32>
  %ad = arith.muli %are, %as : tensor<64x1xi32>
  %ax = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ay = tt.broadcast %ace : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ax, %ay : tensor<64x64xi32>
  %ab = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %ab, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %br = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bs = tt.splat %n : i32 -> tensor<64x1xi32>
  %bd = arith.muli %bre, %bs : tensor<64x1xi32>
  %bx = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %by = tt.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bx, %by : tensor<64x64xi32>
  %bb = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bb, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tt.splat %n : i32 -> tensor<64x1xi32>
  %cd = arith.muli %cre, %cs : tensor<64x1xi32>
  %cx = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cy = tt.broadcast %cce : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %cx, %cy : tensor<64x64xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %k step %step iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %as2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %in = arith.muli %i, %n : i32
    %bs2 = tt.splat %in : i32 -> tensor<64x64xi32>
    %x = tt.addptr %ap, %as2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y = tt.addptr %bp, %bs2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %la = tt.load %x : tensor<64x64x!tt.ptr<f16>>
    %lb = tt.load %y : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// One iteration ahead, so that two programs have room in LDS. Reads do not wait for loads to the other buffer.
// CHECK-LABEL: {{^}}large:
// CHECK: ds_read_b128
// CHECK-NOT: vmcnt
// CHECK-COUNT-16: v_mfma
// CHECK: s_waitcnt vmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK-COUNT-8: global_load_lds_dwordx4
// CHECK: .group_segment_fixed_size: 65536
// CHECK: .vgpr_spill_count: 0
tt.func public @large(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %ar = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ac = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %k : i32 -> tensor<128x1xi32>
  %ad = arith.muli %are, %as : tensor<128x1xi32>
  %ax = tt.broadcast %ad : tensor<128x1xi32> -> tensor<128x64xi32>
  %ay = tt.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ax, %ay : tensor<128x64xi32>
  %ab = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %ap = tt.addptr %ab, %ao : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %br = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bs = tt.splat %k : i32 -> tensor<1x128xi32>
  %bd = arith.muli %bce, %bs : tensor<1x128xi32>
  %bx = tt.broadcast %bre : tensor<64x1xi32> -> tensor<64x128xi32>
  %by = tt.broadcast %bd : tensor<1x128xi32> -> tensor<64x128xi32>
  %bo = arith.addi %bx, %by : tensor<64x128xi32>
  %bb = tt.splat %b : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %bp = tt.addptr %bb, %bo : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %cr = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %cc = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %cs = tt.splat %n : i32 -> tensor<128x1xi32>
  %cd = arith.muli %cre, %cs : tensor<128x1xi32>
  %cx = tt.broadcast %cd : tensor<128x1xi32> -> tensor<128x128xi32>
  %cy = tt.broadcast %cce : tensor<1x128xi32> -> tensor<128x128xi32>
  %co = arith.addi %cx, %cy : tensor<128x128xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  %sum = scf.for %i = %c0 to %k step %step iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %as2 = tt.splat %i : i32 -> tensor<128x64xi32>
    %bs2 = tt.splat %i : i32 -> tensor<64x128xi32>
    %x = tt.addptr %ap, %as2 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %y = tt.addptr %bp, %bs2 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %la = tt.load %x : tensor<128x64x!tt.ptr<f16>>
    %lb = tt.load %y : tensor<64x128x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.store %cp, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// Rows that are masked are zeros, which the lanes copy from memory: so a wave starts as many loads whatever its mask is, and
// those of the next iteration can be counted.
// CHECK-LABEL: {{^}}masked:
// CHECK: s_waitcnt vmcnt(4)
// CHECK-NOT: vmcnt
// CHECK: s_barrier
// CHECK-COUNT-4: v_mfma
// CHECK: global_load_lds_dwordx4
// CHECK: .group_segment_fixed_size: 49152
tt.func public @masked(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ar = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ac = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %as = tt.splat %k : i32 -> tensor<64x1xi32>
  %ad = arith.muli %are, %as : tensor<64x1xi32>
  %ax = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ay = tt.broadcast %ace : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ax, %ay : tensor<64x64xi32>
  %ab = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %ab, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %br = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bs = tt.splat %k : i32 -> tensor<1x64xi32>
  %bd = arith.muli %bce, %bs : tensor<1x64xi32>
  %bx = tt.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %by = tt.broadcast %bd : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bx, %by : tensor<64x64xi32>
  %bb = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bb, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %cr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tt.splat %n : i32 -> tensor<64x1xi32>
  %cd = arith.muli %cre, %cs : tensor<64x1xi32>
  %cx = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cy = tt.broadcast %cce : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %cx, %cy : tensor<64x64xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ms = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %are, %ms : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x64xi1>
  %sum = scf.for %i = %c0 to %k step %step iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %as2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %bs2 = tt.splat %i : i32 -> tensor<64x64xi32>
    %x = tt.addptr %ap, %as2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %y = tt.addptr %bp, %bs2 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %la = tt.load %x, %mask : tensor<64x64x!tt.ptr<f16>>
    %lb = tt.load %y : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %la, %lb, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Elements of 4 bytes that nobody knows to be aligned are loaded one by one in any case.
// CHECK-LABEL: {{^}}words:
// CHECK: global_load_lds_dword v
// CHECK: v_mfma
// CDNA3-LABEL: {{^}}words:
// CDNA3: v_mfma
// CDNA3: global_load_lds_dword v
tt.func public @words(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ar = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ac = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %are = tt.expand_dims %ar {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tt.expand_dims %ac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %as = tt.splat %k : i32 -> tensor<64x1xi32>
  %ad = arith.muli %are, %as : tensor<64x1xi32>
  %ax = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x32xi32>
  %ay = tt.broadcast %ace : tensor<1x32xi32> -> tensor<64x32xi32>
  %ao = arith.addi %ax, %ay : tensor<64x32xi32>
  %ab = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ap = tt.addptr %ab, %ao : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %br = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %bc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bre = tt.expand_dims %br {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tt.expand_dims %bc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %bs = tt.splat %k : i32 -> tensor<1x64xi32>
  %bd = arith.muli %bce, %bs : tensor<1x64xi32>
  %bx = tt.broadcast %bre : tensor<32x1xi32> -> tensor<32x64xi32>
  %by = tt.broadcast %bd : tensor<1x64xi32> -> tensor<32x64xi32>
  %bo = arith.addi %bx, %by : tensor<32x64xi32>
  %bb = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %bp = tt.addptr %bb, %bo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %cr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cre = tt.expand_dims %cr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = tt.splat %n : i32 -> tensor<64x1xi32>
  %cd = arith.muli %cre, %cs : tensor<64x1xi32>
  %cx = tt.broadcast %cd : tensor<64x1xi32> -> tensor<64x64xi32>
  %cy = tt.broadcast %cce : tensor<1x64xi32> -> tensor<64x64xi32>
  %co = arith.addi %cx, %cy : tensor<64x64xi32>
  %cb = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cb, %co : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %k step %step iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %as2 = tt.splat %i : i32 -> tensor<64x32xi32>
    %bs2 = tt.splat %i : i32 -> tensor<32x64xi32>
    %x = tt.addptr %ap, %as2 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %y = tt.addptr %bp, %bs2 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %la = tt.load %x : tensor<64x32x!tt.ptr<f32>>
    %lb = tt.load %y : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %la, %lb, %s : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %cp, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
