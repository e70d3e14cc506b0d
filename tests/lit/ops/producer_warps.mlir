// RUN: tl-opt %s | tl-opt | FileCheck %s
// ttg.producer_warps and ttg.join_warps round-trip.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK: ttg.producer_warps attributes {others = 240 : i32, registers = 24 : i32} {
  // CHECK-NEXT: ttg.join_warps
  // CHECK-NEXT: }
  ttg.producer_warps attributes {registers = 24 : i32, others = 240 : i32} {
    ttg.join_warps
  }
  // CHECK-NEXT: ttg.join_warps
  ttg.join_warps
  tt.return
}
