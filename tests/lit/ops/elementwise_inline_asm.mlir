// RUN: tl-opt %s | tl-opt | FileCheck %s
// RUN: tl-opt --canonicalize %s | FileCheck %s --check-prefix=FOLD
// tt.elementwise_inline_asm round-trips with one and two results and without operands; impure text is not dropped.

// CHECK-LABEL: tt.func @round_trip(
tt.func @round_trip(%i: tensor<8xi32>) {
  // CHECK: tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: tt.elementwise_inline_asm "a $0, $1, $2;" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = false} %{{.*}} : tensor<8xi32> -> tensor<8xi32>, tensor<8xf32>
  %1:2 = tt.elementwise_inline_asm "a $0, $1, $2;" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = false} %i : tensor<8xi32> -> tensor<8xi32>, tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  %2 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.return
}

// FOLD-LABEL: tt.func @only_pure_text_goes(
tt.func @only_pure_text_goes(%x: i32) {
  // FOLD-NEXT: tt.elementwise_inline_asm "b"
  // FOLD-NEXT: tt.return
  %0 = tt.elementwise_inline_asm "a" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  %1 = tt.elementwise_inline_asm "b" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
