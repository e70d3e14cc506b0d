// RUN: tl-opt %s | tl-opt | FileCheck %s
// ttg.producer_warps and ttg.join_warps round-trip.

module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
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
}
