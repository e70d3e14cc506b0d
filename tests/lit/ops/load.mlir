// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --spelling=3.6 %s | tl-opt --spelling=3.6 | FileCheck %s --check-prefix=OLD
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.load round-trips with every operand and hint, in both spellings of the hints; constant masks fold.

// CHECK-LABEL: tt.func @operands(
tt.func @operands(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %o: tensor<64xf32>, %s: !tt.ptr<i8>) {
  // CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
  %0 = tt.load %p : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  %1 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<f32>>
  %2 = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}} : !tt.ptr<i8>
  %3 = tt.load %s : !tt.ptr<i8>
  // CHECK: tt.load %{{.*}} {isVolatile = true} : !tt.ptr<i8>
  %4 = tt.load %s {isVolatile = true} : !tt.ptr<i8>
  tt.return
}

// CHECK-LABEL: tt.func @hints(
// OLD-LABEL: tt.func @hints(
tt.func @hints(%p: !tt.ptr<f32>) {
  // CHECK: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>, isVolatile = true} : !tt.ptr<f32>
  // OLD: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
  %0 = tt.load %p cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_normal>} : !tt.ptr<f32>
  // OLD: tt.load %{{.*}} cacheModifier = ca : !tt.ptr<f32>
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_normal>} : !tt.ptr<f32>
  // OLD: tt.load %{{.*}} evictionPolicy = evict_last : !tt.ptr<f32>
  %2 = tt.load %p evictionPolicy = evict_last : !tt.ptr<f32>
  tt.return
}

// FOLD-LABEL: tt.func @true_mask_is_dropped(
tt.func @true_mask_is_dropped(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // FOLD: tt.load %{{[a-z0-9]+}} {cachePolicy{{.*}}cg{{.*}}} : tensor<64x!tt.ptr<f32>>
  %m = arith.constant dense<true> : tensor<64xi1>
  %0 = tt.load %p, %m, %o cacheModifier = cg : tensor<64x!tt.ptr<f32>>
  tt.return %0 : tensor<64xf32>
}

// FOLD-LABEL: tt.func @false_mask_is_other(
// FOLD-SAME: %[[O:[a-z0-9]+]]: tensor<64xf32>)
tt.func @false_mask_is_other(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // FOLD-NEXT: tt.return %[[O]]
  %m = arith.constant dense<false> : tensor<64xi1>
  %0 = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  tt.return %0 : tensor<64xf32>
}

// A load that nobody uses goes, a volatile one stays.
// FOLD-LABEL: tt.func @volatile_stays(
tt.func @volatile_stays(%p: !tt.ptr<f32>) {
  // FOLD-NEXT: tt.load %{{.*}} {isVolatile = true}
  // FOLD-NEXT: tt.return
  %0 = tt.load %p : !tt.ptr<f32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return
}
