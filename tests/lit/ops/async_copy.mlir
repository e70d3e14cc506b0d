// RUN: tl-opt %s | tl-opt | FileCheck %s
// Copies that threads start and wait for by groups.

#l = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>
#s = #ttg.shared<rows [1024], order = [0]>

// CHECK-LABEL: @copies
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} : tensor<1024x!tt.ptr<f32>, #{{.*}}> -> !ttg.memdesc<1024xf32
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1024xi1, #{{.*}}> other %{{.*}} : tensor<1024xf32, #{{.*}}> : tensor<1024x!tt.ptr<f32>
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.async_wait if %{{.*}} {num = 2 : i32}
tt.func @copies(%p: tensor<1024x!tt.ptr<f32>, #l>, %m: !ttg.memdesc<1024xf32, #s>,
                %mask: tensor<1024xi1, #l>, %other: tensor<1024xf32, #l>, %started: i1) {
  ttg.async_copy_global_to_local %p, %m : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_copy_global_to_local %p, %m mask %mask : tensor<1024xi1, #l> other %other : tensor<1024xf32, #l> : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  ttg.async_commit_group
  ttg.async_wait {num = 1 : i32}
  ttg.async_wait if %started {num = 2 : i32}
  tt.return
}
