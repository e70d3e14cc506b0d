// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.map_elementwise round-trips, with a pack, with several operands and results, and with branches.

// CHECK-LABEL: tt.func @one(
tt.func @one(%x: tensor<8xf32>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}} : f32
  // CHECK: }) : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    %n = arith.negf %e : f32
    tt.map_elementwise.return %n : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// CHECK-LABEL: tt.func @packed_pairs(
tt.func @packed_pairs(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 2 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i32, %{{.*}}: i32):
  // CHECK-NEXT: tt.map_elementwise.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, f32, f32
  %0:2 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32, %i: i32, %j: i32):
    tt.map_elementwise.return %j, %i, %b, %a : i32, i32, f32, f32
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xf32>)
  tt.return
}

// CHECK-LABEL: tt.func @branches_and_loads(
tt.func @branches_and_loads(%x: tensor<8xi1>, %p: !tt.ptr<f32>) {
  // CHECK: cf.cond_br
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%c: i1):
    %z = arith.constant 0.0 : f32
    cf.cond_br %c, ^bb1, ^bb2(%z : f32)
  ^bb1:
    %v = tt.load %p : !tt.ptr<f32>
    cf.br ^bb2(%v : f32)
  ^bb2(%r: f32):
    tt.map_elementwise.return %r : f32
  }) : (tensor<8xi1>) -> tensor<8xf32>
  tt.return
}
