// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What the texts of layouts refuse, each at its location.

// expected-error@+1 {{unknown layout 'striped', expected blocked, mma, wgmma, mfma, wmma, dot_operand, slice or linear}}
#l = #ttg.layout<striped [32]>

// -----

// expected-error@+1 {{unknown layout 'columns', expected rows, hardware_swizzled, swizzled or linear}}
#s = #ttg.shared<columns [32], order = [0]>

// -----

// expected-error@+1 {{unknown dot_operand 'wmma2', expected mma, wgmma, mfma, wmma or blocked}}
#l = #ttg.layout<dot_operand wmma2 [32, 32], index = 0>

// -----

// expected-error@+1 {{a layout covers extents that are powers of two, at most 2^20, found 12}}
#l = #ttg.layout<blocked [12], registers = [1], lanes = [32], warps = [1], order = [0]>

// -----

// expected-error@+1 {{a layout covers at most 2^24 elements}}
#l = #ttg.layout<mma [1048576, 1048576], warps = [1, 1]>

// -----

// expected-error@+1 {{a layout has at most 8 axes, found 9}}
#l = #ttg.layout<linear [1, 1, 1, 1, 1, 1, 1, 1, 1]>

// -----

// expected-error@+1 {{mma has 2 or 3 axes, found 1}}
#l = #ttg.layout<mma [64], warps = [4]>

// -----

// expected-error@+1 {{wgmma has 2 axes, found 3}}
#l = #ttg.layout<wgmma [64, 64, 64], n = 64, warps = [1, 4, 1]>

// -----

// expected-error@+1 {{hardware_swizzled has 2 to 8 axes, found 1}}
#s = #ttg.shared<hardware_swizzled [64], bits = 16, bytes = 128, order = [0]>

// -----

// expected-error@+1 {{expected the field 'lanes', found 'warps'}}
#l = #ttg.layout<blocked [32], registers = [1], warps = [1], lanes = [32], order = [0]>

// -----

// expected-error@+1 {{expected the field 'warps', found 'count'}}
#l = #ttg.layout<mma [64, 64], count = [1, 1]>

// -----

// expected-error@+1 {{expected the field 'register', found 'lane'}}
#l = #ttg.layout<linear [4], lane = [[1], [2]]>

// -----

// expected-error@+1 {{order must be a permutation of the axes}}
#l = #ttg.layout<blocked [16, 16], registers = [1, 1], lanes = [2, 16], warps = [1, 1], order = [1, 1]>

// -----

// expected-error@+1 {{order must be a permutation of the axes}}
#s = #ttg.shared<rows [16, 16], order = [1, 7]>

// -----

// expected-error@+1 {{lanes needs one number an axis: expected 2, found 1}}
#l = #ttg.layout<blocked [16, 16], registers = [1, 1], lanes = [32], warps = [1, 1], order = [1, 0]>

// -----

// expected-error@+1 {{lanes has the number 12, expected powers of two up to 64}}
#l = #ttg.layout<blocked [16], registers = [1], lanes = [12], warps = [1], order = [0]>

// -----

// expected-error@+1 {{registers has the number 0, expected powers of two up to 1024}}
#l = #ttg.layout<blocked [16], registers = [0], lanes = [32], warps = [1], order = [0]>

// -----

// expected-error@+1 {{lanes has 256 or more in all, at most 64 are possible}}
#l = #ttg.layout<blocked [16, 16], registers = [1, 1], lanes = [16, 16], warps = [1, 1], order = [1, 0]>

// -----

// expected-error@+1 {{bits is 24, expected 8, 16, 32 or 64}}
#l = #ttg.layout<dot_operand mma [64, 64], index = 0, bits = 24, warps = [2, 2]>

// -----

// expected-error@+1 {{index is 2, expected 0 or 1}}
#l = #ttg.layout<dot_operand mma [64, 64], index = 2, bits = 16, warps = [2, 2]>

// -----

// expected-error@+1 {{vector is 3, expected a power of two up to 1024}}
#s = #ttg.shared<swizzled [64, 64], vector = 3, per_phase = 1, max_phase = 8, order = [1, 0]>

// -----

// expected-error@+1 {{wgmma needs four warps along the rows, or a multiple of it, found 2}}
#l = #ttg.layout<wgmma [64, 64], n = 64, warps = [2, 2]>

// -----

// expected-error@+1 {{the second operand of wgmma has no registers}}
#l = #ttg.layout<dot_operand wgmma [64, 64], index = 1, bits = 16, warps = [4, 1]>

// -----

// expected-error@+1 {{a lane of the first version of wmma holds 16 values of k, found k_width = 8}}
#l = #ttg.layout<dot_operand wmma [64, 64], index = 0, version = 1, k_width = 8, warps = [4, 1]>

// -----

// expected-error@+1 {{a row of 64 bytes is narrower than the 128 bytes of a pattern}}
#s = #ttg.shared<hardware_swizzled [64, 32], bits = 16, bytes = 128, order = [1, 0]>

// -----

// expected-error@+1 {{axis is 2, but the parent has 2 axes}}
#l = #ttg.layout<slice <mma [64, 64], warps = [2, 2]>, axis = 2>

// -----

// expected-error@+1 {{slices nest more than 8 deep}}
#l = #ttg.layout<slice <slice <slice <slice <slice <slice <slice <slice <slice <linear [1]>, axis = 0>, axis = 0>, axis = 0>, axis = 0>, axis = 0>, axis = 0>, axis = 0>, axis = 0>, axis = 0>>

// -----

// expected-error@+1 {{an image has one coordinate an axis: expected 2, found 1}}
#l = #ttg.layout<linear [4, 4], register = [[1]]>

// -----

// expected-error@+1 {{coordinate 4 is outside of axis 1 of extent 4}}
#l = #ttg.layout<linear [4, 4], register = [[0, 4]]>

// -----

// expected-error@+1 {{lane has too many bits, at most 6 are possible}}
#l = #ttg.layout<linear [4], register = [[1], [2]], lane = [[0], [0], [0], [0], [0], [0], [0]]>

// -----

// expected-error@+1 {{the layout does not hold every element}}
#l = #ttg.layout<linear [4], register = [[1]], lane = [], warp = [], block = []>

// -----

// expected-error@+1 {{the layout does not hold every element once}}
#s = #ttg.shared<linear [4], offset = [[1], [2], [1]]>

// -----

#s = #ttg.shared<rows [32], order = [0]>
// expected-error@+1 {{the layout of shared memory covers another shape}}
tt.func @shape(%m: !ttg.memdesc<64xf16, #s>) {
  tt.return
}

// -----

#s = #ttg.shared<rows [32], order = [0]>
// expected-error@+1 {{shared memory holds integers, floats and pointers, found 'index'}}
tt.func @element(%m: !ttg.memdesc<32xindex, #s>) {
  tt.return
}
