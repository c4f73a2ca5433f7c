func.func @main(%a: tensor<?xf32>, %shape: tensor<2xindex>) {
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf64>  // error: (dynamic_reshape_c1)
  return
}
