// RUN: tl-opt %s --split-input-file --verify-diagnostics
// What the parser of tt.get_program_id refuses.

tt.func @axis() {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %0 = tt.get_program_id w : i32
  tt.return
}
