func.func @main(%x0: tensor<3xf32>, %x1: tensor<f32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.pad"(%x0, %x1) {edge_padding_low = array<i64: 1, 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> (tensor<4xf32>)  // error: (pad_c2)
  return %0 : tensor<4xf32>
}
