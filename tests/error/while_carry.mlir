func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%x = %a) : tensor<f32>  // error: [stablehlo.while]
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>
    stablehlo.return %y : tensor<f64>
  }
  return %0 : tensor<f32>
}
