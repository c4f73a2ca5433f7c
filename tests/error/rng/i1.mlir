func.func @main(%a: tensor<1xf32>, %b: tensor<f32>, %s: tensor<1xi64>) -> tensor<4xf32> {
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<1xf32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>  // error: [stablehlo.rng] type of operand 0
  return %0 : tensor<4xf32>
}
