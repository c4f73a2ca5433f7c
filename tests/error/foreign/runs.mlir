func.func @main() -> tensor<2xindex> {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "shape.shape_of"(%x) : (tensor<2x3xf32>) -> tensor<2xindex>  // error: not an op that Weft knows
  return %0 : tensor<2xindex>
}
