// RUN: not tl-opt --assign-layouts=num-warps=3 %s 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tl-opt --assign-layouts=lanes=0 %s 2>&1 | FileCheck %s --check-prefix=LANES
// Numbers of warps and lanes that no GPU has are refused.

// WARPS: error: num-warps is 3, expected a power of two from 1 to 32
// LANES: error: lanes is 0, expected 32 or 64
tt.func @kernel(%p: !tt.ptr<f32>) {
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  tt.return
}
