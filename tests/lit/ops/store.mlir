// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.store round-trips with mask, hints and ignore_cta; constant masks fold.

// CHECK-LABEL: tt.func @operands(
tt.func @operands(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<64xi1>) {
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_last>} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v cacheModifier = wt evictionPolicy = evict_last : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {ignore_cta} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v {ignore_cta} : tensor<64x!tt.ptr<f32>>
  tt.return
}

// FOLD-LABEL: tt.func @constant_masks(
tt.func @constant_masks(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
  // FOLD-NEXT: tt.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<64x!tt.ptr<f32>>
  // FOLD-NEXT: tt.return
  %t = arith.constant dense<true> : tensor<64xi1>
  tt.store %p, %v, %t : tensor<64x!tt.ptr<f32>>
  %f = arith.constant dense<false> : tensor<64xi1>
  tt.store %p, %v, %f : tensor<64x!tt.ptr<f32>>
  tt.return
}
