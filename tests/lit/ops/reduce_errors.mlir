// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.reduce.

tt.func @axis(%x: tensor<8x4xf32>) {
  // expected-error @below {{axis 2 is out of range for a tensor of rank 2}}
  %0 = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @negative_axis(%x: tensor<8x4xf32>) {
  // expected-error @below {{axis -1 is out of range for a tensor of rank 2}}
  %0 = "tt.reduce"(%x) <{axis = -1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @result(%x: tensor<8x4xf32>) {
  // expected-error @below {{along axis 0 of 8x4 gives 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @arguments(%x: tensor<8x4xf32>) {
  // expected-error @below {{region must take two scalars per operand: expected ('f32', 'f32'), found ('f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
  %c = arith.addf %a, %a : f32
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @returned(%x: tensor<8x4xf32>) {
  // expected-error @below {{region must return one scalar per operand: expected ('f32'), found ('i1')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.cmpf oeq, %a, %b : f32
  tt.reduce.return %c : i1
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @terminator(%x: tensor<8x4xf32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  // expected-error @below {{expects parent op 'tt.scan'}}
    "tt.scan.return"(%c) : (f32) -> ()
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @memory(%x: tensor<8x4xf32>, %p: !tt.ptr<f32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  // expected-error @below {{must not touch memory inside tt.reduce}}
    %c = tt.load %p : !tt.ptr<f32>
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @results(%x: tensor<8x4xf32>) {
  // expected-error @below {{needs one result per operand: expected 1, found 2}}
  %0:2 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  tt.reduce.return %c : f32
  }) : (tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  tt.return
}

// -----

tt.func @operands() {
  // expected-error @below {{expected 1 or more operands, but found 0}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands}}
  %0:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
  tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  tt.return
}
