// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize --cse %s | FileCheck %s
// tt.assert round-trips for scalars and tensors, and is never dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%c: i1, %m: tensor<8xi1>) {
  // CHECK: tt.assert %{{.*}}, "scalar" : i1
  tt.assert %c, "scalar" : i1
  // CHECK: tt.assert %{{.*}}, "tensor" : tensor<8xi1>
  tt.assert %m, "tensor" : tensor<8xi1>
  tt.return
}
