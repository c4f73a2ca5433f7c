func.func @main(%x0: tensor<i32>, %x1: tensor<i32>, %x2: tensor<2xi64>) -> (tensor<2x3xi32>) {
  %0 = "stablehlo.rng"(%x0, %x1, %x2) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> (tensor<2x3xi32>)  // error: (rng_c2)
  return %0 : tensor<2x3xi32>
}
