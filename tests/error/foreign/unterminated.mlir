func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  "a.b"() ({  // error: [a.b] evaluation: not an op that Weft knows
    %y = stablehlo.add %x, %x : tensor<f32>
  }, {
  }) : () -> ()
  return %x : tensor<f32>
}
