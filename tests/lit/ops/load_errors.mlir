// RUN: tl-opt %s --split-input-file --verify-diagnostics
// Every message of the parser and the verifier of tt.load; unknown attributes are refused.

tt.func @mask_shape(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<32xi1>) {
  // expected-error @below {{mask and pointer differ in shape: mask is 32, pointer is 64}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>>, tensor<32xi1>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @scalar_mask(%p: tensor<64x!tt.ptr<f32>>, %m: i1) {
  // expected-error @below {{mask and pointer differ in shape: mask is scalar, pointer is 64}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>>, i1) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @other_type(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %o: tensor<64xi32>) {
  // expected-error @below {{other has elements 'i32' but the pointer points to 'f32'}}
  %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>, tensor<64xi32>) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @other_shape(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %o: f32) {
  // expected-error @below {{other and pointer differ in shape: other is scalar, pointer is 64}}
  %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>, f32) -> tensor<64xf32>
  tt.return
}

// -----

tt.func @other_without_mask(%p: !tt.ptr<f32>, %o: f32) {
  // expected-error @below {{has a value for masked-off lanes but no mask}}
  %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @result(%p: !tt.ptr<f32>) {
  // expected-error @below {{result has elements 'i32' but the pointer points to 'f32'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> i32
  tt.return
}

// -----

tt.func @not_a_pointer(%p: i32) {
  // expected-error @below {{expected a pointer or a tensor of pointers, found 'i32'}}
  %0 = tt.load %p : i32
  tt.return
}

// -----

tt.func @too_many(%p: !tt.ptr<f32>, %m: i1, %o: f32) {
  // expected-error @below {{expected a pointer, a mask and a value for masked-off lanes}}
  %0 = tt.load %p, %m, %o, %o : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @cache_modifier(%p: !tt.ptr<f32>) {
  // expected-error @below {{unknown cache modifier 'fast'}}
  %0 = tt.load %p cacheModifier = fast : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @eviction_policy(%p: !tt.ptr<f32>) {
  // expected-error @below {{unknown eviction policy 'never'}}
  %0 = tt.load %p evictionPolicy = never : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @policy_kind(%p: !tt.ptr<f32>) {
  // expected-error @below {{cachePolicy must be a #tt.cache_policy, found 1 : i32}}
  %0 = tt.load %p {cachePolicy = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @policy_part(%p: !tt.ptr<f32>) {
  // expected-error @below {{unknown part 'colour' of a cache policy}}
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<colour = cg>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @policy_value(%p: !tt.ptr<f32>) {
  // expected-error @below {{unknown value 'fast' of cache_modifier}}
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = fast>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @block_pointer_hint(%p: !tt.ptr<f32>) {
  // expected-error @below {{has a boundaryCheck, which only block pointers have}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}
