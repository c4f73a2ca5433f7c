func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.custom_call @f(%x) : (tensor<f32>) -> tensor<*xf32>  // error: [stablehlo.custom_call] a value of type tensor<*xf32> does not run
  %1 = chlo.broadcast_add %0, %0 : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %x : tensor<f32>
}
