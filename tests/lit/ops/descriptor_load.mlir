// RUN: tl-opt %s | tl-opt | FileCheck %s
// tt.descriptor_load round-trips, with hints and with leading extents of 1 dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%d: !tt.tensordesc<32x64xf16>, %e: !tt.tensordesc<1x32x64xf16>, %i: i32) {
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  // CHECK: tt.descriptor_load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  %1 = tt.descriptor_load %d[%i, %i] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !tt.tensordesc<1x32x64xf16> -> tensor<32x64xf16>
  %2 = tt.descriptor_load %e[%i, %i, %i] : !tt.tensordesc<1x32x64xf16> -> tensor<32x64xf16>
  tt.return
}
