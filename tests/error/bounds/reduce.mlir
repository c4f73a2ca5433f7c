func.func @main(%a: tensor<?x7xf32, #stablehlo.bounds<4, ?>>, %v: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %v) applies stablehlo.add across dimensions = [1] : (tensor<?x7xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<7xf32>  // error: expected tensor<?xf32, #stablehlo.bounds<4>>
  return
}
