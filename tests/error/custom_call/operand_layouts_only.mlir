func.func @main(%x0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.custom_call"(%x0) {call_target_name = "foo", operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)  // error: got operand_layouts only
  return %0 : tensor<2x3xf32>
}
