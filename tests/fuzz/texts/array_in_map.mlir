func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
    %s = stablehlo.add %c, %c : tensor<2xi16>
    %y = stablehlo.add %x, %x : tensor<f32>
    "stablehlo.return"(%y) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
