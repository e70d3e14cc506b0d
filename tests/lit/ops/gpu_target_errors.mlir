// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Numbers that no GPU has, and instructions that there are not, are refused where they stand.

// expected-error @+1 {{warps is 3, expected a power of two from 1 to 32}}
module attributes {ttg.gpu = #ttg.gpu<warps = 3, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {}

// -----

// expected-error @+1 {{lanes is 0, expected 32 or 64}}
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 0, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {}

// -----

// expected-error @+1 {{access_bytes is 12, expected a power of two}}
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 12, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {}

// -----

// expected-error @+1 {{sector_bytes is 0, expected a power of two}}
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 0, shared_bytes = 232448, matrix_instructions = []>} {}

// -----

// expected-error @+1 {{matrix_instructions lists #ttg.matrix_instruction, found "mma"}}
module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = ["mma"]>} {}

// -----

// expected-error @+1 {{family is "wmma", expected "mma"}}
module attributes {ttg.instruction = #ttg.matrix_instruction<family = "wmma", shape = [16, 8, 8], element = f16, sum = f32>} {}

// -----

// expected-error @+1 {{shape is m, n and k, three powers of two}}
module attributes {ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8], element = f16, sum = f32>} {}
