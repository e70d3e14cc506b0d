// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What copies in groups refuse.

#s = #ttg.shared<rows [1024], order = [0]>
tt.func @no_layout(%p: tensor<1024x!tt.ptr<f32>>, %m: !ttg.memdesc<1024xf32, #s>) {
  // expected-error@+1 {{needs pointers with a layout}}
  ttg.async_copy_global_to_local %p, %m : tensor<1024x!tt.ptr<f32>> -> !ttg.memdesc<1024xf32, #s>
  tt.return
}

// -----

#l = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>
#s = #ttg.shared<rows [1024], order = [0]>
tt.func @element(%p: tensor<1024x!tt.ptr<f32>, #l>, %m: !ttg.memdesc<1024xf16, #s>) {
  // expected-error@+1 {{copies to shared memory of the same shape and element type}}
  ttg.async_copy_global_to_local %p, %m : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf16, #s>
  tt.return
}

// -----

#l = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>
#k = #ttg.layout<blocked [1024], registers = [1], lanes = [32], warps = [4], order = [0]>
#s = #ttg.shared<rows [1024], order = [0]>
tt.func @mask(%p: tensor<1024x!tt.ptr<f32>, #l>, %m: !ttg.memdesc<1024xf32, #s>, %mask: tensor<1024xi1, #k>) {
  // expected-error@+1 {{needs a mask of i1 that is laid out as the pointers}}
  ttg.async_copy_global_to_local %p, %m mask %mask : tensor<1024xi1, #k> : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  tt.return
}

// -----

#l = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>
#s = #ttg.shared<rows [1024], order = [0]>
tt.func @other(%p: tensor<1024x!tt.ptr<f32>, #l>, %m: !ttg.memdesc<1024xf32, #s>, %other: tensor<1024xi32, #l>) {
  // expected-error@+1 {{needs other elements that are laid out as the pointers}}
  ttg.async_copy_global_to_local %p, %m other %other : tensor<1024xi32, #l> : tensor<1024x!tt.ptr<f32>, #l> -> !ttg.memdesc<1024xf32, #s>
  tt.return
}

// -----

tt.func @waiting() {
  // expected-error@+1 {{cannot leave -1 copies going on}}
  ttg.async_wait {num = -1 : i32}
  tt.return
}
