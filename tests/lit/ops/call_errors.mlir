// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the verifier of tt.call.

tt.func private @f(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func @case(%x: f32, %i: i32) {
  // expected-error @below {{calls 'h', which is not a function of this module}}
  %0 = tt.call @h(%x) : (f32) -> f32
  tt.return
}

// -----

tt.func private @f(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func @case(%x: f32, %i: i32) {
  // expected-error @below {{passes 2 argument(s) to 'f', which takes 1}}
  %0 = tt.call @f(%x, %x) : (f32, f32) -> f32
  tt.return
}

// -----

tt.func private @f(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func @case(%x: f32, %i: i32) {
  // expected-error @below {{argument 0 of 'f' has type 'f32', found 'i32'}}
  %0 = tt.call @f(%i) : (i32) -> f32
  tt.return
}

// -----

tt.func private @f(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func @case(%x: f32, %i: i32) {
  // expected-error @below {{expects results ('i32') of 'f', which returns ('f32')}}
  %0 = tt.call @f(%x) : (f32) -> i32
  tt.return
}
