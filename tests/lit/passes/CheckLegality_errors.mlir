// RUN: tl-opt --check-legality %s --split-input-file --verify-diagnostics
// Operations and types that TTIR does not have are refused, whichever dialect they come from.

tt.func @gpu() {
  // expected-error @below {{'gpu.thread_id' op is not an operation of TTIR}}
  %0 = gpu.thread_id x
  tt.return
}

// -----

tt.func @ceildivsi(%a: i32, %b: i32) {
  // expected-error @below {{'arith.ceildivsi' op is not an operation of TTIR}}
  %0 = arith.ceildivsi %a, %b : i32
  tt.return
}

// -----

tt.func @ceildivui(%a: i32, %b: i32) {
  // expected-error @below {{'arith.ceildivui' op is not an operation of TTIR}}
  %0 = arith.ceildivui %a, %b : i32
  tt.return
}

// -----

tt.func @floordivsi(%a: i32, %b: i32) {
  // expected-error @below {{'arith.floordivsi' op is not an operation of TTIR}}
  %0 = arith.floordivsi %a, %b : i32
  tt.return
}

// -----

tt.func @addui_extended(%a: i32, %b: i32) {
  // expected-error @below {{'arith.addui_extended' op is not an operation of TTIR}}
  %0:2 = arith.addui_extended %a, %b : i32, i1
  tt.return
}

// -----

tt.func @mulsi_extended(%a: i32, %b: i32) {
  // expected-error @below {{'arith.mulsi_extended' op is not an operation of TTIR}}
  %0:2 = arith.mulsi_extended %a, %b : i32
  tt.return
}

// -----

tt.func @mului_extended(%a: i32, %b: i32) {
  // expected-error @below {{'arith.mului_extended' op is not an operation of TTIR}}
  %0:2 = arith.mului_extended %a, %b : i32
  tt.return
}

// -----

tt.func @switch(%i: index) {
  // expected-error @below {{'scf.index_switch' op is not an operation of TTIR}}
  scf.index_switch %i
  default {
    scf.yield
  }
  tt.return
}

// -----

// expected-error @below {{has a value of a type that TTIR does not have: '!llvm.ptr'}}
tt.func @llvm(%p: !llvm.ptr) {
  tt.return
}

// -----

tt.func @vector() {
  // expected-error @below {{has a value of a type that TTIR does not have: 'vector<4xi32>'}}
  %0 = arith.constant dense<0> : vector<4xi32>
  tt.return
}

// -----

tt.func @odd_integer() {
  // expected-error @below {{has a value of a type that TTIR does not have: 'i24'}}
  %0 = arith.constant 0 : i24
  tt.return
}

// -----

tt.func @narrow_counter(%from: i1, %to: i1) {
  // expected-error @below {{'scf.for' op counts in 'i1', expected at least 8 bits}}
  scf.for %i = %from to %to step %to : i1 {
  }
  tt.return
}

// -----

tt.func public @kernel(%n: i8) {
  %c0 = arith.constant 0 : i8
  %c100 = arith.constant 100 : i8
  %c200 = arith.constant -56 : i8
  scf.for unsigned %i = %c0 to %n step %c100 : i8 {
  }
  // expected-error @below {{'scf.for' op counts in unsigned numbers by a step of which the highest bit is set}}
  scf.for unsigned %i = %c0 to %n step %c200 : i8 {
  }
  tt.return
}

// -----

tt.func @odd_element() {
  // expected-error @below {{has tensor elements that TTIR does not have: 'f80'}}
  %0 = ub.poison : tensor<8xf80>
  tt.return
}

// -----

tt.func @layout() {
  // expected-error @below {{has a tensor with a layout, which TTIR does not have}}
  %0 = ub.poison : tensor<8xf32, 1 : i32>
  tt.return
}

// -----

tt.func @dynamic() {
  // expected-error @below {{tensor has an extent that is not known when compiling}}
  %0 = ub.poison : tensor<?xf32>
  tt.return
}

// -----

tt.func @unranked() {
  // expected-error @below {{has a value of a type that TTIR does not have: 'tensor<*xf32>'}}
  %0 = ub.poison : tensor<*xf32>
  tt.return
}

// -----

tt.func @no_elements() {
  // expected-error @below {{tensor extents must be at least 1, found 0}}
  %0 = arith.constant dense<0> : tensor<0xi32>
  tt.return
}

// -----

module {
  // expected-error @below {{is nested in another module}}
  module {
  }
}
