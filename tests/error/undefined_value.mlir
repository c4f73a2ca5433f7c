func.func @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.add %0, %2 : tensor<f32>  // error: %2 is not defined here
  return %1 : tensor<f32>
}
