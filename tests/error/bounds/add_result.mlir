func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = stablehlo.add %a, %a : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>  // error: got tensor<5xf32>, expected tensor<?xf32, #stablehlo.bounds<4>>
  return
}
