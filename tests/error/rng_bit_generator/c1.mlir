func.func @main(%s: tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)  // error: (rng_bit_generator_c1)
  return %0#0, %0#1 : tensor<3xui64>, tensor<4xui32>
}
