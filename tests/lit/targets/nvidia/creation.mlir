// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// What is known of the thread alone costs a few instructions and no memory.

// A range counts through registers, lanes and warps.
// CHECK-LABEL: .entry range(
// CHECK: mov.u32 [[T:%r[0-9]+]], %tid.x;
// CHECK-NOT: ld.
// CHECK: st.global.v4.b32
// CHECK: ret;
tt.func public @range(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 517 : i32, start = 5 : i32} : tensor<512xi32>
  %at = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %p = tt.addptr %xs, %at : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %p, %r : tensor<512x!tt.ptr<i32>>
  tt.return
}

// A splat is one register, whatever its size.
// CHECK-LABEL: .entry splat(
// CHECK: st.global.v4.b32 [%rd{{[0-9]+}}], {[[R:%r[0-9]+]], [[R]], [[R]], [[R]]};
// CHECK: ret;
tt.func public @splat(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %p, %ns : tensor<512x!tt.ptr<i32>>
  tt.return
}

// A constant that differs from element to element is a table.
// CHECK-LABEL: .global .align {{[0-9]+}} .b8 table{{[0-9]*}}[16]
// CHECK-LABEL: .entry table(
// CHECK: ld.global.nc.b32
// CHECK: ret;
tt.func public @table(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %t = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %p, %t : tensor<4x!tt.ptr<i32>>
  tt.return
}

// All three axes of the grid, and its extents.
// CHECK-LABEL: .entry grid(
// CHECK-DAG: %ctaid.x;
// CHECK-DAG: %ctaid.y;
// CHECK-DAG: %ctaid.z;
// CHECK-DAG: %nctaid.x;
// CHECK-DAG: %nctaid.y;
// CHECK-DAG: %nctaid.z;
// CHECK: ret;
tt.func public @grid(%x: !tt.ptr<i32>) {
  %a = tt.get_program_id x : i32
  %b = tt.get_program_id y : i32
  %c = tt.get_program_id z : i32
  %d = tt.get_num_programs x : i32
  %e = tt.get_num_programs y : i32
  %f = tt.get_num_programs z : i32
  %ab = arith.muli %a, %b : i32
  %cd = arith.muli %c, %d : i32
  %ef = arith.muli %e, %f : i32
  %1 = arith.addi %ab, %cd : i32
  %2 = arith.addi %1, %ef : i32
  tt.store %x, %2 : !tt.ptr<i32>
  tt.return
}

// Rank 0 is a scalar, and an extent of 1 costs nothing.
// CHECK-LABEL: .entry ones(
// CHECK-NOT: bar.sync
// CHECK: st.global.b32
// CHECK-NOT: st.global
// CHECK: ret;
tt.func public @ones(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.splat %n : i32 -> tensor<1x1x1xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1x1x1x!tt.ptr<i32>>
  tt.store %xs, %v : tensor<1x1x1x!tt.ptr<i32>>
  tt.return
}
