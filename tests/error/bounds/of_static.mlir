func.func @main(%a: tensor<3xf32, #stablehlo.bounds<3>>) {  // error: a bound of dimension 0, whose extent is static
  return
}
