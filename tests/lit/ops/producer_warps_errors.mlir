// RUN: tl-opt %s -split-input-file -verify-diagnostics
// Registers come by eights; producers are no part of a loop or a branch, and beside 8 or 16 warps.

module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @registers() {
  // expected-error@+1 {{gives a thread a multiple of 8 registers, from 24 to 256, found 20}}
  ttg.producer_warps attributes {registers = 20 : i32, others = 240 : i32} {
  }
  tt.return
}
}

// -----

module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @others() {
  // expected-error@+1 {{gives a thread a multiple of 8 registers, from 24 to 256, found 300}}
  ttg.producer_warps attributes {registers = 24 : i32, others = 300 : i32} {
  }
  tt.return
}
}

// -----

module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @branch(%condition: i1) {
  scf.if %condition {
    // expected-error@+1 {{stands in a kernel, outside of loops and branches}}
    ttg.producer_warps attributes {registers = 24 : i32, others = 240 : i32} {
    }
  }
  tt.return
}
}

// -----

module attributes {ttg.gpu = #ttg.gpu<warps = 8, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @more_than_there_are() {
  // expected-error@+1 {{gives 32 and 240 registers, more than the threads begin with}}
  ttg.producer_warps attributes {registers = 32 : i32, others = 240 : i32} {
  }
  tt.return
}
}

// -----

module attributes {ttg.gpu = #ttg.gpu<warps = 16, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @more_than_sixteen_warps_have() {
  // expected-error@+1 {{gives 24 and 120 registers, more than the threads begin with}}
  ttg.producer_warps attributes {registers = 24 : i32, others = 120 : i32} {
  }
  tt.return
}
}

// -----

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {
tt.func @four_warps() {
  // expected-error@+1 {{stands in a program of 8 or 16 warps}}
  ttg.producer_warps attributes {registers = 24 : i32, others = 240 : i32} {
  }
  tt.return
}
}
