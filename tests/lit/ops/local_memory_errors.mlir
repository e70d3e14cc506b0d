// RUN: tl-opt --split-input-file --verify-diagnostics %s
// Shared memory and tensors must agree in shape and element type.

#l = #ttg.layout<blocked [32], registers = [1], lanes = [32], warps = [1], order = [0]>
#s = #ttg.shared<rows [32], order = [0]>
tt.func @element_type(%m: !ttg.memdesc<32xf16, #s>) {
  // expected-error@+1 {{moves between a tensor and shared memory of one shape and element type}}
  %y = ttg.local_load %m : !ttg.memdesc<32xf16, #s> -> tensor<32xf32, #l>
  tt.return
}
