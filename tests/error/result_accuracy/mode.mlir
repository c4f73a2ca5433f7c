func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.exponential"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<BEST>>} : (tensor<4xf32>) -> tensor<4xf32>  // error: [stablehlo.exponential] result_accuracy: mode: got BEST
  return %0 : tensor<4xf32>
}
