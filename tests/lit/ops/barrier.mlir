// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize --cse %s | FileCheck %s
// ttg.barrier round-trips with every set of memories, and is never dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK: ttg.barrier none
  ttg.barrier none
  // CHECK: ttg.barrier local|global_read
  ttg.barrier global_read|local
  // CHECK: ttg.barrier global_read|global_write
  ttg.barrier global_read | global_write
  // CHECK: ttg.barrier tensor_read|tensor_write
  ttg.barrier tensor_read|tensor_write
  tt.return
}
