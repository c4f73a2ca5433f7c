func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({  // error: [stablehlo.sort]
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
