// RUN: not tl-opt --lower-to-ptx=num-warps=64 %s 2>&1 | FileCheck %s
// A number of warps that no program has is refused.

// CHECK: error: num-warps must be a power of two from 1 to 32, found 64
tt.func @kernel(%p: !tt.ptr<f32>) {
  tt.return
}
