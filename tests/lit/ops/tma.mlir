// RUN: tl-opt %s | tl-opt | FileCheck %s
// Barriers in shared memory, and copies of boxes that they count.

#s = #ttg.shared<rows [32, 64], order = [1, 0]>
#b = #ttg.shared<rows [1], order = [0]>

// CHECK-LABEL: @boxes
// CHECK: ttg.make_tensor_map %{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {box = array<i32: 32, 64>} : !tt.ptr<i8>, !tt.ptr<f16>
// CHECK: ttg.init_barrier %[[B:.*]], 1 : !ttg.memdesc<1xi64
// CHECK: ttg.barrier_expect %[[B]], 4096 : !ttg.memdesc<1xi64
// CHECK: ttg.tma_load %[[MAP:.*]][%{{.*}}, %{{.*}}], %[[M:.*]], %[[B]] : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #{{.*}}>, !ttg.memdesc<1xi64
// CHECK: ttg.wait_barrier %[[B]], %{{.*}} : !ttg.memdesc<1xi64
// CHECK: ttg.arrive_barrier %[[B]], 2 : !ttg.memdesc<1xi64
// CHECK: ttg.tma_store %[[M]], %[[MAP]][%{{.*}}, %{{.*}}] : !ttg.memdesc<32x64xf16, #{{.*}}> -> !tt.ptr<i8>
// CHECK: ttg.tma_reduce add, %[[M]], %[[MAP]][%{{.*}}, %{{.*}}] : !ttg.memdesc<32x64xf16, #{{.*}}> -> !tt.ptr<i8>
// CHECK: ttg.tma_store_wait {num = 0 : i32}
// CHECK: ttg.inval_barrier %[[B]] : !ttg.memdesc<1xi64
tt.func @boxes(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64,
               %one: i64, %m: !ttg.memdesc<32x64xf16, #s>, %b: !ttg.memdesc<1xi64, #b>, %i: i32, %j: i32, %phase: i32) {
  ttg.make_tensor_map %map, %base, [%rows, %columns], [%stride, %one] {box = array<i32: 32, 64>} : !tt.ptr<i8>, !tt.ptr<f16>
  ttg.init_barrier %b, 1 : !ttg.memdesc<1xi64, #b>
  ttg.barrier_expect %b, 4096 : !ttg.memdesc<1xi64, #b>
  ttg.tma_load %map[%i, %j], %m, %b : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #s>, !ttg.memdesc<1xi64, #b>
  ttg.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #b>
  ttg.arrive_barrier %b, 2 : !ttg.memdesc<1xi64, #b>
  ttg.tma_store %m, %map[%i, %j] : !ttg.memdesc<32x64xf16, #s> -> !tt.ptr<i8>
  ttg.tma_reduce add, %m, %map[%i, %j] : !ttg.memdesc<32x64xf16, #s> -> !tt.ptr<i8>
  ttg.tma_store_wait {num = 0 : i32}
  ttg.inval_barrier %b : !ttg.memdesc<1xi64, #b>
  tt.return
}
