// How many extents the result has must be known.
func.func @main(%a: tensor<6xf32>, %shape: tensor<?xindex>) {
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<6xf32>, tensor<?xindex>) -> tensor<?x?xf32>  // error: (dynamic_reshape_i2)
  return
}
