func.func @main(%a: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf64>  // error: (reduce_precision_c1)
  return %0 : tensor<2xf64>
}
