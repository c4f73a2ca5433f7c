func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "scf.execute_region"() ({  // error: not an op that Weft knows
    "scf.yield"(%x) : (tensor<f32>) -> ()
  }) : () -> tensor<f32>
  return %0 : tensor<f32>
}
