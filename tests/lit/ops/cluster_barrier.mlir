// RUN: tl-opt %s | tl-opt | FileCheck %s
// ttg.cluster_barrier round-trips.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip() {
  // CHECK-NEXT: ttg.cluster_barrier
  ttg.cluster_barrier
  tt.return
}
