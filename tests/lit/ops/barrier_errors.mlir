// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What the parser of ttg.barrier refuses.

tt.func @memory() {
  // expected-error @below {{unknown memory 'everything' of a barrier}}
  ttg.barrier everything
  tt.return
}
