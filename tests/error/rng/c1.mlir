func.func @main(%x0: tensor<f32>, %x1: tensor<f64>, %x2: tensor<2xi64>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.rng"(%x0, %x1, %x2) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f64>, tensor<2xi64>) -> (tensor<2x3xf32>)  // error: (rng_c1)
  return %0 : tensor<2x3xf32>
}
