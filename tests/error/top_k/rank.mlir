func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.optimization_barrier %a : tensor<4xf32>
  %1:2 = chlo.top_k(%a, k = 8) : tensor<4xf32> -> (tensor<8xf32>, tensor<8xi32>)  // error: [chlo.top_k] extent of the operand
  return %0 : tensor<4xf32>
}
