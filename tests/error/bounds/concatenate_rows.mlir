func.func @main(%a: tensor<5x2xi32>, %b: tensor<?x2xi32, #stablehlo.bounds<4, ?>>) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<5x2xi32>, tensor<?x2xi32, #stablehlo.bounds<4, ?>>) -> tensor<5x4xi32>  // error: (concatenate_c2)
  return
}
