// RUN: tl-opt %s --split-input-file --verify-diagnostics
// The message of the verifier of tt.return.

tt.func @case(%x: f32) -> i32 {
  // expected-error @below {{returns ('f32') from 'case', which is declared to return ('i32')}}
  tt.return %x : f32
}
