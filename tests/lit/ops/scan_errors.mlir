// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.scan.

tt.func @axis(%x: tensor<8x4xf32>) {
  // expected-error @below {{axis 2 is out of range for a tensor of rank 2}}
  %0 = "tt.scan"(%x) <{axis = 2 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @result(%x: tensor<8x4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @result_element(%x: tensor<8x4xf32>) {
  // expected-error @below {{keeps the type of its operands: expected 'tensor<8x4xf32>', found 'tensor<8x4xf16>'}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf16>
  tt.return
}

// -----

tt.func @memory(%x: tensor<8x4xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
  // expected-error @below {{must not touch memory inside tt.scan}}
    tt.store %p, %a : !tt.ptr<f32>
  %c = arith.addf %a, %b : f32
  tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @arguments(%x: tensor<8x4xf32>) {
  // expected-error @below {{region must take two scalars per operand: expected ('f32', 'f32'), found ('f32')}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32):
  %c = arith.addf %a, %a : f32
  tt.scan.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  tt.return
}
