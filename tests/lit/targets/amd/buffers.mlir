// RUN: %each_kernel %s --target gfx942 --emit amdgcn | FileCheck %s
// RUN: %each_kernel %s --target gfx1100 --emit amdgcn | FileCheck %s --check-prefix=RDNA
// Masked accesses as accesses of a buffer, where the offset says what the mask does: only where all
// pointers of a block are known to lie shortly after an address that the threads have in common.

// A row, however far away: its pointers are less than 4096 elements apart. Zeros come by themselves.
// CHECK-LABEL: {{^}}row:
// CHECK-NOT: saveexec
// CHECK: s_movk_i32 s{{[0-9]+}}, 0x4000
// CHECK: v_cndmask_b32
// CHECK: buffer_load_dwordx4 v[{{.*}}], v{{[0-9]+}}, s[{{.*}}], 0 offen
// CHECK-COUNT-3: buffer_load_dwordx4
// CHECK-NOT: saveexec
// CHECK-COUNT-4: buffer_store_dwordx4
// CHECK: s_endpgm
// RDNA-LABEL: {{^}}row:
// RDNA: 0x31027000
// RDNA-COUNT-8: buffer_load_b128
// RDNA-COUNT-8: buffer_store_b128
// RDNA: s_endpgm
tt.func public @row(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %stride: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %p = tt.get_program_id x : i32
  %at = arith.muli %p, %stride : i32
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<4096xi32>
  %xr = tt.addptr %x, %at : !tt.ptr<f32>, i32
  %xs = tt.splat %xr : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %xp, %m : tensor<4096x!tt.ptr<f32>>
  %yr = tt.addptr %y, %at : !tt.ptr<f32>, i32
  %ys = tt.splat %yr : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %v, %m : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// A multiple of 4096 and less than 4096 never wrap around together; a multiple of 4095 might.
// CHECK-LABEL: {{^}}blocks:
// CHECK-COUNT-4: buffer_load_dwordx4
// CHECK: s_endpgm
tt.func public @blocks(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %p = tt.get_program_id x : i32
  %c = arith.constant 4096 : i32
  %at = arith.muli %p, %c : i32
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %as = tt.splat %at : i32 -> tensor<4096xi32>
  %o = arith.addi %as, %r : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %xp, %m : tensor<4096x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %v : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: {{^}}wrapping:
// CHECK-NOT: buffer_load
// CHECK: saveexec
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @wrapping(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %p = tt.get_program_id x : i32
  %c = arith.constant 4095 : i32
  %at = arith.muli %p, %c : i32
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %as = tt.splat %at : i32 -> tensor<4096xi32>
  %o = arith.addi %as, %r : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %xp, %m : tensor<4096x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %v : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// Rows whose distance is an argument are known to be nowhere.
// CHECK-LABEL: {{^}}rows:
// CHECK-NOT: buffer_load
// CHECK: saveexec
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                     %stride: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tt.splat %stride : i32 -> tensor<32x1xi32>
  %rs = arith.muli %re, %ss : tensor<32x1xi32>
  %rb = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
  %cb = tt.broadcast %ce : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %rb, %cb : tensor<32x64xi32>
  %ns = tt.splat %n : i32 -> tensor<32x64xi32>
  %m = arith.cmpi slt, %cb, %ns : tensor<32x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %v = tt.load %xp, %m : tensor<32x64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  tt.store %yp, %v : tensor<32x64x!tt.ptr<f32>>
  tt.return
}

// One access alone is a branch, and so are those of 16 bytes that are filled, which buffers do not do.
// CHECK-LABEL: {{^}}single:
// CHECK: saveexec
// CHECK: global_load_dwordx4
// CHECK: s_endpgm
tt.func public @single(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: {{^}}filled:
// CHECK-NOT: buffer_load
// CHECK: global_load_dwordx4
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @filled(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<4096xi32>
  %o = arith.constant dense<1.0> : tensor<4096xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %xp, %m, %o : tensor<4096x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %v : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// Rows at a distance that is an argument: no more than the kernel promises of it makes them near.
// CHECK-LABEL: {{^}}any_stride:
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @any_stride(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %o = arith.muli %r, %s : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The least and the most that it can be, together or one by one.
// CHECK-LABEL: {{^}}promised_stride:
// CHECK: s_mov_b32 s{{[0-9]+}}, 0x{{[0-9a-f]+}}
// CHECK-COUNT-4: buffer_load_dword v
// CHECK: s_endpgm
tt.func public @promised_stride(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %least = arith.constant 0 : i32
  %most = arith.constant 4096 : i32
  %positive = arith.cmpi sge, %stride, %least : i32
  %small = arith.cmpi slt, %stride, %most : i32
  llvm.intr.assume %positive : i1
  llvm.intr.assume %small : i1
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %o = arith.muli %r, %s : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Only the most, or so much that 1023 of them wrap around: nothing is known.
// CHECK-LABEL: {{^}}half_promised:
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @half_promised(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %most = arith.constant 4096 : i32
  %small = arith.cmpi slt, %stride, %most : i32
  llvm.intr.assume %small : i1
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %o = arith.muli %r, %s : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: {{^}}large_promised:
// CHECK-NOT: buffer_load
// CHECK: s_endpgm
tt.func public @large_promised(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %most = arith.constant 4194304 : i32
  %small = arith.cmpi ult, %stride, %most : i32
  llvm.intr.assume %small : i1
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %o = arith.muli %r, %s : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// A pointer whose memory is promised to end within 2 GiB: all that is accessed lies there.
// CHECK-LABEL: {{^}}promised_range:
// CHECK: {{s_(brev_b32 s[0-9]+, 1|mov_b32 s[0-9]+, 0x80000000)}}
// CHECK-COUNT-4: buffer_load_dword v
// CHECK: s_endpgm
tt.func public @promised_range(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %o = arith.muli %r, %s : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}
