func.func @main(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<2x1xi64>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.rng"(%x0, %x1, %x2) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2x1xi64>) -> (tensor<2x3xf32>)  // error: (rng_i3)
  return %0 : tensor<2x3xf32>
}
